#!/usr/bin/env python3
"""Draws results of `tactus bench peers` or `tactus bench fclib` for the documentation: plot.py RESULTS.json OUT.svg

peers: error over processor time, a panel a scene, a dot a step size. fclib: performance profiles, a panel a tolerance.
Needs matplotlib.
"""

import json
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLORS = {
    "tactus": "#d62728",
    "mujoco": "#1f77b4",
    "drake": "#2ca02c",
    "pinocchio": "#9467bd",
    "bullet": "#b5761a",
    "dart": "#e377c2",
}
DASHES = ["-", "--", ":", "-."]
FLOOR = 1e-16  # what is smaller, zero included, is drawn here


def peers(rows):
    """{scene: (what, {engine: [(cost, error), ...]})}"""
    points, whats = {}, {}
    for row in rows:
        match = re.match(r"^(.+?): (.+) at (\d+) Hz: (.+)$", row["name"])
        if not match or row["value"] is None:
            continue
        scene, engine, rate, what = match.groups()
        point = points.setdefault(scene, {}).setdefault(engine, {}).setdefault(int(rate), {})
        if what.startswith("cost"):
            point["x"] = row["value"]
        else:
            point["y"] = max(row["value"], FLOOR)
            whats[scene] = f"{what} [{row['unit']}]"
    return {
        scene: (
            whats[scene],
            {e: sorted((p["x"], p["y"]) for p in at.values() if len(p) == 2) for e, at in engines.items()},
        )
        for scene, engines in points.items()
    }


def draw_peers(rows, out):
    scenes = peers(rows)
    names = []
    for _, curves in scenes.values():
        names += [e for e in curves if e not in names]
    columns = 3
    lines = -(-len(scenes) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(13, 3.6 * lines + 0.7), squeeze=False)
    for axis in axes.ravel()[len(scenes) :]:
        axis.axis("off")
    for axis, (scene, (what, curves)) in zip(axes.ravel(), scenes.items()):
        for engine, curve in curves.items():
            if curve:
                axis.loglog(*zip(*curve), **style(engine, names))
        axis.set_title(scene, fontsize=10)
        axis.set_ylabel(what, fontsize=8)
        axis.set_xlabel("processor time for a simulated second [s]", fontsize=8)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.3)
    handles = [plt.Line2D([], [], **style(name, names)) for name in names]
    figure.legend(handles, names, loc="lower center", ncol=6, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(out)


def style(engine, names):
    group = engine.split()[0]
    same = [n for n in names if n.split()[0] == group]
    return {
        "color": COLORS.get(group, "#777"),
        "linestyle": DASHES[same.index(engine) % len(DASHES)],
        "linewidth": 2.4 if engine == "tactus" else 1.2,
        "marker": "o",
        "markersize": 3.5,
        "label": engine,
    }


def draw_profiles(rows, out):
    profiles = {}
    for row in rows:
        match = re.match(r"^at (\S+): (.+): part within (\S+) times the best$", row["name"])
        if match:
            tolerance, solver, ratio = match.groups()
            profiles.setdefault(tolerance, {}).setdefault(solver, []).append((float(ratio), row["value"]))
    figure, axes = plt.subplots(1, len(profiles), figsize=(13, 4.6), squeeze=False, sharey=True)
    names = list(next(iter(profiles.values())))
    ours = [n for n in names if not n.startswith("Siconos")]
    last = profiles[list(profiles)[-1]]
    ours = sorted(ours, key=lambda n: -sum(y for _, y in last[n]))[:6]
    shown = ours + [n for n in names if n.startswith("Siconos")]
    colors = plt.get_cmap("tab20")
    for axis, (tolerance, curves) in zip(axes[0], profiles.items()):
        for k, name in enumerate(shown):
            theirs = name.startswith("Siconos")
            first = name == names[0]
            axis.step(
                *zip(*curves[name]),
                where="post",
                linestyle="--" if theirs else "-",
                linewidth=2.6 if first else 1.2,
                color="#d62728" if first else colors(k % 20),
                label=name,
            )
        axis.set_xscale("log")
        axis.set_title(f"tolerance {tolerance}", fontsize=10)
        axis.set_xlabel("time over that of the quickest solver", fontsize=8)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("part of the problems solved", fontsize=8)
    handles, labels = axes[0][-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=7, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(out)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        result = json.load(file)
    plt.rcParams["svg.hashsalt"] = "tactus"  # the same picture from the same numbers
    {"peers": draw_peers, "fclib": draw_profiles}[result["suite"]](result["rows"], sys.argv[2])


if __name__ == "__main__":
    main()
