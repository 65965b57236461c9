// Metrics of batches, in the C interface.
#include <span>

#include "assay/evaluate/score.h"
#include "c/objects.h"
#include "c/options.h"
#include "metric/other_names.h"

using namespace assay;
using namespace assay::c;

namespace {

assay_metrics& metrics_of(assay_metrics* metrics) {
    if (metrics == nullptr) throw Error(ErrorCode::usage, "no metrics are given");
    return *metrics;
}

int take_batch(assay_metrics* metrics, const assay_array* scores, const assay_array* labels,
               const assay_sets* sets, std::optional<std::span<const std::uint64_t>> rows) {
    assay_metrics& all = metrics_of(metrics);
    const ScoreMatrix matrix = matrix_of(scores);
    std::optional<LabelSets> single, valid;
    if (labels != nullptr) single = labels_of(*labels);
    if (sets != nullptr) valid = sets_of(*sets);
    all.stream.update(matrix, single ? &*single : nullptr, valid ? &*valid : nullptr, rows);
    return 0;
}

}  // namespace

assay_metrics* assay_metrics_new(const char* options, assay_error** error) {
    return guarded(error, static_cast<assay_metrics*>(nullptr), [&] {
        Keys keys = options_of(options);
        StreamingOptions how;
        const GivenResampling given = resampling_in(keys);
        how.measure = take_measure(keys, false);
        ScoreShown shown;
        keys.take(shown);
        how.confusions = shown.confusions;
        how.reliability = shown.reliability;
        how.names = take_classes(keys);
        how.classes = keys.take("num_classes", how.classes);
        how.rows_kept = keys.take("rows_kept", how.rows_kept);
        how.model = keys.take("model", how.model);
        how.dataset = keys.take("dataset", how.dataset);
        if (const auto kind = keys.take<std::string>("kind", ""); !kind.empty())
            how.kind = score_kind_named(kind);
        keys.nothing_left();
        StreamingScore stream(how);  // refuses what is wrong in itself first
        check_used(how.measure, how.reliability);
        check_used(how.measure, given);
        return new assay_metrics{std::move(stream), shown.per_class, shown.confusions};
    });
}

int assay_metrics_update(assay_metrics* metrics, const assay_array* scores,
                         const assay_array* labels, const assay_sets* sets, assay_error** error) {
    return guarded(error, -1, [&] { return take_batch(metrics, scores, labels, sets, {}); });
}

int assay_metrics_update_rows(assay_metrics* metrics, const assay_array* scores,
                              const assay_array* labels, const assay_sets* sets,
                              const uint64_t* rows, size_t count, assay_error** error) {
    return guarded(error, -1, [&] {
        if (rows == nullptr && count > 0) throw Error(ErrorCode::usage, "no rows are given");
        return take_batch(metrics, scores, labels, sets, std::span(rows, count));
    });
}

int assay_metrics_merge(assay_metrics* metrics, const assay_metrics* other, assay_error** error) {
    return guarded(error, -1, [&] {
        if (other == nullptr) throw Error(ErrorCode::usage, "no other metrics are given");
        metrics_of(metrics).stream.merge(other->stream);
        return 0;
    });
}

const char* assay_metric_name(const char* name) {
    return name == nullptr ? nullptr : own_metric_name(name).data();
}

void assay_metrics_reset(assay_metrics* metrics) {
    guarded(nullptr, 0, [&] {
        metrics_of(metrics).stream.reset();
        return 0;
    });
}

uint64_t assay_metrics_rows(const assay_metrics* metrics) {
    return metrics == nullptr ? 0 : metrics->stream.rows();
}

assay_text* assay_metrics_state(const assay_metrics* metrics, assay_error** error) {
    return guarded(error, static_cast<assay_text*>(nullptr), [&] {
        if (metrics == nullptr) throw Error(ErrorCode::usage, "no metrics are given");
        return text_of(metrics->stream.state());
    });
}

int assay_metrics_set_state(assay_metrics* metrics, const char* state, size_t size,
                            assay_error** error) {
    return guarded(error, -1, [&] {
        if (state == nullptr) throw Error(ErrorCode::usage, "no state is given");
        metrics_of(metrics).stream.set_state({state, size});
        return 0;
    });
}

assay_result* assay_metrics_compute(const assay_metrics* metrics, assay_error** error) {
    return guarded(error, static_cast<assay_result*>(nullptr), [&] {
        if (metrics == nullptr) throw Error(ErrorCode::usage, "no metrics are given");
        ScoreResult result;
        result.reports.push_back(metrics->stream.report());
        const ScoreReport& report = result.reports.back();
        for (const std::string& text : report.warnings)
            result.warnings.push_back(report.model + ": " + text);
        ScoreShown shown;
        shown.per_class = metrics->per_class;
        shown.confusions = metrics->confusions;
        shown.reliability = !report.reliability.empty();
        Report made = report_of(result, shown);
        const int status = made.partial ? 3 : 0;
        return new assay_result{std::move(made), status};
    });
}

void assay_metrics_free(assay_metrics* metrics) {
    delete metrics;
}
