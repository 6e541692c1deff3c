#!/usr/bin/env bash
# Lists our C++ sources, one a line (used by the checks below): tracked files and new ones, but not ignored ones.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard -- 'src/**.cc' 'src/**.h' 'apps/**.cc' 'apps/**.h' \
  'bench/**.cc' 'bench/**.h' 'examples/**.cc' 'examples/**.h' 'tests/**.cc' 'tests/**.h' 'python/**.cc' 'python/**.h' |
  while IFS= read -r file; do [[ -f "$file" ]] && printf '%s\n' "$file"; done
