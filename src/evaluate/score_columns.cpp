#include "evaluate/score_columns.h"

#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/core.h>

#include "evaluate/score_reading.h"
#include "metric/class_curves.h"
#include "metric/class_wise_ece.h"
#include "metric/families.h"

namespace assay {
namespace {

// The items that a ranking is of: those with a label, or with valid ones. They are ordered by their
// log-odds, or by their scores as they are stored.
class RowsToRank final : public OrderedRows {
public:
    RowsToRank(const ScoredRows& rows, bool sets, bool stored)
        : rows_(rows), sets_(sets), stored_(stored) {}
    std::uint64_t items() const override { return rows_.items(); }
    std::uint32_t classes() const override { return rows_.classes(); }
    bool counts(std::uint64_t item) const override {
        return sets_ ? !rows_.valid(item).empty() : rows_.target(item) >= 0;
    }
    std::uint32_t slice() const override { return rows_.slice(); }
    void read(std::uint64_t item, std::uint32_t begin, std::uint32_t end,
              double* out) const override {
        stored_ ? rows_.read_stored(item, begin, end, out) : rows_.read_keys(item, begin, end, out);
    }
    void prefetch(std::uint64_t item, std::uint32_t begin, std::uint32_t end) const override {
        rows_.prefetch(item, begin, end);
    }
    template <class Visit>
    void each_label(std::uint64_t item, Visit&& visit) const {
        if (!counts(item)) return;
        if (!sets_) return visit(static_cast<std::size_t>(rows_.target(item)));
        for (const std::int32_t label : rows_.valid(item)) visit(static_cast<std::size_t>(label));
    }

private:
    const ScoredRows& rows_;
    const bool sets_, stored_;
};

ClassPositives positives_of(const RowsToRank& rows) {
    ClassPositives positives;
    positives.first.assign(rows.classes() + std::size_t{1}, 0);
    for (std::uint64_t i = 0; i < rows.items(); ++i)
        rows.each_label(i, [&](std::size_t c) { ++positives.first[c + 1]; });
    std::partial_sum(positives.first.begin(), positives.first.end(), positives.first.begin());
    positives.item.resize(positives.first.back());
    std::vector<std::uint64_t> next(positives.first.begin(), positives.first.end() - 1);
    for (std::uint64_t i = 0; i < rows.items(); ++i)
        rows.each_label(i, [&](std::size_t c) { positives.item[next[c]++] = i; });
    return positives;
}

}  // namespace

std::pair<std::uint32_t, std::uint32_t> ColumnMetrics::own_classes() const {
    const std::uint64_t classes = shape_.classes, ranks = static_cast<std::uint64_t>(comm_.size());
    const auto first_of = [&](int rank) {
        return static_cast<std::uint32_t>(classes * static_cast<std::uint64_t>(rank) / ranks);
    };
    return {first_of(comm_.rank()), first_of(comm_.rank() + 1)};
}

std::string ColumnMetrics::lacking() const {
    if (!shape_.probabilities) return families::no_probabilities;
    if (!shape_.full_rows)
        return fmt::format("the store keeps {} only: every class's probability is needed",
                           name_of(storage_));
    return "";
}

ResampledEstimate ColumnMetrics::equal_width(const MetricRequest& request,
                                             std::span<const std::uint64_t> group_sizes) {
    ResampledEstimate result;
    for (const std::uint64_t size : group_sizes) result.n += size;
    result.undefined = lacking();
    if (result.undefined.empty() && result.n == 0) result.undefined = "no item has a single label";
    if (!result.undefined.empty()) return result;
    const auto [first, last] = own_classes();
    const ClassWiseEceOptions how{.bins = std::stoi(request.parameters.at("bins")),
                                  .edges = request.parameters.at("edges"),
                                  .threads = threads_,
                                  .first_class = first,
                                  .last_class = last};
    ClassWiseEceSums sums;
    agree(comm_, [&] { sums = class_wise_ece_sums(rows_, how); });
    for (auto* part : {&sums.error, &sums.noise, &sums.without}) comm_.all_reduce(*part);
    return class_wise_ece_estimate(sums, shape_.classes, group_sizes, options_.resampling.level);
}

std::string ColumnMetrics::read_scores(MetricRequest& request, const RowReader& reader,
                                       const LabelSets& labels) const {
    const auto how = request.parameters.find(std::string(ranked_by));
    if (how == request.parameters.end() || how->second != by_what_scores_tell) return "";
    if (!lacking().empty()) {
        how->second = by_probability;
        return "";
    }
    const ScoreReading reading = reading_of(reader, labels, request.facts->name);
    how->second = reading.ranked_by;
    return reading.why;
}

const ColumnMetrics::Ranked& ColumnMetrics::ranked(const OrderedRows& rows, bool sets,
                                                   bool stored) {
    const auto [found, added] = ranked_.try_emplace({sets, stored});
    Ranked& ranked = found->second;
    if (!added) return ranked;
    const auto& view = static_cast<const RowsToRank&>(rows);
    ranked.positives = positives_of(view);
    for (std::uint64_t i = 0; i < rows.items(); ++i) ranked.items += rows.counts(i) ? 1 : 0;
    const auto own = own_classes();
    std::vector<double> keys;
    agree(comm_,
          [&] { keys = positive_keys(rows, ranked.positives, threads_, own.first, own.second); });
    if (comm_.size() > 1) {
        // The parts of the ranks, one after the other.
        std::vector<double> all;
        const auto begin = static_cast<std::ptrdiff_t>(ranked.positives.first[own.first]);
        const auto end = static_cast<std::ptrdiff_t>(ranked.positives.first[own.second]);
        const std::vector<double> part(keys.begin() + begin, keys.begin() + end);
        for (const auto& theirs : all_gather<double>(comm_, part))
            all.insert(all.end(), theirs.begin(), theirs.end());
        keys = std::move(all);
    }
    ranked.ranks = std::make_unique<ClassRanks>(ranked.positives, keys);
    agree(comm_,
          [&] { ranked.counts = ranked.ranks->count(rows, threads_, own.first, own.second); });
    comm_.all_reduce(ranked.counts);
    return ranked;
}

ResampledEstimate ColumnMetrics::ranked(const MetricRequest& request) {
    const MetricFacts& facts = *request.facts;
    const bool sets = (facts.needs & static_cast<unsigned>(Needs::label_sets)) != 0;
    const bool stored = request.parameters.at(std::string(ranked_by)) == by_stored_score;
    const RowsToRank rows(rows_, sets, stored);
    ResampledEstimate result;
    for (std::uint64_t i = 0; i < rows.items(); ++i) result.n += rows.counts(i) ? 1 : 0;
    result.undefined = lacking();
    if (result.undefined.empty() && stored && options_.map)
        result.undefined = "stored scores are the model's classes', not those of a class map";
    if (result.undefined.empty() && result.n == 0)
        result.undefined = sets ? "no item has a valid label" : "no item has a single label";
    if (!result.undefined.empty()) return result;
    const Ranked& ranked = this->ranked(rows, sets, stored);
    const ClassCurves curves(
        ranked.positives, *ranked.ranks, ranked.counts, ranked.items,
        {facts.curve, request.parameters.at("average") == "weighted", options_.resampling.level});
    if (!curves.mean()) {
        result.undefined = "every item is of one class: there is nothing to tell it from";
        return result;
    }
    const auto own = own_classes();
    std::vector<std::int64_t> sums;
    agree(comm_, [&] {
        sums = ranked.ranks->sum(rows, curves.by_slot(), threads_, own.first, own.second);
    });
    comm_.all_reduce(sums);
    std::vector<std::uint16_t> groups(sums.size(), group_count);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (rows.counts(i)) groups[i] = rows_.group_of(i);
    }
    result = curves.estimate(sums, groups);
    if (curves.classes() < shape_.classes) {
        const std::string left = fmt::format("mean over the {} of {} classes that have positives",
                                             curves.classes(), shape_.classes);
        result.note = result.note.empty() ? left : left + "; " + result.note;
    }
    return result;
}

}  // namespace assay
