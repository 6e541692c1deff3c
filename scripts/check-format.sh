#!/usr/bin/env bash
# Fails if clang-format would change a source; with --fix, changes it.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(scripts/sources.sh)
if ((${#sources[@]} == 0)); then
  echo "check-format: git lists no sources" >&2
  exit 1
fi
if [[ "${1:-}" == --fix ]]; then
  clang-format -i "${sources[@]}"
else
  clang-format --dry-run --Werror "${sources[@]}"
  echo "${#sources[@]} files are formatted"
fi
