#include "assay/annotation/propose.h"

#include <fmt/format.h>

#include "annotation/propose_inputs.h"
#include "annotation/propose_questions.h"
#include "annotation/propose_thresholds.h"
#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/row_reader.h"
#include "core/statistics.h"
#include "data/label_rows.h"
#include "store/same_data.h"

namespace assay {
namespace {

using propose::Inputs;
using propose::QuestionCounts;
using propose::Thresholds;

Measurement recall(const std::string& definition, std::uint64_t found, std::uint64_t all,
                   double level, const std::string& undefined) {
    Measurement m;
    m.unit = Unit::proportion;
    m.key.metric = "recall";
    m.key.definition = definition;
    m.n = all;
    if (all == 0) {
        m.undefined = undefined;
        return m;
    }
    m.value = static_cast<double>(found) / static_cast<double>(all);
    m.interval = wilson(found, all, level);
    return m;
}

void add_models(Proposals& out, const Inputs& inputs) {
    const std::uint32_t depth = inputs.options().depth;
    for (std::size_t m = 0; m < inputs.models(); ++m) {
        const RowReader& reader = inputs.reader(m);
        out.models.push_back({.name = reader.store().spec().model_name,
                              .chosen = true,
                              .threshold = 0,
                              .proposals = 0,
                              .alone = 0,
                              .recall = {}});
        if (std::string writing = writer_warning(reader.store()); !writing.empty())
            out.notes.push_back(std::move(writing));
        if (reader.depth() < depth && reader.depth() < inputs.reader(0).store().classes()) {
            out.notes.push_back(fmt::format(
                "{} keeps {} class{} per image, less than the {} asked for", out.models.back().name,
                reader.depth(), reader.depth() == 1 ? "" : "es", depth));
        }
    }
}

void add_thresholds(Proposals& out, const Inputs& inputs, const Thresholds& thresholds) {
    out.sampled = thresholds.sampled;
    out.reached = thresholds.reached;
    if (!thresholds.reached) out.notes.push_back(thresholds.note);
    for (std::size_t m = 0; m < inputs.models(); ++m) {
        out.models[m].chosen = thresholds.chosen[m] != 0;
        out.models[m].threshold = propose::threshold_shown(thresholds.scores[m], inputs.options());
    }
}

void add_questions(Proposals& out, const Inputs& inputs, QuestionCounts counts) {
    const double level = inputs.options().level;
    out.questions = std::move(counts.questions);
    out.asked = counts.asked;
    out.agreed = counts.agreed;
    out.not_scored = counts.not_scored;
    out.most_questions = counts.most;
    if (out.asked > 0) {
        out.mean_questions =
            static_cast<double>(out.questions.size()) / static_cast<double>(out.asked);
    }
    out.recall_original = recall("recall.original", counts.original_found, counts.original, level,
                                 "the items have no original labels");
    out.recall_gold = recall("recall.gold", counts.gold_found, counts.gold, level,
                             "no gold label sets were given");
    const bool by_gold = inputs.has_gold();
    for (std::size_t m = 0; m < inputs.models(); ++m) {
        ModelProposals& model = out.models[m];
        model.proposals = counts.proposals[m];
        model.alone = counts.alone[m];
        model.recall = recall(by_gold ? "recall.gold" : "recall.original", counts.found[m],
                              by_gold ? counts.gold : counts.original, level, "no known labels");
        if (!model.chosen) {
            model.recall.value.reset();
            model.recall.interval.reset();
            model.recall.undefined = "not chosen";
        }
    }
}

}  // namespace

ProposeOptions::Rule propose_rule_named(std::string_view name) {
    if (name == "probability") return ProposeOptions::Rule::probability;
    if (name == "rank") return ProposeOptions::Rule::rank;
    throw Error(ErrorCode::usage,
                fmt::format("rule `{}`{}", name, suggest(name, {"probability", "rank"})));
}

void check(const ProposeOptions& options) {
    if (!(options.recall > 0 && options.recall <= 1)) {
        throw Error(ErrorCode::usage, fmt::format("recall {} is not in (0, 1]", options.recall));
    }
    if (options.depth < 1 || options.depth > 1000) {
        throw Error(ErrorCode::usage, fmt::format("depth {} is not in 1 .. 1000", options.depth));
    }
    require_labels(options.gold);
}

Proposals propose_labels(const ProposeOptions& options, Comm& comm,
                         const ProgressCallback& progress) {
    check(options);
    const OpenedModels opened = open_models({options.stores.begin(), options.stores.end()});
    std::vector<RowReader> readers;
    for (const PredictionStore& store : opened.stores) {
        store::require_same(opened.stores.front(), store, {.classes = true});
        readers.emplace_back(store);
    }
    if (readers.empty() || readers.size() > 64) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} models; 1 to 64 can propose labels", readers.size()));
    }
    const Dataset& dataset = opened.stores.front().dataset();
    LabelSets gold;
    if (!options.gold.empty()) gold = read_label_sets(options.gold, dataset, dataset.classes);
    const Inputs inputs(readers, options.gold.empty() ? nullptr : &gold, options);
    Proposals out;
    if (!opened.skipped.empty()) out.warnings.push_back(opened.skipped);
    out.items = inputs.items();
    add_models(out, inputs);
    const Thresholds thresholds = propose::find_thresholds(inputs, comm, progress);
    add_thresholds(out, inputs, thresholds);
    add_questions(out, inputs, propose::choose_questions(inputs, thresholds, comm, progress));
    out.options = options;
    out.dataset = dataset;
    return out;
}

}  // namespace assay
