#!/usr/bin/env python3
"""Writes models/*.urdf out of the parts beside this script.

The files are committed, so nobody needs to run this but those who change a part; --check (a test) says whether the
files are what the parts make. Needs nothing but Python 3.9.
"""

import argparse
import difflib
import pathlib
import sys

import allegro
import g1
import humanoid
import husky
import panda
import quadrupeds
import x5_gripper

MODELS = {
    "panda_hand": panda.make_with_hand,
    "panda_tool": panda.make_with_tool,
    "panda_x5_gripper": x5_gripper.make_on_panda,
    "panda_allegro": allegro.make_on_panda,
    "g1_upper_body": g1.make_upper_body,
    "laikago": quadrupeds.make_laikago,
    "go2": quadrupeds.make_go2,
    "husky_panda": husky.make_with_panda,
    "humanoid": humanoid.make_humanoid,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folder = pathlib.Path(__file__).resolve().parents[2] / "models"
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not up to date")
    parser.add_argument("--output", type=pathlib.Path, default=folder, help="folder to write to (models/)")
    arguments = parser.parse_args()
    stale = 0
    for name, make in MODELS.items():
        file = arguments.output / f"{name}.urdf"
        text = make().text()
        if not arguments.check:
            file.write_text(text, encoding="utf-8")
            continue
        found = file.read_text(encoding="utf-8") if file.exists() else ""
        if found != text:
            stale += 1
            difference = difflib.unified_diff(found.splitlines(), text.splitlines(), str(file), "made", lineterm="")
            print("\n".join(list(difference)[:20]))
    if stale:
        print(f"{stale} files are not what scripts/models makes; run scripts/models/make_models.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
