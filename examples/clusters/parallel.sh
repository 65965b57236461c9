#!/bin/bash
# GNU parallel over machines that share a disk (docs/clusters.md):
#
#   hosts=node1,node2,node3 parts=30 ./parallel.sh -m resnet50.pt --preset torchvision -d imagenet/val --out runs
#
# The same command resumes: finished parts are not run again.
set -euo pipefail
hosts=${hosts:-:}  # ":" is this machine
parts=${parts:-30}
seq "$parts" | parallel --sshlogin "$hosts" --workdir . --jobs 1 --retries 3 --joblog "assay-$parts.log" \
    --resume-failed --quote assay predict "$@" --part "{}/$parts" --quiet
