// Scores many stores in one call: selects them, checks their gates, and computes means over data
// sets.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "assay/error.h"
#include "assay/evaluate/published.h"
#include "assay/evaluate/score.h"
#include "evaluate/by_votes/by_votes.h"
#include "evaluate/given_labels.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/image_weights.h"
#include "evaluate/label_signs.h"
#include "evaluate/matching_data_sets.h"
#include "evaluate/rate_gate.h"
#include "store/data_groups.h"

namespace assay {
namespace {

// Checks gates on means over data sets, model by model.
std::vector<GateResult> judge(const std::vector<Gate>& gates,
                              const std::vector<AcrossResult>& results) {
    std::vector<GateResult> judged;
    for (std::size_t first = 0; first < results.size();) {
        std::vector<Measurement> model;
        const std::string& name = results[first].mean.key.model;
        while (first < results.size() && results[first].mean.key.model == name)
            model.push_back(results[first++].mean);
        for (const Gate& gate : gates) judged.push_back(check_gate(gate, model));
    }
    return judged;
}

std::vector<PredictionStore> open_all(const std::vector<std::filesystem::path>& paths) {
    std::vector<PredictionStore> stores;
    for (const auto& folder : find_stores(paths)) stores.push_back(PredictionStore::open(folder));
    return stores;
}

std::vector<const PredictionStore*> pointers_to(const std::vector<PredictionStore>& stores) {
    std::vector<const PredictionStore*> all;
    for (const PredictionStore& store : stores) all.push_back(&store);
    return all;
}

// Adds every model that has both data sets of a pair.
void add_ood(ScoreResult& result, const ScoreRunsOptions& options,
             const std::vector<PredictionStore>& stores, Comm& comm) {
    std::vector<std::string> datasets;
    datasets.reserve(stores.size());
    for (const PredictionStore& store : stores) datasets.push_back(store.spec().dataset_name);
    std::ranges::sort(datasets);
    datasets.erase(std::unique(datasets.begin(), datasets.end()), datasets.end());
    for (const std::string& text : options.ood) {
        const OodPair pair = parse_ood_pair(text);
        const auto stores_of = [&](const std::string& name) {
            store::CalledData called(name);
            std::vector<const PredictionStore*> own;
            for (const PredictionStore& store : stores)
                if (called.is_of(store)) own.push_back(&store);
            if (own.empty())
                throw Error(ErrorCode::usage, fmt::format("no store of the data set `{}`{}", name,
                                                          suggest(name, datasets)));
            return own;
        };
        const auto ins = stores_of(pair.in), outs = stores_of(pair.out);
        bool found = false;
        std::size_t apart = 0;
        for (const PredictionStore* one : ins) {
            const PredictionStore& in = *one;
            bool both = false;
            for (const PredictionStore* other : outs) {
                const PredictionStore& out = *other;
                if (out.spec().model_name != in.spec().model_name) continue;
                both = found = true;
                with_note(
                    "comparing `" + in.folder().string() + "` with `" + out.folder().string() + "`",
                    [&] {
                        for (Measurement& m : measure_ood(in, out, options.measure.resampling.level,
                                                          options.measure.threads, comm))
                            result.ood.push_back(std::move(m));
                    });
            }
            if (both) continue;
            if (derived_of(in).is_apart()) {
                ++apart;
                continue;
            }
            result.warnings.push_back(fmt::format("{} has {} but not {}, so it is skipped",
                                                  in.spec().model_name, pair.in, pair.out));
        }
        if (apart > 0)
            result.warnings.push_back(fmt::format(
                "stores of attacks and of smoothed models are skipped: {} on {}", apart, pair.in));
        if (!found)
            throw Error(ErrorCode::usage,
                        fmt::format("no model has both `{}` and `{}`", pair.in, pair.out));
    }
}

void rename(AccuracyByGroup& groups, const std::string& dataset) {
    groups.worst.key.dataset = dataset;
    for (GroupAccuracy& group : groups.groups) {
        group.accuracy.key.dataset = dataset;
        group.difference.key.dataset = dataset;
    }
}

/// Names the subgroups that do not meet a gate that all items together meet: the gate applies to
/// them individually.
void warn_of_subgroups(const GateResult& gate, const ScoreReport& report,
                       std::vector<std::string>& warnings) {
    if (!gate.passed || gate.gate.rate || gate.gate.worst || !gate.gate.group.empty()) return;
    std::map<std::string, std::vector<Measurement>> parts;
    std::vector<Measurement> all = report.measurements;
    if (evaluate::has_groups(gate.gate.metric))
        all = evaluate::with_groups(report.measurements, report.groups);
    for (const Measurement& m : all) {
        if (m.key.subgroup.empty()) continue;
        Measurement& own = parts[m.key.subgroup].emplace_back(m);
        own.key.subgroup.clear();  // so that the gate applies to it
    }
    std::string names;
    std::size_t broken = 0;
    constexpr std::size_t most_named = 5;
    for (const auto& [name, measurements] : parts) {
        const GateResult part = check_gate(gate.gate, measurements);
        if (part.passed || !part.value) continue;
        if (broken++ < most_named)
            names += fmt::format("{}{} ({:.4g})", names.empty() ? "" : ", ", name, *part.value);
    }
    if (broken > 0)
        warnings.push_back(
            fmt::format("{} on {}: the gate `{}` covers all items and passes, but {} of {} "
                        "subgroups do not meet it: {}{}",
                        report.model, report.dataset, gate.gate.text, broken, parts.size(), names,
                        broken > most_named ? ", ..." : ""));
}

bool averages_over_subgroups(const MetricRequest& request) {
    return std::ranges::any_of(request.facts->parameters,
                               [](const auto& parameter) { return parameter.name == "subgroups"; });
}

// With votes, --subgroups applies to ASMA by votes: no metric of the stored labels has to take it.
MeasureOptions beside_votes(MeasureOptions options, const PredictionStore& store) {
    std::vector<std::string> subgroups;
    subgroups.swap(options.subgroups);
    if (std::ranges::any_of(resolve(options, store).metrics, averages_over_subgroups))
        subgroups.swap(options.subgroups);
    return options;
}

ByVotesOptions votes_options(const ScoreRunsOptions& options) {
    return {.votes = options.votes,
            .experts = options.expert_labels,
            .subgroups = options.measure.subgroups,
            .level = options.measure.resampling.level,
            .threads = options.measure.threads};
}

/// Scores stores one after another into one result.
class Together {
public:
    Together(const ScoreRunsOptions& options, ScoreResult& result, Comm& comm,
             const ProgressCallback& progress)
        : options_(options),
          gates_(gates_of(options.measure)),
          result_(result),
          comm_(comm),
          progress_(progress) {}

