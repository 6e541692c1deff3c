#!/usr/bin/env bash
# A robot piles dishes, to be looked at in a browser; then simulates a scene and exports it, measures the physics suite, then generates two problems (a nut on a bolt, a stack of dishes),
# solves them with every solver and plots how each converges.
set -euo pipefail
cd "$(dirname "$0")/.."

program=build/bin/tactus
out=build/demo
if [[ ! -x "$program" ]]; then
  echo "demo: $program is not there; run 'make build' first" >&2
  exit 1
fi
mkdir -p "$out"
shown="dish-piling.html (a replay: open it in a browser), "
replay=(--html "$out/dish-piling.html")
if [[ ! -f build/share/tactus/viewer/replay.js ]]; then
  echo "demo: replays were left out of this build, as Node.js or npm was missing or npm had no network"
  shown="" replay=()
fi
"$program" run dish-piling "${replay[@]}"
"$program" run conveyor --record "$out/conveyor.h5"
"$program" export "$out/conveyor.h5" "$out/conveyor.csv"
"$program" run --suite physics | tee "$out/physics.txt"
"$program" demo --out "$out"
echo
echo "Results are in $out: ${shown}conveyor.h5 and conveyor.csv (a recording), physics.txt (measured against exact), plots (*.svg)."
