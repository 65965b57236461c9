// From a pair's candidates to its images.
#include <algorithm>
#include <bit>
#include <optional>

#include "core/parallel.h"
#include "mad/selection_work.h"

namespace assay::mad {
namespace {

/// The first new image of a list that is nearly the same as one that stays or an earlier new one.
std::optional<FoundDuplicate> first_duplicate(const PairWork& work, const NearHashes& hashes,
                                              std::uint32_t most_bits) {
    std::vector<std::uint64_t> before;
    for (const Candidate& c : work.settled) before.push_back(c.image);
    const auto stays = static_cast<std::ptrdiff_t>(before.size());
    for (std::size_t place = 0; place < work.list.size(); ++place) {
        const std::uint64_t image = work.list[place].image;
        if (std::find(before.begin(), before.begin() + stays, image) != before.begin() + stays)
            continue;
        const std::uint64_t hash = hashes.of(image);
        for (const std::uint64_t other : before) {
            const int bits = std::popcount(hash ^ hashes.of(other));
            if (bits <= static_cast<int>(most_bits)) {
                return FoundDuplicate{.image = work.list[place],
                                      .place = static_cast<std::uint32_t>(place),
                                      .of = other,
                                      .bits = bits};
            }
        }
        before.push_back(image);
    }
    return std::nullopt;
}

}  // namespace

void choose_images(const Competition& competition, std::span<PairWork> work,
                   std::span<const ScannedPair> scanned, NearHashes* hashes, int threads,
                   const ProgressCallback& progress) {
    SelectionRule rule = competition.settings().rule;
    std::vector<std::size_t> open;
    for (std::size_t p = 0; p < work.size(); ++p) {
        work[p].duplicates.clear();
        work[p].short_of_reserves = false;
        open.push_back(p);
    }
    // All pairs take a step each, so that the images of a step are decoded together.
    while (!open.empty()) {
        std::vector<std::size_t> undecided;
        std::vector<std::uint64_t> images;
        for (const std::size_t p : open) {
            throw_if_stopped();
            PairWork& pair = work[p];
            std::vector<Candidate> rejected = pair.rejected;
            for (const FoundDuplicate& one : pair.duplicates) rejected.push_back(one.image);
            rule.reserves = pair.reserves;
            if (rejected.size() > rule.reserves) {
                pair.short_of_reserves = true;
                continue;
            }
            pair.list = select_of(scanned[p].kept, rule, pair.settled, rejected);
            undecided.push_back(p);
            for (const Candidate& c : pair.list) images.push_back(c.image);
        }
        open.clear();
        if (hashes == nullptr) break;
        hashes->need(images, threads, progress);
        for (const std::size_t p : undecided) {
            const auto found =
                first_duplicate(work[p], *hashes, *competition.settings().near_duplicates);
            if (!found) continue;
            work[p].duplicates.push_back(*found);
            open.push_back(p);
        }
    }
}

}  // namespace assay::mad
