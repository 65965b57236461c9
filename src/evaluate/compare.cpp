#include "assay/evaluate/compare.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "evaluate/compare_groups.h"
#include "evaluate/compare_metrics.h"
#include "evaluate/compare_pairing.h"
#include "evaluate/compare_weights.h"
#include "evaluate/computed_on.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/kappa.h"
#include "evaluate/measurement_text.h"
#include "evaluate/score_set.h"
#include "store/same_data.h"

namespace assay {
namespace {

/// Returns the devices and libraries that computed the scores.
std::vector<ComputedOn> open_all(const RowReader& reader, int threads) {
    std::vector<ComputedOn> ways;
    std::mutex mutex;
    parallel_blocks(reader.store().shards(), threads, [&](std::size_t s) {
        throw_if_stopped();
        const PredictionStore::Shard* shard = reader.shard(s);
        if (shard == nullptr || !shard->computed_on().known()) return;
        const std::scoped_lock lock(mutex);
        if (std::ranges::find(ways, shard->computed_on()) == ways.end())
            ways.push_back(shard->computed_on());
    });
    return ways;
}

Verdict verdict_of(const PairedMetric& m, double level) {
    if (!m.difference.value || !m.p_holm || !metric_named(m.candidate.key.metric).judges)
        return Verdict::none;
    if (*m.p_holm >= 1 - level) return Verdict::no_difference;
    return (*m.difference.value > 0) == m.candidate.higher_is_better ? Verdict::better
                                                                     : Verdict::worse;
}

// Items are paired by their ids; bytes show whether their images are the same.
void check_images(PairReport& report, const PairedImages& images, bool one_name,
                  bool others_allowed) {
    std::string others;
    if (images.differ > 0) {
        others = fmt::format("{} and {} saw different images under the same ids{}", report.baseline,
                             report.candidate,
                             images.first.empty()
                                 ? fmt::format(" of {}", report.dataset)
                                 : fmt::format(": {} of {} recorded ones, the first `{}`",
                                               images.differ, images.compared, images.first));
    }
    if (!others.empty() && !others_allowed) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{}; to pair them anyway, as for clean and corrupted images, add --other-images",
                others));
    }
    if (!one_name) {
        const std::string_view what =
            images.differ > 0     ? "they are different images"
            : images.compared > 0 ? "they are the same images"
                                  : "there is no record to show whether they are the same images";
        report.warnings.push_back(fmt::format(
            "{} is scored on {} and {} on {}: items are paired by their ids; {}", report.baseline,
            report.dataset, report.candidate, report.candidate_dataset, what));
    } else if (!others.empty()) {
        report.warnings.push_back(std::move(others));
    }
}

// Holm's correction for each metric over the candidates that have it. Derived stores are not
// additional models: they form a separate family. The groups of images of all candidates are one.
void correct_by_holm(std::vector<PairReport>& reports, double level) {
    std::map<std::pair<bool, std::string>, std::vector<PairedMetric*>> families;
    for (PairReport& report : reports) {
        for (PairedMetric& metric : report.metrics)
            families[{report.candidate_derived.any(), column_key(metric.candidate.key)}].push_back(
                &metric);
        for (ComparedByGroup& result : report.groups) {
            for (PairedMetric& group : result.groups)
                families[{report.candidate_derived.any(), "by group: " + result.metric}].push_back(
                    &group);
        }
    }
    for (auto& [key, family] : families) {
        std::vector<double> p;
        for (const PairedMetric* metric : family)
            if (metric->p) p.push_back(*metric->p);
        const std::vector<double> adjusted = holm(p);
        std::size_t next = 0;
        for (PairedMetric* metric : family) {
            if (metric->p) metric->p_holm = adjusted[next++];
            metric->verdict = verdict_of(*metric, level);
        }
    }
}

