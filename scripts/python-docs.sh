#!/usr/bin/env bash
# python-docs.sh VENV OUT: builds the API reference of the Python package in OUT by Sphinx. Warnings are errors. The package is
# the one that VENV's Python imports, or that of PYTHONPATH (make python-docs: build/python).
set -euo pipefail

venv=${1:?usage: python-docs.sh VENV OUT}
out=${2:?usage: python-docs.sh VENV OUT}
root=$(cd "$(dirname "$0")/.." && pwd)
"$venv/bin/python" -c 'import sphinx, gymnasium' 2>/dev/null ||
  "$venv/bin/pip" install --quiet --disable-pip-version-check sphinx gymnasium
PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -m sphinx --quiet -W --keep-going -E -b html -d "$out/.doctrees" \
  "$root/docs/python" "$out"
echo "python-docs: $out/index.html"
