"""Times NVIDIA's library (cuBLAS, through PyTorch) on square products of floats.

    python3 data/peers/cublas.py 1024 2048 4096 8192 > data/peers/h200.jsonl

TF32 is off, so the library computes in fp32 as the course does. Each time is between two
events around one product, as the lessons' times are; the first ten products are not
counted. GFLOP/s are 2 n^3 operations over the median.
"""

import datetime
import json
import statistics
import sys

import torch

torch.backends.cuda.matmul.allow_tf32 = False
print(json.dumps({
    "command": "python3 data/peers/cublas.py " + " ".join(sys.argv[1:]),
    "date": datetime.date.today().isoformat(),
    "library": "cuBLAS of CUDA " + str(torch.version.cuda),
    "torch": torch.__version__,
    "device": torch.cuda.get_device_name(),
    "tf32": False,
}))

for n in map(int, sys.argv[1:]):
    a = torch.rand(n, n, device="cuda") - 0.5
    b = torch.rand(n, n, device="cuda") - 0.5
    c = torch.empty(n, n, device="cuda")
    for _ in range(10):
        torch.mm(a, b, out=c)
    seconds = []
    for _ in range(30):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        torch.mm(a, b, out=c)
        end.record()
        end.synchronize()
        seconds.append(begin.elapsed_time(end) / 1e3)
    median = statistics.median(seconds)
    low, _, high = statistics.quantiles(seconds, n=4)
    print(json.dumps({
        "m": n, "n": n, "k": n,
        "seconds_median": median,
        "spread": (high - low) / 2 / median,
        "gflops": 2 * n**3 / median / 1e9,
    }), flush=True)
