// The work of a selection round, pair by pair, and its results.
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

/// A pair for which images are searched, in the form for all ranks.
struct PlannedPair {
    std::uint32_t first = 0, second = 0;  ///< numbers of classifiers
    std::uint32_t k = 0, reserves = 0;
};

/// An accepted place that is given up.
struct LeavingPlace {
    SelectedRow row;
    std::string reason;
    bool excluded = false;  ///< true if a person excluded it, so that it is never a candidate again
};

/// A candidate that nobody can judge, according to answers about other pairs.
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

/// A pair of active classifiers that lacks images.
struct PairWork {
    PairRow row;                ///< id 0 means a new pair
    std::string first, second;  ///< names
    std::vector<LeavingPlace> leaving;
    std::vector<Candidate> settled;   ///< accepted candidates that stay
    std::vector<Candidate> rejected;  ///< candidates that people could not judge
    std::uint32_t reserves = 0;
    std::uint64_t rows = 0;  ///< rows in table selected, in any state
    /// False if all of its candidates were examined before and are too few even for a smaller k.
    bool look = true;
    /// The members below are the results of the round.
    std::vector<FoundUnclear> unclear;
    std::vector<FoundDuplicate> duplicates;  ///< includes those that were found before
    std::vector<Candidate> list;             ///< accepted, in their order
    bool short_of_reserves = false;
};

/// The reasons why people cannot judge questions, by image and label. At least four in five
/// annotators cannot, and further votes cannot change this. As in the tally, questions with a known
/// answer are excluded.
using UnclearQuestions = std::map<std::pair<std::int64_t, std::uint16_t>, std::string>;
UnclearQuestions unclear_questions(const Competition& competition);
/// The reason why people cannot judge an image for a pair; nullptr if they can.
const std::string* unclear_of(const UnclearQuestions& unclear, std::int64_t image,
                              std::uint16_t first_label, std::uint16_t second_label);

/// The pairs that lack images: new ones, and those with an unclear or excluded place. Pairs with
/// fewer than k images are included too, unless they are known to have no more. `excluded` has
/// reasons by image. `parents` is as for scan(), or empty.
std::vector<PairWork> find_work(const Competition& competition,
                                const std::map<std::uint64_t, std::string>& excluded,
                                const UnclearQuestions& unclear,
                                std::span<const std::uint64_t> parents);
/// Records the larger k of pairs that need no search. Call inside a transaction.
void note_larger_k(Competition& competition, const std::vector<PairWork>& work);

struct ScannedPair {
    std::uint64_t candidates = 0, disagreeing = 0;
    std::vector<Candidate> kept;  ///< PairSketch::candidates()
};

/// Chooses from the candidates of each pair: sets list, unclear, duplicates, and short_of_reserves
/// if another pass is needed. The next candidate replaces an image that nobody can judge, and a
/// near duplicate of a kept image or an earlier new one, as long as there are candidates. A former
/// near duplicate becomes valid again if the other image has left the list.
void choose_images(const Competition& competition, const UnclearQuestions& unclear,
                   std::span<PairWork> work, std::span<const ScannedPair> scanned,
                   NearHashes* hashes, int threads, const ProgressCallback& progress);

/// Writes the pairs that are not short of reserves. Call inside a transaction. Throws busy if
/// another process has changed one of these pairs since.
void write_work(Competition& competition, std::span<const PairWork> work,
                std::span<const ScannedPair> scanned, NearHashes* hashes);

/// The order in which a pair's images are asked about. It is random and independent of all data.
std::uint32_t turn_of(std::uint64_t seed, std::string_view first, std::string_view second,
                      std::uint64_t image);

}  // namespace assay::mad
