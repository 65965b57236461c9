#!/usr/bin/env bash
# Median wall time of `assay --help` over 50 runs, in milliseconds.
# usage: bench/startup.sh [ASSAY]
set -euo pipefail
assay=${1:-build/release/bin/assay}
for _ in $(seq 50); do
    start=$(date +%s%N)
    "$assay" --help >/dev/null
    echo $((($(date +%s%N) - start) / 1000))
done | sort -n | awk '{v[NR] = $1} END {printf "assay --help: median %.1f ms, best %.1f ms\n", v[int((NR + 1) / 2)] / 1000, v[1] / 1000}'
