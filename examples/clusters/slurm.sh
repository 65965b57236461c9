#!/bin/bash
# A Slurm array that predicts in parts, each on whatever node is free (docs/clusters.md):
#
#   sbatch slurm.sh -m resnet50.pt --preset torchvision -d imagenet/val --out runs
#   sbatch --array=3,7 slurm.sh ...     # those that assay verify runs names, with the same options
#SBATCH --job-name=assay-predict
#SBATCH --array=1-100
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
# As in --array above. Not SLURM_ARRAY_TASK_COUNT: that is another number where a few are run again.
parts=${parts:-100}
exec assay predict "$@" --part "$SLURM_ARRAY_TASK_ID/$parts" --threads "${SLURM_CPUS_PER_TASK:-0}"
