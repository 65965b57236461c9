// The truth about the items of a store, in the classes of the evaluated predictions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// The classes of an image's shape and texture; -1 if there is none, or the map excludes it.
struct Cues {
    std::int32_t shape = -1, texture = -1;
};

/// Metrics of single labels use the data set's own labels if these are single: some item has one,
/// and none has several. Returns true if they are not. Then an item's only valid class in `sets` is
/// used.
bool only_valid_stands_in(const LabelSets& own, const LabelSets& sets);
/// Says why metrics of one label are skipped (is_sliver()): "10 of 310 labelled images of V1 have a
/// single label, less than 5 %". `set` is a data set's name, or "".
std::string sliver_text(std::uint64_t single, std::uint64_t labelled, const std::string& set = "");

/// The member of each set that has exactly one; -1 for other sets. Shares the sets' memory if
/// possible.
class OnlyMembers {
public:
    OnlyMembers() = default;
    explicit OnlyMembers(LabelSets sets) : sets_(std::move(sets)) {}

    std::size_t size() const noexcept { return sets_.size(); }
    std::int32_t operator[](std::size_t item) const {
        const auto set = sets_[item];
        return set.size() == 1 ? set[0] : -1;
    }
    /// Adds a set; -1 adds one without members.
    void push_back(std::int32_t member) { sets_.append({&member, member < 0 ? 0U : 1U}); }

private:
    LabelSets sets_;
};

/// Like coverage_of() for a list.
LabelCoverage coverage_of(const OnlyMembers& targets, const LabelSets& sets);

/// The truth for each of the store's rows.
struct Truth {
    LabelSets labels;             ///< the valid classes, for metrics of label sets
    OnlyMembers targets;          ///< the single label of each row, for the other metrics; -1 means
                                  ///< none
    bool only_valid = false;      ///< true if `targets` are the only members of `labels`
    bool cues_named = false;      ///< has_cues() of the data set
    std::vector<Cues> cues = {};  ///< empty: `no_cues` says why
    std::string no_cues = "";
    GivenTruth given = {};
    /// The resampling group of each row by its cluster; empty means by its place.
    std::vector<std::uint8_t> group = {};
    std::vector<std::uint32_t> cluster = {};  ///< cluster of each row, if `clustered`
    bool clustered = false;                   ///< true if items of one cluster are dependent
};

/// Labels and cues over the predicted classes (the map's targets if there is one). Throws bad_input
/// for labels with another number of rows, or outside the classes.
Truth truth_for(const PredictionStore& store, const ScoreOptions& options);

}  // namespace assay
