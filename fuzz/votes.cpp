// Reads any bytes as a text of votes, or as an archive of votes if they begin like a zip file. The
// result is votes or an Error. The votes can be combined.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "annotation/votes_readers.h"
#include "assay/annotation/aggregate.h"
#include "assay/error.h"

namespace {

void check(bool good) {
    if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const bool archive = size >= 2 && data[0] == 'P' && data[1] == 'K';
    try {
        assay::VotesOptions options;
        options.threads = 1;
        options.repeats = size % 2 == 0 ? assay::Repeats::all : assay::Repeats::first;
        assay::Votes votes;
        if (!archive) {
            votes = assay::read_votes_text({reinterpret_cast<const char*>(data), size}, "votes",
                                           options);
        } else {
            votes = assay::read_votes_npz(bytes, "votes.npz", options);
        }
        check(votes.begin.size() == votes.questions() + 1 &&
              votes.begin.back() == votes.codes.size());
        if (votes.questions() > 1000 || votes.annotators.size() > 1000) return 0;
        assay::answer_agreement(votes);
        if (votes.which_class) {
            std::uint64_t ties = 0;
            assay::class_agreement(votes);
            const auto most = assay::most_voted(votes, assay::vote_proportions(votes), ties);
            check(most.size() == votes.questions() && ties <= votes.items.size());
        }
        assay::DawidSkeneOptions em;
        em.max_passes = 5;
        em.threads = 1;
        for (const double p : assay::dawid_skene(votes, em).yes) check(p >= 0 && p <= 1);
    } catch (const assay::Error&) {
    }
    return 0;
}
