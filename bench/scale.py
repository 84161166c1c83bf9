"""How the cost of growing rises with the number of rows: 10^4 to 10^7, and the plot in docs/.

    python bench/scale.py [--most 10000000]

Each size in a fresh process, one thread, the numeric table of bench/workloads.py, fully grown
and to depth 8. The plot shows seconds divided by n log2 n, relative to the smallest size: a line
that does not rise is n log n at most.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path

from results_file import save

HERE = Path(__file__).resolve().parent
WHAT = "Seconds of growing per n log2 n, relative to 10,000 rows"
SIZES = (10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000)


def one(n, depth):
    """Grow in this process; print seconds and megabytes."""
    from fit import memory
    from workloads import numeric

    import penjing

    x, y = numeric(n)
    penjing.fit(x[:1000], y[:1000], "cart-textbook")
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    before, _ = memory()
    times, peak, tree = [], 0.0, None
    for _ in range(max(1, min(5, 2_000_000 // n))):
        start = time.perf_counter()
        tree = penjing.fit(x, y, "cart-textbook", max_depth=depth, threads=1)
        times.append(time.perf_counter() - start)
        peak = peak or memory()[1] - before
    print(json.dumps({"seconds": min(times), "extra_mb": peak, "leaves": tree.n_leaves}))


def plot(rows):
    """Return the picture: seconds / (n log2 n), relative to the smallest size."""
    width, height, left, top = 640, 320, 64, 24
    series = {}
    for row in rows:
        cost = row["seconds"] / (row["n"] * math.log2(row["n"]))
        series.setdefault(row["depth"], []).append((row["n"], cost))
    most = max(cost / points[0][1] for points in series.values() for _, cost in points)
    most = max(1.25, math.ceil(most * 4) / 4)
    low, high = math.log10(rows[0]["n"]), math.log10(max(row["n"] for row in rows))

    def at(n, share):
        x = left + (math.log10(n) - low) / (high - low) * (width - left - 24)
        return x, top + (1 - share / most) * (height - top - 48)

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12" role="img">'
        ),
        f"<title>{WHAT}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{left}" y="14">{WHAT}</text>',
    ]
    for step in range(int(most * 4) + 1):
        _, y = at(rows[0]["n"], step / 4)
        parts.append(
            f'<line x1="{left}" x2="{width - 24}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>'
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{step / 4:g}</text>'
        )
    for exponent in range(round(low), round(high) + 1):
        x, y = at(10**exponent, 0)
        parts.append(
            f'<text x="{x:.1f}" y="{y + 20:.1f}" text-anchor="middle">10^{exponent}</text>'
        )
    x, y = at(rows[0]["n"], 0)
    parts.append(f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">rows</text>')
    for (depth, points), colour in zip(series.items(), ("#0072b2", "#d55e00"), strict=False):
        line = " ".join("{:.1f},{:.1f}".format(*at(n, cost / points[0][1])) for n, cost in points)
        x, y = at(points[-1][0], points[-1][1] / points[0][1])
        name = f"depth {depth}" if depth else "fully grown"
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="end" fill="{colour}">{name}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=SIZES[-1])
    parser.add_argument("--one", nargs=2, type=int)
    asked = parser.parse_args()
    if asked.one:
        one(asked.one[0], asked.one[1] or None)
        return
    rows = []
    for depth in (0, 8):
        for n in (size for size in SIZES if size <= asked.most):
            command = [sys.executable, __file__, "--one", str(n), str(depth)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append({"n": n, "depth": depth} | json.loads(done.stdout))
            told = rows[-1]
            each = told["seconds"] / (n * math.log2(n)) * 1e9
            print(
                f"{n:>11,} rows, {'depth 8' if depth else 'full'}: {told['seconds']:.4f} s, "
                f"{each:.2f} ns per n log2 n, {told['leaves']:,} leaves, "
                f"{told['extra_mb']:.0f} MB",
                flush=True,
            )
    save("scale", {"rows": rows})
    if asked.most == SIZES[-1]:
        (HERE.parent / "docs/scale.svg").write_text(plot(rows), "utf-8")


if __name__ == "__main__":
    main()
