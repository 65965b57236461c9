// The common input of the search for thresholds and the choice of questions. It has the best
// classes of each model per item, the labels of the item, and the rank's part of the work.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "assay/annotation/propose.h"
#include "assay/collective/comm.h"
#include "assay/data/label_sets.h"
#include "assay/progress.h"
#include "assay/store/row_reader.h"

namespace assay::propose {

/// The number of items in a thread's unit of work.
constexpr std::size_t block_items = 256;

/// The best classes of one item: a list per model, best first.
using TopClasses = std::vector<std::vector<RankedClass>>;

/// A larger score is better. For ranks it is the negative rank from 1.
float score_of(const std::vector<RankedClass>& top, std::size_t place, ProposeOptions::Rule rule);
/// The index of `cls` in the list, or its size if it is absent.
std::size_t place_in(const std::vector<RankedClass>& top, std::int32_t cls);
/// The distinct classes of all models and of `also`, ascending.
std::vector<std::int32_t> classes_in(const TopClasses& top, std::span<const std::int32_t> also);
bool contains(std::span<const std::int32_t> set, std::int32_t c);

/// Returns every rank's elements in one list, in rank order.
template <class T>
std::vector<T> gathered(Comm& comm, const std::vector<T>& mine) {
    std::vector<T> out;
    for (const auto& part : all_gather<T>(comm, std::span<const T>(mine)))
        out.insert(out.end(), part.begin(), part.end());
    return out;
}
std::vector<std::uint64_t> sum_over_ranks(Comm& comm, const std::vector<std::uint64_t>& mine);

/// The stored predictions of every model, and the labels of the items.
class Inputs {
public:
    /// `gold` has one set per item; with nullptr the original labels are the known ones. All
    /// arguments must outlive the inputs.
    Inputs(const std::vector<RowReader>& readers, const LabelSets* gold,
           const ProposeOptions& options);

    const ProposeOptions& options() const { return options_; }
    std::size_t models() const { return readers_.size(); }
    const RowReader& reader(std::size_t model) const { return readers_[model]; }
    std::uint64_t items() const { return items_; }
    bool has_gold() const { return gold_ != nullptr; }
    int threads() const { return threads_; }

    /// The best classes of `item`. Returns false if a model has no scores for it.
    bool read(std::uint64_t item, TopClasses& top) const;
    std::span<const std::int32_t> original(std::uint64_t item) const;
    /// Labels that are known to be correct: gold if there are gold sets, else the original ones.
    std::span<const std::int32_t> known(std::uint64_t item) const;
    /// Original labels to ask about even if no model proposes them.
    std::span<const std::int32_t> asked_anyway(std::uint64_t item) const;
    /// True if no question is asked because every model predicts the only original label.
    bool agreed(std::uint64_t item, const TopClasses& top) const;

private:
    const std::vector<RowReader>& readers_;
    const LabelSets* gold_;
    const ProposeOptions& options_;
    const LabelSets& labels_;
    std::uint64_t items_;
    int threads_;
};

/// Progress of one step, reported by many threads.
class StepProgress {
public:
    StepProgress(const ProgressCallback& callback, std::string_view step, std::uint64_t items);
    void advance(std::uint64_t items);

private:
    const ProgressCallback& callback_;
    std::mutex mutex_;
    Progress now_;
};

}  // namespace assay::propose
