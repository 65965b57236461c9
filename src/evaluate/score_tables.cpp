#include "evaluate/score_tables.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "core/statistics.h"
#include "metric/class_table.h"
#include "metric/families.h"

namespace assay {

void fill_classes(ScoreReport& report, const Shape& shape, std::span<const std::int64_t> state,
                  double level) {
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
            accuracy.undefined = "no item of this class";
            continue;
        }
        const auto n = static_cast<double>(accuracy.n);
        accuracy.value = static_cast<double>(result.correct) / n;
        accuracy.interval = wilson(result.correct, accuracy.n, level);
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
}

void fill_reliability(ScoreReport& report, const MetricContext& context,
                      std::span<const std::int64_t> state) {
    for (const families::ConfidenceBin& bin : families::confidence_bins(context, state)) {
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
        out.accuracy.interval = wilson(bin.hits, bin.items, context.level);
        out.confidence = bin.confidence / n;
    }
}

void fill_confusions(ScoreReport& report, const ConfusionCounts& counts, std::size_t kept) {
    for (const auto& [pair, count] : counts)
        report.confusions.push_back({pair.first, pair.second, count});
    const auto more = [](const Confusion& a, const Confusion& b) {
        return a.count != b.count
                   ? a.count > b.count
                   : std::pair(a.truth, a.predicted) < std::pair(b.truth, b.predicted);
    };
    auto& list = report.confusions;
    std::sort(list.begin(), list.end(), more);
    if (list.size() > kept) list.resize(kept);
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
