// Sixteen ways in which the items of a group can ask for memory, each alone in its kernel.
// docs/data/counters/accesses.json has what an H200's counters said of each for 1,024 items in
// groups of 64; a test holds the trace against that.

typedef struct { float x, y, z, w; } body;

// Loads of global memory.

kernel void load_neighbours(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i];
}

kernel void load_every_fourth(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[4 * i];
}

kernel void load_every_32nd(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[(32 * i) % n];
}

kernel void load_one_by_four(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i / 4];
}

kernel void load_from_the_second(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i + 1];
}

kernel void load_component(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = ((global const float4 *)in)[i].x;
}

kernel void load_field(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = ((global const body *)in)[i].x;
}

kernel void load_two_components(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    global const float4 *four = (global const float4 *)in;
    out[i] = four[i].x + four[i].w;
}

kernel void load_backwards(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[1024 - 1 - i];
}

// Stores to global memory.

kernel void store_component(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    ((global float4 *)out)[i].y = in[i];
}

kernel void store_every_second(int n, global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[2 * i] = in[i];
}

// Local memory: each stores by neighbours, and loads in its own way.

kernel void local_neighbours(int n, global const float *in, global float *out)
{
    local float tile[64];
    int i = get_global_id(0), x = get_local_id(0);
    tile[x] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[63 - x];
}

kernel void local_every_second(int n, global const float *in, global float *out)
{
    local float tile[128];
    int i = get_global_id(0), x = get_local_id(0);
    tile[x] = in[i];
    tile[x + 64] = in[i + 64];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[2 * x];
}

kernel void local_column(int n, global const float *in, global float *out)
{
    local float tile[64 * 32];
    int i = get_global_id(0), x = get_local_id(0);
    for (int row = 0; row < 32; row++)
        tile[row * 64 + x] = in[row * 64 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[32 * x];
}

kernel void local_padded_column(int n, global const float *in, global float *out)
{
    local float tile[64 * 33];
    int i = get_global_id(0), x = get_local_id(0);
    for (int row = 0; row < 33; row++)
        tile[row * 64 + x] = in[row * 64 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[33 * x];
}

kernel void local_component(int n, global const float *in, global float *out)
{
    local float4 tile[64];
    int i = get_global_id(0), x = get_local_id(0);
    tile[x] = ((global const float4 *)in)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[63 - x].x;
}
