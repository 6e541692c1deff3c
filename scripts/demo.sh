#!/usr/bin/env bash
# Generates two problems (a nut on a bolt, a stack of dishes), solves them with every solver and plots how each
# converges.
set -euo pipefail
cd "$(dirname "$0")/.."

program=build/bin/tactus
out=build/demo
if [[ ! -x "$program" ]]; then
  echo "demo: $program is not there; run 'make build' first" >&2
  exit 1
fi
mkdir -p "$out"
"$program" demo --out "$out"
