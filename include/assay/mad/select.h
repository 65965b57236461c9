// Which images two classifiers are compared on: those on which they disagree most, of any number of
// unlabelled images, in one pass and in bounded memory.
//
// Candidates of a pair: images for which the classifiers predict different labels, both with at
// least their thresholds' confidence. Their order: distance of the labels descending, then the
// smaller of the two confidences descending (or a hash), then the image's
// number. The first that meet the caps are selected. The order is total, so that the same images
// are selected for any number of chunks, threads and ranks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mad/distance.h"

namespace assay::mad {

/// What one classifier predicts for a stretch of the images: 3 bytes each.
struct Predictions {
    std::span<const std::uint16_t> labels;      ///< no_label: the image has no scores
    std::span<const std::uint8_t> confidences;  ///< quantised(probability of the label)
};
inline constexpr std::uint16_t no_label = 0xFFFF;
/// floor(200 p): every multiple of .005 is exact, so that "at least .8" and "at least .5" stay what
/// they say in one byte. Beyond thresholds it decides ties of the distance alone.
inline constexpr int confidence_levels = 200;
/// A probability that was rounded to single precision from a multiple of .005 counts as that
/// multiple, though it may be a little below it.
std::uint8_t quantised(double probability);
/// The same without that, as competitions began before it was so.
std::uint8_t quantised_exactly(double probability);
/// The smallest quantised confidence that means "at least p", or the next multiple of .005. Throws
/// usage: p outside [0, 1].
std::uint8_t threshold_of(double p);

/// Images of one label that may be selected for a pair.
enum class CapMode : std::uint8_t {
    side,      ///< `cap` of each label of the first classifier, and of each of the second
    first,     ///< of each label of the first classifier: depends on the classifiers' order
    shared,    ///< of each label, whichever predicts it
    official,  ///< as the authors' code: only the first `cap` candidates that show a label pass,
               ///< and each pair of labels once
    none,
};
constexpr auto words_of(CapMode) {
    return std::array<std::pair<CapMode, std::string_view>, 5>{{{CapMode::side, "side"},
                                                                {CapMode::first, "first"},
                                                                {CapMode::shared, "shared"},
                                                                {CapMode::official, "official"},
                                                                {CapMode::none, "none"}}};
}
std::string_view name_of(CapMode);
/// Throws usage with the known names.
CapMode cap_mode_named(std::string_view name);

/// Which of the images of equal distance come first.
enum class TieOrder : std::uint8_t {
    confidence,  ///< the more confident ones
    image,       ///< by a hash of (seed, image): the same ones lead the lists of all pairs
    pair,        ///< by a hash of (seed, pair, image): every list is a sample of its own
};
constexpr auto words_of(TieOrder) {
    return std::array<std::pair<TieOrder, std::string_view>, 3>{
        {{TieOrder::confidence, "0"}, {TieOrder::image, "image"}, {TieOrder::pair, "pair"}}};
}
/// "pair" or "image". Throws usage with these.
TieOrder tie_order_named(std::string_view name);
/// What hashes of a pair begin with: names, not places, so that neither the order of classifiers
/// nor those that come and go change a list.
std::uint64_t tie_key_of(std::uint64_t seed, std::string_view first, std::string_view second);

struct SelectionRule {
    std::uint32_t k = 30;  ///< images of a pair
    std::uint32_t cap = 3;
    CapMode mode = CapMode::side;
    /// Ties of the distance. By a hash they are a random sample, which estimates of whole lists
    /// need.
    TieOrder ties = TieOrder::confidence;
    std::uint64_t seed = 0;
    std::uint64_t tie_key = 0;  ///< with TieOrder::pair: tie_key_of() its classifiers
    /// Rejected images that can be replaced without another pass.
    std::uint32_t reserves = 30;
    /// At most one image of each parent, so that variants of one image do not fill a list; of one
    /// parent and the same two labels the first alone is a candidate. A rejected image rejects its
    /// parent. Not with the mode official.
    bool one_of_a_parent = false;
    bool operator==(const SelectionRule&) const = default;
};

struct Candidate {
    std::uint64_t image = 0;
    std::uint32_t units = 0;  ///< distance of the labels, ClassDistances::units()
    std::uint16_t first_label = 0, second_label = 0;
    std::uint8_t confidence = 0;  ///< the smaller one
    std::uint64_t parent = 0;     ///< the image itself where parents do not matter
    bool operator==(const Candidate&) const = default;
};

/// The candidates of one pair that can still be selected, whatever comes. Sketches of parts of the
/// images merge in any order to one from which select_of() selects the same. Memory: 32 bytes each;
/// with caps at most about 3 times what was kept last.
class PairSketch {
public:
    /// `distances` must outlive it.
    PairSketch(const ClassDistances& distances, const SelectionRule& rule);

