"""What PyTorch's user would call instead of a problem's kernels, timed on the GPU.

Reads a line {"problem": "01-sum", "size": {"n": 1000}} for each question, and answers it with a line
{"operation": "x.sum()", "seconds_median": 7e-5, "spread": 0.01}, or with null where PyTorch has no such operation.
"""

import json
import statistics
import sys

import torch
import torch.nn.functional as F


def randn(*sides):
    return torch.randn(*sides, device="cuda")


def convolution(size, side):
    x, weights = randn(1, 1, size["rows"], size["columns"]), randn(1, 1, side, side)
    return lambda: F.conv2d(x, weights, padding=side // 2)


def transpose(size):
    x = randn(size["rows"], size["columns"])
    return lambda: x.t().contiguous()


def matrix_vector(size):
    a, x = randn(size["rows"], size["columns"]), randn(size["columns"])
    return lambda: torch.mv(a, x)


def softmax(size):
    x = randn(size["rows"], size["columns"])
    return lambda: torch.softmax(x, 1)


def layer_norm(size):
    side = size["columns"]
    x, scale, shift = randn(size["rows"], side), randn(side), randn(side)
    return lambda: F.layer_norm(x, (side,), scale, shift)


def histogram(size):
    x = torch.randint(256, (size["n"],), dtype=torch.uint8, device="cuda")
    return lambda: torch.bincount(x, minlength=256)


def prefix_sum(size):
    x = randn(size["n"])
    return lambda: torch.cumsum(x, 0)


def total(size):
    x = randn(size["n"])
    return lambda: x.sum()


def compaction(size):
    x = randn(size["n"])
    return lambda: x[x > 0]


def sparse(size):
    # As the problem has it: 16 numbers in a row, 516 in every 64th, of 4096 columns.
    row = torch.arange(size["rows"] + 1, device="cuda")
    begins = 16 * row + 500 * (row // 64)
    count = int(begins[-1])
    columns = torch.randint(4096, (count,), device="cuda")
    sides = (size["rows"], 4096)
    a = torch.sparse_csr_tensor(begins.int(), columns.int(), randn(count), sides)
    x = randn(4096)
    return lambda: a @ x


def sort(size):
    x = randn(size["rows"], 1024)
    return lambda: torch.sort(x, 1)


def top(size):
    x = randn(size["rows"], 8 + size["more"])
    return lambda: torch.topk(x, 8, 1)


def attention(size):
    q, k, v = (randn(1, 1, size["n"], 64) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v)


def attention_halves(size):
    q, k, v = (randn(1, size["heads"], size["n"], 64).half() for _ in range(3))
    causal = size["causal"] > 0
    return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)


def fused_product(size):
    a, b = randn(size["M"], size["K"]), randn(size["K"], size["N"])
    bias = randn(size["N"])
    return lambda: F.gelu(torch.addmm(bias, a, b), approximate="tanh")


def many_products(size):
    a, b = (randn(size["count"], 32, 32) for _ in range(2))
    return lambda: torch.bmm(a, b)


OPERATIONS = {
    "01-sum": ("x.sum()", total),
    "02-transpose": ("x.t().contiguous()", transpose),
    "04-stencil": ("conv2d, 3x3", lambda size: convolution(size, 3)),
    "05-convolution": ("conv2d, 7x7", lambda size: convolution(size, 7)),
    "06-matrix-vector": ("mv", matrix_vector),
    "07-softmax": ("softmax", softmax),
    "08-layer-norm": ("layer_norm", layer_norm),
    "09-histogram": ("bincount", histogram),
    "10-prefix-sum": ("cumsum", prefix_sum),
    "11-compaction": ("x[x > 0]", compaction),
    "12-sparse-matrix-vector": ("sparse CSR @ x", sparse),
    "15-bitonic-sort": ("sort", sort),
    "16-top-k": ("topk", top),
    "17-attention": ("scaled_dot_product_attention", attention),
    "18-fused-product": ("gelu(addmm)", fused_product),
    "20-many-products": ("bmm", many_products),
    "21-attention-halves": ("scaled_dot_product_attention, fp16", attention_halves),
}


def seconds(run, rows=10, in_a_row=10):
    """Of one call, in each of some rows. Between two events many follow each other, so that their
    launches, of which an OpenCL event knows nothing, hide behind the GPU's work."""
    for _ in range(3):
        run()
    times = []
    for _ in range(rows):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(in_a_row):
            run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / in_a_row)
    return times


def main():
    # Floats, as the problems have them.
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    for line in sys.stdin:
        asked = json.loads(line)
        name, make = OPERATIONS.get(asked["problem"], (None, None))
        answer = None
        if name:
            times = seconds(make(asked["size"]))
            median = statistics.median(times)
            low, _, high = statistics.quantiles(times, n=4)
            spread = (high - low) / 2 / median
            answer = {"operation": name, "seconds_median": median, "spread": spread}
            torch.cuda.empty_cache()
        print(json.dumps(answer), flush=True)


main()
