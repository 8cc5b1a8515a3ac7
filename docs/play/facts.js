// What kernels and recordings say to the things to play with. These fail
// `cargo xtask pages --check` where one says another thing:
//
// drawn for 06-local-memory.cl transpose_tile: SIDE=32
// drawn for 06-local-memory.cl matmul_column_strip: STRIP=8
// drawn for 08-tiling.cl matmul_register_tile: TM=64 TN=128 TK=16 RM=8 RN=8
// drawn from 1024..1024 = h200-4096 lesson01 "Device 1 ... largest work-group"
// drawn from 48..48 = h200-4096 lesson01 "Device 1 ... local memory"
// drawn from 4096..4096 = pocl-1024 lesson01 "largest work-group"
// drawn from 512..512 = pocl-1024 lesson01 "local memory"
// drawn from 65083.5..65084.5 = h200-4096 lesson11 matmul_tunable_local default.limits.gflops
// drawn from 4247.5..4248.5 = h200-4096 lesson11 matmul_tunable_local default.limits.gbytes_per_second
// drawn from 4382.5..4383.5 = h200-4096 lesson06 matmul_tiled 8x8
// drawn from 6516.5..6517.5 = h200-4096 lesson06 matmul_tiled 16x16
// drawn from 7008.5..7009.5 = h200-4096 lesson06 matmul_tiled 32x32
// drawn from 12630.5..12631.5 = h200-4096 lesson06 matmul_column_strip
// drawn from 33238.5..33239.5 = h200-4096 lesson08 matmul_register_tile
// drawn from 39954.5..39955.5 = h200-4096 lesson08 matmul_register_tile_vector PAD 0
// drawn from 41654.5..41655.5 = h200-4096 lesson08 matmul_register_tile_vector PAD 4
// drawn from 200.25..200.35 = pocl-1024 lesson11 matmul_tunable_packed default.limits.gflops
// drawn from 34.065..34.075 = pocl-1024 lesson11 matmul_tunable_packed default.limits.gbytes_per_second
// drawn from 2.1145..2.1155 = pocl-1024 lesson06 matmul_tiled 8x8
// drawn from 3.2385..3.2395 = pocl-1024 lesson06 matmul_tiled 16x16
// drawn from 3.3395..3.3405 = pocl-1024 lesson06 matmul_tiled 32x32
// drawn from 6.3185..6.3195 = pocl-1024 lesson06 matmul_column_strip
// drawn from 15.645..15.655 = pocl-1024 lesson08 matmul_register_tile
// drawn from 12.885..12.895 = pocl-1024 lesson08 matmul_register_tile_vector PAD 0
// drawn from 13.395..13.405 = pocl-1024 lesson08 matmul_register_tile_vector PAD 4
"use strict";
play.facts = {
    banks: { side: 32 },
    roofline: { devices: [
        {
            name: "NVIDIA H200", colour: "gpu", size: { m: 4096, n: 4096, k: 4096 },
            gflops: 65084, gbytes: 4248, largestGroup: 1024, localMemory: 49152,
            kernels: [
                { kernel: "matmul_tiled 8x8", gflops: 4383, tile: { TM: 8, TN: 8, TK: 8, RM: 1, RN: 1 } },
                { kernel: "matmul_tiled 16x16", gflops: 6517, tile: { TM: 16, TN: 16, TK: 16, RM: 1, RN: 1 } },
                { kernel: "matmul_tiled 32x32", gflops: 7009, tile: { TM: 32, TN: 32, TK: 32, RM: 1, RN: 1 } },
                { kernel: "matmul_column_strip", gflops: 12631, tile: { TM: 32, TN: 32, TK: 32, RM: 8, RN: 1 } },
                { kernel: "matmul_register_tile", gflops: 33239, tile: { TM: 64, TN: 128, TK: 16, RM: 8, RN: 8 } },
                { kernel: "matmul_register_tile_vector PAD 0", gflops: 39955, tile: { TM: 64, TN: 128, TK: 16, RM: 8, RN: 8 } },
                { kernel: "matmul_register_tile_vector PAD 4", gflops: 41655, tile: { TM: 64, TN: 128, TK: 16, RM: 8, RN: 8 } },
            ],
        },
        {
            name: "AMD EPYC with AVX2 and PoCL", colour: "cpu", size: { m: 1024, n: 1024, k: 1024 },
            gflops: 200.3, gbytes: 34.07, largestGroup: 4096, localMemory: 524288,
            kernels: [
                { kernel: "matmul_tiled 8x8", gflops: 2.115, tile: { TM: 8, TN: 8, TK: 8, RM: 1, RN: 1 } },
                { kernel: "matmul_tiled 16x16", gflops: 3.239, tile: { TM: 16, TN: 16, TK: 16, RM: 1, RN: 1 } },
                { kernel: "matmul_tiled 32x32", gflops: 3.340, tile: { TM: 32, TN: 32, TK: 32, RM: 1, RN: 1 } },
                { kernel: "matmul_column_strip", gflops: 6.319, tile: { TM: 32, TN: 32, TK: 32, RM: 8, RN: 1 } },
                { kernel: "matmul_register_tile", gflops: 15.65, tile: { TM: 64, TN: 128, TK: 16, RM: 8, RN: 8 } },
                { kernel: "matmul_register_tile_vector PAD 0", gflops: 12.89, tile: { TM: 64, TN: 128, TK: 16, RM: 8, RN: 8 } },
                { kernel: "matmul_register_tile_vector PAD 4", gflops: 13.40, tile: { TM: 64, TN: 128, TK: 16, RM: 8, RN: 8 } },
            ],
        },
    ] },
};
