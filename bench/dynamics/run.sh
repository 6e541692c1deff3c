#!/usr/bin/env bash
# Compares with Pinocchio: run.sh [ARGUMENTS OF compare.py...]
# Takes Pinocchio's headers from $TACTUS_PINOCCHIO_PREFIX, or else from the Python wheel `pin`, which is installed into
# build/pinocchio; builds dynamics_bench with it and prints a table of times and ratios.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${TACTUS_BUILD:-$project/build}
prefix=${TACTUS_PINOCCHIO_PREFIX:-}
if [[ -z $prefix ]]; then
  if [[ ! -d $build/pinocchio ]]; then
    python3 -m venv "$build/pinocchio" || { echo "run.sh: needs python3-venv, or TACTUS_PINOCCHIO_PREFIX" >&2; exit 2; }
    "$build/pinocchio/bin/pip" install --quiet pin
  fi
  prefix=$(echo "$build"/pinocchio/lib/python3*/site-packages/cmeel.prefix)
fi
[[ -f $prefix/include/pinocchio/multibody.hpp ]] || { echo "run.sh: no Pinocchio in $prefix" >&2; exit 2; }
cmake --preset release --log-level=WARNING -S "$project" -B "$build" -DTACTUS_WITH_PINOCCHIO=ON \
  -DTACTUS_PINOCCHIO_PREFIX="$prefix"
cmake --build "$build" --target dynamics_bench
exec python3 "$project/bench/dynamics/compare.py" "$build/bench-bin/dynamics_bench" "$@"
