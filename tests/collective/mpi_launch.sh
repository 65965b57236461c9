# Sourced: `launch MPI N COMMAND...` starts N ranks with mpirun of that MPI, more ranks than cores. `mpis` lists the installed MPIs.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
# MPI keeps much of its memory until the end, which is not a leak of Assay.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
# Open MPI 4 keeps its files in one folder of the user, and fails if another process makes or removes that folder meanwhile.
# So each start has its own folder, and so has each process that Open MPI's mpirun did not start.
launch() {
    local mpi=$1 ranks=$2 files status=0
    shift 2
    files=$(mktemp -d)
    [ "$mpi" = openmpi ] || set -- sh -c 'OMPI_MCA_orte_tmpdir_base=$0/$PMI_RANK exec "$@"' "$files" "$@"
    OMPI_MCA_orte_tmpdir_base=$files timeout --kill-after=5 120 "mpirun.$mpi" -n "$ranks" "$@" || status=$?
    rm -rf "$files"
    return "$status"
}
mpis=()
for mpi in openmpi mpich; do
    if command -v "mpirun.$mpi" > /dev/null && command -v "mpicc.$mpi" > /dev/null; then mpis+=("$mpi"); fi
done
if [ ${#mpis[@]} -eq 0 ]; then
    echo "SKIPPED: neither Open MPI nor MPICH is installed" >&2
    exit 77
fi
