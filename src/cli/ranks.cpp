#include "cli/ranks.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "assay/collective/mpi.h"
#include "assay/error.h"
#include "cli/cmd_completion.h"
#include "cli/error_report.h"
#include "core/hash.h"
#include "core/parallel.h"

namespace assay::cli {
namespace {

/// Commands whose work ranks share. All other commands run in one process.
constexpr std::array<std::string_view, 10> shared_commands = {
    "predict",         "score",         "compare",         "gap",
    "labels propose",  "mad select",    "quality measure", "replicate adjust",
    "replicate match", "replicate plan"};

/// Ranks that end together arrive at almost the same time. A rank that is missing for this long is
/// computing, or waits for a rank that will not arrive.
constexpr double grace_seconds = 5;

struct World {
    Launch launch{};
    std::unique_ptr<MpiRanks> mpi{};
    std::unique_ptr<Comm> alone = self_comm();
};

World& world() {
    static World all;
    return all;
}

void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

/// A rank that receives a signal while it waits for others cannot leave MPI properly: they may
/// never arrive.
void end_where_stopped() {
    if (!stop_requested()) return;
    constexpr int status = 130;
    if (is_first_rank()) print("assay: error: interrupted\n");
    world().mpi->abort(status);
}

/// By default, a process uses all cores that it may use; cores that other ranks of this machine may
/// also use are divided.
void share_cores(Comm& comm) {
    struct Cores {
        std::array<char, 64> machine{};
        cpu_set_t mask{};
    };
    Cores mine;
    ::gethostname(mine.machine.data(), mine.machine.size() - 1);
    CPU_ZERO(&mine.mask);
    if (::sched_getaffinity(0, sizeof mine.mask, &mine.mask) != 0) CPU_ZERO(&mine.mask);
    const auto all = all_gather(comm, std::span<const Cores>(&mine, 1));
    const auto sharing = std::count_if(all.begin(), all.end(), [&](const auto& other) {
        return other[0].machine == mine.machine && CPU_EQUAL(&other[0].mask, &mine.mask) != 0;
    });
    set_default_threads(std::max(1, available_cores() / static_cast<int>(sharing)));
}

void open_world(const std::vector<std::string>& arguments) {
    World& all = world();
    if (!is_for_ranks(arguments)) {
        const std::string name = arguments.empty() ? "" : " " + arguments.front();
        throw Error(
            ErrorCode::usage,
            fmt::format("{} started {} processes, but assay{} runs in a single one: start it "
                        "without mpirun. Only {} can share work between processes; with "
                        "ASSAY_MPI=off each process works alone",
                        all.launch.by, all.launch.size, name, fmt::join(shared_commands, ", ")));
    }
    MpiOptions options;
    options.waiting = end_where_stopped;
    all.mpi = open_mpi(all.launch, options);
    share_cores(all.mpi->comm());
}

std::int64_t hash_of(const std::string& message) {
    if (message.empty()) return 0;
    std::int64_t number = 0;
    const std::string digits = hash_text(message);
    std::memcpy(&number, digits.data(), std::min(digits.size(), sizeof number));
    return number;
}

/// The first rank that failed determines how all ranks end; if several have the same message, the
/// first prints it.
int leave_together(MpiRanks& mpi, const Ended& mine) {
    const int rank = mpi.comm().rank();
    const std::int64_t message = hash_of(mine.message);
    const RankEnd own = {mine.status, message, mine.code};
    std::vector<RankEnd> all = mpi.leave(own, grace_seconds);
    const std::string by = fmt::format("rank {} of {}: ", rank, mpi.comm().size());
    if (all.empty() && !mine.message.empty()) {
        print(by + mine.message);
        mpi.abort(mine.status);
    }
    // This rank is done and another is not, perhaps because that one is slower.
    while (all.empty()) all = mpi.leave(own, grace_seconds);
    const auto says_it = [&](const RankEnd& end) { return end.message == message; };
    const bool first = std::find_if(all.begin(), all.end(), says_it) - all.begin() == rank;
    const bool all_alike = std::all_of(all.begin(), all.end(), says_it);
    if (first && !mine.message.empty()) print((all_alike ? "" : by) + mine.message);
    const auto failed =
        std::find_if(all.begin(), all.end(), [](const RankEnd& end) { return end.status != 0; });
    if (failed != all.end() && failed->code && !mine.code)
        report_error(Error(*failed->code,
                           fmt::format("rank {} of {} has failed; its message is on its stderr",
                                       failed - all.begin(), all.size())));
    mpi.finish();
    return failed == all.end() ? 0 : failed->status;
}

}  // namespace

bool is_for_ranks(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return false;
    const std::string two =
        arguments.size() > 1 ? arguments[0] + " " + arguments[1] : std::string();
    return std::any_of(shared_commands.begin(), shared_commands.end(),
                       [&](std::string_view name) { return name == arguments[0] || name == two; });
}

void open_ranks(const std::vector<std::string>& arguments) {
    // Parts are for independent processes, even if a launcher started them.
    const bool part = std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
        return word == "--part" || word.starts_with("--part=");
    });
    if (part) return;
    world().launch = launch_of_environment();
    // `assay --version`, help and requests from shells need no other rank.
    if (arguments.empty() || arguments.front().starts_with("-") ||
        arguments.front() == shell_question)
        return;
    if (world().launch.size > 1) open_world(arguments);
}

int end_ranks(const Ended& ended) {
    if (world().mpi) return leave_together(*world().mpi, ended);
    if (is_first_rank()) print(ended.message);
    return ended.status;
}

Comm& ranks() {
    World& all = world();
    return all.mpi ? all.mpi->comm() : *all.alone;
}

bool are_ranks() {
    return world().launch.size > 1;
}

bool is_first_rank() {
    return world().launch.rank == 0;
}

std::uint32_t rank_of_machine() {
    return world().mpi ? static_cast<std::uint32_t>(world().mpi->rank_of_machine()) : 0;
}

std::uint32_t ranks_of_machine() {
    return world().mpi ? static_cast<std::uint32_t>(world().mpi->ranks_of_machine()) : 1;
}

}  // namespace assay::cli
