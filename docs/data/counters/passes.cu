// Kernels of lessons 3 to 7 in CUDA, so that Nsight Compute can count what binds them.
// passes.txt has what an H200 answered. To run it:
//
//     nvcc -O3 -arch=sm_90 -o passes passes.cu && ./passes
//     P=.avg.pct_of_peak_sustained_active; L=l1tex__
//     ncu --clock-control none --metrics gpu__time_duration.sum,smsp__inst_issued$P,\
//     ${L}data_pipe_lsu_wavefronts$P,${L}data_pipe_lsu_wavefronts.sum,${L}lsu_writeback_active$P ./passes
#include <cstdio>
#define N 4096
#define KERNEL(items) __global__ void __launch_bounds__(items)
#define ARRAYS const float *A, const float *B, float *C, int n

KERNEL(256) naive(ARRAYS) {
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++) s += A[r * n + k] * B[k * n + c];
    C[r * n + c] = s;
}
KERNEL(256) sums8(ARRAYS) {
    int c = blockIdx.x * 16 + threadIdx.x, r = (blockIdx.y * 16 + threadIdx.y) * 8;
    float s[8] = {};
    for (int k = 0; k < n; k++) {
        float b = B[k * n + c];
        for (int i = 0; i < 8; i++) s[i] += A[(r + i) * n + k] * b;
    }
    for (int i = 0; i < 8; i++) C[(r + i) * n + c] = s[i];
}
KERNEL(256) vload8(ARRAYS) {
    int c = (blockIdx.x * 16 + threadIdx.x) * 8, r = blockIdx.y * 16 + threadIdx.y;
    float s[8] = {};
    for (int k = 0; k < n; k++) {
        float a = A[r * n + k];
        for (int i = 0; i < 8; i++) s[i] += a * B[k * n + c + i];
    }
    for (int i = 0; i < 8; i++) C[r * n + c + i] = s[i];
}
template <int T> KERNEL(T * T) tiled(ARRAYS) {
    __shared__ float a[T][T], b[T][T];
    int x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * T + x, r = blockIdx.y * T + y;
    float s = 0;
    for (int k0 = 0; k0 < n; k0 += T) {
        a[y][x] = r < n && k0 + x < n ? A[r * n + k0 + x] : 0;
        b[y][x] = k0 + y < n && c < n ? B[(k0 + y) * n + c] : 0;
        __syncthreads();
        for (int k = 0; k < T; k++) s += a[y][k] * b[k][x];
        __syncthreads();
    }
    if (r < n && c < n) C[r * n + c] = s;
}
KERNEL(128) strip(ARRAYS) {
    __shared__ float a[32][32], b[32][32];
    int x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 32 + x, r0 = blockIdx.y * 32;
    float s[8] = {};
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int q = 0; q < 8; q++) {
            int i = y + q * 4;
            a[i][x] = A[(r0 + i) * n + k0 + x];
            b[i][x] = B[(k0 + i) * n + c];
        }
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            float v = b[k][x];
            for (int q = 0; q < 8; q++) s[q] += a[y + q * 4][k] * v;
        }
        __syncthreads();
    }
    for (int q = 0; q < 8; q++) C[(r0 + y + q * 4) * n + c] = s[q];
}
KERNEL(256) vector32(ARRAYS) {
    __shared__ float4 a[32][8], b[32][8];
    int x = threadIdx.x, y = threadIdx.y, v = blockIdx.x * 8 + x, r = blockIdx.y * 32 + y;
    float4 s = {}, *A4 = (float4 *)A, *B4 = (float4 *)B;
    for (int k0 = 0; k0 < n; k0 += 32) {
        a[y][x] = A4[r * (n / 4) + k0 / 4 + x];
        b[y][x] = B4[(k0 + y) * (n / 4) + v];
        __syncthreads();
        for (int k = 0; k < 32; k += 4) {
            float4 f = a[y][k / 4];
            float g[4] = {f.x, f.y, f.z, f.w};
            for (int i = 0; i < 4; i++) {
                float4 h = b[k + i][x];
                s.x += g[i] * h.x, s.y += g[i] * h.y, s.z += g[i] * h.z, s.w += g[i] * h.w;
            }
        }
        __syncthreads();
    }
    ((float4 *)C)[r * (n / 4) + v] = s;
}

int main() {
    float *A, *B, *C;
    cudaMalloc(&A, N * N * 4), cudaMalloc(&B, N * N * 4), cudaMalloc(&C, N * N * 4);
    dim3 group(16, 16), groups(256, 256), large(128, 128);
    naive<<<groups, group>>>(A, B, C, N);
    sums8<<<dim3(256, 32), group>>>(A, B, C, N);
    vload8<<<dim3(32, 256), group>>>(A, B, C, N);
    tiled<16><<<groups, group>>>(A, B, C, N);
    tiled<32><<<large, dim3(32, 32)>>>(A, B, C, N);
    strip<<<large, dim3(32, 4)>>>(A, B, C, N);
    vector32<<<large, dim3(8, 32)>>>(A, B, C, N);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
