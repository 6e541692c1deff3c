"""tactus.map: the same results wherever they are computed, and none lost."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import map_jobs
import tactus
from tactus.journal import Journal

HEIGHTS = [0.2 + 0.01 * k for k in range(24)]


@pytest.fixture(scope="module")
def local():
    """What all other runs are compared with."""
    return tactus.map(map_jobs.fall, HEIGHTS, seed=7)


def assert_same_bits(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert x["state"].tobytes() == y["state"].tobytes()
        assert x["status"] == y["status"] and x["draw"] == y["draw"]
    assert a.digest == b.digest


def test_seeds_differ_between_jobs_and_not_between_runs(local):
    assert_same_bits(tactus.map(map_jobs.fall, HEIGHTS, seed=7), local)
    assert len({r["draw"] for r in local}) == len(HEIGHTS)
    assert tactus.map(map_jobs.fall, HEIGHTS, seed=8).digest != local.digest
    assert all(r["status"] == 0 and np.isfinite(r["state"]).all() for r in local)


@pytest.mark.parametrize("shard", [1, 5, 100])
def test_process_pool_gives_the_bits_of_the_local_run(local, tmp_path, shard):
    with ProcessPoolExecutor(2) as executor:
        result = tactus.map(map_jobs.fall, HEIGHTS, executor, seed=7, shard=shard, folder=tmp_path)
    assert result.ok and not result.failures
    assert_same_bits(result, local)


def test_threads_and_own_processes(local):
    with ThreadPoolExecutor(2) as executor:
        assert_same_bits(tactus.map(map_jobs.fall, HEIGHTS, executor, seed=7), local)
    assert_same_bits(tactus.map(map_jobs.fall, HEIGHTS, 2, seed=7, shard=6), local)


def test_nothing_is_computed_twice(tmp_path):
    jobs = [(str(tmp_path / "log"), h) for h in HEIGHTS[:6]]
    first = tactus.map(map_jobs.log_fall, jobs, seed=1, folder=tmp_path / "run")
    again = tactus.map(map_jobs.log_fall, jobs, seed=1, folder=tmp_path / "run")
    assert_same_bits(first, again)
    assert len((tmp_path / "log").read_text().split()) == 6


def test_parts_make_the_whole(local, tmp_path):
    for k in (2, 0, 1):
        part = tactus.map(map_jobs.fall, HEIGHTS, seed=7, folder=tmp_path, part=(k, 3))
        assert not part.failures
    assert_same_bits(part, tactus.map(map_jobs.fall, HEIGHTS, seed=7, folder=tmp_path))
    assert len(list(tmp_path.glob("results-*.bin"))) == 4
    assert_same_bits(part, local)
    only = tactus.map(map_jobs.fall, HEIGHTS, seed=7, folder=tmp_path / "b", part=(1, 3))
    assert only.missing == [k for k in range(24) if k % 3 != 1]
    with pytest.raises(KeyError, match="job 0: was not done"):
        only[0]


def test_failures_are_told_and_the_others_are_kept(tmp_path):
    with pytest.raises(tactus.MapError) as caught:
        tactus.map(map_jobs.fails_at_three, range(6), 2, folder=tmp_path)
    text = str(caught.value)
    assert "1 of 6 jobs failed" in text and "job 3: ValueError: three is not wanted" in text and "map_jobs.py" in text
    result = caught.value.result
    assert result.missing == [3] and result[5] == 5 and not result.ok
    told = json.loads((tmp_path / "failures-0-of-1.json").read_text())
    assert [f["index"] for f in told] == [3]
    report = tactus.map(map_jobs.fails_at_three, range(6), folder=tmp_path, on_failure="report")
    assert [f.index for f in report.failures] == [3]


def test_results_that_cannot_be_pickled_are_failures():
    result = tactus.map(lambda x: threading.Lock(), [1], on_failure="report")
    assert "pickle" in result.failures[0].message


def test_a_pool_that_breaks_is_made_again(tmp_path):
    jobs = [(str(tmp_path / "died"), x) for x in range(12)]
    assert list(tactus.map(map_jobs.dies_once, jobs, 2)) == [x * x for x in range(12)]
    assert (tmp_path / "died").exists()


def test_a_job_that_kills_every_worker_is_named():
    result = tactus.map(map_jobs.dies_always, range(12), 2, shard=3, retries=1, on_failure="report")
    assert [f.index for f in result.failures] == [5] and result.failures[0].lost
    assert [result[k] for k in range(12) if k != 5] == [k * k for k in range(12) if k != 5]


def test_an_executor_of_the_caller_that_breaks_is_told(tmp_path):
    with ProcessPoolExecutor(2) as executor:
        with pytest.raises(tactus.MapError, match="the executor broke with .* jobs left"):
            tactus.map(map_jobs.dies_always, range(12), executor, folder=tmp_path)
    rest = tactus.map(map_jobs.dies_always, range(12), 2, folder=tmp_path, retries=0, on_failure="report")
    assert rest.missing == [5]
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(tactus.MapError, match="after shutdown"):
        tactus.map(map_jobs.square, range(3), executor)


def test_a_torn_record_is_done_again(local, tmp_path):
    tactus.map(map_jobs.fall, HEIGHTS, seed=7, folder=tmp_path)
    path = tmp_path / "results-0-of-1.bin"
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    with pytest.warns(RuntimeWarning, match="no whole record"):
        assert_same_bits(tactus.map(map_jobs.fall, HEIGHTS, seed=7, folder=tmp_path), local)
    assert path.read_bytes() == whole
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.warns(RuntimeWarning, match="no whole record"):
        assert_same_bits(tactus.map(map_jobs.fall, HEIGHTS, seed=7, folder=tmp_path), local)


def test_other_jobs_do_not_go_into_the_same_folder(tmp_path):
    tactus.map(map_jobs.square, range(4), folder=tmp_path)
    with pytest.raises(tactus.InputError, match="jobs is 4 .expected: 5"):
        tactus.map(map_jobs.square, range(5), folder=tmp_path)
    with pytest.raises(tactus.InputError, match="digest"):
        tactus.map(map_jobs.square, range(1, 5), folder=tmp_path)
    with pytest.raises(tactus.InputError, match="function is 'square'"):
        tactus.map(map_jobs.fails_at_three, range(4), folder=tmp_path)
    (tmp_path / "map.json").write_text("{")
    with pytest.raises(tactus.InputError, match="cannot be read"):
        tactus.map(map_jobs.square, range(4), folder=tmp_path)


def test_equal_jobs_have_equal_digests(tmp_path):
    name = "".join(["ab", "c"])
    tactus.map(len, [(name, name)], folder=tmp_path)
    assert tactus.map(len, [("".join(["a", "bc"]), "".join(["abc"]))], folder=tmp_path)[0] == 2


@pytest.mark.parametrize("arguments, message", [
    (dict(executor="many"), "executor: is str"), (dict(executor=0), "executor: is 0"), (dict(shard=0), "shard: is 0"),
    (dict(part=(3, 3)), "part: is 3"), (dict(part=1), "part: is 1"), (dict(seed=-1), "seed: is -1"),
    (dict(on_failure="hide"), "on_failure"), (dict(window=0), "window: is 0"), (dict(retries=0.5), "retries: is 0.5")])
def test_bad_arguments(arguments, message):
    with pytest.raises(tactus.InputError, match=message):
        tactus.map(map_jobs.square, [1, 2], **arguments)
    with pytest.raises(tactus.InputError, match="job 1: cannot be pickled"):
        tactus.map(map_jobs.square, [1, threading.Lock()])


def test_two_runs_do_not_write_to_one_part(tmp_path):
    journal = Journal(tmp_path / "results-0-of-1.bin")
    with pytest.raises(tactus.InputError, match="another run writes to it"):
        tactus.map(map_jobs.square, [1], folder=tmp_path)
    journal.close()
    assert tactus.map(map_jobs.square, [1], folder=tmp_path)[0] == 1


def environment():
    """Of programs that tests start: they find the same modules."""
    return dict(os.environ, PYTHONPATH=os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)]),
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def test_a_driver_that_is_killed_goes_on_where_it_was(local, tmp_path):
    program = f"import map_jobs, tactus; tactus.map(map_jobs.slow_fall, {HEIGHTS!r}, seed=7, folder={str(tmp_path)!r})"
    driver = subprocess.Popen([sys.executable, "-c", program], env=environment())
    journal = tmp_path / "results-0-of-1.bin"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (journal.exists() and journal.stat().st_size > 2000):
        time.sleep(0.01)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    kept = journal.stat().st_size
    counted = []
    result = tactus.map(map_jobs.slow_fall, HEIGHTS, seed=7, folder=tmp_path, progress=counted.append)
    assert 2000 < kept < journal.stat().st_size and 0 < counted[-1] < len(HEIGHTS)
    assert_same_bits(result, local)


def test_dask_loses_no_result_when_a_worker_is_killed(local, tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            victims = []

            def kill_one(done):
                if done == 6 and not victims:
                    pids = client.run(os.getpid)
                    victims.append(next(iter(pids.values())))
                    os.kill(victims[0], signal.SIGKILL)

            result = tactus.map(map_jobs.slow_fall, HEIGHTS, client.get_executor(), seed=7, folder=tmp_path,
                                progress=kill_one)
    assert victims and victims[0] != os.getpid()
    assert not result.failures
    assert_same_bits(result, local)


@pytest.mark.parametrize("rank_dies", [False, True])
def test_mpi_on_two_ranks(local, tmp_path, rank_dies):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed: pip install mpi4py")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("there is no mpirun: apt-get install openmpi-bin")
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent(f"""
        import os, signal, sys
        import map_jobs, tactus
        from mpi4py import MPI
        from mpi4py.futures import MPIPoolExecutor

        def fall(height, rng):
            assert MPI.COMM_WORLD.Get_rank() == 1 and MPI.COMM_WORLD.Get_size() == 2
            if {rank_dies} and height > 0.3 and not os.path.exists({str(tmp_path / "died")!r}):
                open({str(tmp_path / "died")!r}, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
            return map_jobs.fall(height, rng)

        if __name__ == "__main__":
            with MPIPoolExecutor() as executor:
                result = tactus.map(fall, {HEIGHTS!r}, executor, seed=7, folder={str(tmp_path / "run")!r})
            print("digest", result.digest)
        """))
    command = [mpirun, "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures", str(script)]
    runs = [subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
            for _ in range(2 if rank_dies else 1)]
    assert f"digest {local.digest}" in runs[-1].stdout, runs[-1].stdout + runs[-1].stderr
    if rank_dies:  # MPI ends all ranks with the first; the second run goes on with what was written
        assert runs[0].returncode != 0 and (tmp_path / "died").exists()


def test_ray_gives_the_bits_of_the_local_run(local, tmp_path):
    """In a process of its own: Ray starts many, and they must see our modules."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    script = tmp_path / "study.py"
    script.write_text(textwrap.dedent("""
        import ray, sys
        import map_jobs, tactus
        from ray_executor import RayExecutor

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        heights = [0.2 + 0.01 * k for k in range(24)]
        print("digest", tactus.map(map_jobs.fall, heights, RayExecutor(), seed=7, shard=3, folder=sys.argv[1]).digest)
        ray.shutdown()
    """))
    here = Path(__file__).resolve().parent
    paths = [str(here), str(here.parent / "examples"), *filter(None, sys.path)]
    done = subprocess.run([sys.executable, script, tmp_path / "results"], capture_output=True, text=True, timeout=300,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join(paths)))
    assert f"digest {local.digest}" in done.stdout, done.stdout + done.stderr
