// The report on QUBA scores.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "quality/cell_notes.h"
#include "quality/described_quality.h"

namespace assay::quality {
namespace {

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
        std::vector<Cell> cells = {m.rank, m.label, m.score, Number{m.best, Unit::number, 2},
                                   Number{m.top5, Unit::number, 2}};
        if (placed) cells.emplace_back(m.place);
        table.add(std::move(cells));
    }
    table.notes.push_back(fmt::format(
        "Mean of {}, each centred and scaled by {}, with the weights `{}`.",
        result.options.drop_missing ? "the dimensions that a model has" : "nine dimensions",
        result.constants.source, result.options.weights));
    if (result.assumed_errors) {
        table.notes.emplace_back(
            "The published values have no standard errors: Assay assumes those of the test sets' "
            "sizes.");
    }
    const std::string joint = text_of_draws(result.draws);
    table.notes.push_back(joint.empty() ? "Intervals only cover sampling of the images, "
                                          "independently for the cells of a model and for models."
                                        : "Intervals only cover sampling of the images. " + joint);
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    return table;
}

Table contribution_table(const QubaResult& result) {
    Table table;
    table.title = "Contributions of the dimensions";
    table.columns = {{.name = "model", .numbers = false}};
    for (const DimensionFacts& facts : dimension_facts())
        table.columns.push_back({.name = std::string(facts.title)});
    for (std::size_t i = 0; i < shown_of(result); ++i) {
        const ScoredModel& m = result.models[i];
        std::vector<Cell> cells = {m.label};
        for (const auto& part : m.contribution) {
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

/// The constants that center and scale a dimension.
struct DimensionScale {
    double mean, deviation;
};
ResultType result_type(ResultOf<DimensionScale>) {
    static constexpr auto rows = describe_result<DimensionScale>(
        {.name = "DimensionScale", .help = "Centre and scale of a dimension"},
        {part<&DimensionScale::mean>({}), part<&DimensionScale::deviation>({})});
    return rows;
}

DimensionScale scale_of(const QubaResult& result, std::size_t d) {
    return {result.constants.mean[d], result.constants.deviation[d]};
}

struct ScoreDimension {
    const DimensionFacts* facts;
    std::optional<DimensionScale> scale;
};
ResultType result_type(ResultOf<ScoreDimension>) {
    static constexpr auto rows = describe_result<ScoreDimension>(
        {.name = "ScoreDimension",
         .help = "A dimension, with the data for scores with other weights"},
        {
            part<&ScoreDimension::facts, &DimensionFacts::dimension>({}),
            part<&ScoreDimension::facts, &DimensionFacts::title>({.help = "For people"}),
            part<&ScoreDimension::facts, &DimensionFacts::is>(
                {.help = "What the dimension is, and the data on which it is measured"}),
            part<&ScoreDimension::facts, &DimensionFacts::higher_is_better>({}),
            part<&ScoreDimension::scale>({.inlined = true}),
        });
    return rows;
}

/// All nine dimensions. Own constants are known only for dimensions with a weight.
std::vector<ScoreDimension> dimensions_of(const QubaResult& result) {
    std::vector<ScoreDimension> dimensions;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        dimensions.push_back({&dimension_facts()[d], {}});
        if (!result.options.own_constants || result.weights[d] > 0)
            dimensions.back().scale = scale_of(result, d);
    }
    return dimensions;
}

/// The constants of the dimensions that count.
std::map<std::string, DimensionScale> scales_that_count(const QubaResult& result) {
    PerDimension<std::optional<DimensionScale>> constants;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (result.weights[d] > 0) constants[d] = scale_of(result, d);
    }
    return by_name(constants);
}

}  // namespace

