#!/usr/bin/env python3
"""Runs dynamics_bench and prints its times beside Pinocchio's: compare.py PROGRAM [--repetitions N]

The two libraries are timed in turns, N times each; times are medians of processor time, and the spread is that of the
ratio of one turn. Where Pinocchio has two ways (world or local coordinates) the faster counts.
"""

import argparse
import json
import statistics
import subprocess
import sys


def measure(program, repetitions, seconds):
    """Times of every turn: {(model, algorithm, library): [ns, ...]}."""
    times = {}
    for turn in range(repetitions):
        print(f"turn {turn + 1} of {repetitions}", file=sys.stderr)
        out = subprocess.run(
            [program, f"--benchmark_min_time={seconds}", "--benchmark_format=json"],
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for row in json.loads(out)["benchmarks"]:
            assert row["time_unit"] == "ns"
            times.setdefault(tuple(row["name"].split("/")), []).append(row["cpu_time"])
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="dynamics_bench, built with TACTUS_WITH_PINOCCHIO")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="least time of one measurement")
    options = parser.parse_args()
    times = measure(options.program, options.repetitions, options.seconds)

    print("| model | algorithm | tactus [us] | Pinocchio [us] | ratio (spread) |")
    print("| --- | --- | --- | --- | --- |")
    for model, algorithm, library in times:
        if library != "tactus":
            continue
        ours = times[model, algorithm, library]
        peers = [
            values for (m, a, lib), values in times.items() if (m, a) == (model, algorithm) and lib.startswith("pinocchio")
        ]
        if not peers:
            print(f"| {model} | {algorithm} | {statistics.median(ours) / 1e3:.3g} | | |")
            continue
        best = min(peers, key=statistics.median)
        ratios = [b / o for b, o in zip(best, ours)]
        print(
            f"| {model} | {algorithm} | {statistics.median(ours) / 1e3:.3g} | {statistics.median(best) / 1e3:.3g} "
            f"| {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) |"
        )


if __name__ == "__main__":
    main()