/// `weights`: of the baseline's images, or null. `computed` receives the device and library that
/// computed the candidate's scores.
PairReport compare_pair(const RowReader& baseline, const Truth& truth, const PredictionStore& b,
                        std::pair<std::string, std::string> names, const CompareOptions& options,
                        const evaluate::ImageWeights* weights, Comm& comm,
                        std::vector<ComputedOn>& computed, const ProgressCallback& progress) {
    const PredictionStore& a = baseline.store();
    const LabelSets& labels = truth.labels;
    PairReport report;
    std::tie(report.baseline, report.candidate) = std::move(names);
    report.dataset = a.spec().dataset_name;
    report.candidate_dataset = b.spec().dataset_name;
    agree(comm, [&] { report.candidate_derived = derived_of(b); });
    if (a.classes() != b.classes()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("`{}` has {} classes but `{}` has {}: their scores cannot be compared",
                        report.baseline, a.classes(), report.candidate, b.classes()));
    }
    std::vector<std::int32_t> places;
    agree(comm, [&] { places = class_places(a, b); });
    const RowReader candidate(b, options.score.map, places);
    Alignment rows;
    agree(comm, [&] {
        computed = open_all(candidate, resolve_threads(options.score.threads));
        rows = align(baseline, candidate);
        if (rows.baseline.empty()) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "`{}` and `{}` have no scored item in common ({} and {} items): were they made "
                    "from the same data set?",
                    a.folder().string(), b.folder().string(), a.rows(), b.rows()));
        }
    });
    report.items = rows.baseline.size();
    // This check runs before all computations.
    agree(comm, [&] {
        check_images(report, paired_images(baseline, candidate, rows),
                     store::same_name(a.spec(), b.spec()), options.other_images);
    });
    report.only_baseline = rows.only_baseline;
    report.only_candidate = rows.only_candidate;
    report.not_scored = rows.not_scored;
    const Truth b_truth = carried_over(truth, rows, b.rows());
    // The two sides have the same items.
    const ProgressCallback first_half = [&](const Progress& p) {
        if (progress) progress({.step = report.candidate, .done = p.done, .total = 2 * p.total});
    };
    const ProgressCallback second_half = [&](const Progress& p) {
        if (progress)
            progress({.step = report.candidate, .done = p.total + p.done, .total = 2 * p.total});
    };
    ScoredSet one =
        score_set(baseline, truth, options.score, rows.baseline, "", comm, Keep::items, first_half);
    ScoredSet two = score_set(candidate, b_truth, options.score, rows.candidate, "", comm,
                              Keep::items, second_half);
    std::vector<std::uint32_t> labels_per_image;
    for (const std::uint64_t row : rows.baseline)
        labels_per_image.push_back(
            static_cast<std::uint32_t>(labels[static_cast<std::size_t>(row)].size()));
    std::optional<evaluate::PairWeigher> weigher;
    if (weights != nullptr)
        weigher.emplace(*weights, rows, evaluate::WeighedSide{one, baseline, truth},
                        evaluate::WeighedSide{two, candidate, b_truth}, options.score, comm);
    for (std::size_t i = 0; i < one.requests.size(); ++i) {
        report.metrics.push_back(paired(one.requests[i], one, two, i, labels_per_image,
                                        options.score.resampling, one.alike,
                                        weigher ? &*weigher : nullptr));
    }
    if (weigher)
        report.notes.push_back(weigher->note() +
                               "; equal predictions and the error consistency are of images that "
                               "count the same");
    if (!options.score.by.empty())
        report.groups =
            evaluate::compare_by_group(one, two, a.dataset(), rows.baseline, options.score);
    fill_predictions(report, one, two, rows, labels, a.dataset().ids, options.disagreements,
                     options.score.resampling.level);
    if (truth.clustered) {
        std::vector<std::uint8_t> groups;
        for (const std::uint64_t row : rows.baseline)
            groups.push_back(truth.group[static_cast<std::size_t>(row)]);
        cluster_consistency(report.error_consistency, one.correct, two.correct, groups,
                            options.score.resampling.level);
        report.notes.push_back(evaluate::cluster_note(a.dataset(), options.score.cluster));
    }
    if (!options.score.left_out.empty()) report.notes.push_back(options.score.left_out);
    report.notes.insert(report.notes.end(), options.score.notes.begin(), options.score.notes.end());
    const bool own = std::any_of(
        options.score.metrics.begin(), options.score.metrics.end(), [&](const MetricRequest& r) {
            return !truth.only_valid &&
                   (r.facts->needs & static_cast<unsigned>(Needs::labels)) != 0;
        });
    const std::uint64_t other_labels =
        options.score.labels && !own ? 0 : relabelled(a, b, rows, places);
    if (other_labels > 0) {
        report.warnings.push_back(
            fmt::format("{} of {} common items have different labels in the store of {}; the "
                        "labels of {} are used for both",
                        other_labels, report.items, report.candidate, report.baseline));
    }
    for (const auto& [set, name] :
         {std::pair{&one, report.baseline}, std::pair{&two, report.candidate}}) {
        for (const auto& text : set->report.warnings)
            report.warnings.push_back(fmt::format("{}: {}", name, text));
    }
    for (const PredictionStore* store : {&a, &b}) {
        if (std::string writing = writer_warning(*store); !writing.empty())
            report.warnings.push_back(std::move(writing));
    }
    if (report.only_baseline + report.only_candidate + report.not_scored > 0) {
        report.warnings.push_back(fmt::format(
            "compared on {} common items; {} are only in the baseline's store, {} only in the "
            "candidate's, "
            "and {} were not scored in both",
            report.items, report.only_baseline, report.only_candidate, report.not_scored));
    }
    return report;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::none:
            return "";
        case Verdict::no_difference:
            return "no difference shown";
        case Verdict::better:
            return "better";
        case Verdict::worse:
            return "worse";
    }
    return "";
}

