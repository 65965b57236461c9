#!/usr/bin/env bash
# Commands whose ranks share the work print and write the same as one process, for any number of ranks.
#   mpi.sh PROGRAM SHAPE_IMAGES SOURCE
set -euo pipefail
program=$1 shape_images=$2 source=$3
. "$source/tests/collective/mpi_launch.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { echo "mpi: $*" >&2; exit 1; }
run() { status=0; "$@" || status=$?; }  # the exit status is in `status`
assay() { "$program" "$@"; }

"$shape_images" shapes > /dev/null
printf 'no image' > "$(find shapes -mindepth 1 -type d | sort | head -1)/broken.png"
models=(-m "$source/tests/cli/shapes/tiny.pt" -m "$source/tests/cli/shapes/small.pt" --shard-rows 8 -q)
val=("${models[@]}" -d shapes --dataset-name val)
fog=("${models[@]}" -d shapes --dataset-name val --corrupt fog,contrast --corrupt-severity 2,3)
shards() { (cd "$1" && find . -path '*/shards/*' -type f -exec sha256sum {} + | sort -k 2); }

# predict: one image cannot be read, so each run is partial.
run assay predict "${val[@]}" --out whole 2> /dev/null > whole.out
[ "$status" -eq 3 ] || fail "predict in one process"
shards whole > whole.txt
[ "$(wc -l < whole.txt)" -gt 20 ] || fail "one process wrote few shards"
turn=0
counts="2 8"
for mpi in "${mpis[@]}"; do
    for ranks in $counts; do
        out=rank$((turn++))  # the name is as long as `whole`, because the table shows it
        run launch "$mpi" $ranks "$program" predict "${val[@]}" --out $out 2> err.txt > ranks.out
        [ "$status" -eq 3 ] || fail "predict, $mpi, $ranks ranks: $(cat err.txt)"
        shards $out | cmp - whole.txt || fail "predict, $mpi, $ranks ranks: other shards"
        sed "s/$out/whole/g" ranks.out | cmp - whole.out || fail "predict, $mpi, $ranks ranks prints something else: $(cat ranks.out)"
        assay verify $out > /dev/null || fail "verify, $mpi, $ranks ranks"
    done
    # One rank is killed, and a different number of ranks resumes.
    launch "$mpi" 3 sh -c 'case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 1) exec timeout --signal=KILL 0.'$((turn % 7))'5 "$@" ;; esac; exec "$@"' \
        sh "$program" predict "${val[@]}" --out "killed$mpi" > /dev/null 2>&1 || true
    launch "$mpi" 2 "$program" predict "${val[@]}" --out "killed$mpi" > /dev/null 2>&1 || true
    shards "killed$mpi" | cmp - whole.txt || fail "predict, $mpi: other shards after a rank was killed"
    counts=3
done
mpi=${mpis[0]}
assay predict "${fog[@]}" --out whole > /dev/null 2>&1 || true
launch "$mpi" 3 "$program" predict "${fog[@]}" --out rank0 > /dev/null 2>&1 || true
shards whole > whole.txt
shards rank0 | cmp - whole.txt || fail "predict --corrupt: other shards"
# A part is for a process by itself, however this process was started.
launch "$mpi" 2 sh -c 'exec "$0" predict "$@" --part $((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} + 1))/2' "$program" "${val[@]}" --out parts > /dev/null 2>&1 || true
assay join parts > /dev/null || fail "parts that mpirun started"

assay predict "${models[@]}" -d shapes --limit 200 --dataset-name other --out whole > /dev/null 2>&1 || true

# Commands that read stores, also with more ranks than shards and models.
assay replicate simulate --out study --classes 5 --annotators 8 --classifiers 2 > /dev/null
assay mad init competition whole/val --distance zero-one --threshold 0.3 --cap-mode none > /dev/null 2>&1 || fail "mad init"
same() {
    local ranks=$1 wanted
    shift
    run "$program" "$@" 2> /dev/null > one.out
    wanted=$status
    [ -s one.out ] || fail "$* printed nothing"
    run launch "$mpi" "$ranks" "$program" "$@" 2> err.txt > ranks.out
    [ "$status" -eq "$wanted" ] || fail "$*: status $status with $ranks ranks, not $wanted: $(cat err.txt)"
    cmp one.out ranks.out || fail "$*: $ranks ranks print something else"
    mpi=${mpis[$((++turn % ${#mpis[@]}))]}
}
for ranks in 2 4 8; do same $ranks score whole/val --per-class --json; done
same 3 score whole --metrics top1,ace,ece,nll
same 3 score whole/val/tiny --gate "low(top1) >= 0.999"
same 3 compare whole/val/tiny whole/val/small --json
same 2 gap whole/val whole/other --json
same 3 labels propose whole/val --recall 0.5 --json
same 2 quality measure whole --val val --json
same 3 replicate plan study/original.csv study/replication.csv --json
same 2 replicate match study/original.csv study/replication.csv --annotators 4 --per-class 2 --json
same 2 replicate adjust study/original.csv study/replication.csv --hits study/original-hits.csv study/replication-hits.csv --json
cp -r competition together
assay mad select competition --json > one.out 2> /dev/null || fail "mad select"
launch "$mpi" 3 "$program" mad select together --json 2> err.txt | sed 's/together/competition/g' > ranks.out || fail "mad select: $(cat err.txt)"
cmp one.out ranks.out || fail "mad select: 3 ranks print something else"
assay mad status competition --json > one.out 2> /dev/null
assay mad status together --json 2> /dev/null | sed 's/together/competition/g' | cmp - one.out || fail "mad select: 3 ranks leave something else"

# An error is printed once, and ends all ranks with one status.
refused() {
    local words=$1
    shift
    run launch "$mpi" 3 "$program" "$@" 2> err.txt > /dev/null
    [ "$status" -eq 2 ] || fail "$*: status $status, not 2: $(cat err.txt)"
    [ "$(grep -c "$words" err.txt)" = 1 ] || fail "$*: not said once: $(cat err.txt)"
}
refused "unknown metric" score whole --metrics nonsense
refused "runs in a single one: start it without mpirun" list metrics
refused "runs in a single one: start it without mpirun" mad rank competition
refused "needs a single process" predict "${val[@]}" --until "half_width(top1) <= 0.1" --out until
printf 'x' >> "$(find whole/val/tiny -name '*.npy' | sort | tail -1)"
refused "assay: error" score whole/val/tiny
# Only the first rank prints. The other ranks report the code of its error to the process that started them.
run launch "$mpi" 3 sh -c 'ASSAY_ERROR_FD=3 exec "$@" > /dev/full 3> "error-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}.json"' \
    sh "$program" score whole/val/small 2> /dev/null
[ "$status" -eq 2 ] || fail "score > /dev/full: status $status, not 2"
for rank in 0 1 2; do
    grep -q '^{"code":"io",' error-$rank.json && [ "$(wc -l < error-$rank.json)" -eq 1 ] || fail "rank $rank reports: $(cat error-$rank.json)"
done
grep -q '"message":"rank 0 of 3 has failed' error-2.json || fail "rank 2 reports: $(cat error-2.json)"
[ "$(ASSAY_MPI=off launch "$mpi" 2 "$program" list metrics --json | grep -o '"schema"' | wc -l)" -eq 2 ] || fail "ASSAY_MPI=off: each process does not work by itself"
[ "$(launch "$mpi" 3 "$program" --version | grep -c '^assay ')" = 1 ] || fail "--version is not printed once"
echo "mpi: ranks give what one process gives"