    /// Receives all stores before the first is added.
    void expect(std::span<const PredictionStore* const> stores) {
        for (const PredictionStore* store : stores) {
            total_ += store->rows();
            groups_.of(*store);
        }
        names_ = groups_.names(result_.warnings);
        labels_ = GivenLabels(options_.measure, stores);
        result_.notes = labels_.notes();
        result_.warnings.insert(result_.warnings.end(), labels_.warnings().begin(),
                                labels_.warnings().end());
    }

    /// Must run while all stores are open.
    void add_by_votes(std::span<const PredictionStore* const> stores) {
        if (options_.votes.empty()) return;
        result_.by_votes =
            values_by_votes(stores, votes_options(options_), [&](const PredictionStore& store) {
                const MeasureOptions own = labels_.measure_for(options_.measure, store);
                return own.label_sets ? *own.label_sets : store.dataset().labels;
            });
        for (const ByVotes& one : result_.by_votes)
            for (const std::string& text : one.warnings)
                result_.warnings.push_back(one.dataset + ": " + text);
    }

    void add(const PredictionStore& store) {
        const std::string& dataset = names_[groups_.of(store)];
        const std::string name = dataset + "/" + store.spec().model_name;
        with_note("scoring `" + store.folder().string() + "`", [&] {
            MeasureOptions measure = labels_.measure_for(options_.measure, store);
            if (!options_.votes.empty() && !measure.subgroups.empty())
                measure = beside_votes(std::move(measure), store);
            ScoreOptions one = resolve(measure, store);
            one.subgroup = options_.subgroup;
            one.by = options_.by;
            one.weights = options_.weights;
            one.item_weights = options_.item_weights;
            one.confusions = options_.confusions;
            one.by_valid_label = options_.by_valid_label;
            if (options_.reliability) one.reliability = reliability_of(options_.measure);
            result_.reports.push_back(score_store(store, one, comm_, [&](const Progress& p) {
                if (progress_) progress_({.step = name, .done = done_ + p.done, .total = total_});
            }));
        });
        done_ += store.rows();
        ScoreReport& report = result_.reports.back();
        report.derived = derived_of(store);
        report.dataset = dataset;
        if (report.derived.is_in_doubt()) report.warnings.push_back(doubt_of(report.derived));
        for (std::string& sign : evaluate::label_signs(report, store))
            report.warnings.push_back(std::move(sign));
        for (Measurement& m : report.measurements) m.key.dataset = dataset;
        for (AccuracyByGroup& groups : report.groups) rename(groups, dataset);
        if (options_.across.empty()) {
            for (const Gate& gate : gates_) {
                result_.gates.push_back(
                    gate.rate ? rate_gate(gate, store, report)
                              : check_gate(gate, evaluate::with_groups(report.measurements,
                                                                       report.groups)));
                fail_in_doubt(result_.gates.back(), report.derived);
                warn_of_subgroups(result_.gates.back(), report, result_.warnings);
            }
        }
        for (const auto& text : report.warnings)
            result_.warnings.push_back(report.model + ": " + text);
    }

private:
    /// No metric of the table has this value, so a note shows it.
    GateResult rate_gate(const Gate& gate, const PredictionStore& store,
                         ScoreReport& report) const {
        GateResult result = check_rate_gate(gate, store, options_.measure.resampling.level,
                                            options_.measure.threads);
        result.dataset = report.dataset;
        report.notes.push_back(report.model + ": " + evaluate::note_of(gate, *result.point));
        return result;
    }

