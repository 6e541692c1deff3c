#!/usr/bin/env bash
# Compares with Siconos on the FCLib problems: run.sh [ARGUMENTS OF siconos_compare...]
# Problems are taken from ../shared/fclib beside the project, or from $TACTUS_SHARED/fclib; where a symmetrised copy of
# a problem exists, it is the one that is solved.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${TACTUS_BUILD:-$project/build}
fclib=${TACTUS_SHARED:-$project/../shared}/fclib
[[ -d $fclib/problems ]] || { echo "run.sh: no folder $fclib/problems (set TACTUS_SHARED)" >&2; exit 2; }
[[ -x $build/bench-bin/siconos_compare ]] || {
  echo "run.sh: build it first: cmake --preset release -DTACTUS_WITH_SICONOS=ON && cmake --build build --target siconos_compare" >&2
  exit 2
}

files=()
for problem in "$fclib"/problems/*.hdf5; do
  symmetrised=$fclib/symmetrised/$(basename "$problem" .hdf5).sym.hdf5
  if [[ -f $symmetrised ]]; then files+=("$symmetrised"); else files+=("$problem"); fi
done

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec "$build/bench-bin/siconos_compare" "${files[@]}" "$@"
