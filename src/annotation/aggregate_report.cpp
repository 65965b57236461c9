// An Aggregation as people and programs read it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/annotation/aggregate_votes.h"
#include "containers/csv.h"
#include "problems_report.h"

namespace assay {
namespace {

using nlohmann::json;
using Show = Column::Show;

std::string rule_text(const Aggregation& a) {
    return fmt::format("{} {} {}", a.fitted ? "posterior" : "proportion",
                       a.rule.above ? ">" : ">=", a.rule.threshold);
}

std::string latent_name(std::size_t l, std::size_t latents, const AnswerScale& scale) {
    if (latents == scale.names.size()) return scale.names[l];
    return l == 0 ? scale.names.front() : scale.names.back();
}

void add_fit(Table& table, const Aggregation& a) {
    const DawidSkene& fit = *a.fitted;
    table.add({"passes", Count{static_cast<std::uint64_t>(fit.passes)}});
    table.add({"converged", fit.converged ? "yes" : "no"});
    table.add({"log-likelihood per answer",
               Number{.value = fit.log_likelihood / static_cast<double>(a.votes.codes.size()),
                      .digits = 6}});
    for (std::size_t l = 0; l < fit.latents; ++l) {
        table.add({fmt::format("prior of {}", latent_name(l, fit.latents, a.votes.scale)),
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

std::vector<std::string> notes_of(const Aggregation& a) {
    std::vector<std::string> out;
    if (a.fitted) out = a.fitted->notes;
    for (const auto& [name, m] : {std::pair{"Fleiss' kappa", &a.agreement.fleiss_kappa},
                                  {"Krippendorff's alpha", &a.agreement.krippendorff_alpha}}) {
        if (!m->value) out.push_back(fmt::format("{} is undefined: {}", name, m->undefined));
        if (!m->note.empty()) out.push_back(fmt::format("{}: {}", name, m->note));
    }
    if (a.unweighted > 0) {
        out.push_back(
            fmt::format("{} questions have only annotators of weight 0: their plain proportion "
                        "stands in",
                        count_text(a.unweighted)));
    }
    if (a.votes.pooled > 0) {
        out.push_back(
            fmt::format("{} questions were asked under several names of an image or "
                        "label: their votes are counted together",
                        count_text(a.votes.pooled)));
    }
    if (a.votes.repeated > 0) {
        out.push_back(fmt::format("{} votes repeat a question to the same annotator",
                                  count_text(a.votes.repeated)));
    }
    return out;
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
    table.add({"votes used", Count{a.votes.codes.size()}});
    table.add({"annotators", Count{a.votes.annotators.size()}});
    if (a.original_votes > 0)
        table.add({"votes of the original labels among them", Count{a.original_votes}});
    table.add({"questions", Count{a.votes.questions()}});
    table.add({"images asked about", Count{a.votes.items.size()}});
    table.add({"method", a.options.method});
    if (a.fitted) add_fit(table, a);
    table.add({"kept where", rule_text(a)});
    table.add({"labels kept", Count{a.built.kept}});
    table.add({"Fleiss' kappa", a.agreement.fleiss_kappa});
    table.add({"Krippendorff's alpha", a.agreement.krippendorff_alpha});
    table.add({"images", Count{a.built.sets.size()}});
    table.add({"images with a label", Count{a.built.sets.size() - without_label(a)}});
    table.add({"annotated, no label kept", Count{a.built.emptied}});
    table.add({"not annotated, original label", Count{a.built.original}});
    table.add({"not annotated, left out", Count{a.built.left_out}});
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

/// The columns that both tables of annotators have, and their rows in `order`. `people`: confusion
/// and weights with three digits.
Table annotator_rows(const Aggregation& a, const std::vector<std::size_t>& order, bool people) {
    const Show show = people ? Show::value_and_interval : Show::every_part;
    const std::string percent = people ? " %" : "", given = people ? "" : "given_";
    Table table{.title = "",
                .columns = {{.name = "annotator", .numbers = false}, {.name = "answers"}},
                .rows = {},
                .notes = {}};
    const auto& names = a.votes.scale.names;
    const std::size_t latents = a.fitted ? a.fitted->latents : 2;
    for (const std::string& name : names) table.columns.push_back({.name = given + name});
    for (const char* name : {"accuracy", "agreement"})
        table.columns.push_back({.name = name + percent, .show = show});
    for (std::size_t l = 0; l < latents; ++l) {
        for (const std::string& name : names) {
            table.columns.push_back(
                {.name = fmt::format("P({}|{})", name, latent_name(l, latents, a.votes.scale))});
        }
    }
    if (!a.weights.empty()) table.columns.push_back({.name = "weight"});
    const int digits = people ? 3 : -1;
    for (const std::size_t i : order) {
        const AnnotatorQuality& q = a.annotators[i];
        std::vector<Cell> cells{std::string(a.votes.annotators[i]), Count{q.answers}};
        for (const std::uint64_t n : q.given) cells.emplace_back(Count{n});
        cells.emplace_back(q.accuracy);
        cells.emplace_back(q.agreement);
        for (const double p : q.confusion) cells.emplace_back(Number{.value = p, .digits = digits});
        if (!a.weights.empty()) cells.emplace_back(Number{.value = a.weights[i], .digits = digits});
        table.add(std::move(cells));
    }
    return table;
}

std::vector<std::size_t> as_read(const Aggregation& a) {
    std::vector<std::size_t> order(a.annotators.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

Table annotator_table(const Aggregation& a) {
    std::vector<std::size_t> order = as_read(a);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return a.annotators[x].accuracy.value.value_or(2) <
               a.annotators[y].accuracy.value.value_or(2);
    });
    Table table = annotator_rows(a, order, true);
    table.title = "Annotators, the least accurate first";
    table.notes.emplace_back(
        "accuracy: proportion of the answers that are correct under the posteriors (a maybe is "
        "half correct); agreement: with the others' answers to the same questions; "
        "P(answer|truth): confusion.");
    return table;
}

/// The thresholds that people look at: every twentieth, the finer end, the one in use and the best.
std::vector<double> thresholds_shown(const Aggregation& a) {
    std::vector<double> out = {0.99, 0.999, a.rule.threshold};
    for (int i = 1; i < 20; ++i) out.push_back(i / 20.0);
    for (const ThresholdPoint* best : {a.curve->best_agreement(), a.curve->best_sets()}) {
        if (best != nullptr) out.push_back(best->threshold);
    }
    std::ranges::sort(out, std::greater<>());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
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
        "of the questions that both speak of; precision: of the labels kept, those accepted there; "
        "recall: of those accepted there, the ones kept; same set: images.");
    return table;
}

json point_json(const ThresholdCurve& curve, const ThresholdPoint& point, double threshold,
                double level) {
    return {{"threshold", threshold},
            {"kept", point.kept},
            {"both_accept", point.both_accept},
            {"precision", to_json(curve.precision(point, level))},
            {"recall", to_json(curve.recall(point, level))},
            {"agreement", to_json(curve.agreement(point, level))},
            {"same_set", to_json(curve.same_sets(point, level))}};
}

json curve_json(const Aggregation& a) {
    const ThresholdCurve& curve = *a.curve;
    const double level = a.options.level;
    json out = {{"questions", curve.questions}, {"accepted", curve.accepted},
                {"items", curve.items},         {"points", json::array()},
                {"best_agreement", nullptr},    {"best_same_set", nullptr}};
    for (const double threshold : thresholds_shown(a)) {
        if (const ThresholdPoint* const point = curve.at(threshold); point != nullptr)
            out["points"].push_back(point_json(curve, *point, threshold, level));
    }
    if (const ThresholdPoint* best = curve.best_agreement(); best != nullptr)
        out["best_agreement"] = point_json(curve, *best, best->threshold, level);
    if (const ThresholdPoint* best = curve.best_sets(); best != nullptr)
        out["best_same_set"] = point_json(curve, *best, best->threshold, level);
    return out;
}

Table value_records(const Aggregation& a) {
    Table table;
    for (const char* name : {"name", "value", "low", "high", "n", "undefined"})
        table.columns.push_back({.name = name});
    const auto count = [&](const std::string& name, std::uint64_t n) {
        table.add({name, Count{n}});
    };
    const auto estimated = [&](const std::string& name, const Estimate& m) {
        const auto cell = [](const std::optional<double>& x) {
            return x ? Cell(Number{.value = *x}) : Cell();
        };
        std::optional<double> low, high;
        if (m.interval) low = m.interval->low, high = m.interval->high;
        table.add({name, cell(m.value), cell(low), cell(high), Count{m.n}, m.undefined});
    };
    const auto measured = [&](const Measurement& m) { estimated(m.key.definition, m); };
    count("votes_read", a.votes.read);
    count("votes_used", a.votes.codes.size());
    count("annotators", a.votes.annotators.size());
    count("questions", a.votes.questions());
    count("labels_kept", a.built.kept);
    count("items", a.built.sets.size());
    count("emptied", a.built.emptied);
    count("original", a.built.original);
    count("left_out", a.built.left_out);
    for (const LabelsPerImage& row : a.histogram)
        count("items_" + std::string(row.labels), row.images);
    measured(a.agreement.fleiss_kappa);
    measured(a.agreement.krippendorff_alpha);
    if (a.fitted) {
        count("passes", static_cast<std::uint64_t>(a.fitted->passes));
        count("converged", a.fitted->converged ? 1 : 0);
    }
    if (a.comparison) {
        measured(a.comparison->agreement);
        estimated("precision", a.comparison->precision);
        estimated("recall", a.comparison->recall);
    }
    return table;
}

json annotator_json(const Aggregation& a) {
    json out = json::array();
    for (std::size_t i = 0; i < a.annotators.size(); ++i) {
        const AnnotatorQuality& q = a.annotators[i];
        json row = {{"annotator", std::string(a.votes.annotators[i])},
                    {"answers", q.answers},
                    {"given", q.given},
                    {"confusion", q.confusion},
                    {"accuracy", to_json(q.accuracy)},
                    {"agreement", to_json(q.agreement)}};
        if (!a.weights.empty()) row["weight"] = a.weights[i];
        out.push_back(std::move(row));
    }
    return out;
}

json result_of(const Aggregation& a) {
    json out = {
        {"schema", "assay.label_votes/2"},
        {"source", a.options.votes.filename().string()},
        {"method", a.options.method},
        {"votes",
         {{"read", a.votes.read},
          {"used", a.votes.codes.size()},
          {"original_labels", a.original_votes},
          {"repeated", a.votes.repeated},
          {"pooled_questions", a.votes.pooled}}},
        {"annotators", a.votes.annotators.size()},
        {"questions", a.votes.questions()},
        {"images", a.votes.items.size()},
        {"answers", a.votes.scale.names},
        {"rule", {{"threshold", a.rule.threshold}, {"above", a.rule.above}}},
        {"labels_kept", a.built.kept},
        {"items",
         {{"all", a.built.sets.size()},
          {"annotated_without_label", a.built.emptied},
          {"original", a.built.original},
          {"left_out", a.built.left_out}}},
        {"labels_per_image", json::object()},
        {"measurements",
         {to_json(a.agreement.fleiss_kappa), to_json(a.agreement.krippendorff_alpha)}},
        {"questions_with_one_answer_or_none", a.agreement.pairless},
        {"notes", notes_of(a)},
        {"problems", {{"votes", to_json(a.votes.problems)}, {"items", to_json(a.built.problems)}}}};
    for (const LabelsPerImage& row : a.histogram)
        out["labels_per_image"][std::string(row.labels)] = row.images;
    if (a.fitted) {
        out["dawid_skene"] = {
            {"latents", a.fitted->latents},     {"prior", a.fitted->prior},
            {"passes", a.fitted->passes},       {"converged", a.fitted->converged},
            {"objective", a.fitted->objective}, {"log_likelihood", a.fitted->log_likelihood},
            {"reordered", a.fitted->reordered}};
    }
    if (a.comparison) {
        out["comparison"] = {{"with", a.options.against.filename().string()},
                             {"agreement", to_json(a.comparison->agreement)},
                             {"both_accept", a.comparison->both_accept},
                             {"both_reject", a.comparison->both_reject},
                             {"only_these", a.comparison->only_first},
                             {"only_those", a.comparison->only_second},
                             {"items", a.comparison->items},
                             {"same_set", a.comparison->same_set},
                             {"precision", to_json(a.comparison->precision)},
                             {"recall", to_json(a.comparison->recall)},
                             {"thresholds", curve_json(a)}};
    }
    if (a.options.list_annotators) out["annotator_quality"] = annotator_json(a);
    return out;
}

}  // namespace

Table annotator_records(const Aggregation& a) {
    return annotator_rows(a, as_read(a), false);
}

std::string curve_csv(const Aggregation& a) {
    const ThresholdCurve& curve = a.curve.value();
    std::string out;
    CsvWriter csv(out);
    csv.field("threshold");
    csv.field("kept");
    for (const std::string name : {"precision", "recall", "agreement", "same_set"}) {
        for (const char* part : {"", "_low", "_high"}) csv.field(name + part);
    }
    csv.end_row();
    const auto number = [&](double value) { csv.field(fmt::format("{}", value)); };
    const double level = a.options.level;
    // Line by line: there is one for each question, and a report's cells take a hundred times what
    // they say.
    for (const ThresholdPoint& p : curve.points) {
        number(p.threshold);
        csv.field(fmt::format("{}", p.kept));
        for (const Estimate& e : {curve.precision(p, level), curve.recall(p, level),
                                  curve.agreement(p, level), curve.same_sets(p, level)}) {
            e.value ? number(*e.value) : csv.field("");
            e.interval ? number(e.interval->low) : csv.field("");
            e.interval ? number(e.interval->high) : csv.field("");
        }
        csv.end_row();
    }
    return out;
}

Report report_of(const Aggregation& a) {
    Report report;
    Section section{.title = "", .blocks = {facts(a), histogram_table(a)}, .sections = {}};
    if (a.curve) section.blocks.emplace_back(threshold_table(a));
    if (a.options.list_annotators) section.blocks.emplace_back(annotator_table(a));
    report.sections.push_back(std::move(section));
    report.records = a.options.list_annotators ? annotator_records(a) : value_records(a);
    report.result = result_of(a);
    for (const VoteProblems* problems : {&a.votes.problems, &a.built.problems}) {
        for (std::string& text : warnings_of(*problems)) report.warnings.push_back(std::move(text));
        report.partial = report.partial || problems->total() > 0;
    }
    return report;
}

}  // namespace assay
