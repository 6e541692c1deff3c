#!/usr/bin/env bash
# Runs clang-tidy over the sources that a build folder knows: tidy.sh [BUILD_DIR [REGEX]]
# The folder must be configured with preset "tidy" (`make tidy` does): gcc's precompiled headers stop clang. REGEX
# limits the run to matching paths, e.g. tidy.sh build-tidy solvers/canal
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build-tidy}
filter=${2:-.}
if [[ ! -f "$build/compile_commands.json" ]]; then
  echo "tidy: $build/compile_commands.json is not there; run 'cmake --preset tidy'" >&2
  exit 1
fi
mapfile -t sources < <(scripts/sources.sh | grep '\.cc$' | grep -v '^examples/consumer/' | grep -E -- "$filter")
if ((${#sources[@]} == 0)); then
  echo "tidy: no sources match" >&2
  exit 1
fi
# run-clang-tidy takes regular expressions over absolute paths.
patterns=()
for source in "${sources[@]}"; do
  patterns+=("^$(printf '%s' "$PWD/$source" | sed 's/[.+]/\\&/g')\$")
done
run-clang-tidy -quiet -p "$build" -j "${JOBS:-2}" "${patterns[@]}"
echo "clang-tidy has nothing to say about ${#sources[@]} files"
