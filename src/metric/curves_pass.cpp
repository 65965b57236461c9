// The pass of areas under the curves of one class against the others (class_curves.h), and its rows
// of the table. It reads the rows three more times.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "metric/class_areas.h"
#include "metric/class_curves.h"
#include "metric/class_ranks.h"
#include "metric/families.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"
#include "metric/score_reading.h"

namespace assay {
namespace {

// The items of a ranking: those with a label, or with valid labels. They are ordered by their
// log-odds, or by their stored scores.
class RowsToRank final : public OrderedRows {
public:
    RowsToRank(const MetricRows& rows, bool sets, bool stored)
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
    const MetricRows& rows_;
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

struct RankedClasses {
    std::uint64_t items = 0;
    ClassPositives positives;
    std::unique_ptr<ClassRanks> ranks;
    std::vector<std::int64_t> counts;
};
struct CurveState final : PassState {
    // keyed by whether it uses label sets and stored scores
    std::map<std::pair<bool, bool>, RankedClasses> ranked;
};

void rank_classes(const RowsToRank& rows, const PassRows& again, RankedClasses& ranked) {
    ranked.positives = positives_of(rows);
    for (std::uint64_t i = 0; i < rows.items(); ++i) ranked.items += rows.counts(i) ? 1 : 0;
    const auto own = again.own_classes();
    std::vector<double> keys;
    agree(again.comm, [&] {
        keys = positive_keys(rows, ranked.positives, again.threads, own.first, own.second);
    });
    if (again.comm.size() > 1) {
        // Contains the parts of all ranks, one after another.
        std::vector<double> all;
        const auto begin = static_cast<std::ptrdiff_t>(ranked.positives.first[own.first]);
        const auto end = static_cast<std::ptrdiff_t>(ranked.positives.first[own.second]);
        const std::vector<double> part(keys.begin() + begin, keys.begin() + end);
        for (const auto& theirs : all_gather<double>(again.comm, part))
            all.insert(all.end(), theirs.begin(), theirs.end());
        keys = std::move(all);
    }
    ranked.ranks = std::make_unique<ClassRanks>(ranked.positives, keys);
    agree(again.comm,
          [&] { ranked.counts = ranked.ranks->count(rows, again.threads, own.first, own.second); });
    again.comm.all_reduce(ranked.counts);
}

bool is_stored(const MetricRequest& request) {
    return request.parameters.at(std::string(ranked_by)) == by_stored_score;
}

bool uses_sets(const MetricRequest& request) {
    return (request.facts->needs & static_cast<unsigned>(Needs::label_sets)) != 0;
}

RowsToRank rows_of(const MetricRequest& request, const PassRows& again) {
    return {again.rows, uses_sets(request), is_stored(request)};
}

/// The reason why no class has an area; "" if there is none.
std::string why_undefined(const MetricRequest& request, const PassRows& again,
                          std::uint64_t items) {
    std::string why = again.rows.lacking();
    if (why.empty() && is_stored(request) && again.class_map)
        why = "stored scores belong to the model's classes, not to those of a class map";
    if (why.empty() && items == 0)
        why = uses_sets(request) ? "no item has a valid label" : "no item has a single label";
    return why;
}

/// Keeps the positives and their counts for the next request.
const RankedClasses& ranked_of(const MetricRequest& request, const RowsToRank& rows, PassRun& run) {
    RankedClasses& ranked =
        run.state<CurveState>().ranked[{uses_sets(request), is_stored(request)}];
    if (!ranked.ranks) rank_classes(rows, run.again(), ranked);
    return ranked;
}

class CurvePass final : public MetricPass {
public:
    explicit CurvePass(Curve curve) : curve_(curve) {}

    // Even if only predicted classes are known, it counts the items that it leaves undefined.
    KeptItems keeps(const MetricRequest& request, bool) const override {
        return {true, !is_stored(request)};
    }

    std::string choose(MetricRequest& request, const PassRun& run) const override {
        std::string& how = request.parameters.at(std::string(ranked_by));
        if (how != by_what_scores_tell) return "";
        const MetricRows& rows = run.again().rows;
        if (!rows.lacking().empty()) {
            how = by_probability;
            return "";
        }
        const ScoreReading reading = reading_of(rows.reader(), rows.labels(), request.facts->name);
        how = reading.ranked_by;
        return reading.why;
    }

    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override {
        const PassRows& again = run.again();
        const bool binary = request.parameters.at("average") == "binary";
        const RowsToRank rows = rows_of(request, again);
        ResampledEstimate result;
        for (std::uint64_t i = 0; i < rows.items(); ++i) result.n += rows.counts(i) ? 1 : 0;
        result.undefined = why_undefined(request, again, result.n);
        if (binary && result.undefined.empty())
            result.undefined = families::not_two_classes(again.rows.shape());
        if (!result.undefined.empty()) return result;
        const RankedClasses& ranked = ranked_of(request, rows, run);
        const ClassCurves curves(
            ranked.positives, *ranked.ranks, ranked.counts, ranked.items,
            {curve_, request.parameters.at("average") == "weighted", run.sums().resampling().level,
             binary ? std::optional<std::uint32_t>(1) : std::nullopt});
        if (!curves.mean()) {
            result.undefined =
                binary && curve_ == Curve::precision_recall
                    ? "no item is of class 1, the positive class"
                    : "all items belong to one class, so there is no other class to compare with";
            return result;
        }
        const auto own = again.own_classes();
        std::vector<std::int64_t> sums;
        agree(again.comm, [&] {
            sums = ranked.ranks->sum(rows, curves.by_slot(), again.threads, own.first, own.second);
        });
        again.comm.all_reduce(sums);
        std::vector<std::uint16_t> groups(sums.size(), group_count);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (rows.counts(i)) groups[i] = again.rows.group_of(i);
        }
        result = curves.estimate(sums, groups);
        if (!binary && curves.classes() < rows.classes()) {
            const std::string left =
                fmt::format("mean over the {} of {} classes that have positives", curves.classes(),
                            rows.classes());
            result.note = result.note.empty() ? left : left + "; " + result.note;
        }
        return result;
    }

