// A command that several processes run together, started by mpirun or srun: ranks. Rank 0 prints
// and writes results; all ranks end with one status.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/collective/comm.h"

namespace assay::cli {

/// What a command came to.
struct Ended {
    int status = 0;
    std::string message = "";  ///< for stderr, lines with their ends; "": nothing
};

/// Whether the command of these arguments (after the program's name) is computed by ranks.
bool is_for_ranks(const std::vector<std::string>& arguments);

/// First of all: joins the processes that were started together, if any. Throws usage: the command
/// of these arguments is none for ranks; as open_mpi().
void open_ranks(const std::vector<std::string>& arguments);
/// Last of all: prints the message, once where ranks end alike, and returns the status of all. A
/// rank with a message of its own, while others compute or wait for it, ends them all.
int end_ranks(const Ended& ended);

/// The ranks of this command; one, where it was started alone.
Comm& ranks();
/// Whether this process was started with others.
bool are_ranks();
/// Whether this process prints: false on all ranks but the first.
bool is_first_rank();
/// Among the ranks of one machine, which share its devices; and their number.
std::uint32_t rank_of_machine();
std::uint32_t ranks_of_machine();

}  // namespace assay::cli
