#!/bin/bash
# A Slurm array that predicts in parts, each on any free node (docs/clusters.md):
#
#   sbatch slurm.sh -m resnet50.pt --preset torchvision -d imagenet/val --out runs
#   sbatch --array=3,7 slurm.sh ...     # the parts that `assay verify runs` lists, with the same options
#SBATCH --job-name=assay-predict
#SBATCH --array=1-100
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
# The number in --array above. SLURM_ARRAY_TASK_COUNT differs if only some parts are run again.
parts=${parts:-100}
exec assay predict "$@" --part "$SLURM_ARRAY_TASK_ID/$parts" --threads "${SLURM_CPUS_PER_TASK:-0}"
