#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "assay/collective/mpi.h"

namespace assay {
namespace {

std::optional<int> number_of(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    const std::string_view digits = text;
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
        return std::nullopt;
    return value;
}

/// The environment variables that a launcher sets for each process.
struct Launcher {
    const char* size;
    const char* rank;
    const char* name;
};

/// A process under srun may have both Slurm's and MPI's variables. MPI's have priority, because
/// they say more.
constexpr std::array<Launcher, 4> launchers = {{
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun"},
    {"PMI_SIZE", "PMI_RANK", "MPICH's mpirun"},
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MVAPICH's mpirun"},
    // The variables of the job step. SLURM_NTASKS is also set in a batch script, in which only one
    // process runs.
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun"},
}};

}  // namespace

Launch launch_of_environment() {
    const char* wish = std::getenv("ASSAY_MPI");
    if (wish != nullptr && std::string_view(wish) == "off") return {};
    for (const Launcher& launcher : launchers) {
        const std::optional<int> size = number_of(launcher.size), rank = number_of(launcher.rank);
        if (!size || !rank || *size < 2 || *rank >= *size) continue;
        return {*rank, *size, launcher.name};
    }
    return {};
}

}  // namespace assay
