#include "cli/paper_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "assay/collective/comm.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "core/add_once.h"
#include "core/refuse.h"
#include "core/text.h"
#include "evaluate/gap/assemble.h"

namespace assay::cli {
namespace {

using nlohmann::json;

std::vector<std::string> words_in(const std::string& list) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t comma = std::min(list.find(',', begin), list.size());
        words.push_back(list.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return words;
}

GapRequest gap_request(const PaperConfig& config) {
    const PaperSettings& paper = config.settings;
    GapRequest request;
    if (!paper.v1.empty()) request.sets = {paper.v1, paper.v2};
    if (paper.table.empty()) {
        request.runs = config.runs;
        request.labels = {paper.labels1, paper.labels2};
    } else {
        request.table = paper.table;
        request.n1 = paper.n1;
        request.n2 = paper.n2;
        request.counts1 = paper.counts1;
        request.counts2 = paper.counts2;
    }
    return request;
}

ScoreRunsOptions composite_options(const PaperConfig& config) {
    ScoreRunsOptions options;
    options.paths = {config.runs};
    options.across = config.settings.composites;
    options.measure.metrics = {"real", "asma", "subgroup_accuracy"};
    options.measure.subgroups = words_in(config.settings.composite_subgroups);
    return options;
}

/// The means over the composites as a further data set of the gap's models. Data sets that only
/// other models have are not among them.
GapAlso further_set(const ScoreResult& composites, const GapReport& report,
                    const PaperSettings& paper) {
    std::vector<ScoreReport> reports;
    std::set<std::string> measured;
    for (const ScoreReport& one : composites.reports) {
        if (std::ranges::find(report.models, one.model, &GapModel::name) == report.models.end())
            continue;
        measured.insert(one.dataset);
        reports.push_back(one);
    }
    GapAlso out =
        also_of_means(paper.composites, paper.composite_subgroups,
                      score_across(reports, paper.composites, report.options.level), report);
    for (const ScoreReport& one : composites.reports)
        if (!measured.contains(one.dataset))
            add_once(out.warnings, not_in_mean(one.dataset, paper.composites));
    for (auto& metrics : out.models) {
        Estimate& top1 = metrics[static_cast<std::size_t>(GapMetric::top1)];
        if (!top1.value) top1.undefined = "top-1 is not measured on composites";
    }
    return out;
}

/// Without any value, the models cannot be ranked.
void require_asma(const GapAlso& composites) {
    constexpr auto asma = static_cast<std::size_t>(GapMetric::asma);
    if (std::ranges::any_of(composites.models,
                            [](const auto& values) { return values[asma].value.has_value(); }))
        return;
    const auto first = std::ranges::find_if(composites.means, [](const AcrossResult& one) {
        return one.mean.key.metric == name_of(GapMetric::asma);
    });
    const bool measured = first != composites.means.end();
    // Values on some of the data sets are not for want of images with so many objects.
    const bool partly = std::ranges::any_of(composites.means, [](const AcrossResult& one) {
        return one.mean.key.metric == name_of(GapMetric::asma) &&
               std::ranges::any_of(one.values, [](const auto& v) { return v.has_value(); });
    });
    refuse(fmt::format("no model has ASMA on `{}` over {} objects ({}): set {}", composites.name,
                       composites.subgroups,
                       measured
                           ? fmt::format("{}: {}", first->mean.key.model, first->mean.undefined)
                           : "no model of the gap has scores on them",
                       measured && !partly
                           ? "composite_subgroups in [paper] to numbers that table-2 lists"
                           : "composites in [paper] to data sets on which the models have values"));
}

replication::AdjustStep adjust_step(const PaperConfig& config) {
    const PaperSettings& paper = config.settings;
    replication::AdjustStep step;
    step.original = paper.original;
    step.replication = paper.replication;
    const bool given = !paper.hits1.empty();
    step.original_hits = given ? paper.hits1 : config.runs / paper.v1;
    step.replication_hits = given ? paper.hits2 : config.runs / paper.v2;
    step.methods = paper.methods;
    step.figures = true;
    step.sweep_eighths = true;  // as `--json`
    return step;
}

}  // namespace

std::string option_text(std::string_view option, const std::string& value) {
    return value.empty() ? "" : fmt::format(" {} {}", option, as_typed(value));
}

std::string_view PaperStudy::missing(PaperSource source) const {
    const PaperSettings& paper = config_.settings;
    const bool stores = !paper.v1.empty();
    constexpr std::string_view no_sets = "set v1 and v2 in [paper]";
    constexpr std::string_view no_annotations = "set original and replication in [paper]";
    switch (source) {
        case PaperSource::none:
            return "";
        case PaperSource::gap:
            return stores || !paper.table.empty() ? "" : "set v1 and v2, or table, in [paper]";
        case PaperSource::ranked:
            if (const std::string_view needed = missing(PaperSource::gap); !needed.empty())
                return needed;
            return paper.composites.empty() ? "set composites in [paper]" : "";
        case PaperSource::stores:
            if (!paper.table.empty()) return "published values do not have it: it needs stores";
            return stores ? "" : no_sets;
        case PaperSource::composites:
            if (!paper.table.empty()) return "published values do not have it: it needs stores";
            if (paper.composites.empty()) return "set composites in [paper]";
            return stores ? "" : no_sets;
        case PaperSource::adjust:
        case PaperSource::figures:
            if (paper.original.empty()) return no_annotations;
            return stores || !paper.hits1.empty() ? "" : no_sets;
        case PaperSource::ranking:
        case PaperSource::distances:
        case PaperSource::pair:
        case PaperSource::tagged:
            return paper.competition.empty() ? "set competition in [paper]" : "";
        case PaperSource::classed:
            if (paper.competition.empty()) return "set competition in [paper]";
            return paper.beside.empty() ? "set beside in [paper] to labelled images" : "";
        case PaperSource::quality:
        case PaperSource::quality_scores:
        case PaperSource::quality_correlations:
        case PaperSource::quality_grouped:
        case PaperSource::quality_groups:
            return paper.quality.empty() ? "set quality in [paper]" : "";
    }
    return "";
}

std::string_view PaperStudy::file_of(PaperSource source) {
    switch (source) {
        case PaperSource::none:
            return "";
        case PaperSource::gap:
        case PaperSource::ranked:
        case PaperSource::stores:
            return "gap.json";
        case PaperSource::composites:
            return "composites.json";
        case PaperSource::adjust:
            return "adjust.json";
        case PaperSource::figures:
            return "figures.json";
        case PaperSource::ranking:
            return "ranking.json";
        case PaperSource::quality:
            return "quality.json";
        case PaperSource::quality_scores:
            return "scores.json";
        case PaperSource::quality_correlations:
            return "correlations.json";
        case PaperSource::quality_grouped:
            return "grouped.json";
        case PaperSource::quality_groups:
            return "groups-1.json";   // and one for each further comparison
        case PaperSource::distances:  // a file for each way
        case PaperSource::pair:
        case PaperSource::tagged:
        case PaperSource::classed:
            return "";
    }
    return "";
}

std::string PaperStudy::command(PaperSource source) const {
    const PaperSettings& paper = config_.settings;
    const std::string runs = config_.runs.string();
    const auto in_runs = [&](const std::string& set) {
        return " " + as_typed((config_.runs / set).string());
    };
    const auto numbers = [](const std::vector<std::uint64_t>& list) {
        return fmt::format("{}", fmt::join(list, ","));
    };
    switch (source) {
        case PaperSource::none:
            return "";
        case PaperSource::gap:
        case PaperSource::ranked:
        case PaperSource::stores:
            if (!paper.table.empty()) {
                const std::string sets =
                    paper.v1.empty() ? "" : " " + as_typed(paper.v1) + " " + as_typed(paper.v2);
                return "assay gap" + sets + option_text("--table", paper.table.string()) +
                       option_text("--n1", paper.n1) + option_text("--n2", paper.n2) +
                       option_text("--counts1", numbers(paper.counts1)) +
                       option_text("--counts2", numbers(paper.counts2));
            }
            return "assay gap" + in_runs(paper.v1) + in_runs(paper.v2) +
                   option_text("--labels1", paper.labels1.string()) +
                   option_text("--labels2", paper.labels2.string());
        case PaperSource::composites:
            return fmt::format(
                "assay score {} --across {} --subgroups {} --metrics real,asma,subgroup_accuracy",
                as_typed(runs), as_typed(paper.composites), as_typed(paper.composite_subgroups));
        case PaperSource::adjust:
        case PaperSource::figures:
            return "assay replicate adjust " + as_typed(paper.original.string()) + " " +
                   as_typed(paper.replication.string()) + " --hits" +
                   (paper.hits1.empty() ? in_runs(paper.v1) + in_runs(paper.v2)
                                        : " " + as_typed(paper.hits1.string()) + " " +
                                              as_typed(paper.hits2.string())) +
                   option_text("--methods", fmt::format("{}", fmt::join(paper.methods, ",")));
        case PaperSource::ranking:
        case PaperSource::distances:
        case PaperSource::pair:
        case PaperSource::tagged:
        case PaperSource::classed:
            return competition_command(source);
        case PaperSource::quality:
        case PaperSource::quality_scores:
        case PaperSource::quality_correlations:
        case PaperSource::quality_grouped:
        case PaperSource::quality_groups:
            return quality_command(source);
    }
    return "";
}

std::string PaperStudy::ranking_command() const {
    const PaperSettings& paper = config_.settings;
    const std::string all = command(PaperSource::gap) + " --all";
    if (paper.composites.empty() || failed_.contains(PaperSource::ranked)) return all;
    if (paper.table.empty())
        return all + "; " + command(PaperSource::composites) + " # the values, without ranks";
    return all + option_text("--rank-by", "asma_" + paper.composites) +
           (paper.ties == PaperTies::dense ? " --ties dense" : "");
}

const GapReport& PaperStudy::gap() {
    return once(gap_, PaperSource::gap, [&] {
        ProgressLine line("gap", "scores");
        GapReport report = run_gap(gap_request(config_), *self_comm(), line);
        line.finish();
        partial_ = partial_ || report.partial;
        add_warnings(report.warnings);
        return report;
    });
}

const GapReport& PaperStudy::ranked() {
    return once(ranked_, PaperSource::ranked, [&] {
        const PaperSettings& paper = config_.settings;
        GapReport report = gap();
        // A table of published values has them as further columns.
        if (paper.table.empty()) {
            report.also.push_back(further_set(composites(), report, paper));
            require_asma(report.also.back());
            add_warnings(report.also.back().warnings);
        }
        report.ranking =
            rank_by(report, "asma_" + paper.composites, "", paper.ties == PaperTies::dense);
        return report;
    });
}

const GapReport& PaperStudy::widest_gap() {
    const GapReport& report = gap();
    if (!missing(PaperSource::ranked).empty()) return report;
    try {
        return ranked();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::io) throw;
        add_warnings({fmt::format("table-4 and gap.json are without `{}`, and table-3 says why",
                                  config_.settings.composites)});
        return report;
    }
}

