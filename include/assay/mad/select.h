// Selects the images on which two classifiers are compared: those on which they disagree most.
// Takes any number of unlabelled images, in one pass and in bounded memory.
//
// Candidates of a pair are images for which the classifiers predict different labels, each with at
// least its threshold confidence. They are ordered by descending distance of the labels. Equal
// distances are ordered by the smaller of the two confidences, descending (or by a hash), then by
// the image's number. The first ones that the caps allow are selected. The order is total, so that
// the selection does not depend on the number of chunks, threads and ranks.
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

/// A classifier's predictions for a range of images: 3 bytes each.
struct Predictions {
    std::span<const std::uint16_t> labels;      ///< no_label means that the image has no scores
    std::span<const std::uint8_t> confidences;  ///< quantised(probability of the label)
};
inline constexpr std::uint16_t no_label = 0xFFFF;
/// Confidences are floor(200 p): every multiple of .005 is exact, so that "at least .8" and "at
/// least .5" keep their meaning in one byte. Apart from thresholds, confidence only breaks ties of
/// the distance.
inline constexpr int confidence_levels = 200;
/// The quantized confidence. A multiple of .005 that single precision rounded down still counts as
/// that multiple.
std::uint8_t quantised(double probability);
/// The same without that correction, for competitions of older versions.
std::uint8_t quantised_exactly(double probability);
/// The smallest quantized confidence that means "at least p", or the next multiple of .005. Throws
/// usage for p outside [0, 1].
std::uint8_t threshold_of(double p);

/// The limit for the number of images with one label in a pair.
enum class CapMode : std::uint8_t {
    side,      ///< `cap` for each label of the first classifier, and for each of the second
    first,     ///< for each label of the first classifier, so it depends on the classifiers' order
    shared,    ///< for each label, from any classifier
    official,  ///< as in the authors' code: only the first `cap` candidates with a label pass, and
               ///< each pair of labels once
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

/// The order of images with equal distance.
enum class TieOrder : std::uint8_t {
    confidence,  ///< the more confident images first
    image,       ///< by a hash of (seed, image), so that the same images come first for all pairs
    pair,        ///< by a hash of (seed, pair, image), so that every list is a separate sample
};
constexpr auto words_of(TieOrder) {
    return std::array<std::pair<TieOrder, std::string_view>, 3>{
        {{TieOrder::confidence, "0"}, {TieOrder::image, "image"}, {TieOrder::pair, "pair"}}};
}
/// Finds "pair" or "image". Throws usage with these names.
TieOrder tie_order_named(std::string_view name);
/// The key for a pair's hashes. It uses names and not indices, so that neither the order nor the
/// set of classifiers affects a list.
std::uint64_t tie_key_of(std::uint64_t seed, std::string_view first, std::string_view second);

struct SelectionRule {
    std::uint32_t k = 30;  ///< images per pair
    std::uint32_t cap = 3;
    CapMode mode = CapMode::side;
    /// The order of ties in distance. With a hash they are a random sample, which estimates for
    /// whole lists require.
    TieOrder ties = TieOrder::confidence;
    std::uint64_t seed = 0;
    std::uint64_t tie_key = 0;  ///< with TieOrder::pair: tie_key_of() of its classifiers
    /// The number of rejected images that can be replaced without another pass.
    std::uint32_t reserves = 30;
    /// At most one image of each parent, so that variants of one image do not fill a list. Of
    /// images with the same parent and labels, only the first is a candidate. A rejected image
    /// rejects its parent. Not available with the mode official.
    bool one_of_a_parent = false;
    bool operator==(const SelectionRule&) const = default;
};

struct Candidate {
    std::uint64_t image = 0;
    std::uint32_t units = 0;  ///< distance of the labels, ClassDistances::units()
    std::uint16_t first_label = 0, second_label = 0;
    std::uint8_t confidence = 0;  ///< the smaller of the two confidences
    std::uint64_t parent = 0;     ///< the image itself if parents do not matter
    bool operator==(const Candidate&) const = default;
};

/// The candidates of a pair that may still be selected, whatever images follow. Sketches of parts
/// of the images can be merged in any order without changing what select_of() selects. Memory: 32
/// bytes per candidate; with caps, at most about three times the number kept last.
class PairSketch {
public:
    /// `distances` must outlive the sketch.
    PairSketch(const ClassDistances& distances, const SelectionRule& rule);

