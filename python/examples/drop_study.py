#!/usr/bin/env python3
"""How high does a quadruped's base stand after a fall, by height and friction? A study that runs anywhere.

    python drop_study.py runs/drop                        # here, one after the other
    python drop_study.py runs/drop --processes 8          # on eight processors
    python drop_study.py runs/drop --dask HOST:8786       # on a Dask cluster
    mpirun -n 8 python -m mpi4py.futures drop_study.py runs/drop --mpi
    sbatch slurm_array.sh drop_study.py runs/drop         # as an array of Slurm

All of them give the same numbers, to the bit. Whatever ends it, call it again: it goes on where it was.
"""

import argparse
import functools
import itertools

import numpy as np

import tactus


@functools.lru_cache(maxsize=4)
def load(friction):
    """Once in each worker."""
    return tactus.load("go2_drop", set={"objects.ground.material": {"friction": friction}})


def drop(job, rng):
    """Falls from a height, tilted at random; the base's height after 1.5 s."""
    height, friction = job
    model = load(friction)
    data = model.make_data()
    data.qpos[2] += height
    tilt = rng.normal(size=3) * 0.05
    data.qpos[3:7] = [1.0, *(0.5 * tilt)]
    report = tactus.step(model, data, round(1.5 / model.timestep))
    return {"height": float(data.qpos[2]), "ok": report.ok, "residual": report.residual}


def make_executor(arguments):
    if arguments.dask:
        from distributed import Client

        return Client(arguments.dask).get_executor()
    if arguments.mpi:
        from mpi4py.futures import MPIPoolExecutor

        return MPIPoolExecutor()
    return arguments.processes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="for results")
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("K", "N"), help="part K of N only")
    parser.add_argument("--processes", type=int, default=None)
    parser.add_argument("--dask", metavar="ADDRESS", help="of the scheduler")
    parser.add_argument("--mpi", action="store_true")
    arguments = parser.parse_args()

    side = max(1, round(np.sqrt(arguments.jobs)))
    jobs = [(float(h), float(mu)) for h, mu in itertools.product(np.linspace(0, 0.3, side), np.linspace(0.2, 1.0, side))]
    results = tactus.map(drop, jobs, make_executor(arguments), folder=arguments.folder, seed=arguments.seed,
                         part=tuple(arguments.part), shard=4, progress=True)
    if results.missing:
        print(f"{len(results) - len(results.missing)} of {len(results)} jobs are done; the other parts are not all here yet")
        return
    heights = np.array([result["height"] for result in results])
    print(f"{np.mean(heights > 0.2):.1%} of {len(jobs)} stand; {sum(not r['ok'] for r in results)} steps were not Ok; "
          f"digest {results.digest[:16]}")


if __name__ == "__main__":
    main()
