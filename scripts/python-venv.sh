#!/usr/bin/env bash
# python-venv.sh DIR: a virtual environment in DIR with what building and testing the Python module takes. CMake finds it in
# build/python-venv (TACTUS_WITH_PYTHON=AUTO). Without Python 3.9, venv or a network it says so, and Python is left out.
set -uo pipefail

dir=${1:?usage: python-venv.sh DIR}
requirements=$(dirname "$0")/../python/requirements-test.txt
stamp=$dir/$(sha256sum <"$requirements" | cut -c1-16)
[[ -e $stamp ]] && exit 0

give_up() {
  echo "python-venv: $1; the Python package is left out of this build" >&2
  rm -rf "$dir"
  exit 0
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || give_up "there is no python3 >= 3.9"
echo "python-venv: making $dir"
python3 -m venv "$dir" >/dev/null 2>&1 || give_up "python3 -m venv failed (Debian: apt-get install python3-venv)"
"$dir/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" || give_up "pip could not install $requirements"
touch "$stamp"
