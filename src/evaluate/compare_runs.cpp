// Compares a baseline with candidates given by their folders, with gates.
#include <fmt/core.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "core/shell_word.h"
#include "evaluate/given_labels.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/image_weights.h"
#include "evaluate/rate_gate.h"

namespace assay {
namespace {

PredictionStore the_store(const std::filesystem::path& path) {
    const auto found = find_stores(path);
    if (found.size() != 1) {
        throw Error(
            ErrorCode::usage,
            fmt::format("`{}` holds {} stores, but the baseline must be a single one: for example "
                        "`assay compare {} {}`",
                        path.string(), found.size(), shell_word(found.front().string()),
                        shell_word(path.string())));
    }
    return PredictionStore::open(found.front());
}

/// About all images of the candidate, as in score_runs(). No metric of the table has this value, so
/// a note shows it.
GateResult rate_gate(const Gate& gate, const PredictionStore& candidate,
                     const MeasureOptions& measure, PairReport& pair) {
    GateResult result = check_rate_gate(gate, candidate, measure.resampling.level, measure.threads);
    result.model = pair.candidate;
    result.dataset = pair.candidate_dataset;
    result.baseline = pair.baseline;
    pair.notes.push_back(pair.candidate + ": " + evaluate::note_of(gate, *result.point));
    return result;
}

}  // namespace

void check(const CompareRunsOptions& options) {
    check(options.measure, true);
    evaluate::check_group_names(options.by);
    evaluate::check_weights(options);
    const bool weighted = !options.weights.empty() || !options.item_weights.empty();
    for (const Gate& gate : gates_of(options.measure)) {
        if (gate.rate && weighted)
            check_gate(gate, PairReport());  // reports that it has no weights
        const bool about_groups = gate.worst || !gate.group.empty();
        if (about_groups && (options.by.empty() || (gate.worst && !gate.delta)))
            check_gate(gate, PairReport());  // reports its requirements
    }
}

CompareResult compare_runs(const CompareRunsOptions& options, Comm& comm,
                           const ProgressCallback& progress) {
    gates_of(options.measure);  // reports errors before a store is read
    const PredictionStore baseline = the_store(options.baseline);
    std::vector<PredictionStore> stores;
    for (const auto& path : options.candidates) {
        std::vector<PredictionStore> attacked;  // after the models of the folder
        for (const auto& folder : find_stores(path)) {
            // This works for any spelling of the path.
            std::error_code unknown;
            if (std::filesystem::equivalent(folder, baseline.folder(), unknown)) continue;
            PredictionStore store = PredictionStore::open(folder);
            (!derived_of(store).is_variant() ? stores : attacked).push_back(std::move(store));
        }
        for (PredictionStore& store : attacked) stores.push_back(std::move(store));
    }
    if (stores.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("no candidate besides the baseline `{}`: name a second store, or "
                                "answers of people with --people",
                                options.baseline.string()));
    }
    std::vector<const PredictionStore*> candidates;
    for (const PredictionStore& store : stores) candidates.push_back(&store);

    return compare_opened(baseline, candidates, options, comm, progress);
}

CompareResult compare_opened(const PredictionStore& baseline,
                             std::span<const PredictionStore* const> candidates,
                             const CompareRunsOptions& options, Comm& comm,
                             const ProgressCallback& progress) {
    CompareResult result;
    const std::vector<Gate> gates = gates_of(options.measure);
    const PredictionStore* const one = &baseline;
    const GivenLabels given(options.measure, {&one, 1});
    CompareOptions how{resolve(given.measure_for(options.measure, baseline), baseline),
                       options.disagreements, options.other_images};
    how.score.by = options.by;
    how.score.weights = options.weights;
    how.score.item_weights = options.item_weights;
    result.notes = given.notes();
    result.warnings = given.warnings();
    result.pairs = compare_stores(baseline, candidates, how, comm, progress);
    for (std::size_t i = 0; i < result.pairs.size(); ++i) {
        PairReport& pair = result.pairs[i];
        for (const Gate& gate : gates) {
            result.gates.push_back(gate.rate
                                       ? rate_gate(gate, *candidates[i], options.measure, pair)
                                       : check_gate(gate, pair));
            fail_in_doubt(result.gates.back(), pair.candidate_derived);
        }
        for (const auto& text : pair.warnings) result.warnings.push_back(text);
    }
    return result;
}

bool CompareResult::partial() const {
    return std::any_of(pairs.begin(), pairs.end(),
                       [](const PairReport& pair) { return pair.not_scored > 0; });
}

}  // namespace assay
