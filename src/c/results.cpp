// Results computed from stores, in the C interface.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/collective/comm.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/eval.h"
#include "assay/evaluate/gap.h"
#include "assay/evaluate/score.h"
#include "assay/report/document.h"
#include "assay/report/draw.h"
#include "assay/report/page.h"
#include "c/objects.h"
#include "c/options.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "evaluate/options_used.h"

using namespace assay;
using namespace assay::c;

namespace {

constexpr int partial = 3, broken = 1;

std::vector<const PredictionStore*> all_of(const assay_store* const* stores, size_t count,
                                           size_t least) {
    if (count < least || stores == nullptr) {
        throw Error(ErrorCode::usage,
                    least == 1 ? "no store is given" : "a baseline and a candidate are needed");
    }
    std::vector<const PredictionStore*> all;
    for (size_t i = 0; i < count; ++i) all.push_back(&store_of(stores[i]));
    return all;
}

assay_result* result_of(Report report, bool gates_passed) {
    const int status = report.partial ? partial : gates_passed ? 0 : broken;
    return new assay_result{std::move(report), status};
}

std::uint64_t rows_without_scores(const PredictionStore& store) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < store.shards(); ++i) {
        const PredictionStore::Shard shard = store.shard(i);
        count += static_cast<std::uint64_t>(std::ranges::count_if(
            shard.states(), [](RowState state) { return state != RowState::ok; }));
    }
    return count;
}

/// Writes the HTML page for the stores of a result.
void write_eval_page(EvalResult& result, const std::filesystem::path& place,
                     const std::string& command, const MeasureOptions& measured,
                     const ProgressCallback& progress) {
    ReportOptions options;
    for (const EvaluatedModel& model : result.models) options.paths.push_back(model.store);
    options.title = result.dataset;
    options.command = command;
    options.measure = measured;
    options.measure.gates.clear();
    options.threads = measured.threads;
    write_report(make_report(options, *self_comm(), progress), place);
    result.report = place;
}

}  // namespace

assay_result* assay_score(const assay_store* const* stores, size_t count, const assay_sets* sets,
                          const char* options, assay_call* call, assay_error** error) {
    return guarded(error, static_cast<assay_result*>(nullptr), [&] {
        const Watched watched(call);
        Keys keys = options_of(options);
        GivenResampling given = resampling_in(keys);
        ScoreRunsOptions how;
        how.measure = take_measure(keys, true);
        keys.take(how, {"folders"});
        how.item_weights = keys.take_list<double>("sample_weight");
        ScoreShown shown;
        keys.take(shown);
        keys.nothing_left();
        if (sets != nullptr) how.measure.label_sets = sets_of(*sets);
        how.confusions = shown.confusions;
        how.by_valid_label = shown.per_class || shown.confusions > 0;
        how.reliability = shown.reliability;
        check(how, shown);
        check_used(how.measure, shown.reliability);
        given = check_used(how.measure, given, !how.by.empty());
        const ScoreResult result =
            score_stores(all_of(stores, count, 1), how, *self_comm(), watched.progress());
        std::vector<Measurement> measured;
        for (const ScoreReport& one : result.reports)
            measured.insert(measured.end(), one.measurements.begin(), one.measurements.end());
        check_used(measured, given);
        return result_of(report_of(result, shown), all_passed(result.gates));
    });
}

assay_result* assay_compare(const assay_store* const* stores, size_t count, const assay_sets* sets,
                            const char* options, assay_call* call, assay_error** error) {
    return guarded(error, static_cast<assay_result*>(nullptr), [&] {
        const Watched watched(call);
        Keys keys = options_of(options);
        if (keys.has("methods")) {
            if (count > 0 || sets != nullptr)
                throw Error(ErrorCode::usage, "methods name all stores: pass no other ones");
            return result_of(
                report_of(decisions::compare_methods(take_methods(keys), watched.progress())),
                true);
        }
        GivenResampling given = resampling_in(keys);
        CompareRunsOptions how;
        how.measure = take_measure(keys, true);
        keys.take(how);
        how.item_weights = keys.take_list<double>("sample_weight");
        keys.nothing_left();
        if (sets != nullptr) how.measure.label_sets = sets_of(*sets);
        check(how);
        check_used(how.measure, false);
        given = check_used(how.measure, given, !how.by.empty());
        const std::vector<const PredictionStore*> all = all_of(stores, count, 2);
        const CompareResult result = compare_opened(*all[0], std::span(all).subspan(1), how,
                                                    *self_comm(), watched.progress());
        std::vector<Measurement> measured;
        for (const PairReport& pair : result.pairs) {
            for (const PairedMetric& metric : pair.metrics) measured.push_back(metric.candidate);
        }
        check_used(measured, given);
        return result_of(report_of(result), all_passed(result.gates));
    });
}

