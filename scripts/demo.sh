#!/usr/bin/env bash
# Simulates a scene, measures the physics suite, then generates two problems (a nut on a bolt, a stack of dishes),
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
"$program" run conveyor --record "$out/conveyor.h5"
"$program" export "$out/conveyor.h5" "$out/conveyor.csv"
"$program" run --suite physics | tee "$out/physics.txt"
"$program" demo --out "$out"
echo
echo "Results are in $out: conveyor.h5 and conveyor.csv (a recording), physics.txt (measured against exact), plots (*.svg)."