ResultType result_type(ResultOf<WeightProfile>) {
    static constexpr auto rows = describe_result<WeightProfile>(
        {.name = "WeightProfile"},
        {
            part<&WeightProfile::name>({.name = "profile"}),
            part<&WeightProfile::is>({.help = "One line about the dimension"}),
            part({.name = "weights"}, [](const WeightProfile& p) { return by_name(p.weights); }),
        });
    return rows;
}

ResultType result_type(ResultOf<ScoredModel>) {
    static const std::string columns =
        "row,model,score*,rank*,p_best,p_top5,place*" + dimension_columns("part_", "parts");
    static const auto rows = describe_result<ScoredModel>(
        {.name = "ScoredModel", .columns = columns},
        {
            part({.help = "In the table, from 1", .name = "row"},
                 [](const ScoredModel& m) { return m.model + 1; }),
            part<&ScoredModel::label>({.name = "model"}),
            part<&ScoredModel::score>({}),
            part<&ScoredModel::rank>({.help = "Rank among the chosen models; 1 is the best"}),
            part<&ScoredModel::best>(
                {.help = "Probability of rank 1, over the draws", .name = "p_best"}),
            part<&ScoredModel::top5>({.name = "p_top5"}),
            part<&ScoredModel::place>({.help = "Rank among the published models"}),
            part({.help = "Contribution of each dimension; they add up to the score",
                  .name = "parts"},
                 [](const ScoredModel& m) { return by_name(m.contribution); }),
            part<&ScoredModel::missing>({.help = "Dimensions without a value"}),
        });
    return rows;
}

ResultType result_type(ResultOf<DrawnCells>) {
    static constexpr auto rows = describe_result<DrawnCells>(
        {.name = "DrawnCells",
         .help = "How the values of one dimension were drawn: numbers of models"},
        {
            part<&DrawnCells::joint>({.help = "Models whose errors are joint"}),
            part<&DrawnCells::independent>({}),
            part<&DrawnCells::exact>({.help = "Models without a standard error"}),
        });
    return rows;
}

ResultType result_type(ResultOf<QubaResult>) {
    static constexpr auto rows = describe_result<QubaResult>(
        {.name = "QualityScore",
         .help = "One score from nine dimensions",
         .schema = "assay.quality_score/1"},
        {
            part({.name = "weights"}, [](const QubaResult& r) { return by_name(r.weights); }),
            part({.help = "Dimensions that count", .name = "constants"},
                 [](const QubaResult& r) { return scales_that_count(r); }),
            part<&QubaResult::constants, &QubaConstants::source>(
                {.help = "In words", .name = "constants_from"}),
            part<&QubaResult::options, &QubaOptions::own_constants>(
                {.help = "True if the constants come from these models, not the published ones"}),
            part({.help = "All nine, in their order", .name = "dimensions"},
                 [](const QubaResult& r) { return dimensions_of(r); }),
            part({.name = "profiles"}, [](const QubaResult&) { return weight_profiles(); }),
            part<&QubaResult::options, &QubaOptions::level>({.help = "Of the intervals"}),
            part<&QubaResult::assumed_errors>(
                {.help = "True if some standard errors follow only from the sizes of test sets"}),
            part({.help = "Which errors are joint", .name = "draws"},
                 [](const QubaResult& r) { return drawn_by_name(r.draws); }),
            part<&QubaResult::options, &QubaOptions::replicates>({}),
            part<&QubaResult::options, &QubaOptions::seed>({}),
            part<&QubaResult::models>({.help = "The best first"}),
            part<&QubaResult::notes>({}),
            part<&QubaResult::warnings>({}),
        });
    return rows;
}

Section section_of(const QubaResult& result) {
    return {
        .title = "", .blocks = {score_table(result), contribution_table(result)}, .sections = {}};
}

Report report_of(const QubaResult& result) {
    Report report;
    report.title = "Quality beyond accuracy";
    report.warnings = result.warnings;
    report.sections = {section_of(result)};
    report.records = table_of(result.models);
    report.result = json_of(result);
    return report;
}

}  // namespace assay::quality
