// Many stores in one call: which of them, their gates, and means over data sets.
#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "assay/error.h"
#include "assay/evaluate/published.h"
#include "assay/evaluate/score.h"

namespace assay {
namespace {

// The stores whose data set's name matches; one model under one name may not be two models.
std::vector<PredictionStore> matching(std::vector<PredictionStore> stores,
                                      const std::string& pattern,
                                      std::vector<std::string>& warnings) {
    std::set<std::string> names;
    std::vector<PredictionStore> chosen;
    std::map<std::string, std::set<std::string>> files;
    for (PredictionStore& store : stores) {
        names.insert(store.spec().dataset_name);
        if (fnmatch(pattern.c_str(), store.spec().dataset_name.c_str(), 0) != 0) continue;
        // The hash of an import is that of its scores, another on every data set.
        if (!store.spec().preprocess_hash.empty())
            files[store.spec().model_name].insert(store.spec().model_hash);
        chosen.push_back(std::move(store));
    }
    for (const auto& [model, hashes] : files) {
        if (hashes.size() > 1)
            warnings.push_back("`" + model +
                               "` is not the same file on every data set: its mean is of "
                               "different models");
    }
    if (chosen.empty()) {
        std::string known;
        for (const auto& name : names) known += (known.empty() ? "`" : ", `") + name + "`";
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` matches none of the data sets {}", pattern, known));
    }
    return chosen;
}

// Gates of means over data sets, model by model.
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

// Every model that has both data sets of a pair.
void add_ood(ScoreResult& result, const ScoreRunsOptions& options,
             const std::vector<PredictionStore>& stores, Comm& comm) {
    std::vector<std::string> datasets;
    datasets.reserve(stores.size());
    for (const PredictionStore& store : stores) datasets.push_back(store.spec().dataset_name);
    for (const std::string& text : options.ood) {
        const OodPair pair = parse_ood_pair(text);
        for (const std::string& name : {pair.in, pair.out}) {
            if (std::find(datasets.begin(), datasets.end(), name) == datasets.end())
                throw Error(ErrorCode::usage, fmt::format("no store of the data set `{}`{}", name,
                                                          suggest(name, datasets)));
        }
        bool found = false;
        for (const PredictionStore& in : stores) {
            if (in.spec().dataset_name != pair.in) continue;
            bool both = false;
            for (const PredictionStore& out : stores) {
                if (out.spec().dataset_name != pair.out ||
                    out.spec().model_name != in.spec().model_name)
                    continue;
                both = found = true;
                with_note(
                    "comparing `" + in.folder().string() + "` with `" + out.folder().string() + "`",
                    [&] {
                        for (Measurement& m : measure_ood(in, out, options.measure.resampling.level,
                                                          options.measure.threads, comm))
                            result.ood.push_back(std::move(m));
                    });
            }
            if (!both)
                result.warnings.push_back(fmt::format("{} has {} and not {}: it is left out",
                                                      in.spec().model_name, pair.in, pair.out));
        }
        if (!found)
            throw Error(ErrorCode::usage,
                        fmt::format("no model has both `{}` and `{}`", pair.in, pair.out));
    }
}

}  // namespace

void check(const ScoreRunsOptions& options, const ScoreShown& shown) {
    check(options.measure, false);
    if (!options.across.empty() && !options.published.empty())
        throw Error(ErrorCode::usage, "published values are of single data sets, and of no means");
    for (const std::string& table : options.published) read_published(table);
    if (!options.across.empty() && (shown.per_class || shown.confusions > 0 || shown.reliability))
        throw Error(ErrorCode::usage,
                    "means over data sets are of metrics: classes, confusions and reliability do "
                    "not go with them");
    if (!options.ood.empty() &&
        (!options.across.empty() || shown.per_class || shown.confusions > 0 || shown.reliability))
        throw Error(ErrorCode::usage,
                    "out-of-distribution detection is of pairs of data sets: means, classes, "
                    "confusions and reliability do not go with it");
    for (const std::string& pair : options.ood) parse_ood_pair(pair);
}

ScoreResult score_runs(const ScoreRunsOptions& options, Comm& comm,
                       const ProgressCallback& progress) {
    ScoreResult result;
    result.across = options.across;
    const std::vector<Gate> gates = gates_of(options.measure);
    std::vector<PredictionStore> stores = open_all(options.paths);
    if (!options.across.empty())
        stores = matching(std::move(stores), options.across, result.warnings);

    if (!options.ood.empty()) {
        add_ood(result, options, stores, comm);
        if (options.measure.metrics.empty() && options.measure.gates.empty()) return result;
    }
    std::uint64_t total = 0, done = 0;
    for (const PredictionStore& store : stores) total += store.rows();
    std::set<std::string> warned;  // once a data set: its models share the labels
    for (PredictionStore& opened : stores) {
        const PredictionStore store = std::move(opened);  // closed again before the next
        const std::string name = store.spec().dataset_name + "/" + store.spec().model_name;
        with_note("scoring `" + store.folder().string() + "`", [&] {
            ScoreOptions one = resolve(options.measure, store);
            one.subgroup = options.subgroup;
            one.confusions = options.confusions;
            if (options.reliability) {
                one.reliability = parse_metric("ece");
                if (options.measure.bins > 0)
                    one.reliability->set("bins", std::to_string(options.measure.bins));
                if (!options.measure.edges.empty())
                    one.reliability->set("edges", options.measure.edges);
            }
            if (!one.labels_note.empty() && warned.insert(store.spec().dataset_name).second)
                result.warnings.push_back(one.labels_note);
            result.reports.push_back(score_store(store, one, comm, [&](const Progress& p) {
                if (progress) progress({.step = name, .done = done + p.done, .total = total});
            }));
        });
        done += store.rows();
        const ScoreReport& report = result.reports.back();
        if (options.across.empty()) {
            for (const Gate& gate : gates)
                result.gates.push_back(check_gate(gate, report.measurements));
        }
        for (const auto& text : report.warnings)
            result.warnings.push_back(report.model + ": " + text);
    }
    for (const std::string& table : options.published) {
        for (PublishedValue& value :
             beside_published(result.reports, read_published(table), result.warnings))
            result.published.push_back(std::move(value));
    }
    if (!options.across.empty()) {
        result.means =
            score_across(result.reports, options.across, options.measure.resampling.level);
        result.gates = judge(gates, result.means);
    }
    return result;
}

bool ScoreResult::partial() const {
    return std::any_of(reports.begin(), reports.end(),
                       [](const ScoreReport& r) { return r.counts.partial(); });
}

}  // namespace assay
