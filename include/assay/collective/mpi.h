// Ranks that are processes, on one machine or many, started together by mpirun or srun.
//
// MPI is opened while the program runs, from a plug-in that is compiled for one MPI: a program that
// is started alone needs none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/collective/comm.h"

namespace assay {

/// How this process was started.
struct Launch {
    int rank = 0, size = 1;
    std::string by = "";  ///< what started it, for people: "Open MPI's mpirun"; "" alone
};

/// By what mpirun and srun leave in the environment; alone where ASSAY_MPI is "off".
Launch launch_of_environment();

/// What one rank ended with.
struct RankEnd {
    int status = 0;
    std::int64_t message = 0;  ///< a hash of what it has to say; 0: nothing
};

/// All processes that were started together.
class MpiRanks {
public:
    virtual ~MpiRanks() = default;
    virtual Comm& comm() = 0;
    /// "Open MPI 4.1.4".
    virtual const std::string& library() const = 0;
    /// Among the ranks of this machine, from 0.
    virtual int rank_of_machine() const = 0;
    virtual int ranks_of_machine() const = 0;
    /// For the end of the program: what every rank ended with, in rank order; nothing where one has
    /// not come within `seconds`: it computes, or waits for this one in vain. May be called again:
    /// it goes on with what was passed first.
    virtual std::vector<RankEnd> leave(const RankEnd& mine, double seconds) = 0;
    /// Ends MPI, after a leave() to which all came.
    virtual void finish() = 0;
    /// Ends all ranks at once; mpirun and srun return `status`.
    [[noreturn]] virtual void abort(int status) = 0;
};

struct MpiOptions {
    std::uint64_t piece = std::uint64_t{1} << 30;  ///< most bytes in one message: counts are ints
    /// Called every millisecond or so while this rank waits for others; it may call abort().
    std::function<void()> waiting = {};
};

/// Opens MPI, once in a process: libassay_mpi.so where a site has compiled one, else the plug-in of
/// the MPI whose mpirun started this (libassay_openmpi.so, libassay_mpich.so); ASSAY_MPI names
/// another (openmpi, mpich, or a file). Throws usage: srun
/// started this without MPI; there is no plug-in, or it is another
/// version's; MPI counts other ranks than were started, as one MPI's plug-in does under another's
/// mpirun: n processes that each take themselves for the only one would write the same files.
std::unique_ptr<MpiRanks> open_mpi(const Launch& launch, const MpiOptions& options = {});

/// A plug-in for MPI that is there, by the name of its file alone: nothing is opened.
struct MpiPlugin {
    std::string mpi;  ///< "Open MPI", "MPICH", "of this site"
    std::filesystem::path file;
};
/// Those in the folders that plug-ins are looked for in, and the one that ASSAY_MPI names by a
/// path.
std::vector<MpiPlugin> mpi_plugins();

}  // namespace assay
