#include "evaluate/score_tables.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "core/statistics.h"
#include "evaluate/cluster_interval.h"
#include "metric/class_table.h"
#include "metric/families.h"

namespace assay {
namespace {

Interval class_in_clusters(std::span<const std::int64_t> state, std::size_t slots, std::size_t cls,
                           const evaluate::AlikeItems& alike, double level) {
    std::vector<std::uint64_t> items(group_count), hits(group_count);
    for (std::size_t g = 0; g < group_count; ++g) {
        const std::int64_t* const counts = state.data() + g * slots + cls * class_slots;
        items[g] = static_cast<std::uint64_t>(counts[class_items]);
        hits[g] = static_cast<std::uint64_t>(counts[class_hits]);
    }
    return evaluate::cluster_proportion(items, hits, alike.of_class(cls), level);
}

struct GroupsOfBin {
    std::vector<std::uint64_t> items, hits;  // one per group
};
using GroupsOfBins = std::vector<GroupsOfBin>;

GroupsOfBins groups_of_bins(const MetricContext& context, std::span<const std::int64_t> state) {
    const std::size_t slots = state.size() / group_count;
    GroupsOfBins out;
    std::vector<std::int64_t> one(state.size(), 0);
    for (std::size_t g = 0; g < group_count; ++g) {
        std::copy_n(state.data() + g * slots, slots, one.data());  // to the place of the first
        const std::vector<families::ConfidenceBin> bins = families::confidence_bins(context, one);
        out.resize(bins.size());
        for (std::size_t b = 0; b < bins.size(); ++b) {
            out[b].items.push_back(bins[b].items);
            out[b].hits.push_back(bins[b].hits);
        }
    }
    return out;
}

}  // namespace

void fill_classes(ScoreReport& report, const Shape& shape, std::span<const std::int64_t> state,
                  double level, const evaluate::AlikeItems* alike) {
    const std::size_t slots = std::size_t{shape.classes} * class_slots;
    std::vector<std::int64_t> total(slots, 0);
    for (std::size_t g = 0; g < group_count; ++g) {
        for (std::size_t k = 0; k < slots; ++k) total[k] += state[g * slots + k];
    }
    for (std::size_t c = 0; c < shape.classes; ++c) {
        const std::int64_t* const cls = total.data() + c * class_slots;
        ClassResult& result = report.per_class.emplace_back();
        Estimate& accuracy = result.accuracy;
        accuracy.unit = Unit::proportion;
        accuracy.n = static_cast<std::uint64_t>(cls[class_items]);
        result.correct = static_cast<std::uint64_t>(cls[class_hits]);
        if (accuracy.n == 0) {
            accuracy.undefined = "no item has this class as its single label";
            continue;
        }
        const auto n = static_cast<double>(accuracy.n);
        accuracy.value = static_cast<double>(result.correct) / n;
        accuracy.interval = alike != nullptr ? class_in_clusters(state, slots, c, *alike, level)
                                             : wilson(result.correct, accuracy.n, level);
        if (!shape.probabilities) continue;
        result.confidence = real_of(cls + class_confidence) / n;
        if (cls[class_unknown] == 0) result.target_probability = real_of(cls + class_target) / n;
    }
}

void name_classes(ScoreReport& report) {
    for (std::size_t c = 0; c < report.per_class.size(); ++c) {
        report.per_class[c].id = report.classes.empty() ? std::to_string(c) : report.classes.id(c);
        report.per_class[c].name =
            report.classes.empty() ? std::to_string(c) : report.classes.name(c);
    }
    if (!report.valid_labels) return;
    for (std::size_t c = 0; c < report.valid_labels->classes.size(); ++c) {
        report.valid_labels->classes[c].id = report.per_class.at(c).id;
        report.valid_labels->classes[c].name = report.per_class.at(c).name;
    }
}

void fill_reliability(ScoreReport& report, const MetricContext& context,
                      std::span<const std::int64_t> state, bool clusters) {
    const std::vector<families::ConfidenceBin> bins = families::confidence_bins(context, state);
    const GroupsOfBins groups = clusters ? groups_of_bins(context, state) : GroupsOfBins();
    for (std::size_t b = 0; b < bins.size(); ++b) {
        const families::ConfidenceBin& bin = bins[b];
        ReliabilityBin& out = report.reliability.emplace_back();
        out.low = static_cast<double>(bin.low);
        out.high = static_cast<double>(bin.high);
        out.correct = bin.hits;
        out.accuracy.unit = Unit::proportion;
        out.accuracy.n = bin.items;
        if (bin.items == 0) {
            out.accuracy.undefined = "no item with such a confidence";
            continue;
        }
        const auto n = static_cast<double>(bin.items);
        out.accuracy.value = static_cast<double>(bin.hits) / n;
        out.accuracy.interval =
            clusters ? evaluate::cluster_proportion(groups[b].items, groups[b].hits,
                                                    static_cast<double>(bin.items), context.level)
                     : wilson(bin.hits, bin.items, context.level);
        out.confidence = bin.confidence / n;
    }
}

std::vector<Confusion> most_frequent(const ConfusionCounts& counts, std::size_t kept) {
    std::vector<Confusion> list;
    for (const auto& [pair, count] : counts) list.push_back({pair.first, pair.second, count});
    const auto more = [](const Confusion& a, const Confusion& b) {
        return a.count != b.count
                   ? a.count > b.count
                   : std::pair(a.truth, a.predicted) < std::pair(b.truth, b.predicted);
    };
    std::sort(list.begin(), list.end(), more);
    if (list.size() > kept) list.resize(kept);
    return list;
}

void fill_predictions(ScoredSet& set, ScoredRows& rows, const LabelSets& labels) {
    set.targets.resize(rows.records().size());
    set.correct.resize(rows.records().size());
    for (std::size_t i = 0; i < set.targets.size(); ++i) {
        set.targets[i] = rows.target(i);
        const ItemRecord& record = rows.records()[i];
        const auto valid = labels[static_cast<std::size_t>(rows.row_of(i))];
        const bool counted = record.scale.factor != 0 && !valid.empty();
        set.correct[i] = !counted                                                           ? 2
                         : std::binary_search(valid.begin(), valid.end(), record.predicted) ? 1
                                                                                            : 0;
    }
    set.records = std::move(rows.records());
}

void add_kind_warning(ScoreReport& report, ScoreKind kind, std::int64_t looked, std::int64_t odd) {
    if (odd > 0 && kind == ScoreKind::logits && 2 * odd > looked) {
        report.warnings.push_back(
            fmt::format("{} of {} checked rows lie in [0, 1] and sum to 1 (or to more than 2): the "
                        "scores look like probabilities. The store says logits, so softmax would "
                        "be applied twice and every calibration value would be wrong",
                        odd, looked));
    } else if (odd > 0 && kind == ScoreKind::probabilities) {
        report.warnings.push_back(
            fmt::format("{} of {} checked rows do not sum to 1 within 0.01, or have values outside "
                        "[0, 1]: they "
                        "are not probabilities of exclusive classes",
                        odd, looked));
    }
}

}  // namespace assay
