#!/bin/bash
#SBATCH --job-name=tactus
#SBATCH --array=0-15
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
#SBATCH --requeue
# A Slurm array whose tasks share one folder on a file system that all nodes see:
#
#     sbatch slurm_array.sh drop_study.py runs/drop
#
# Each task does every 16th job (part=(k, 16)) on its 8 processors. A task that dies, or is preempted and queued again, goes on
# where it was. To see what is there, or to compute what is missing: python drop_study.py runs/drop, on any machine.
set -euo pipefail

study=${1:?usage: sbatch slurm_array.sh STUDY.py FOLDER}
folder=${2:?usage: sbatch slurm_array.sh STUDY.py FOLDER}
# One thread for each process: tactus.map uses the processors.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
exec python "$study" "$folder" --processes "${SLURM_CPUS_PER_TASK:-1}" \
  --part "${SLURM_ARRAY_TASK_ID:?run by sbatch}" "${SLURM_ARRAY_TASK_COUNT:?run by sbatch}"