const ScoreResult& PaperStudy::composites() {
    return once(composites_, PaperSource::composites, [&] {
        ProgressLine line("score", "items");
        ScoreResult result = score_runs(composite_options(config_), *self_comm(), line);
        line.finish();
        partial_ = partial_ || result.partial();
        add_warnings(report_of(result).warnings);
        return result;
    });
}

const replication::AdjustOutcome& PaperStudy::adjust() {
    return once(adjust_, PaperSource::adjust, [&] {
        ProgressLine line("adjust", "steps");
        replication::AdjustOutcome outcome = run_adjust(adjust_step(config_), *self_comm(), line);
        line.finish();
        partial_ = partial_ || outcome.partial;
        add_warnings(report_of(outcome).warnings);
        return outcome;
    });
}

void PaperStudy::add_warnings(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add_once(warnings_, text);
}

json PaperStudy::made(PaperSource source) {
    switch (source) {
        case PaperSource::none:
            break;
        case PaperSource::gap:
        case PaperSource::ranked:
        case PaperSource::stores:
            return to_json(widest_gap());
        case PaperSource::composites:
            return to_json(composites());
        case PaperSource::adjust:
            return report_of(adjust()).result;
        case PaperSource::figures: {
            const replication::AdjustOutcome& outcome = adjust();
            return to_json(
                replication::ReplicateFigures{&outcome.figures.value(), &outcome.adjusted});
        }
        case PaperSource::ranking:
            return report_of(ranking()).result;
        case PaperSource::quality:
            return to_json(quality_table());
        case PaperSource::quality_scores:
            return report_of(quality_scores()).result;
        case PaperSource::quality_correlations:
            return report_of(quality_correlations()).result;
        case PaperSource::quality_grouped:
            return report_of(grouped_correlations()).result;
        case PaperSource::distances:
        case PaperSource::pair:
        case PaperSource::quality_groups:
        case PaperSource::tagged:
        case PaperSource::classed:
            break;
    }
    return {};
}

const json& PaperStudy::result(PaperSource source) {
    const std::string name(file_of(source));
    const auto found = results_.find(name);
    if (found != results_.end()) return found->second;
    return results_.emplace(name, made(source)).first->second;
}

std::vector<std::string> best_by_both(const GapReport& report) {
    constexpr std::size_t shown = 5;
    std::vector<std::string> names;
    if (!report.ranking) return names;
    const auto& places = report.ranking->places;
    std::set<std::size_t> measured;
    for (const GapRanking::Place& place : places) measured.insert(place.model);
    // Models are sorted by top-1 on the first data set.
    for (const std::size_t model : measured) {
        if (names.size() == shown) break;
        add_once(names, report.models[model].name);
    }
    for (std::size_t i = 0; i < std::min(shown, places.size()); ++i)
        add_once(names, report.models[places[i].model].name);
    return names;
}

}  // namespace assay::cli
