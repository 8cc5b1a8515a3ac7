// Made from the kernels and the recordings by `cargo makers pages`.
"use strict";
play.facts = {
  "banks": {
    "side": 32
  },
  "roofline": {
    "devices": [
      {
        "colour": "gpu",
        "gbytes": 4248.472018232464,
        "gflops": 65084.34637708844,
        "kernels": [
          {
            "gflops": 4382.892502492502,
            "intensity": 1.9980487804878049,
            "kernel": "matmul_tiled 8x8",
            "tile": {
              "RM": 1,
              "RN": 1,
              "TK": 8,
              "TM": 8,
              "TN": 8
            }
          },
          {
            "gflops": 6517.336772854289,
            "intensity": 3.992202729044834,
            "kernel": "matmul_tiled 16x16",
            "tile": {
              "RM": 1,
              "RN": 1,
              "TK": 16,
              "TM": 16,
              "TN": 16
            }
          },
          {
            "gflops": 7008.9759571527175,
            "intensity": 7.968871595330739,
            "kernel": "matmul_tiled 32x32",
            "tile": {
              "RM": 1,
              "RN": 1,
              "TK": 32,
              "TM": 32,
              "TN": 32
            }
          },
          {
            "gflops": 12631.290830701182,
            "intensity": 7.968871595330739,
            "kernel": "matmul_column_strip",
            "tile": {
              "RM": 8,
              "RN": 1,
              "TK": 32,
              "TM": 32,
              "TN": 32
            }
          },
          {
            "gflops": 33239.436403457854,
            "intensity": 21.11340206185567,
            "kernel": "matmul_register_tile",
            "tile": {
              "RM": 8,
              "RN": 8,
              "TK": 16,
              "TM": 64,
              "TN": 128
            }
          },
          {
            "gflops": 39955.41421846801,
            "intensity": 21.11340206185567,
            "kernel": "matmul_register_tile_vector PAD 0",
            "tile": {
              "RM": 8,
              "RN": 8,
              "TK": 16,
              "TM": 64,
              "TN": 128
            }
          },
          {
            "gflops": 41655.23648619159,
            "intensity": 21.11340206185567,
            "kernel": "matmul_register_tile_vector PAD 4",
            "tile": {
              "RM": 8,
              "RN": 8,
              "TK": 16,
              "TM": 64,
              "TN": 128
            }
          }
        ],
        "largestGroup": 1024,
        "localMemory": 49152,
        "name": "NVIDIA H200",
        "size": {
          "k": 4096,
          "m": 4096,
          "n": 4096
        }
      },
      {
        "colour": "cpu",
        "gbytes": 34.0655861197265,
        "gflops": 200.30942076137373,
        "kernels": [
          {
            "gflops": 2.115355191246119,
            "intensity": 1.9922178988326849,
            "kernel": "matmul_tiled 8x8",
            "tile": {
              "RM": 1,
              "RN": 1,
              "TK": 8,
              "TM": 8,
              "TN": 8
            }
          },
          {
            "gflops": 3.2390287123416677,
            "intensity": 3.9689922480620154,
            "kernel": "matmul_tiled 16x16",
            "tile": {
              "RM": 1,
              "RN": 1,
              "TK": 16,
              "TM": 16,
              "TN": 16
            }
          },
          {
            "gflops": 3.340392482321579,
            "intensity": 7.876923076923077,
            "kernel": "matmul_tiled 32x32",
            "tile": {
              "RM": 1,
              "RN": 1,
              "TK": 32,
              "TM": 32,
              "TN": 32
            }
          },
          {
            "gflops": 6.319375978131349,
            "intensity": 7.876923076923077,
            "kernel": "matmul_column_strip",
            "tile": {
              "RM": 8,
              "RN": 1,
              "TK": 32,
              "TM": 32,
              "TN": 32
            }
          },
          {
            "gflops": 15.653696171595032,
            "intensity": 20.48,
            "kernel": "matmul_register_tile",
            "tile": {
              "RM": 8,
              "RN": 8,
              "TK": 16,
              "TM": 64,
              "TN": 128
            }
          },
          {
            "gflops": 12.893840930039978,
            "intensity": 20.48,
            "kernel": "matmul_register_tile_vector PAD 0",
            "tile": {
              "RM": 8,
              "RN": 8,
              "TK": 16,
              "TM": 64,
              "TN": 128
            }
          },
          {
            "gflops": 13.395500832132042,
            "intensity": 20.48,
            "kernel": "matmul_register_tile_vector PAD 4",
            "tile": {
              "RM": 8,
              "RN": 8,
              "TK": 16,
              "TM": 64,
              "TN": 128
            }
          }
        ],
        "largestGroup": 4096,
        "localMemory": 524288,
        "name": "PoCL on a CPU",
        "size": {
          "k": 1024,
          "m": 1024,
          "n": 1024
        }
      }
    ]
  }
};