    std::string note(const MetricRequest&, const PassRun& run) const override {
        return run.again().rows.rounding();
    }

private:
    const Curve curve_;
};

std::string curve_definition(std::string_view stem, const Parameters& p) {
    return std::string(stem) + "." + p.at("average") +
           (p.at(std::string(ranked_by)) == by_stored_score ? ".stored" : ".log_odds");
}
std::string auroc_definition(const Parameters& p) {
    return curve_definition("auroc.one_vs_rest", p);
}
std::string average_precision_definition(const Parameters& p) {
    return curve_definition("average_precision.one_vs_rest", p);
}
std::string mean_average_precision_definition(const Parameters& p) {
    return curve_definition("mean_average_precision.label_sets", p);
}

std::shared_ptr<const MetricPass> under(Curve curve) {
    return std::make_shared<CurvePass>(curve);
}

}  // namespace

ClassAreas class_average_precision(const std::string& scores, PassRun& run) {
    MetricRequest request = parse_metric("mean_average_precision");
    request.set(std::string(ranked_by), scores);
    const PassRows& again = run.again();
    ClassAreas out;
    std::string why;
    agree(again.comm, [&] {
        try {
            pass_of(request).choose(request, run);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            why = error.what();
        }
    });
    const RowsToRank rows = rows_of(request, again);
    std::uint64_t items = 0;
    for (std::uint64_t i = 0; i < rows.items(); ++i) items += rows.counts(i) ? 1 : 0;
    if (why.empty()) why = why_undefined(request, again, items);
    if (!why.empty()) {
        Estimate none;
        none.unit = Unit::proportion;
        none.undefined = why;
        out.classes.assign(rows.classes(), none);
        return out;
    }
    const RankedClasses& ranked = ranked_of(request, rows, run);
    const ClassCurves curves(ranked.positives, *ranked.ranks, ranked.counts, ranked.items,
                             {Curve::precision_recall, false, run.sums().resampling().level});
    for (std::uint32_t c = 0; c < rows.classes(); ++c)
        out.classes.push_back(curves.class_estimate(c));
    out.ranked_by = is_stored(request) ? "stored scores" : "log-odds of the softmax";
    return out;
}

namespace rows {

void add_curves(MetricTable& table) {
    using enum Needs;
    const ParameterFacts average{"average",
                                 "macro",
                                 "macro: every class that has positives counts the same; weighted: "
                                 "as much as it has positives",
                                 {"macro", "weighted"}};
    const ParameterFacts or_binary{
        "average",
        "macro",
        "macro: every class that has positives counts the same; weighted: as much as it has "
        "positives; binary: only class 1, the positive class of two",
        {"macro", "weighted", "binary"}};
    const ParameterFacts scores{
        ranked_by,
        by_probability,
        "scores that rank the items: the log-odds of the class, `ln(p / (1 - p))`, in double "
        "precision; or its stored score, for classes with a sigmoid each",
        {by_probability, by_stored_score}};
    const ParameterFacts told_by_scores{
        ranked_by,
        by_what_scores_tell,
        "scores that rank the items: the log-odds of the class by the softmax of all classes, or "
        "its stored score (for one sigmoid per class). `auto` detects it from the scores; if they "
        "fit both, it is an error",
        {by_probability, by_stored_score, by_what_scores_tell}};
    table.push_back(
        {.name = "auroc",
         .title = "Area under the ROC curve, one class against the rest",
         .formula = "probability that an item of a class has higher log-odds of that class than an "
                    "item of another class; ties count half. Mean over the classes with items",
         .parameters = {or_binary, scores},
         .needs = labels | probabilities | full_rows,
         .origin = "Hanley and McNeil 1982; interval: DeLong, DeLong and Clarke-Pearson 1988, "
                   "summed by item over the classes; conventions of scikit-learn's roc_auc_score",
         .uncertainty = Uncertainty::jackknife,
         .pass = under(Curve::roc),
         .definition = auroc_definition,
         .by_default = false});
    table.push_back(
        {.name = "average_precision",
         .title = "Average precision, one class against the rest",
         .formula = "sum of (R_n - R_n-1) P_n over the distinct log-odds of a class, the highest "
                    "first, without interpolation. Mean over the classes with items",
         .parameters = {or_binary, scores},
         .needs = labels | probabilities | full_rows,
         .origin = "conventions of scikit-learn's average_precision_score",
         .uncertainty = Uncertainty::jackknife,
         .pass = under(Curve::precision_recall),
         .definition = average_precision_definition,
         .by_default = false});
    table.push_back(
        {.name = "mean_average_precision",
         .title = "Mean average precision of label sets (mAP)",
         .formula = "like average_precision, but an image is a positive item of each of its valid "
                    "classes; images without valid classes are skipped",
         .parameters = {average, told_by_scores},
         .needs = label_sets | probabilities | full_rows,
         .origin = "Everingham et al. 2010 (PASCAL VOC), without interpolation: conventions of "
                   "scikit-learn's average_precision_score",
         .uncertainty = Uncertainty::jackknife,
         .pass = under(Curve::precision_recall),
         .definition = mean_average_precision_definition,
         .by_default = false});
}

}  // namespace rows
}  // namespace assay
