#!/usr/bin/env python3
"""Writes what `tactus bench peers` measured into its page: tables.py RESULTS.json docs/peers.md

The table of times beside MuJoCo's and all of "Scene by scene" are replaced; the words above them are people's.
"""

import json
import re
import sys

ERRORS = {"penetration": "m", "creep": "m/s", "lift": "m", "energy gained": "-"}


def number(x):
    if x is None:
        return "-"
    return f"{x:.3g}" if x == 0 or 1e-4 <= abs(x) < 1e4 else re.sub(r"e([+-])0?", r"e\1", f"{x:.1e}").replace("e+", "e")


def read(rows):
    """Scenes in their order: {scene: {"engines": {engine: {what: value}}, "target": text, "ratios": {label: value}}}"""
    scenes = {}
    for row in rows:
        if ratio := re.match(r"^(.+?): time of the same steps, (.+) over mujoco default$", row["name"]):
            scenes[ratio[1]]["ratios"][ratio[2]] = row["value"]
            continue
        match = re.match(r"^(.+?): (.+?): (.+)$", row["name"])
        if not match or re.search(r" at \d+ Hz$", match[2]):
            continue
        scene, engine, what = match.groups()
        entry = scenes.setdefault(scene, {"engines": {}, "target": "", "ratios": {}})
        figures = entry["engines"].setdefault(engine, {})
        if cost := re.match(r"cost of a simulated second with (.+)$", what):
            entry["target"], what = cost[1], "cost"
        figures[what] = row["value"]
    return scenes


def scene_table(name, scene):
    errors = [e for e in ERRORS if any(e in f for f in scene["engines"].values())]
    lines = [f"**{name}**" + (f"; target: {scene['target']}" if scene["target"] else ""), ""]
    head = ["engine", "median [ms]", "mean [ms]"] + [f"{e} [{ERRORS[e]}]" for e in errors] + ["cost of the target"]
    lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    failures = []
    for engine, figures in scene["engines"].items():
        if "time a step" not in figures:
            failures += [f"{engine}: {what}" for what in figures if what != "cost"]
            continue
        until = figures.get("simulated before its time was up")
        cells = [engine + (f" (to {until:.3g} s)" if until is not None else "")]
        cells += [number(figures[k]) for k in ("time a step", "mean time a step")]
        cells += [number(figures.get(e)) for e in errors] + [number(figures.get("cost"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines + [""] + (["Not there: " + "; ".join(failures) + ".", ""] if failures else [])


def main(results, page):
    scenes = read(json.load(open(results))["rows"])
    text = open(page).read()
    ratios = ["| scene | tactus | tactus fast |", "| --- | --- | --- |"]
    for name, scene in scenes.items():
        if scene["ratios"]:
            ratios.append(f"| {name} | " + " | ".join(number(scene["ratios"].get(k)) for k in ("tactus", "tactus fast")) + " |")
    text = re.sub(r"\| scene \| tactus \| tactus fast \|\n(\|.*\n)+", "\n".join(ratios) + "\n", text)
    head = text.index("**", text.index("## Scene by scene"))
    tables = [line for name, scene in scenes.items() for line in scene_table(name, scene)]
    open(page, "w").write(text[:head] + "\n".join(tables))


if __name__ == "__main__":
    main(*sys.argv[1:])
