#include "report/measured.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/report.h"

namespace assay {
namespace {

ScoreRunsOptions score_options(const StoreGroup& group, const ReportOptions& options) {
    ScoreRunsOptions score;
    for (const ReportStore& store : group.stores) score.paths.push_back(store.folder);
    score.measure = options.measure;
    score.measure.gates.clear();
    score.measure.threads = options.threads;
    score.confusions = options.confusions;
    score.reliability = true;
    return score;
}

void rename(ScoreReport& report, const StoreGroup& group, const ReportStore& store) {
    report.model = store.model;
    report.dataset = group.dataset;
    report.derived.clear_variant();  // the data set's name contains it
    for (Measurement& m : report.measurements) {
        m.key.model = store.model;
        m.key.dataset = group.dataset;
    }
}

}  // namespace

std::optional<ScoreResult> score_group(const StoreGroup& group, const ReportOptions& options,
                                       bool several, Comm& comm, const ProgressCallback& progress,
                                       Said& said) {
    std::optional<ScoreResult> scores;
    try {
        scores = score_runs(score_options(group, options), comm, progress);
    } catch (const Error& error) {
        // Labels may have other classes, and a class map is for models with certain classes.
        const bool asked = options.measure.label_sets || !options.measure.class_map.empty();
        if (!several || !asked || error.code() != ErrorCode::bad_input) throw;
        said.leave_out(fmt::format(
            "{} is not measured, because the labels or the class map do not fit it: {}.",
            group.dataset, error.message()));
        said.partial = true;
        return scores;
    }
    for (std::size_t i = 0; i < group.stores.size(); ++i)
        rename(scores->reports[i], group, group.stores[i]);
    for (const std::string& text : scores->warnings) said.warn(group.dataset + ": " + text);
    said.partial = said.partial || scores->partial();
    return scores;
}

nlohmann::json scores_json(const StoreGroup& group, const ScoreResult& scores,
                           std::size_t confusions, std::size_t& classes_left, Said& said) {
    nlohmann::json out =
        to_json(scores, {.per_class = false, .confusions = confusions, .reliability = true});
    std::size_t without = 0;
    for (std::size_t i = 0; i < scores.reports.size(); ++i) {
        const std::size_t classes = scores.reports[i].per_class.size();
        if (classes > classes_left) {
            ++without;
            continue;
        }
        classes_left -= classes;
        out["stores"][i]["per_class"] = std::move(to_json(scores.reports[i])["per_class"]);
    }
    if (without > 0)
        said.leave_out(
            fmt::format("The per-class accuracies of {} of the {} models on {} are omitted, "
                        "because the report would become too large.",
                        count_text(without), count_text(scores.reports.size()), group.dataset));
    return out;
}

}  // namespace assay
