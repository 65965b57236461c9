// Any bytes as a table or archive of votes: votes or an Error; what is read can be combined.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "annotation/votes_readers.h"
#include "assay/annotation/aggregate.h"
#include "assay/error.h"
#include "scratch.h"

namespace {

void check(bool good) {
    if (!good) std::abort();
}

const std::filesystem::path& file() {
    static const std::filesystem::path made = fuzz::scratch_folder("votes") / "votes.csv";
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::uint8_t kind = data[0] % 2;
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
    try {
        assay::VotesOptions options;
        options.threads = 1;
        options.repeats = data[0] & 4 ? assay::Repeats::all : assay::Repeats::first;
        assay::Votes votes;
        if (kind == 0) {
            std::ofstream(file(), std::ios::binary)
                .write(reinterpret_cast<const char*>(data + 1),
                       static_cast<std::streamsize>(size - 1));
            votes = assay::read_votes_csv(file(), options);
        } else {
            votes = assay::read_votes_npz(bytes, "votes.npz", options);
        }
        check(votes.begin.size() == votes.questions() + 1 &&
              votes.begin.back() == votes.codes.size());
        if (votes.questions() > 1000 || votes.annotators.size() > 1000) return 0;
        assay::answer_agreement(votes);
        assay::DawidSkeneOptions em;
        em.max_passes = 5;
        em.threads = 1;
        for (const double p : assay::dawid_skene(votes, em).yes) check(p >= 0 && p <= 1);
    } catch (const assay::Error&) {
    }
    return 0;
}