    const ScoreRunsOptions& options_;
    const std::vector<Gate> gates_;
    ScoreResult& result_;
    Comm& comm_;
    const ProgressCallback& progress_;
    GivenLabels labels_;
    std::uint64_t total_ = 0, done_ = 0;
    store::DataGroups groups_;
    std::vector<std::string> names_;  // names of the data sets, by their numbers in groups_
};

/// Without metrics and gates, --ood measures nothing else.
bool only_ood(const ScoreRunsOptions& options) {
    return !options.ood.empty() && options.measure.metrics.empty() && options.measure.gates.empty();
}

void refuse_beside_ood(const ScoreRunsOptions& options) {
    const MeasureOptions& measure = options.measure;
    const std::pair<bool, std::string_view> others[] = {
        {!options.by.empty(), "--by"},
        {!options.subgroup.empty(), "--subgroup"},
        {!options.published.empty(), "--published"},
        {!options.votes.empty(), "--votes"},
        {!measure.class_map.empty(), "--class-map"},
        {!measure.labels.empty(), "--labels"},
        {!measure.subgroups.empty(), "--subgroups"},
        {!measure.k.empty(), "--k"},
        {measure.bins != MeasureOptions{}.bins, "--bins"},
        {!measure.edges.empty(), "--edges"},
        {!measure.hierarchy.empty(), "--hierarchy"},
        {!measure.thresholds.empty() || !measure.threshold_file.empty(), "--threshold"},
        {measure.ordinal || !measure.class_order.empty(), "--ordinal"},
        {measure.null_draws > 0, "--null"},
        {measure.resampling.replicates != Resampling{}.replicates, "--bootstrap"},
        {measure.resampling.seed != Resampling{}.seed, "--seed"},
    };
    for (const auto& [given, option] : others) {
        if (given)
            throw Error(ErrorCode::usage,
                        fmt::format("--ood by itself measures only how pairs of data sets differ, "
                                    "and {} does not change that: omit {}, or add --metrics",
                                    option, option));
    }
}

}  // namespace

void check(const ScoreRunsOptions& options, const ScoreShown& shown) {
    check(options.measure, false);
    if (!options.across.empty() && !options.published.empty())
        throw Error(ErrorCode::usage, "--published compares single data sets: omit --across");
    for (const std::string& table : options.published) read_published(table);
    evaluate::check_group_names(options.by);
    if (!options.measure.cluster.empty() &&
        (!options.across.empty() || !options.ood.empty() || !options.votes.empty()))
        throw Error(ErrorCode::usage,
                    "--cluster is about the images of one data set: omit --across, --ood and "
                    "--votes");
    if (!options.by.empty() && !options.across.empty())
        throw Error(ErrorCode::usage, "--by is about groups of one data set: omit --across");
    evaluate::check_weights(options, shown);
    for (const Gate& gate : gates_of(options.measure)) {
        const bool changed =
            !options.across.empty() || !options.weights.empty() || !options.item_weights.empty();
        if (gate.rate && changed) check_gate(gate, std::span<const Measurement>());
        const bool measured = !options.by.empty() || (!gate.worst && !options.subgroup.empty());
        if ((gate.worst || !gate.group.empty()) && (!measured || !options.across.empty()))
            check_gate(gate, std::span<const Measurement>());  // reports its requirements
    }
    if (!options.across.empty() && (shown.per_class || shown.confusions > 0 || shown.reliability))
        throw Error(
            ErrorCode::usage,
            "--across only averages metrics: omit --per-class, --confusion and --reliability");
    if (!options.ood.empty() &&
        (!options.across.empty() || shown.per_class || shown.confusions > 0 || shown.reliability))
        throw Error(ErrorCode::usage,
                    "--ood measures pairs of data sets: omit --across, --per-class, --confusion "
                    "and --reliability");
    for (const std::string& pair : options.ood) parse_ood_pair(pair);
    if (only_ood(options)) refuse_beside_ood(options);
    check(votes_options(options));
    if (options.votes.empty()) return;
    if (!options.across.empty())
        throw Error(ErrorCode::usage,
                    "values by votes are of single data sets: --votes does not go with --across");
    if (!options.measure.class_map.empty())
        throw Error(ErrorCode::usage,
                    "votes are about the models' own classes: --votes does not go with "
                    "--class-map");
}

ScoreResult score_runs(const ScoreRunsOptions& options, Comm& comm,
                       const ProgressCallback& progress) {
    ScoreResult result;
    result.across = options.across;
    std::vector<PredictionStore> stores = open_all(options.paths);
    if (!options.across.empty())
        stores = evaluate::matching_data_sets(std::move(stores), options.across, result.warnings);

    if (!options.ood.empty()) {
        add_ood(result, options, stores, comm);
        if (only_ood(options)) return result;
    }
    Together together(options, result, comm, progress);
    together.expect(pointers_to(stores));
    together.add_by_votes(pointers_to(stores));
    for (PredictionStore& opened : stores) {
        const PredictionStore store = std::move(opened);  // closed before the next one
        together.add(store);
    }
    for (const std::string& table : options.published) {
        for (PublishedValue& value :
             beside_published(result.reports, read_published(table), result.warnings))
            result.published.push_back(std::move(value));
    }
    if (!options.across.empty()) {
        result.means =
            score_across(result.reports, options.across, options.measure.resampling.level);
        result.gates = judge(gates_of(options.measure), result.means);
    }
    return result;
}

ScoreResult score_stores(std::span<const PredictionStore* const> stores,
                         const ScoreRunsOptions& options, Comm& comm,
                         const ProgressCallback& progress) {
    ScoreResult result;
    Together together(options, result, comm, progress);
    together.expect(stores);
    for (const PredictionStore* store : stores) together.add(*store);
    return result;
}

bool ScoreResult::partial() const {
    return std::any_of(reports.begin(), reports.end(),
                       [](const ScoreReport& r) { return r.counts.partial(); });
}

}  // namespace assay