    /// `first`, `second`: different labels. No image may come twice.
    void offer(std::uint64_t image, std::uint16_t first, std::uint16_t second,
               std::uint8_t confidence, std::uint64_t parent) {
        ++offered_;
        const std::uint32_t units = distances_->units(first, second);
        if (units >= least_units_) add({image, units, first, second, confidence, parent});
    }
    /// Before a candidate of these labels is offered: the table of distances is larger than a
    /// processor's own cache.
    void expect(std::uint16_t first, std::uint16_t second) const {
        __builtin_prefetch(distances_->all().data() +
                           (std::size_t{first} * distances_->classes() + second));
    }
    void merge(const PairSketch& other);

    /// In their order.
    std::vector<Candidate> candidates() const;
    /// Of all that were offered, kept or not.
    std::uint64_t offered() const noexcept { return offered_; }
    std::size_t kept() const noexcept { return kept_.size(); }
    std::uint32_t classes() const noexcept { return distances_->classes(); }

private:
    void add(const Candidate& candidate);
    void prune();

    const ClassDistances* distances_;
    SelectionRule rule_;
    std::vector<Candidate> kept_;
    std::size_t sorted_ = 0;  ///< of them, from the first on
    std::size_t limit_;
    bool bounded_ = false;
    Candidate bound_;                ///< what comes after it is not kept
    std::uint32_t least_units_ = 0;  ///< of bound_: most candidates need no closer look
    std::uint64_t offered_ = 0;
};

/// Whether `a` comes before `b`.
bool comes_before(const Candidate& a, const Candidate& b, const SelectionRule& rule);

/// Selects from the candidates of a pair, in their order. `settled`: images selected before, which
/// stay, first of all, whether or not they are still among the candidates; `rejected`: images that
/// people could not judge, which leave their labels' caps; `passed_over`: images that are left out
/// alone, without their parents. At most k in all, fewer where the candidates run out. Throws
/// usage: more rejected ones and passed over than the rule's reserves (another pass with more is
/// needed).
std::vector<Candidate> select_of(std::span<const Candidate> candidates, const SelectionRule& rule,
                                 std::span<const Candidate> settled = {},
                                 std::span<const Candidate> rejected = {},
                                 std::span<const Candidate> passed_over = {});
/// Candidates that a sketch may hold at a time, for planning memory. Where what it has to keep is
/// at most half of what the caps allow, its bound is sure to come early, and this is the usual
/// number; beyond that nearly all may be held.
std::uint64_t planned_candidates(const SelectionRule& rule, std::uint32_t classes);

struct ScanPair {
    std::uint32_t first = 0, second = 0;  ///< places of the classifiers
};
struct ScanInput {
    std::vector<Predictions> classifiers;     ///< of the same images
    std::vector<std::uint8_t> thresholds;     ///< one a classifier: threshold_of()
    std::uint64_t first_image = 0;            ///< number of the first one
    std::span<const std::uint64_t> parents;   ///< one an image, or none
    std::span<const std::uint64_t> excluded;  ///< numbers, ascending: never candidates
};
/// Offers every candidate of every pair to its sketch; `sketches`: one a pair. Threads share the
/// pairs. Cost: one pass over the predictions for each thread, and what the candidates cost.
/// `progress`, unless empty: images done. `disagreeing`, unless empty, one a pair: gets the images,
/// excluded ones aside, with different labels, however confident. Throws usage: lengths that
/// differ; bad_input: a label outside the distances.
void scan(const ScanInput& input, std::span<const ScanPair> pairs, std::span<PairSketch> sketches,
          int threads = 0, const std::function<void(std::uint64_t images)>& progress = {},
          std::span<std::uint64_t> disagreeing = {});

/// The threshold that leaves at least this proportion of the images that have scores.
std::uint8_t threshold_of_quantile(const Predictions& predictions, double proportion);

}  // namespace assay::mad
