// Chooses a pair's images from its candidates.
#include <algorithm>
#include <bit>

#include "core/parallel.h"
#include "mad/selection_work.h"

namespace assay::mad {
namespace {

/// Finds and records the first new image of a list that nobody can judge, or that is
/// a near duplicate of a kept image or an earlier new one (unless `hashes` is
/// nullptr). The list is valid up to that image. Returns false if the whole list is
/// valid.
bool turns_one_down(PairWork& work, const UnclearQuestions& unclear, const NearHashes* hashes,
                    std::uint32_t most_bits) {
    std::vector<std::uint64_t> before;
    for (const Candidate& c : work.settled) before.push_back(c.image);
    const auto stays = static_cast<std::ptrdiff_t>(before.size());
    for (std::size_t at = 0; at < work.list.size(); ++at) {
        const Candidate& c = work.list[at];
        const auto place = static_cast<std::uint32_t>(at);
        if (std::find(before.begin(), before.begin() + stays, c.image) != before.begin() + stays)
            continue;
        const std::string* const reason =
            unclear_of(unclear, static_cast<std::int64_t>(c.image), c.first_label, c.second_label);
        if (reason != nullptr) {
            work.unclear.push_back({.image = c, .place = place, .reason = *reason});
            return true;
        }
        if (hashes == nullptr) continue;
        const std::uint64_t hash = hashes->of(c.image);
        for (const std::uint64_t other : before) {
            const int bits = std::popcount(hash ^ hashes->of(other));
            if (bits > static_cast<int>(most_bits)) continue;
            work.duplicates.push_back({.image = c, .place = place, .of = other, .bits = bits});
            return true;
        }
        before.push_back(c.image);
    }
    return false;
}

}  // namespace

void choose_images(const Competition& competition, const UnclearQuestions& unclear,
                   std::span<PairWork> work, std::span<const ScannedPair> scanned,
                   NearHashes* hashes, int threads, const ProgressCallback& progress) {
    SelectionRule rule = competition.settings().rule;
    std::vector<std::size_t> open;
    for (std::size_t p = 0; p < work.size(); ++p) {
        work[p].unclear.clear();
        work[p].duplicates.clear();
        work[p].short_of_reserves = false;
        open.push_back(p);
    }
    // All pairs advance one step at a time, so that the images of a step are decoded together.
    while (!open.empty()) {
        std::vector<std::size_t> undecided;
        std::vector<std::uint64_t> images;
        for (const std::size_t p : open) {
            throw_if_stopped();
            PairWork& pair = work[p];
            std::vector<Candidate> rejected = pair.rejected;
            for (const FoundUnclear& one : pair.unclear) rejected.push_back(one.image);
            std::vector<Candidate> passed_over;
            for (const FoundDuplicate& one : pair.duplicates) passed_over.push_back(one.image);
            rule.reserves = pair.reserves;
            rule.tie_key = tie_key_of(rule.seed, pair.first, pair.second);
            if (rejected.size() + passed_over.size() > rule.reserves) {
                pair.short_of_reserves = true;
                continue;
            }
            pair.list = select_of(scanned[p].kept, rule, pair.settled, rejected, passed_over);
            undecided.push_back(p);
            for (const Candidate& c : pair.list) images.push_back(c.image);
        }
        open.clear();
        if (hashes != nullptr) hashes->need(images, threads, progress);
        for (const std::size_t p : undecided)
            if (turns_one_down(work[p], unclear, hashes,
                               competition.settings().near_duplicates.value_or(0)))
                open.push_back(p);
    }
}

}  // namespace assay::mad
