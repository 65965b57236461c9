#!/usr/bin/env bash
# The plug-ins for MPI: all functions of Comm between 2, 3 and 8 processes, and their errors.
#   mpi.sh MPI_CHECKS
set -euo pipefail
checks=$1
. "$(dirname "$0")/mpi_launch.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() { echo "mpi: $*" >&2; exit 1; }

for mpi in "${mpis[@]}"; do
    for ranks in 2 3 8; do
        [ "$(launch "$mpi" $ranks "$checks")" = checked ] || fail "$mpi, $ranks ranks"
    done
    # If a rank ends while the others wait for it, they end, too, and mpirun reports its status.
    status=0
    launch "$mpi" 3 "$checks" alone 1 > /dev/null 2>&1 || status=$?
    [ "$status" -eq 7 ] || fail "$mpi: a rank that ended alone gave status $status, not 7"
    # The same if a rank is killed.
    status=0
    launch "$mpi" 2 sh -c 'case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 1) kill -9 $$ ;; esac; exec "$0" alone 9' "$checks" > /dev/null 2>&1 || status=$?
    [ "$status" -ne 0 ] || fail "$mpi: a rank was killed, and the others went on"
done

# The plug-in of another MPI counts one rank. Every process refuses it.
if [ ${#mpis[@]} -eq 2 ]; then
    for pair in "openmpi mpich" "mpich openmpi"; do
        read -r starter plugin <<< "$pair"
        status=0
        ASSAY_MPI=$plugin launch "$starter" 2 "$checks" > out.txt 2>&1 || status=$?
        [ "$status" -eq 2 ] || fail "$plugin under $starter: status $status, not 2: $(cat out.txt)"
        grep -q "started 2 processes, and .* counts 1" out.txt || fail "$plugin under $starter: $(cat out.txt)"
    done
fi
# Without MPI, srun is recognized by its environment variables.
status=0
SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 "$checks" > out.txt 2>&1 || status=$?
{ [ "$status" -eq 2 ] && grep -q "use .srun --mpi=pmix" out.txt; } || fail "srun without MPI: status $status: $(cat out.txt)"
# The allowed values of ASSAY_MPI.
for wish in nonsense /nowhere/libassay_mpi.so /dev/null; do
    status=0
    ASSAY_MPI=$wish launch "${mpis[0]}" 2 "$checks" > out.txt 2>&1 || status=$?
    [ "$status" -eq 2 ] || fail "ASSAY_MPI=$wish: status $status, not 2"
    grep -q "mpi_checks: .*$wish" out.txt || fail "ASSAY_MPI=$wish: $(cat out.txt)"
done
echo "mpi: ${mpis[*]} carry what ranks tell each other"
