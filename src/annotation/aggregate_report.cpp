// Writes the text report of an Aggregation.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "annotation/aggregate_parts.h"
#include "annotation/problems_report.h"
#include "assay/annotation/aggregate_votes.h"

namespace assay {

std::string latent_name(std::size_t l, const Aggregation& a) {
    const std::vector<std::string>& names = a.votes.scale.names;
    const std::size_t latents = a.fitted ? a.fitted->latents : 2;
    if (latents == names.size()) return names[l];
    return l == 0 ? names.front() : names.back();
}

namespace {

using Show = Column::Show;

std::string rule_text(const Aggregation& a) {
    if (!a.rule.most.empty()) {
        const char* const most =
            a.which ? "highest posterior of its image" : "most votes of its image";
        return a.rule.threshold > 0
                   ? fmt::format("{}, and {} >= {}", most, a.which ? "posterior" : "proportion",
                                 a.rule.threshold)
                   : std::string(most);
    }
    return fmt::format("{} {} {}", a.fitted ? "posterior" : "proportion",
                       a.rule.above ? ">" : ">=", a.rule.threshold);
}

void add_fit(Table& table, const Aggregation& a) {
    const DawidSkene& fit = *a.fitted;
    table.add({"passes", Count{static_cast<std::uint64_t>(fit.passes)}});
    table.add({"converged", fit.converged ? "yes" : "no"});
    table.add({"log-likelihood per answer",
               Number{.value = fit.log_likelihood / static_cast<double>(a.votes.codes.size()),
                      .digits = 6}});
    for (std::size_t l = 0; l < fit.latents; ++l) {
        table.add({fmt::format("prior of {}", latent_name(l, a)),
                   Number{.value = fit.prior[l], .digits = 4}});
    }
}

void add_comparison(Table& table, const Aggregation& a) {
    const LabelSetComparison& c = *a.comparison;
    table.add(
        {fmt::format("decisions as in {}, %", a.options.against.filename().string()), c.agreement});
    table.add({"  both accept", Count{c.both_accept}});
    table.add({"  both reject", Count{c.both_reject}});
    table.add({"  only these accept", Count{c.only_first}});
    table.add({"  only those accept", Count{c.only_second}});
    table.add({"precision of the labels kept, %", c.precision});
    table.add({"recall of the labels they accept, %", c.recall});
    table.add({"annotated images compared", Count{c.items}});
    table.add({"  with the same set", Count{c.same_set}});
}

std::uint64_t without_label(const Aggregation& a) {
    return a.histogram.back().images;
}

Table facts(const Aggregation& a) {
    Table table{
        .title = a.options.votes.filename().string(),
        .columns = {{.name = "", .numbers = false}, {.name = "", .show = Show::value_and_interval}},
        .rows = {},
        .notes = notes_of(a)};
    table.add({"votes read", Count{a.votes.read}});
    table.add({"votes used", Count{a.votes.used()}});
    table.add({"annotators", Count{a.votes.annotators.size()}});
    if (a.original_votes > 0)
        table.add({"votes of the original labels among them", Count{a.original_votes}});
    table.add({"questions", Count{a.votes.questions()}});
    table.add({"images asked about", Count{a.votes.items.size()}});
    table.add({"method", a.options.method});
    if (a.fitted) add_fit(table, a);
    if (a.which) {
        table.add({"passes", Count{static_cast<std::uint64_t>(a.which->passes)}});
        table.add({"converged", a.which->converged ? "yes" : "no"});
        table.add({"answers that the prior is worth", Number{.value = a.which->strength}});
    }
    table.add({"kept if", rule_text(a)});
    table.add({"labels kept", Count{a.built.kept}});
    if (!a.options.hierarchy.empty()) {
        table.add({"  that follow from others", Count{a.implied_labels}});
        table.add({"  of these, rejected by annotators", Count{a.contradictions}});
    }
    table.add({"Fleiss' kappa", a.agreement.fleiss_kappa});
    table.add({"Krippendorff's alpha", a.agreement.krippendorff_alpha});
    table.add({"images", Count{a.built.sets.size()}});
    table.add({"images with a label", Count{a.built.sets.size() - without_label(a)}});
    table.add({"annotated, no label kept", Count{a.built.emptied}});
    table.add({"not annotated, original label", Count{a.built.original}});
    table.add({"not annotated, skipped", Count{a.built.left_out}});
    if (a.comparison) add_comparison(table, a);
    return table;
}

Table histogram_table(const Aggregation& a) {
    Table table{.title = "Labels per image",
                .columns = {{.name = "labels", .numbers = false},
                            {.name = "images"},
                            {.name = "", .numbers = false}},
                .rows = {},
                .notes = {}};
    std::uint64_t most = 1;
    for (const LabelsPerImage& row : a.histogram) most = std::max(most, row.images);
    for (const LabelsPerImage& row : a.histogram) {
        table.add({std::string(row.labels), Count{row.images},
                   Bar{static_cast<double>(row.images) / static_cast<double>(most), 24}});
    }
    return table;
}

/// The least accurate annotators are first.
Table annotator_table(const Aggregation& a) {
    std::vector<std::size_t> order(a.annotators.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return a.annotators[x].accuracy.value.value_or(2) <
               a.annotators[y].accuracy.value.value_or(2);
    });
    Table table{.title = "Annotators, the least accurate first",
                .columns = {{.name = "annotator", .numbers = false}, {.name = "answers"}},
                .rows = {},
                .notes = {}};
    const auto& names = a.votes.scale.names;
    const std::size_t latents = a.fitted ? a.fitted->latents : 2;
    for (const std::string& name : names) table.columns.push_back({.name = name});
    for (const char* name : {"accuracy %", "agreement %"})
        table.columns.push_back({.name = name, .show = Show::value_and_interval});
    for (std::size_t l = 0; l < latents; ++l) {
        for (const std::string& name : names)
            table.columns.push_back({.name = fmt::format("P({}|{})", name, latent_name(l, a))});
    }
    if (!a.weights.empty()) table.columns.push_back({.name = "weight"});
    for (const std::size_t i : order) {
        const AnnotatorQuality& q = a.annotators[i];
        std::vector<Cell> cells{std::string(a.votes.annotators[i]), Count{q.answers}};
        for (const std::uint64_t n : q.given) cells.emplace_back(Count{n});
        cells.emplace_back(q.accuracy);
        cells.emplace_back(q.agreement);
        for (const double p : q.confusion) cells.emplace_back(Number{.value = p, .digits = 3});
        if (!a.weights.empty()) cells.emplace_back(Number{.value = a.weights[i], .digits = 3});
        table.add(std::move(cells));
    }
    table.notes.emplace_back(
        "accuracy: proportion of correct answers under the posteriors (a maybe is half correct); "
        "agreement: with the others' answers to the same questions; P(answer|truth): confusion.");
    return table;
}

Table threshold_table(const Aggregation& a) {
    const ThresholdCurve& curve = *a.curve;
    Table table{.title = "Thresholds against " + a.options.against.filename().string(),
                .columns = {{.name = "threshold"},
                            {.name = "labels kept"},
                            {.name = "precision %"},
                            {.name = "recall %"},
                            {.name = "agreement %"},
                            {.name = "same set %"},
                            {.name = "", .numbers = false}},
                .rows = {},
                .notes = {}};
    const ThresholdPoint *agreement = curve.best_agreement(), *sets = curve.best_sets();
    const double level = a.options.level;
    for (const double threshold : thresholds_shown(a)) {
        const ThresholdPoint* const point = curve.at(threshold);
        if (point == nullptr) continue;
        std::string mark;
        const auto add = [&](bool holds, const char* text) {
            if (holds) mark += (mark.empty() ? "" : ", ") + std::string(text);
        };
        add(threshold == a.rule.threshold, "in use");
        add(threshold == agreement->threshold, "most decisions alike");
        add(threshold == sets->threshold, "most sets the same");
        table.add({Number{.value = threshold, .digits = 4}, Count{point->kept},
                   curve.precision(*point, level), curve.recall(*point, level),
                   curve.agreement(*point, level), curve.same_sets(*point, level), mark});
    }
    table.notes.emplace_back(
        "over the questions that both answer; precision: accepted labels among the kept ones; "
        "recall: kept labels among the accepted ones; same set: images.");
    return table;
}

}  // namespace

Report report_of(const Aggregation& a) {
    Report report;
    Section section{.title = "", .blocks = {facts(a), histogram_table(a)}, .sections = {}};
    if (a.curve) section.blocks.emplace_back(threshold_table(a));
    if (a.options.list_annotators) section.blocks.emplace_back(annotator_table(a));
    report.sections.push_back(std::move(section));
    report.records = a.options.list_annotators ? annotator_records(a) : value_records(a);
    report.result = to_json(a);
    for (const VoteProblems* problems : {&a.votes.problems, &a.built.problems}) {
        for (std::string& text : warnings_of(*problems)) report.warnings.push_back(std::move(text));
        report.partial = report.partial || problems->total() > 0;
    }
    return report;
}

}  // namespace assay