    /// `first` and `second` are different labels. Do not offer an image twice.
    void offer(std::uint64_t image, std::uint16_t first, std::uint16_t second,
               std::uint8_t confidence, std::uint64_t parent) {
        ++offered_;
        const std::uint32_t units = distances_->units(first, second);
        if (units >= least_units_) add({image, units, first, second, confidence, parent});
    }
    /// Call before offering a candidate with these labels, to prefetch the distance, because the
    /// table is larger than a processor core's cache.
    void expect(std::uint16_t first, std::uint16_t second) const {
        __builtin_prefetch(distances_->all().data() +
                           (std::size_t{first} * distances_->classes() + second));
    }
    void merge(const PairSketch& other);

    /// The kept candidates in their order.
    std::vector<Candidate> candidates() const;
    /// The number of candidates offered, whether kept or not.
    std::uint64_t offered() const noexcept { return offered_; }
    std::size_t kept() const noexcept { return kept_.size(); }
    std::uint32_t classes() const noexcept { return distances_->classes(); }

private:
    void add(const Candidate& candidate);
    void prune();

    const ClassDistances* distances_;
    SelectionRule rule_;
    std::vector<Candidate> kept_;
    std::size_t sorted_ = 0;  ///< number of sorted candidates at the start
    std::size_t limit_;
    bool bounded_ = false;
    Candidate bound_;                ///< candidates after it are dropped
    std::uint32_t least_units_ = 0;  ///< distance of bound_, for a fast check of most candidates
    std::uint64_t offered_ = 0;
};

/// True if `a` comes before `b`.
bool comes_before(const Candidate& a, const Candidate& b, const SelectionRule& rule);

/// Selects from the candidates of a pair, in their order. `settled` are images selected before,
/// which are taken first and stay, even if they are no longer candidates. `rejected` are images
/// that people could not judge, which do not count in their labels' caps. `passed_over` are images
/// that are skipped without their parents. Returns at most k in total, fewer if the candidates run
/// out. Throws usage if more were rejected and skipped than the rule's reserves (another pass with
/// more is needed).
std::vector<Candidate> select_of(std::span<const Candidate> candidates, const SelectionRule& rule,
                                 std::span<const Candidate> settled = {},
                                 std::span<const Candidate> rejected = {},
                                 std::span<const Candidate> passed_over = {});
/// The usual maximum of candidates in a sketch, for planning memory. It is valid if the
/// sketch must keep at most half of what the caps allow. Otherwise it may hold nearly all
/// candidates.
std::uint64_t planned_candidates(const SelectionRule& rule, std::uint32_t classes);

struct ScanPair {
    std::uint32_t first = 0, second = 0;  ///< indices of the classifiers
};
struct ScanInput {
    std::vector<Predictions> classifiers;     ///< for the same images
    std::vector<std::uint8_t> thresholds;     ///< one per classifier: threshold_of()
    std::uint64_t first_image = 0;            ///< number of the first image
    std::span<const std::uint64_t> parents;   ///< one parent per image, or none
    std::span<const std::uint64_t> excluded;  ///< numbers of images to exclude, ascending
};
/// Offers every candidate of every pair to its sketch; there is one sketch per pair. Threads share
/// the pairs. Cost: one pass over the predictions for each thread, plus the candidates. `progress`,
/// unless empty, gets the images done. `disagreeing`, unless empty, gets for each pair the number
/// of images with different labels of any confidence, without excluded ones. Throws usage for
/// lengths that differ; bad_input for a label outside the distances.
void scan(const ScanInput& input, std::span<const ScanPair> pairs, std::span<PairSketch> sketches,
          int threads = 0, const std::function<void(std::uint64_t images)>& progress = {},
          std::span<std::uint64_t> disagreeing = {});

/// The threshold that at least this proportion of the images with scores reaches.
std::uint8_t threshold_of_quantile(const Predictions& predictions, double proportion);

}  // namespace assay::mad
