#!/usr/bin/env bash
# Compares the collision stage with FCL's broad and narrow phase (needs libccd-dev and libfcl-dev): run.sh [SCENE.yaml...]
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${TACTUS_BUILD:-$project/build}
cmake --preset release --log-level=WARNING -S "$project" -B "$build"
cmake --build "$build" --target scene_compare
if [[ $# -eq 0 ]]; then set -- "$project/scenes/spheres_1000.yaml" "$project/scenes/boxes_2000.yaml"; fi
for scene in "$@"; do
  "$build/bench-bin/scene_compare" "$scene"
done
