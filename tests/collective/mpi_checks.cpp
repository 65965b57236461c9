// Checks every function of Comm between processes, in pieces of 24 bytes. mpirun runs it (mpi.sh),
// and it prints "checked" once.
//
// mpi_checks             runs all checks
//   mpi_checks alone R     rank R ends with an error before a collective step that the others are
//   in
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "assay/collective/mpi.h"
#include "assay/error.h"

namespace assay {
namespace {

int failures = 0;

void expect(bool good, std::string_view what, const Comm& comm) {
    if (good) return;
    ++failures;
    std::fputs(fmt::format("rank {} of {}: {}\n", comm.rank(), comm.size(), what).c_str(), stderr);
}

/// 13 bytes times the rank, so rank 0 has none, and the others do not end at the end of a piece.
std::vector<std::byte> bytes_of_rank(int rank, int round) {
    std::vector<std::byte> bytes(13 * static_cast<std::size_t>(rank));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(static_cast<std::size_t>(round) + 31 * i);
    return bytes;
}

std::string thrown_by(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        return fmt::format("{} {}", static_cast<int>(error.code()), error.what());
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

void check_bytes(Comm& comm) {
    for (int round = 0; round < 20; ++round) {
        const std::vector<std::byte> mine = bytes_of_rank(comm.rank(), round);
        const auto all = comm.all_gather(mine);
        expect(all.size() == static_cast<std::size_t>(comm.size()), "all_gather: ranks", comm);
        for (int r = 0; r < comm.size(); ++r)
            expect(all[static_cast<std::size_t>(r)] == bytes_of_rank(r, round), "all_gather", comm);
        const int root = round % comm.size();
        const auto there = comm.gather(mine, root);
        expect(there == (comm.rank() == root ? all : std::vector<std::vector<std::byte>>()),
               "gather", comm);
        expect(comm.broadcast(mine, root) == bytes_of_rank(root, round), "broadcast", comm);
        if (round % 5 == 0) comm.barrier();
    }
}

void check_sums(Comm& comm) {
    for (const std::size_t count : {0U, 1U, 3U, 4U, 100U}) {
        std::vector<std::int64_t> numbers(count);
        for (std::size_t k = 0; k < count; ++k)
            numbers[k] = (comm.rank() + 1) * (static_cast<std::int64_t>(k) - 50) * 1'000'000'007;
        comm.all_reduce(numbers);
        const std::int64_t ranks = comm.size() * (comm.size() + 1) / 2;
        for (std::size_t k = 0; k < count; ++k)
            expect(numbers[k] == ranks * (static_cast<std::int64_t>(k) - 50) * 1'000'000'007,
                   "all_reduce", comm);
    }
    std::vector<std::int64_t> few(static_cast<std::size_t>(comm.rank()));
    const std::string lengths = thrown_by([&] { comm.all_reduce(few); });
    expect(lengths.find(comm.size() > 1 ? "numbers" : "") != std::string::npos,
           "all_reduce of other lengths: " + lengths, comm);
    std::vector<std::int64_t> large(9, std::numeric_limits<std::int64_t>::max());
    large[0] = 0;
    const std::string sum = thrown_by([&] { comm.all_reduce(large); });
    expect((sum.find("64 bits") != std::string::npos) == (comm.size() > 1),
           "all_reduce beyond 64 bits: " + sum, comm);
    expect(any(comm, comm.rank() == comm.size() - 1) && !any(comm, false), "any", comm);
}

void check_agreements(Comm& comm) {
    for (int first = 0; first < comm.size(); ++first) {
        const std::string message = thrown_by([&] {
            agree(comm, [&] {
                if (comm.rank() >= first)
                    throw Error(ErrorCode::bad_input, fmt::format("of rank {}", comm.rank()));
            });
        });
        expect(message.find(fmt::format("of rank {}", first)) != std::string::npos,
               "agree: " + message, comm);
    }
    expect(thrown_by([&] { agree(comm, [] {}); }).empty(), "agree without an error", comm);
    expect(thrown_by([&] { agree_on(comm, "it", "same"); }).empty(), "agree_on", comm);
    const std::string other =
        thrown_by([&] { agree_on(comm, "it", comm.rank() == 0 ? "this" : "that"); });
    expect((other.find("rank 1 has `that`") != std::string::npos) == (comm.size() > 1),
           "agree_on other values: " + other, comm);
    expect(thrown_by([&] { comm.broadcast({}, comm.size()); }).find("ranks start at 0") !=
               std::string::npos,
           "broadcast of a rank that is not there", comm);
}

int run(int count, char** words) {
    const Launch launch = launch_of_environment();
    if (launch.size < 2) {
        std::fputs("mpi_checks: start it by mpirun\n", stderr);
        return 2;
    }
    MpiOptions options;
    options.piece = 24;
    const auto mpi = open_mpi(launch, options);
    Comm& comm = mpi->comm();
    if (count > 2 && comm.rank() == std::atoi(words[2])) {
        // The others wait in a barrier that this rank never reaches.
        if (mpi->leave({7, 1}, 0.3).empty()) mpi->abort(7);
        std::fputs("mpi_checks: a rank that waits has left\n", stderr);
        return 1;
    }
    if (count > 2) comm.barrier();
    check_bytes(comm);
    check_sums(comm);
    check_agreements(comm);
    expect(mpi->rank_of_machine() == comm.rank(), "the rank of the machine", comm);
    expect(mpi->ranks_of_machine() == comm.size(), "the ranks of the machine", comm);
    // The last rank is late, so that the others wait for it more than once. The test also passes if
    // they do not.
    if (comm.rank() == comm.size() - 1) ::usleep(150'000);
    std::vector<RankEnd> ends;
    const std::optional<ErrorCode> codes[] = {std::nullopt, ErrorCode::usage, ErrorCode::internal};
    while (ends.empty()) ends = mpi->leave({comm.rank(), failures, codes[comm.rank() % 3]}, 0.05);
    int all = 0;
    for (std::size_t r = 0; r < ends.size(); ++r) {
        expect(ends[r].status == static_cast<int>(r) && ends[r].code == codes[r % 3], "leave",
               comm);
        all += static_cast<int>(ends[r].message);
    }
    mpi->finish();
    if (comm.rank() == 0 && all + failures == 0) std::puts("checked");
    return all + failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace assay

int main(int count, char** words) {
    try {
        return assay::run(count, words);
    } catch (const std::exception& error) {
        std::fputs(fmt::format("mpi_checks: {}\n", error.what()).c_str(), stderr);
        return 2;
    }
}
