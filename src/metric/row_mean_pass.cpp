#include "metric/row_mean_pass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "assay/collective/comm.h"
#include "core/child_trial.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "metric/metric_rows.h"
#include "metric/real_sum.h"

namespace assay {
namespace {

constexpr std::size_t rows_tried = 64;
constexpr std::uint64_t rows_at_once = 256;

/// Items with the data that a metric needs, and all inputs of its function.
class ItemBatch {
public:
    ItemBatch(const MetricRows& rows, unsigned needs) : rows_(rows), needs_(needs) {}

    /// Adds the item unless it was not scored or lacks data that the metric needs.
    void add(std::uint64_t item) {
        const RowScale& scale = rows_.records()[static_cast<std::size_t>(item)].scale;
        const std::int32_t target = rows_.target(item);
        const auto set = rows_.valid(item);
        if (scale.factor == 0 || (needs(Needs::labels) && target < 0) ||
            (needs(Needs::label_sets) && set.empty()))
            return;
        const std::uint32_t classes = rows_.classes();
        std::vector<double> stored(classes);
        rows_.read_stored(item, 0, classes, stored.data());
        for (const double score : stored) scores_.push_back(static_cast<float>(score));
        probabilities_.resize(scores_.size());
        rows_.reader().probabilities(rows_.row_of(item), 0, classes, scale,
                                     &probabilities_[scores_.size() - classes]);
        labels_.push_back(target);
        set_classes_.insert(set_classes_.end(), set.begin(), set.end());
        set_ends_.push_back(static_cast<std::int64_t>(set_classes_.size()));
        items_.push_back(item);
    }

    const std::vector<std::uint64_t>& items() const { return items_; }
    RowBatch rows() const {
        const PredictionStore& store = rows_.reader().store();
        return {items_.size(),
                rows_.classes(),
                store.spec().kind,
                scores_,
                probabilities_,
                labels_,
                set_ends_,
                set_classes_,
                [this, &store](std::size_t i) {
                    const auto row = static_cast<std::size_t>(rows_.row_of(items_[i]));
                    return std::string(store.dataset().ids[row]);
                }};
    }

private:
    bool needs(Needs what) const { return (needs_ & static_cast<unsigned>(what)) != 0; }

