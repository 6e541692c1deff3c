#!/usr/bin/env bash
# Runs every fuzz program of a folder, sharing out the time: fuzz.sh DIR SECONDS
# New inputs go to DIR/corpus; tests/fuzz/corpus holds those worth keeping and is only read. A crash leaves its input
# in DIR/crashes.
set -euo pipefail

dir=${1:?folder of the fuzz programs}
seconds=${2:?seconds in all}
root=$(cd "$(dirname "$0")/.." && pwd)

shopt -s nullglob
programs=("$dir"/*_fuzz)
if ((${#programs[@]} == 0)); then
  echo "fuzz: there are no fuzz programs in $dir" >&2
  exit 1
fi
each=$((seconds / ${#programs[@]}))
((each > 0)) || each=1
mkdir -p "$dir/crashes"
for program in "${programs[@]}"; do
  name=$(basename "$program")
  mkdir -p "$dir/corpus/$name"
  corpora=("$dir/corpus/$name")
  [[ -d "$root/tests/fuzz/corpus/$name" ]] && corpora+=("$root/tests/fuzz/corpus/$name")
  echo "fuzz: $name for $each s"
  "$program" -max_total_time="$each" -timeout=30 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$dir/crashes/$name-" "${corpora[@]}"
done