assay_result* assay_gap(const char* options, assay_call* call, assay_error** error) {
    return guarded(error, static_cast<assay_result*>(nullptr), [&] {
        const Watched watched(call);
        Keys keys = options_of(options);
        GapRequest request;
        request.sets = keys.take_list<std::string>("sets");
        keys.take(request);
        keys.take(request.options);
        const auto labels = keys.take_list<std::string>("labels");
        for (std::size_t i = 0; i < labels.size() && i < request.labels.size(); ++i)
            request.labels[i] = labels[i];
        if (labels.size() > request.labels.size())
            throw Error(ErrorCode::usage, "options.labels has more than two files");
        const bool all_models = keys.take("all_models", false);
        keys.nothing_left();
        check(request);
        return result_of(report_of(run_gap(request, *self_comm(), watched.progress()), all_models),
                         true);
    });
}

assay_result* assay_eval(const assay_store* const* stores, size_t count, const char* options,
                         assay_call* call, assay_error** error) {
    return guarded(error, static_cast<assay_result*>(nullptr), [&] {
        const Watched watched(call);
        Keys keys = options_of(options);
        const MeasureOptions how = take_measure(keys, true);
        const auto preprocessing = keys.take_list<std::string>("preprocessing");
        const auto warnings = keys.take_list<std::string>("warnings");
        const auto command = keys.take<std::string>("command", "");
        const std::filesystem::path page = keys.take_path("report");
        keys.nothing_left();
        check(how, false);
        check_used(how, false);
        const std::vector<const PredictionStore*> all = all_of(stores, count, 1);
        if (!preprocessing.empty() && preprocessing.size() != all.size())
            throw Error(ErrorCode::usage, "options.preprocessing needs one text per store");
        EvalResult result;
        result.dataset = all.front()->spec().dataset_name;
        for (std::size_t i = 0; i < all.size(); ++i) {
            EvaluatedModel model;
            model.model = all[i]->spec().model_name;
            model.store = all[i]->folder();
            if (!preprocessing.empty()) model.preprocessing = preprocessing[i];
            if (i == 0) model.warnings = warnings;
            model.unreadable = rows_without_scores(*all[i]);
            result.models.push_back(std::move(model));
        }
        measure(result, all, how, watched.progress());
        if (!page.empty()) write_eval_page(result, page, command, how, watched.progress());
        return result_of(report_of(result), all_passed(result.gates));
    });
}

assay_text* assay_result_render(const assay_result* result, const char* format,
                                assay_error** error) {
    return guarded(error, static_cast<assay_text*>(nullptr), [&] {
        if (result == nullptr) throw Error(ErrorCode::usage, "no result is given");
        return text_of(
            render(result->report, report_format_named(format == nullptr ? "" : format)));
    });
}

int assay_result_status(const assay_result* result) {
    return result == nullptr ? -1 : result->status;
}

assay_text* assay_plot(const char* recipe, const char* result, const char* format,
                       const char* options, assay_error** error) {
    return guarded(error, static_cast<assay_text*>(nullptr), [&] {
        if (recipe == nullptr || result == nullptr || format == nullptr)
            throw Error(ErrorCode::usage, "a plot needs a recipe, a result and a format");
        Keys keys = options_of(options);
        PlotChoice choice;
        keys.take(choice);
        DrawOptions how;
        keys.take(how);
        keys.nothing_left();
        check(how);
        const PlotFormat kind = plot_format_named(format);
        constexpr int deepest = 64;
        return text_of(draw(plots_of(recipe, parse_json(result, deepest), choice), kind, how));
    });
}

void assay_result_free(assay_result* result) {
    delete result;
}

assay_text* assay_metric_table(assay_error** error) {
    return guarded(error, static_cast<assay_text*>(nullptr),
                   [&] { return text_of(json_line(metric_table_json())); });
}