std::vector<PairReport> compare_stores(const PredictionStore& baseline,
                                       std::span<const PredictionStore* const> candidates,
                                       const CompareOptions& given, Comm& comm,
                                       const ProgressCallback& progress) {
    evaluate::check_attributes(baseline.dataset(), given.score);
    const RowReader reader(baseline, given.score.map);
    Truth truth;
    CompareOptions options = given;
    std::vector<ComputedStore> computed(1);
    evaluate::ImageWeights weights;
    const bool weighted = !options.score.weights.empty() || !options.score.item_weights.empty();
    agree(comm, [&] {
        truth = truth_for(baseline, options.score);
        if (options.score.metrics.empty()) {
            LabelCoverage coverage = coverage_of(truth.targets, truth.labels);
            coverage.two_classes = reader.classes() == 2;
            DefaultMetrics defaults =
                default_metrics_for(coverage, truth.cues_named, truth.given.needs());
            options.score.metrics = std::move(defaults.metrics);
            options.score.left_out = std::move(defaults.left_out);
        }
        if (weighted) {
            weights = evaluate::weights_by(baseline.dataset(), options.score);
            evaluate::keep_weighted(options.score);
        }
        computed[0].ways = open_all(reader, resolve_threads(options.score.threads));
    });
    std::vector<const PredictionStore*> stores(candidates.begin(), candidates.end());
    stores.push_back(&baseline);
    const std::vector<std::string> names = names_of(stores);
    computed[0].name = names.back();
    std::vector<PairReport> reports;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        ComputedStore& own = computed.emplace_back(ComputedStore{names[i], {}});
        reports.push_back(compare_pair(reader, truth, *candidates[i], {names.back(), names[i]},
                                       options, weighted ? &weights : nullptr, comm, own.ways,
                                       progress));
        const ClassList& known =
            options.score.map ? options.score.map->targets : baseline.dataset().classes;
        reports.back().classes = known;
    }
    // This note is added once for any number of candidates.
    if (std::string note = computed_note(computed); !reports.empty() && !note.empty())
        reports.front().notes.push_back(std::move(note));
    correct_by_holm(reports, options.score.resampling.level);
    return reports;
}

}  // namespace assay
