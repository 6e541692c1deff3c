"""What the drivers of all peers share: reading scenes and jobs, the protocol of a run, writing results.

A driver is started as `<peer>_peer.py JOBS.json RESULTS.jsonl`. JOBS has {"cpu": core, "warm_up": steps, "jobs": [
{"name": NAME, "scene": FILE, "variant": NAME, "time_step": s, "duration": s, "sample_every": s, "budget": s}, ...]};
one line of RESULTS a job, in order, so that what was done before a crash is known. A run whose processor time exceeds
the budget ends early. `<peer>_peer.py --list` prints its variants.

A driver is a class with `variants`, `version()`, `cannot(scene, variant)`, and `make(scene, variant, time_step)`, which
returns an object with `step()`, `poses()` and `velocities()` of all links in the scene's order. `step()` may return
seconds of its own, where a part of it is not the engine's work; otherwise its processor time counts.
"""

import json
import os
import sys
import time

import numpy as np


class Cannot(Exception):
    """A scene that this engine has no words for; says why."""


def rotation(q):
    """Matrix of a quaternion w, x, y, z."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion(R):
    """w, x, y, z of a matrix, by the largest of them."""
    t = np.array([1 + R[0, 0] + R[1, 1] + R[2, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], 1 - R[0, 0] + R[1, 1] - R[2, 2]])
    k = int(np.argmax(np.append(t, 1 - R[0, 0] - R[1, 1] + R[2, 2])))
    candidates = [
        [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
        [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
    ]
    q = np.array(candidates[k])
    return q / np.linalg.norm(q)


def multiply(a, b):
    """Of poses [x, y, z, w, x, y, z]."""
    R = rotation(a[3:])
    return np.concatenate([np.array(a[:3]) + R @ np.array(b[:3]), quaternion(R @ rotation(b[3:]))])


def inverse(a):
    R = rotation(a[3:]).T
    return np.concatenate([-R @ np.array(a[:3]), quaternion(R)])


def load(path):
    with open(path) as file:
        scene = json.load(file)
    if scene.get("format") != "tactus-peers-1":
        raise ValueError(f"{path}: not a scene of format tactus-peers-1")
    return scene


def check_state(scene):
    """Links that float start at `pose`, all others where their joints say."""
    for link in scene["links"]:
        joint = link["joint"]
        if joint and joint["type"] == "floating" and link["parent"] >= 0:
            raise Cannot("a floating link hangs on another")


def sample(world, at):
    return {
        "time": at,
        "poses": [[float(x) for x in pose] for pose in world.poses()],
        "velocities": [[float(x) for x in v] for v in world.velocities()],
    }


def run(driver, job, settings):
    scene = load(job["scene"])
    check_state(scene)
    h = job["time_step"]
    why = driver.cannot(scene, job["variant"])
    if why:
        raise Cannot(why)
    world = driver.make(scene, job["variant"], h)
    steps = round(job["duration"] / h)
    every = max(1, round(job["sample_every"] / h))
    warm_up = min(settings["warm_up"], steps // 4)
    samples, seconds, spent, done = [sample(world, 0.0)], [], 0.0, 0
    for k in range(1, steps + 1):
        begin = time.thread_time()
        own = world.step()
        elapsed = time.thread_time() - begin
        spent += elapsed
        done = k
        seconds.append(elapsed if own is None else own)
        if k % every == 0 or k == steps:
            samples.append(sample(world, k * h))
            if not np.all(np.isfinite(np.array(samples[-1]["poses"]))):
                return {"failure": f"numbers are not finite any more at {k * h:.3f} s"}
        if spent > job["budget"]:
            break
    warm_up = min(warm_up, max(0, len(seconds) - 3))  # where a few steps are all there was time for, they count
    return {"warm_up": warm_up, "seconds": seconds[warm_up:], "simulated": done * h, "samples": samples}


def main(driver):
    if sys.argv[1:] == ["--list"]:
        print(json.dumps({"version": driver.version(), "variants": driver.variants}))
        return
    with open(sys.argv[1]) as file:
        settings = json.load(file)
    os.sched_setaffinity(0, {settings["cpu"]})
    with open(sys.argv[2], "w") as out:
        for job in settings["jobs"]:
            head = {
                "variant": job["variant"],
                "version": driver.version(),
                "scene": job["name"],
                "time_step": job["time_step"],
            }
            try:
                head.update(run(driver, job, settings))
            except Cannot as error:
                head["failure"] = f"cannot: {error}"
            except Exception as error:  # an engine's own trouble is a result, too
                head["failure"] = f"{type(error).__name__}: {error}".split("\n")[0]
            out.write(json.dumps(head) + "\n")
            out.flush()
