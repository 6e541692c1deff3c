#!/usr/bin/env bash
# Installs the engines that `tactus bench peers` compares with, by pip into a virtual environment of their own:
#   install-peers.sh [FOLDER]      # build/peers, where the suite looks; else name its bin/python by --peers-python
# Each is optional: those that cannot be installed are named here, and skipped by the suite.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:-$project/build/peers}
[[ -x $folder/bin/python ]] || python3 -m venv "$folder" || {
  echo "install-peers: python3 cannot make virtual environments (Debian: python3-venv)" >&2
  exit 1
}
missing=()
for package in mujoco drake pin pybullet dartpy; do
  "$folder/bin/python" -m pip install --quiet "$package" || missing+=("$package")
done
((${#missing[@]} == 0)) || echo "install-peers: could not be installed: ${missing[*]}" >&2
echo "install-peers: $folder/bin/python"
