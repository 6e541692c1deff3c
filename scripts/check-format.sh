#!/usr/bin/env bash
# Fails if clang-format would change a source; with --fix, changes it.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(scripts/sources.sh)
((${#sources[@]} == 0)) && exit 0
if [[ "${1:-}" == --fix ]]; then
  clang-format -i "${sources[@]}"
else
  clang-format --dry-run --Werror "${sources[@]}"
  echo "${#sources[@]} files are formatted"
fi
