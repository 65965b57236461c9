// A command that several processes (ranks) run together, started by mpirun or srun. Rank 0 prints
// and writes results; all ranks end with one status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/error.h"

namespace assay::cli {

/// The result of a command.
struct Ended {
    int status = 0;
    std::string message = "";  ///< lines for stderr with their ends; "" means nothing
    std::optional<ErrorCode> code = std::nullopt;  ///< kind of its error, which has been reported
};

/// True if the command with these arguments (after the program's name) is computed by ranks.
bool is_for_ranks(const std::vector<std::string>& arguments);

/// Call this first: joins the processes that were started together, if any. Throws usage if the
/// command with these arguments does not support ranks, and as open_mpi() does.
void open_ranks(const std::vector<std::string>& arguments);
/// Call this last: prints the message, only once if ranks end in the same way, and returns the
/// status of all. A rank with its own message, while others compute or wait for it, ends them all.
/// A rank that ends with the error of another one reports its code (error_report.h).
int end_ranks(const Ended& ended);

/// The ranks of this command; a single one if it was started alone.
Comm& ranks();
/// True if this process was started with others.
bool are_ranks();
/// True if this process prints: only on the first rank.
bool is_first_rank();
/// The rank among those of one machine, which share its devices, and their number.
std::uint32_t rank_of_machine();
std::uint32_t ranks_of_machine();

}  // namespace assay::cli
