#include "annotation/propose_inputs.h"

#include <algorithm>

#include "core/parallel.h"

namespace assay::propose {

float score_of(const std::vector<RankedClass>& top, std::size_t place, ProposeOptions::Rule rule) {
    return rule == ProposeOptions::Rule::rank ? -static_cast<float>(place + 1)
                                              : top[place].probability;
}

std::size_t place_in(const std::vector<RankedClass>& top, std::int32_t cls) {
    return static_cast<std::size_t>(
        std::find_if(top.begin(), top.end(), [&](const RankedClass& r) { return r.cls == cls; }) -
        top.begin());
}

std::vector<std::int32_t> classes_in(const TopClasses& top, std::span<const std::int32_t> also) {
    std::vector<std::int32_t> out(also.begin(), also.end());
    for (const auto& list : top) {
        for (const RankedClass& r : list) out.push_back(r.cls);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

bool contains(std::span<const std::int32_t> set, std::int32_t c) {
    return std::find(set.begin(), set.end(), c) != set.end();
}

std::vector<std::uint64_t> sum_over_ranks(Comm& comm, const std::vector<std::uint64_t>& mine) {
    std::vector<std::int64_t> sums(mine.begin(), mine.end());
    comm.all_reduce(sums);
    return {sums.begin(), sums.end()};
}

Inputs::Inputs(const std::vector<RowReader>& readers, const LabelSets* gold,
               const ProposeOptions& options)
    : readers_(readers),
      gold_(gold),
      options_(options),
      labels_(readers.front().store().dataset().labels),
      items_(readers.front().store().rows()),
      threads_(resolve_threads(options.threads)) {}

bool Inputs::read(std::uint64_t item, TopClasses& top) const {
    top.resize(readers_.size());
    for (std::size_t m = 0; m < readers_.size(); ++m) {
        if (readers_[m].top(item, options_.depth, top[m]) != RowStatus::ok) return false;
    }
    return true;
}

std::span<const std::int32_t> Inputs::original(std::uint64_t item) const {
    if (item >= labels_.size()) return {};
    return labels_[static_cast<std::size_t>(item)];
}

std::span<const std::int32_t> Inputs::known(std::uint64_t item) const {
    return gold_ != nullptr ? (*gold_)[static_cast<std::size_t>(item)] : original(item);
}

std::span<const std::int32_t> Inputs::asked_anyway(std::uint64_t item) const {
    return options_.keep_original ? original(item) : std::span<const std::int32_t>();
}

bool Inputs::agreed(std::uint64_t item, const TopClasses& top) const {
    const auto labels = original(item);
    if (!options_.skip_agreed || labels.size() != 1) return false;
    return std::all_of(top.begin(), top.end(),
                       [&](const auto& list) { return !list.empty() && list[0].cls == labels[0]; });
}

StepProgress::StepProgress(const ProgressCallback& callback, std::string_view step,
                           std::uint64_t items)
    : callback_(callback) {
    now_.step = step;
    now_.total = items;
}

void StepProgress::advance(std::uint64_t items) {
    const std::scoped_lock lock(mutex_);
    now_.done += items;
    if (callback_) callback_(now_);
}

}  // namespace assay::propose
