// Ranks that are processes, on one machine or many, started together by mpirun or srun.
//
// The program opens MPI while it runs, through a plug-in that is compiled for one MPI
// implementation. A program that is started alone needs no MPI.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/error.h"

namespace assay {

/// The way in which this process was started.
struct Launch {
    int rank = 0, size = 1;
    std::string by = "";  ///< the launcher, for people: "Open MPI's mpirun"; "" if started alone
};

/// Reads the environment variables that mpirun and srun set. Not launched by them if ASSAY_MPI is
/// "off".
Launch launch_of_environment();

/// The result of one rank.
struct RankEnd {
    int status = 0;
    std::int64_t message = 0;  ///< a hash of its final message; 0 if it has none
    std::optional<ErrorCode> code = std::nullopt;  ///< kind of the error that ended the rank
};

/// All processes of one launch.
class MpiRanks {
public:
    virtual ~MpiRanks() = default;
    virtual Comm& comm() = 0;
    /// The name and version, such as "Open MPI 4.1.4".
    virtual const std::string& library() const = 0;
    /// This process's number among the ranks of its machine, from 0.
    virtual int rank_of_machine() const = 0;
    virtual int ranks_of_machine() const = 0;
    /// Call this at the end of the program. Returns how every rank ended, in rank order. Returns
    /// nothing if a rank does not arrive within `seconds`, because it still computes or waits for
    /// this one in vain. May be called again: it continues with the values passed first.
    virtual std::vector<RankEnd> leave(const RankEnd& mine, double seconds) = 0;
    /// Ends MPI. Call it after leave() has returned the results of all ranks.
    virtual void finish() = 0;
    /// Ends all ranks at once; mpirun and srun return `status`.
    [[noreturn]] virtual void abort(int status) = 0;
};

struct MpiOptions {
    /// the most bytes in one message, because MPI's counts are ints
    std::uint64_t piece = std::uint64_t{1} << 30;
    /// Called about every millisecond while this rank waits for others. It may call abort().
    std::function<void()> waiting = {};
};

/// Opens MPI, at most once in a process. Uses libassay_mpi.so if a site has compiled one, else the
/// plug-in for the MPI whose mpirun started the program (libassay_openmpi.so, libassay_mpich.so).
/// ASSAY_MPI selects another: openmpi, mpich, or a file. Throws usage if srun started the program
/// without MPI, if there is no plug-in, or if the plug-in has another version. Also throws usage if
/// MPI counts other ranks than were started, as one MPI's plug-in does under another's mpirun.
/// Otherwise n processes, each thinking that it is alone, would write the same files.
std::unique_ptr<MpiRanks> open_mpi(const Launch& launch, const MpiOptions& options = {});

/// An available plug-in for MPI, known by its file name without opening it.
struct MpiPlugin {
    std::string mpi;  ///< "Open MPI", "MPICH", "of this site"
    std::filesystem::path file;
};
/// The plug-ins in the plug-in folders, and the one whose path ASSAY_MPI gives.
std::vector<MpiPlugin> mpi_plugins();

}  // namespace assay
