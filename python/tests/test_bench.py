"""python/bench/bench.py runs, and a call of step does not cost much more than it should."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench" / "bench.py"


def test_a_call_of_step_costs_little():
    """The bar of the benchmark is 2 us. This one is for machines that do other things meanwhile."""
    spec = importlib.util.spec_from_file_location("bench", BENCH)
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    overhead = min(bench.measure_overhead(2000)["overhead [us]"] for _ in range(3))
    assert overhead < 10, overhead


@pytest.mark.long
def test_bench_writes_what_it_measured(tmp_path):
    done = subprocess.run([sys.executable, BENCH, "--quick", "--json", tmp_path / "out.json"], capture_output=True, text=True,
                          timeout=900)
    rows = json.loads((tmp_path / "out.json").read_text())
    assert rows["overhead"]["overhead [us]"] < 20 and rows["machine"]["processors"] >= 1, done.stdout + done.stderr
    for name, what in (("laikago", "robots landed"), ("panda grasp", "boxes held")):
        assert rows[name]["same bits"] and rows[name]["failed"] == 0
        assert rows[name][f"tactus: {what}"] == 1 and rows[name].get(f"mujoco: {what}", 1) == 1
