#!/usr/bin/env bash
# Runs the recipes of examples/clusters like their schedulers. Each gives the same shards as one process.
#   clusters.sh PROGRAM SHAPE_IMAGES SOURCE
set -euo pipefail
program=$1 shape_images=$2 source=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir bin && ln -s "$program" bin/assay
PATH=$scratch/bin:$PATH
fail() { echo "clusters: $*" >&2; exit 1; }

"$shape_images" shapes > /dev/null
model=(-m "$source/tests/cli/shapes/tiny.pt" -d shapes --shard-rows 8 -q)
assay predict "${model[@]}" --out whole > /dev/null
shards() { (cd "$1" && find . -path '*/shards/*' -type f -exec sha256sum {} + | sed 's|/parts/[^/]*||' | sort -k 2); }
shards whole > whole.txt
[ -s whole.txt ] || fail "one process wrote no shards"
expect_whole() {
    assay join "$1" > /dev/null
    shards "$1" | cmp - whole.txt || fail "$2: other shards than one process writes"
    assay verify "$1" > /dev/null || fail "$2: verify"
}

# Slurm: one task per part. One is killed and requeued, and one is omitted at first.
run_slurm() { SLURM_ARRAY_TASK_ID=$1 SLURM_CPUS_PER_TASK=1 parts=3 bash "$source/examples/clusters/slurm.sh" "${model[@]}" --out slurm > /dev/null; }
run_slurm 3
timeout --signal=KILL 0.2 env SLURM_ARRAY_TASK_ID=1 parts=3 bash "$source/examples/clusters/slurm.sh" "${model[@]}" --out slurm > /dev/null 2>&1 || true
status=0
assay verify slurm > verify.txt || status=$?
[ "$status" -eq 3 ] || fail "verify of unfinished parts gave status $status"
grep -q "not finished: part .*2 of 3" verify.txt || fail "verify does not name part 2: $(cat verify.txt)"
run_slurm 1
run_slurm 2
expect_whole slurm Slurm

# Kubernetes: the container's own command with each index.
command=$(sed -n '/args:/,/resources:/p' "$source/examples/clusters/kubernetes.yaml" | sed '1,2d;$d' | tr -s ' \n' ' ')
case $command in *"exec assay predict"*'--part "$((JOB_COMPLETION_INDEX + 1))/100"'*) ;; *) fail "the job runs something else: $command" ;; esac
command=${command//\/100/\/4}
command=${command/-m \/models\/resnet50.pt --preset torchvision -d \/data\/val --out \/runs/-m $source/tests/cli/shapes/tiny.pt -d shapes --shard-rows 8 -q --out kubernetes}
for index in 0 1 2 3; do JOB_COMPLETION_INDEX=$index sh -c "$command" > /dev/null; done
expect_whole kubernetes Kubernetes

# GNU parallel, if it is installed.
if command -v parallel > /dev/null && parallel --version 2> /dev/null | grep -q GNU; then
    hosts=: parts=5 bash "$source/examples/clusters/parallel.sh" "${model[@]}" --out parallel > /dev/null 2>&1
    expect_whole parallel "GNU parallel"
else
    echo "clusters: SKIPPED: GNU parallel is not installed" >&2
fi
# Containers that share a folder. Process numbers are local to a container, and hosts may have equal names.
contained() { unshare --pid --uts --fork --kill-child sh -c 'hostname worker; exec "$@"' contained "$@"; }
if contained true 2> /dev/null; then
    part() { contained assay predict "${model[@]}" --out containers --part "$1/4"; }
    started=()
    for number in 1 2 3 4; do part $number > /dev/null 2>&1 & started+=($!); done
    # At least one process has written a shard when they are killed (the limit only keeps a broken test from hanging).
    for _ in $(seq 2400); do [ -z "$(find containers -name '*.npy' 2> /dev/null)" ] || break; sleep 0.05; done
    [ -n "$(find containers -name '*.npy')" ] || fail "no part in a container wrote a shard"
    kill -KILL "${started[@]}" 2> /dev/null || true
    wait
    # Files of killed processes are next to those of running ones, which are all process 1. One part is started twice.
    started=()
    for number in 1 2 3 4 4; do part $number > /dev/null 2> "said.${#started[@]}" & started+=($!); done
    done=0 busy=0
    for process in "${started[@]}"; do
        status=0
        wait "$process" || status=$?
        case $status in 0) done=$((done + 1)) ;; 2) busy=$((busy + 1)) ;; *) fail "a part in a container ended with $status: $(cat said.*)" ;; esac
    done
    [ "$done" -ge 4 ] && [ $((done + busy)) -eq 5 ] || fail "$done parts of 4 in containers were done, $busy refused: $(cat said.*)"
    [ "$busy" -eq 0 ] || grep -q "another process" said.* || fail "who was refused is not told why: $(cat said.*)"
    expect_whole containers "containers"
else
    echo "clusters: SKIPPED: namespaces cannot be made here (unshare as root)" >&2
fi
echo "clusters: the recipes give what one process gives"
