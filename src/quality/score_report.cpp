// QUBA scores, to read.
#include <fmt/format.h>

#include <algorithm>

#include "assay/quality/quba.h"
#include "quality/cell_notes.h"

namespace assay::quality {
namespace {

using nlohmann::json;
using Show = Column::Show;

std::size_t shown_of(const QubaResult& result) {
    const std::size_t top = result.options.top;
    return top > 0 ? std::min(top, result.models.size()) : result.models.size();
}

Table score_table(const QubaResult& result) {
    Table table;
    table.title = "QUBA";
    table.columns = {{.name = "rank", .show = Show::value_and_interval},
                     {.name = "model", .numbers = false},
                     {.name = "score", .show = Show::value_and_half},
                     {.name = "P(best)"},
                     {.name = "P(top 5)"}};
    const bool placed = std::ranges::any_of(
        result.models, [](const ScoredModel& m) { return m.place.value.has_value(); });
    if (placed)
        table.columns.push_back({.name = "place among 326", .show = Show::value_and_interval});
    for (std::size_t i = 0; i < shown_of(result); ++i) {
        const ScoredModel& m = result.models[i];
        std::vector<Cell> cells = {m.rank, result.labels[i], m.score,
                                   Number{m.best, Unit::number, 2},
                                   Number{m.top5, Unit::number, 2}};
        if (placed) cells.emplace_back(m.place);
        table.add(std::move(cells));
    }
    table.notes.push_back(fmt::format(
        "Mean of nine dimensions, each centred and scaled by {}, with the weights `{}`.",
        result.constants.source, result.options.weights));
    if (result.assumed_errors) {
        table.notes.emplace_back(
            "The published values come without errors: those of the sizes of their test sets are "
            "assumed.");
    }
    const std::string joint = text_of_draws(result.draws);
    table.notes.push_back(joint.empty()
                              ? "Intervals: sampling of the images alone, cells of a model and "
                                "models drawn independently."
                              : "Intervals: sampling of the images alone. " + joint);
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    return table;
}

Table contribution_table(const QubaResult& result) {
    Table table;
    table.title = "What the dimensions contribute";
    table.columns = {{.name = "model", .numbers = false}};
    for (const DimensionFacts& facts : dimension_facts())
        table.columns.push_back({.name = std::string(facts.title)});
    for (std::size_t i = 0; i < shown_of(result); ++i) {
        std::vector<Cell> cells = {result.labels[i]};
        for (const auto& part : result.models[i].contribution) {
            if (part) {
                cells.emplace_back(Number{*part, Unit::number, 2, true});
            } else {
                cells.emplace_back();
            }
        }
        table.add(std::move(cells));
    }
    return table;
}

/// All nine with what centres and scales them, so that a reader can score by other weights. Own
/// constants are known of the dimensions with a weight alone.
json dimensions_json(const QubaResult& result) {
    json dimensions = json::array();
    for (std::size_t d = 0; d < dimension_count; ++d) {
        const DimensionFacts& facts = dimension_facts()[d];
        json one = {{"dimension", facts.name},
                    {"title", facts.title},
                    {"is", facts.is},
                    {"higher_is_better", facts.higher_is_better}};
        if (!result.options.own_constants || result.weights[d] > 0) {
            one["mean"] = result.constants.mean[d];
            one["deviation"] = result.constants.deviation[d];
        }
        dimensions.push_back(std::move(one));
    }
    return dimensions;
}

json profiles_json() {
    json profiles = json::array();
    for (const WeightProfile& profile : weight_profiles()) {
        json weights = json::object();
        for (std::size_t d = 0; d < dimension_count; ++d)
            weights[dimension_facts()[d].name] = profile.weights[d];
        profiles.push_back({{"profile", profile.name}, {"is", profile.is}, {"weights", weights}});
    }
    return profiles;
}

}  // namespace

Report report_of(const QubaResult& result) {
    Report report;
    report.title = "Quality beyond accuracy";
    report.warnings = result.warnings;
    report.sections = {
        {.title = "", .blocks = {score_table(result), contribution_table(result)}, .sections = {}}};
    for (const char* name : {"row", "model"}) report.records.columns.push_back({.name = name});
    report.records.columns.push_back({.name = "score", .show = Show::every_part});
    report.records.columns.push_back({.name = "rank", .show = Show::every_part});
    report.records.columns.push_back({.name = "p_best"});
    report.records.columns.push_back({.name = "p_top5"});
    report.records.columns.push_back({.name = "place", .show = Show::every_part});
    for (const DimensionFacts& facts : dimension_facts())
        report.records.columns.push_back({.name = "part_" + std::string(facts.name)});
    json models = json::array();
    for (std::size_t i = 0; i < result.models.size(); ++i) {
        const ScoredModel& m = result.models[i];
        std::vector<Cell> cells = {Count{m.model + 1}, result.labels[i], m.score, m.rank,
                                   Number{m.best},     Number{m.top5},   m.place};
        json parts = json::object(), missing = json::array();
        for (std::size_t d = 0; d < dimension_count; ++d) {
            if (m.contribution[d]) {
                cells.emplace_back(Number{*m.contribution[d]});
                parts[dimension_facts()[d].name] = *m.contribution[d];
            } else {
                cells.emplace_back();
            }
        }
        for (const Dimension d : m.missing) missing.push_back(facts_of(d).name);
        models.push_back({{"row", m.model + 1},
                          {"model", result.labels[i]},
                          {"score", to_json(m.score)},
                          {"rank", to_json(m.rank)},
                          {"p_best", m.best},
                          {"p_top5", m.top5},
                          {"place", to_json(m.place)},
                          {"parts", parts},
                          {"missing", missing}});
        report.records.add(std::move(cells));
    }
    json constants = json::object(), weights = json::object();
    for (std::size_t d = 0; d < dimension_count; ++d) {
        const std::string name(dimension_facts()[d].name);
        weights[name] = result.weights[d];
        if (result.weights[d] > 0)
            constants[name] = {{"mean", result.constants.mean[d]},
                               {"deviation", result.constants.deviation[d]}};
    }
    report.result = {{"schema", "assay.quality_score/1"},
                     {"weights", weights},
                     {"constants", constants},
                     {"constants_from", result.constants.source},
                     {"own_constants", result.options.own_constants},
                     {"dimensions", dimensions_json(result)},
                     {"profiles", profiles_json()},
                     {"level", result.options.level},
                     {"assumed_errors", result.assumed_errors},
                     {"draws", json_of_draws(result.draws)},
                     {"replicates", result.options.replicates},
                     {"seed", result.options.seed},
                     {"models", models},
                     {"notes", result.notes},
                     {"warnings", result.warnings}};
    return report;
}

}  // namespace assay::quality
