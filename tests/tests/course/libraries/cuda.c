/* What `xtask library cublas` calls, on the host: CUDA's runtime and cuBLAS in one file. The
   product is column-major, as cuBLAS' is; -DWRONG leaves out its last term. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cudaSetDevice(int device) { return device != 0; }
int cudaMalloc(void **address, size_t bytes) { return !(*address = malloc(bytes)); }
int cudaFree(void *address) { free(address); return 0; }
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    memcpy(to, from, bytes);
    return kind != 1 && kind != 2;
}
int cudaMemset(void *to, int byte, size_t bytes) { return !memset(to, byte, bytes); }
int cudaDeviceSynchronize(void) { return 0; }
int cudaEventCreate(void **event) { return !(*event = calloc(1, sizeof(double))); }
int cudaEventRecord(void *event, void *stream) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *(double *)event = now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
    return stream != 0;
}
int cudaEventSynchronize(void *event) { return !event; }
int cudaEventElapsedTime_v2(float *ms, void *begin, void *end) {
    *ms = *(double *)end - *(double *)begin;
    return 0;
}

static int mode;
int cublasCreate_v2(void **handle) { *handle = &mode; return 0; }
int cublasGetVersion_v2(void *handle, int *version) { *version = 130002; return !handle; }
int cublasGemmEx(void *handle, int at, int bt, int m, int n, int k, const float *alpha, const float *a, int ta,
                 int lda, const float *b, int tb, int ldb, const float *beta, float *c, int tc, int ldc, int compute,
                 int algorithm) {
#ifdef WRONG
    k--;
#endif
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int l = 0; l < k; l++) sum += a[i + l * lda] * b[l + j * ldb];
            c[i + j * ldc] = *alpha * sum;
        }
    return at | bt | ta | tb | tc | (compute != 68) | (algorithm != -1) | (*beta != 0) | !handle;
}
