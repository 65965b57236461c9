#include "cli/paper_quality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "cli/command.h"
#include "cli/paper_study.h"
#include "core/add_once.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "quality/constants.h"
#include "report/plot_recipes.h"

namespace assay::cli {
namespace paper_quality {
namespace {

using quality::Dimension;
using quality::DimensionFacts;

constexpr std::size_t best_by_profile = 5;

/// A table of the report's first section.
Table table_at(const Report& report, std::size_t block) {
    return std::get<Table>(report.sections.at(0).blocks.at(block));
}

std::vector<std::string> selectors_in(std::string_view text) {
    std::vector<std::string> out;
    for_each_part(text, "&", [&](std::string_view part) { out.emplace_back(part); });
    return out;
}

Cell number_cell(const std::optional<double>& value) {
    return value ? Cell(Number{.value = *value, .digits = 4}) : Cell();
}

std::string selectors_text(const std::vector<std::string>& selectors) {
    return fmt::format("{}", fmt::join(selectors, " & "));
}

std::string comparison_name(const quality::GroupOptions& options) {
    return fmt::format("{} | {}", selectors_text(options.first), selectors_text(options.second));
}

/// "CNN | Transformer" if one tag distinguishes the groups.
std::string comparison_title(const quality::GroupOptions& options) {
    const std::string &first = options.first.front(), &second = options.second.front();
    const std::size_t tag = first.find('=');
    const bool one_tag = options.first.size() == 1 && options.second.size() == 1 &&
                         tag != std::string::npos &&
                         first.substr(0, tag + 1) == second.substr(0, tag + 1);
    return one_tag ? fmt::format("{} | {}", first.substr(tag + 1), second.substr(tag + 1))
                   : comparison_name(options);
}

const std::vector<quality::GroupResult>& given_comparisons(PaperStudy& study) {
    if (study.settings().groups.empty())
        throw NoInput("set groups in [paper], as in groups = [\"TAG=VALUE | TAG=VALUE\"]");
    return study.comparisons();
}

void require_by(PaperStudy& study) {
    if (study.settings().by.empty())
        throw NoInput("set by in [paper] to a column of the table, such as architecture");
}

}  // namespace

std::string table_text(const PaperSettings& settings) {
    return settings.quality.string();
}

std::vector<quality::GroupOptions> comparisons_of(const PaperSettings& settings) {
    std::vector<quality::GroupOptions> out;
    for (const std::string& text : settings.groups) {
        std::vector<std::vector<std::string>> sides;
        for_each_part(text, "|",
                      [&](std::string_view side) { sides.push_back(selectors_in(side)); });
        if (sides.size() != 2 || sides[0].empty() || sides[1].empty())
            refuse(
                fmt::format("[paper].groups has `{}`; allowed: two groups of models, as in "
                            "\"architecture=CNN | architecture=Transformer\", with & between "
                            "selectors of one group",
                            shortened(text)));
        quality::GroupOptions options;
        options.first = sides[0];
        options.second = sides[1];
        options.published_test = true;
        out.push_back(std::move(options));
    }
    return out;
}

std::string comparison_file(std::size_t comparison) {
    return fmt::format("groups-{}.json", comparison + 1);
}

Table dimensions(PaperStudy& study) {
    const quality::QualityTable& table = study.quality_table();
    Table out;
    out.title = "Dimensions of quality";
    out.columns = {{.name = "dimension", .numbers = false},
                   {.name = "better", .numbers = false},
                   {.name = "models"},
                   {.name = "mean"},
                   {.name = "deviation"},
                   {.name = "lowest"},
                   {.name = "highest"},
                   {.name = "published mean"},
                   {.name = "published deviation"}};
    const quality::QubaConstants& published = quality::published_constants();
    for (const DimensionFacts& facts : quality::dimension_facts()) {
        std::vector<double> values;
        for (const quality::QualityModel& model : table.models) {
            const auto& value = model.cell(facts.dimension).value;
            if (value) values.push_back(*value);
        }
        const auto d = static_cast<std::size_t>(facts.dimension);
        std::vector<Cell> row = {std::string(facts.title),
                                 std::string(facts.higher_is_better ? "higher" : "lower"),
                                 Count{values.size()}};
        if (values.empty()) {
            row.insert(row.end(), 4, Cell());
        } else {
            // This sorts the values, too.
            const auto moments = quality::trimmed_moments(values, quality::QubaOptions{}.trim);
            for (const double value :
                 {moments.mean, moments.deviation, values.front(), values.back()})
                row.push_back(number_cell(value));
        }
        row.push_back(number_cell(published.mean[d]));
        row.push_back(number_cell(published.deviation[d]));
        out.add(std::move(row));
    }
    out.notes.emplace_back(
        "Mean and deviation exclude the lowest and the highest tenth of the models, as those of "
        "the 326 published models do.");
    return out;
}

Table models(PaperStudy& study) {
    const quality::QualityTable& table = study.quality_table();
    Table out;
    out.title = "Quality of " + how_many(table.models.size(), "model");
    out.columns = {{.name = "model", .numbers = false}};
    std::vector<std::pair<Dimension, bool>> shown;  // true: its standard error
    for (const DimensionFacts& facts : quality::dimension_facts()) {
        out.columns.push_back({.name = std::string(facts.title)});
        shown.emplace_back(facts.dimension, false);
        const bool known = std::ranges::any_of(table.models, [&](const auto& model) {
            return model.cell(facts.dimension).standard_error.has_value();
        });
        if (!known) continue;
        out.columns.push_back({.name = fmt::format("{}, standard error", facts.title)});
        shown.emplace_back(facts.dimension, true);
    }
    for (const quality::QualityModel& model : table.models) {
        std::vector<Cell> row = {model.label};
        for (const auto& column : shown) {
            const quality::QualityCell& cell = model.cell(column.first);
            row.push_back(number_cell(column.second ? cell.standard_error : cell.value));
        }
        out.add(std::move(row));
    }
    for (const std::string& note : table.notes) out.notes.push_back(note + ".");
    return out;
}

Table comparisons(PaperStudy& study) {
    Table out;
    out.title = "Comparisons of groups of models";
    for (const quality::GroupResult& result : given_comparisons(study)) {
        Table one = table_at(report_of(result), 0);
        if (out.columns.empty()) {
            out.columns = {{.name = "groups", .numbers = false}};
            out.columns.insert(out.columns.end(), one.columns.begin(), one.columns.end());
        } else {
            out.rule();
        }
        for (std::vector<Cell>& row : one.rows) {
            row.insert(row.begin(), comparison_name(result.options));
            out.add(std::move(row));
        }
        for (const std::string& note : one.notes) add_once(out.notes, note);
    }
    return out;
}

Table best(PaperStudy& study) {
    const quality::QubaResult& result = study.quality_scores();
    const std::size_t shown = std::min<std::size_t>(study.settings().best, result.models.size());
    Table out;
    out.title = fmt::format("The best of {} by QUBA", how_many(result.models.size(), "model"));
    out.columns = {{.name = "rank", .show = Column::Show::value_and_interval},
                   {.name = "model", .numbers = false},
                   {.name = "score", .show = Column::Show::value_and_half}};
    for (const DimensionFacts& facts : quality::dimension_facts())
        out.columns.push_back({.name = std::string(facts.title)});
    for (std::size_t i = 0; i < shown; ++i) {
        const quality::ScoredModel& model = result.models[i];
        std::vector<Cell> row = {model.rank, model.label, model.score};
        for (const quality::QualityCell& cell : study.quality_table().models[model.model].cells)
            row.push_back(number_cell(cell.value));
        out.add(std::move(row));
    }
    return out;
}

Table scores(PaperStudy& study) {
    return table_at(report_of(study.quality_scores()), 0);
}

Table profiles(PaperStudy& study) {
    Table out;
    out.title = "The five best models by seven sets of weights";
    out.columns = {{.name = "weights", .numbers = false}};
    for (std::size_t place = 1; place <= best_by_profile; ++place)
        out.columns.push_back({.name = fmt::format("{}", place), .numbers = false});
    quality::QubaOptions options;
    // Only the order of the scores is shown, so draws are of no use.
    options.replicates = 100;  // the fewest
    options.among_published = false;
    for (const quality::WeightProfile& profile : quality::weight_profiles()) {
        options.weights = profile.name;
        const quality::QubaResult result = study.scored(options);
        std::vector<Cell> row = {std::string(profile.name)};
        for (std::size_t i = 0; i < std::min(best_by_profile, result.models.size()); ++i)
            row.emplace_back(result.models[i].label);
        out.add(std::move(row));
    }
    out.notes.emplace_back("Balanced, or one group of dimensions doubled.");
    return out;
}

Table correlations(PaperStudy& study) {
    return table_at(report_of(study.quality_correlations()), 1);
}

Table grouped_correlations(PaperStudy& study) {
    require_by(study);
    const quality::CorrelateResult& result = study.grouped_correlations();
    Table out;
    out.title = "Correlations among the models of each group";
    out.columns = {{.name = result.options.by, .numbers = false},
                   {.name = "models"},
                   {.name = "first", .numbers = false},
                   {.name = "second", .numbers = false},
                   {.name = "rho", .show = Column::Show::value_and_interval},
                   {.name = fmt::format("p ({})", result.options.adjust)}};
    for (const quality::CorrelateGroup& group : result.groups) {
        if (!out.rows.empty()) out.rule();
        for (const quality::Correlation& pair : group.pairs)
            out.add({group.value, Count{group.models}, pair.y.title, pair.x.title, pair.rho,
                     pair.rho.value ? Cell(PValue{pair.adjusted}) : Cell()});
    }
    return out;
}

std::vector<Plot> scatters(PaperStudy& study) {
    std::vector<Plot> plots;
    for (const DimensionFacts& facts : quality::dimension_facts()) {
        const bool measured =
            std::ranges::any_of(study.quality_table().models, [&](const auto& model) {
                return model.cell(Dimension::accuracy).value && model.cell(facts.dimension).value;
            });
        if (facts.dimension == Dimension::accuracy || !measured) continue;
        PlotChoice choice;
        choice.y = facts.name;
        for (Plot& plot : plots_of("quality-scatter", study.result(PaperSource::quality), choice)) {
            // Eight plots have no space for whole names.
            plot.title.clear();
            plot.y_title = abbreviated_dimension(choice.y);
            plots.push_back(std::move(plot));
        }
    }
    if (plots.empty()) throw NoInput("no model has an accuracy and another dimension");
    return plots;
}

std::vector<Plot> effects(PaperStudy& study) {
    std::vector<Plot> plots;
    for (const quality::GroupResult& result : given_comparisons(study)) {
        for (Plot& plot : plots_of("quality-groups", report_of(result).result)) {
            plot.title = comparison_title(result.options);
            plots.push_back(std::move(plot));
        }
    }
    return plots;
}

std::vector<Plot> matrix(PaperStudy& study) {
    return plots_of("quality-matrix", study.result(PaperSource::quality_correlations));
}

std::vector<Plot> matrices(PaperStudy& study) {
    require_by(study);
    std::vector<Plot> plots =
        plots_of("quality-matrix", study.result(PaperSource::quality_grouped));
    plots.erase(plots.begin());
    return plots;
}

}  // namespace paper_quality

const quality::QualityTable& PaperStudy::quality_table() {
    const std::string table = paper_quality::table_text(settings());
    if (table == "published") return quality::published_models();
    return once(quality_table_, PaperSource::quality,
                [&] { return quality::read_quality_table(table); });
}

quality::QubaResult PaperStudy::scored(quality::QubaOptions options) {
    options.drop_missing = true;
    return score_quality(quality_table(), options);
}

const quality::QubaResult& PaperStudy::quality_scores() {
    return once(quality_scores_, PaperSource::quality_scores, [&] {
        quality::QubaResult result = scored({});
        add_warnings(result.warnings);
        results_[std::string(file_of(PaperSource::quality_scores))] = report_of(result).result;
        return result;
    });
}

const quality::CorrelateResult& PaperStudy::quality_correlations() {
    return once(quality_correlations_, PaperSource::quality_correlations, [&] {
        quality::CorrelateResult result = correlate_dimensions(quality_table(), {});
        add_warnings(result.warnings);
        return result;
    });
}

const quality::CorrelateResult& PaperStudy::grouped_correlations() {
    return once(grouped_correlations_, PaperSource::quality_grouped, [&] {
        quality::CorrelateOptions options;
        options.by = settings().by;
        quality::CorrelateResult result = correlate_dimensions(quality_table(), options);
        add_warnings(result.warnings);
        return result;
    });
}

const std::vector<quality::GroupResult>& PaperStudy::comparisons() {
    return once(comparisons_, PaperSource::quality_groups, [&] {
        std::vector<quality::GroupResult> out;
        std::vector<std::string> failed;
        const quality::QualityTable& table = quality_table();
        const std::vector<quality::GroupOptions> all = paper_quality::comparisons_of(settings());
        for (std::size_t i = 0; i < all.size(); ++i) {
            try {
                out.push_back(compare_groups(table, all[i]));
            } catch (const Error& error) {
                if (error.code() == ErrorCode::interrupted) throw;
                failed.push_back(fmt::format("groups {} of {} in [paper]: {}", i + 1, all.size(),
                                             error.message()));
                continue;
            }
            add_warnings(out.back().warnings);
            results_[paper_quality::comparison_file(i)] = report_of(out.back()).result;
        }
        if (out.empty() && !failed.empty()) throw Error(ErrorCode::bad_input, failed.front());
        add_warnings(failed);
        if (!failed.empty()) set_partial();
        return out;
    });
}

std::string PaperStudy::quality_command(PaperSource source) const {
    const std::string table = as_typed(paper_quality::table_text(settings()));
    if (source == PaperSource::quality) return "assay quality merge " + table;
    if (source == PaperSource::quality_scores)
        return "assay quality score " + table + " --drop-missing";
    if (source == PaperSource::quality_correlations) return "assay quality correlate " + table;
    if (source == PaperSource::quality_grouped)
        return "assay quality correlate " + table + option_text("--by", settings().by);
    std::string out;
    std::size_t comparison = 0;
    for (const quality::GroupOptions& one : paper_quality::comparisons_of(settings())) {
        out += (out.empty() ? "" : "; ") + std::string("assay quality groups ") + table;
        for (const std::string& selector : one.first) out += option_text("--first", selector);
        for (const std::string& selector : one.second) out += option_text("--second", selector);
        out += " --published-test --json -o " + paper_quality::comparison_file(comparison++);
    }
    return out;
}

}  // namespace assay::cli