    const MetricRows& rows_;
    const unsigned needs_;
    std::vector<std::uint64_t> items_;
    std::vector<float> scores_, probabilities_;
    std::vector<std::int32_t> labels_, set_classes_;
    std::vector<std::int64_t> set_ends_;
};

// ---- the try ----

/// The rows [begin, end) of a batch. `ends` owns memory that the result points to.
RowBatch rows_between(const RowBatch& all, std::size_t begin, std::size_t end,
                      std::vector<std::int64_t>& ends) {
    RowBatch part = all;
    const std::size_t n = end - begin, c = all.classes;
    part.rows = n;
    part.scores = all.scores.subspan(begin * c, n * c);
    part.probabilities = all.probabilities.subspan(begin * c, n * c);
    part.labels = all.labels.subspan(begin, n);
    const std::int64_t first = begin == 0 ? 0 : all.set_ends[begin - 1];
    const auto own = all.set_ends.subspan(begin, n);
    ends.assign(own.begin(), own.end());
    for (std::int64_t& at : ends) at -= first;
    part.set_ends = ends;
    part.set_classes = all.set_classes.subspan(static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(ends.back()));
    part.id = [&all, begin](std::size_t row) { return all.id(begin + row); };
    return part;
}

std::vector<double> values_in_parts(const RowFunction& function, const RowBatch& rows,
                                    std::size_t size) {
    std::vector<double> values(rows.rows);
    std::vector<std::int64_t> ends;
    for (std::size_t begin = 0; begin < rows.rows; begin += size) {
        const std::size_t n = std::min(size, rows.rows - begin);
        function(rows_between(rows, begin, begin + n, ends), std::span(values).subspan(begin, n));
    }
    return values;
}

/// Compares the bits. NaN marks an excluded row.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void try_row_function(std::string_view name, const RowFunction& function, const RowBatch& rows,
                      bool apart) {
    try_apart(name, apart, [&] {
        const std::vector<double> first = values_in_parts(function, rows, rows.rows);
        if (!same_bits(values_in_parts(function, rows, rows.rows), first))
            refuse(fmt::format("{} returns different values for the same rows in a second call",
                               name));
        for (const std::size_t size : {std::size_t{1}, std::size_t{7}}) {
            if (!same_bits(values_in_parts(function, rows, size), first))
                refuse(fmt::format(
                    "{} returns different values for rows in parts of {} than for {} at once", name,
                    size, rows.rows));
        }
        const bool same = true_on_all_threads([&](int thread) {
            const std::size_t size = thread % 2 == 0 ? rows.rows : 5;
            return same_bits(values_in_parts(function, rows, size), first) &&
                   same_bits(values_in_parts(function, rows, size), first);
        });
        if (!same)
            refuse(fmt::format("{} returns different values on {} threads than on one{}", name,
                               trial_threads, apart ? processes_differ : ""));
    });
}

void try_on_first_rows(const MetricFacts& facts, const RowFunction& function,
                       const MetricRows& rows, bool apart) {
    ItemBatch first(rows, facts.needs);
    for (std::uint64_t item = 0; item < rows.items() && first.items().size() < rows_tried; ++item)
        first.add(item);
    if (!first.items().empty()) try_row_function(facts.name, function, first.rows(), apart);
}

// ---- the mean ----

enum : std::size_t {
    eligible_rows,  // rows that have the data that the metric needs
    counted_rows,   // rows that also have a value
    value_sum,      // a real sum
    row_mean_slots = value_sum + real_slots
};
using RowMeanSums = std::array<std::int64_t, row_mean_slots>;

/// Adds sums by group over this rank's items.
std::vector<std::int64_t> own_row_sums(const MetricFacts& facts, const RowFunction& function,
                                       const PassRows& again) {
    std::vector<std::int64_t> sums(group_count * row_mean_slots);
    const std::pair<std::uint64_t, std::uint64_t> own = again.own_items();
    std::mutex mutex;
    const auto blocks =
        static_cast<std::size_t>((own.second - own.first + rows_at_once - 1) / rows_at_once);
    parallel_blocks(blocks, again.threads, [&](std::size_t block) {
        throw_if_stopped();
        const std::uint64_t begin = own.first + block * rows_at_once;
        ItemBatch batch(again.rows, facts.needs);
        for (std::uint64_t item = begin; item < std::min(own.second, begin + rows_at_once); ++item)
            batch.add(item);
        if (batch.items().empty()) return;
        std::vector<double> values(batch.items().size());
        function(batch.rows(), values);
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::int64_t* const to =
                &sums[again.rows.group_of(batch.items()[i]) * std::size_t{row_mean_slots}];
            ++to[eligible_rows];
            if (std::isnan(values[i])) continue;
            ++to[counted_rows];
            add_real(to + value_sum, values[i]);
        }
    });
    return sums;
}

std::optional<double> row_mean_of(const RowMeanSums& sums) {
    if (sums[counted_rows] == 0) return std::nullopt;
    return real_of(&sums[value_sum]) / static_cast<double>(sums[counted_rows]);
}

}  // namespace

ResampledEstimate RowMeanPass::estimate(const MetricRequest& request, PassRun& run) const {
    const PassRows& again = run.again();
    ResampledEstimate result;
    result.undefined = again.rows.lacking("every class's score is needed");
    if (!result.undefined.empty()) return result;
    std::vector<std::int64_t> sums;
    agree(again.comm, [&] {
        try_on_first_rows(*request.facts, function_, again.rows, apart_);
        sums = own_row_sums(*request.facts, function_, again);
    });
    again.comm.all_reduce(sums);
    RowMeanSums all{};
    for (std::size_t k = 0; k < sums.size(); ++k) all[k % row_mean_slots] += sums[k];
    result.n = static_cast<std::uint64_t>(all[counted_rows]);
    result.value = row_mean_of(all);
    if (!result.value) {
        result.undefined = all[eligible_rows] == 0 ? "no item has the labels that the metric needs"
                                                   : "the function counts no item";
        return result;
    }
    for (std::size_t g = 0; g < group_count; ++g) {
        const std::int64_t* const group = &sums[g * row_mean_slots];
        if (group[eligible_rows] == 0) continue;
        RowMeanSums rest = all;
        for (std::size_t k = 0; k < row_mean_slots; ++k) rest[k] -= group[k];
        result.without.push_back(row_mean_of(rest).value_or(*result.value));
    }
    return result;
}

}  // namespace assay
