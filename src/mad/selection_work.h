// What a round of selection has to do, pair by pair, and what comes of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/mad/competition.h"
#include "mad/competition_rows.h"
#include "mad/near_duplicates.h"

namespace assay::mad {

/// A pair whose images are looked for, as every rank hears of it.
struct PlannedPair {
    std::uint32_t first = 0, second = 0;  ///< numbers of classifiers
    std::uint32_t k = 0, reserves = 0;
};

/// An accepted place that is given up.
struct LeavingPlace {
    SelectedRow row;
    std::string reason;
    bool excluded = false;  ///< by a person, and so no candidate at all any more
};

/// A candidate that nobody can judge, as answers say that were given for other pairs.
struct FoundUnclear {
    Candidate image;
    std::uint32_t place = 0;
    std::string reason;
};

struct FoundDuplicate {
    Candidate image;
    std::uint32_t place = 0;
    std::uint64_t of = 0;
    int bits = 0;  ///< that differ
};

/// One pair of active classifiers that lacks images.
struct PairWork {
    PairRow row;                ///< id 0: a new pair
    std::string first, second;  ///< names
    std::vector<LeavingPlace> leaving;
    std::vector<Candidate> settled;   ///< accepted, and staying
    std::vector<Candidate> rejected;  ///< candidates that people could not judge
    std::uint32_t reserves = 0;
    std::uint64_t rows = 0;  ///< of table selected, in any state
    /// False: all of its candidates were looked at, and are too few for a smaller k already.
    bool look = true;
    /// From here on what the round finds out.
    std::vector<FoundUnclear> unclear;
    std::vector<FoundDuplicate> duplicates;  ///< those that were found before among them
    std::vector<Candidate> list;             ///< accepted, in their order
    bool short_of_reserves = false;
};

/// Why people cannot judge questions, by image and label: at least four in five of those who were
/// asked, and no further vote can change it. As the tally has it: never one whose answer is known.
using UnclearQuestions = std::map<std::pair<std::int64_t, std::uint16_t>, std::string>;
UnclearQuestions unclear_questions(const Competition& competition);
/// Why an image is none that people can judge for a pair; nullptr where it is one.
const std::string* unclear_of(const UnclearQuestions& unclear, std::int64_t image,
                              std::uint16_t first_label, std::uint16_t second_label);

/// The pairs that lack images: new ones, those of which a place is unclear or excluded, those with
/// fewer than k images that are not known to have no more. `excluded`: reasons by image. `parents`:
/// as for scan(), or none.
std::vector<PairWork> find_work(const Competition& competition,
                                const std::map<std::uint64_t, std::string>& excluded,
                                const UnclearQuestions& unclear,
                                std::span<const std::uint64_t> parents);
/// Writes the larger k of pairs that need no look. Inside a transaction of the caller.
void note_larger_k(Competition& competition, const std::vector<PairWork>& work);

struct ScannedPair {
    std::uint64_t candidates = 0, disagreeing = 0;
    std::vector<Candidate> kept;  ///< PairSketch::candidates()
};

/// Chooses for each pair from what was found: sets list, unclear, duplicates, and short_of_reserves
/// where another pass is needed. An image that nobody can judge, and a near duplicate of an image
/// that stays or of an earlier new one, is given up for the next candidate, until there is none.
/// What was a near duplicate before is one no more where the other image has left the list.
void choose_images(const Competition& competition, const UnclearQuestions& unclear,
                   std::span<PairWork> work, std::span<const ScannedPair> scanned,
                   NearHashes* hashes, int threads, const ProgressCallback& progress);

/// Writes the pairs that are not short of reserves. Inside a transaction of the caller. Throws
/// busy: another process has changed one of these pairs since.
void write_work(Competition& competition, std::span<const PairWork> work,
                std::span<const ScannedPair> scanned, NearHashes* hashes);

/// In which order a pair's images are asked about: random, and the same whatever else there is.
std::uint32_t turn_of(std::uint64_t seed, std::string_view first, std::string_view second,
                      std::uint64_t image);

}  // namespace assay::mad
