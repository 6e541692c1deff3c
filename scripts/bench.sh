#!/usr/bin/env bash
# Runs every benchmark of a folder and keeps the results as JSON: bench.sh PROGRAMS_DIR RESULTS_DIR [ARGUMENTS...]
set -euo pipefail

programs_dir=${1:?folder of the benchmarks}
results_dir=${2:?folder for the results}
shift 2

shopt -s nullglob
mkdir -p "$results_dir"
for program in "$programs_dir"/*; do
  [[ -f "$program" && -x "$program" && $(basename "$program") != siconos_compare ]] || continue
  "$program" --benchmark_out="$results_dir/$(basename "$program").json" --benchmark_out_format=json "$@"
done
echo "Results are in $results_dir"
