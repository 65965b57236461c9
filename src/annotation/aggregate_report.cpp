// An Aggregation as people and programs read it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <functional>
#include <nlohmann/json.hpp>

#include "annotation/problems_report.h"
#include "assay/annotation/aggregate_votes.h"
#include "assay/describe_result.h"
#include "containers/csv.h"
#include "core/result_table.h"
#include "metric/measurement_result.h"

namespace assay {
namespace {

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

struct ShownThreshold {
    const Aggregation* of;
    const ThresholdPoint* point;
    double threshold;

    Estimate shown(Estimate (ThresholdCurve::*what)(const ThresholdPoint&, double) const) const {
        return (*of->curve.*what)(*point, of->options.level);
    }
};
ResultType result_type(ResultOf<ShownThreshold>) {
    using Of = ShownThreshold;
    static constexpr auto rows = describe_result<Of>(
        {.name = "VoteThreshold", .help = "What keeping every label from a threshold on gives"},
        {
            part<&Of::threshold>({}),
            part<&Of::point, &ThresholdPoint::kept>({.help = "Questions"}),
            part<&Of::point, &ThresholdPoint::both_accept>({.help = "Of these, accepted there"}),
            part({.name = "precision"},
                 [](const Of& o) { return o.shown(&ThresholdCurve::precision); }),
            part({.name = "recall"}, [](const Of& o) { return o.shown(&ThresholdCurve::recall); }),
            part({.name = "agreement"},
                 [](const Of& o) { return o.shown(&ThresholdCurve::agreement); }),
            part({.help = "Images", .name = "same_set"},
                 [](const Of& o) { return o.shown(&ThresholdCurve::same_sets); }),
        });
    return rows;
}

struct ShownCurve {
    const Aggregation* of;
    const ThresholdCurve* curve;

    std::optional<ShownThreshold> best(const ThresholdPoint* point) const {
        if (point == nullptr) return std::nullopt;
        return ShownThreshold{of, point, point->threshold};
    }
    std::vector<ShownThreshold> points() const {
        std::vector<ShownThreshold> out;
        for (const double threshold : thresholds_shown(*of)) {
            if (const ThresholdPoint* const point = curve->at(threshold); point != nullptr)
                out.push_back({of, point, threshold});
        }
        return out;
    }
};
ResultType result_type(ResultOf<ShownCurve>) {
    using Of = ShownCurve;
    static constexpr auto rows = describe_result<Of>(
        {.name = "VoteThresholds"},
        {
            part<&Of::curve, &ThresholdCurve::questions>({.help = "That both speak of"}),
            part<&Of::curve, &ThresholdCurve::accepted>({.help = "Of these, accepted there"}),
            part<&Of::curve, &ThresholdCurve::items>({}),
            part<&Of::points>({.help = "Those that the text shows"}),
            part({.name = "best_agreement"},
                 [](const Of& o) { return o.best(o.curve->best_agreement()); }),
            part({.name = "best_same_set"},
                 [](const Of& o) { return o.best(o.curve->best_sets()); }),
        });
    return rows;
}

struct ShownComparison {
    const Aggregation* of;
    const LabelSetComparison* found;
};
ResultType result_type(ResultOf<ShownComparison>) {
    using Of = ShownComparison;
    using Found = LabelSetComparison;
    static constexpr auto rows = describe_result<Of>(
        {.name = "VoteComparison", .help = "The labels beside those of `--against`"},
        {
            part({.name = "with"}, [](const Of& o) { return o.of->options.against.filename(); }),
            part<&Of::found, &Found::agreement>({.help = "Accepted or rejected alike"}),
            part<&Of::found, &Found::both_accept>({.help = "Questions"}),
            part<&Of::found, &Found::both_reject>({}),
            part<&Of::found, &Found::only_first>({.name = "only_these"}),
            part<&Of::found, &Found::only_second>({.name = "only_those"}),
            part<&Of::found, &Found::items>({.help = "Annotated images that were compared"}),
            part<&Of::found, &Found::same_set>({.help = "Of these"}),
            part<&Of::found, &Found::precision>({.help = "Of the labels kept"}),
            part<&Of::found, &Found::recall>({.help = "Of the labels accepted there"}),
            part({.name = "thresholds"},
                 [](const Of& o) {
                     return ShownCurve{o.of, &*o.of->curve};
                 }),
        });
    return rows;
}

/// A row of csv.
struct VoteValue {
    std::string name;
    std::optional<double> value, low, high;
    std::optional<std::uint64_t> n;
    std::string undefined;
};
ResultType result_type(ResultOf<VoteValue>) {
    using Of = VoteValue;
    static constexpr auto rows =
        describe_result<Of>({.name = "VoteValue", .columns = "name,value,low,high,n,undefined"},
                            {part<&Of::name>({}), part<&Of::value>({}), part<&Of::low>({}),
                             part<&Of::high>({}), part<&Of::n>({}), part<&Of::undefined>({})});
    return rows;
}

Table value_records(const Aggregation& a) {
    Table table = result_table<VoteValue>();
    const auto count = [&](std::string name, std::uint64_t n) {
        add_row(table, VoteValue{std::move(name), static_cast<double>(n), {}, {}, {}, {}});
    };
    const auto estimated = [&](std::string name, const Estimate& m) {
        VoteValue row{std::move(name), m.value, {}, {}, m.n, m.undefined};
        if (m.interval) row.low = m.interval->low, row.high = m.interval->high;
        add_row(table, row);
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

struct ShownAnnotator {
    const Aggregation* of;
    std::size_t annotator;
    const AnnotatorQuality* quality;
};
ResultType result_type(ResultOf<ShownAnnotator>) {
    using Of = ShownAnnotator;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AnnotatorQuality"},
        {
            part({.name = "annotator"},
                 [](const Of& o) { return o.of->votes.annotators[o.annotator]; }),
            part<&Of::quality, &AnnotatorQuality::answers>({}),
            part<&Of::quality, &AnnotatorQuality::given>({.help = "How often each answer"}),
            part<&Of::quality, &AnnotatorQuality::confusion>(
                {.help = "Probability of each answer, by latent class"}),
            part<&Of::quality, &AnnotatorQuality::accuracy>({.help = "Under the posteriors"}),
            part<&Of::quality, &AnnotatorQuality::agreement>(
                {.help = "With the others' answers to the same questions"}),
            part({.name = "weight", .omitted = true},
                 [](const Of& o) {
                     return o.of->weights.empty() ? nullptr : &o.of->weights[o.annotator];
                 }),
        });
    return rows;
}

std::vector<ShownAnnotator> shown_annotators(const Aggregation& a) {
    std::vector<ShownAnnotator> out;
    for (std::size_t i = 0; i < a.annotators.size(); ++i) out.push_back({&a, i, &a.annotators[i]});
    return out;
}

struct ShownFit {
    const DawidSkene* fit;
};
ResultType result_type(ResultOf<ShownFit>) {
    using Of = ShownFit;
    static constexpr auto rows = describe_result<Of>(
        {.name = "DawidSkeneFit"},
        {
            part<&Of::fit, &DawidSkene::latents>({.help = "Latent classes"}),
            part<&Of::fit, &DawidSkene::prior>({}),
            part<&Of::fit, &DawidSkene::passes>({.help = "Over all votes"}),
            part<&Of::fit, &DawidSkene::converged>({}),
            part<&Of::fit, &DawidSkene::objective>({.help = "One per pass that was kept"}),
            part<&Of::fit, &DawidSkene::log_likelihood>({.help = "In nats"}),
            part<&Of::fit, &DawidSkene::reordered>({.help = "The latent classes were sorted"}),
        });
    return rows;
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

ResultType result_type(ResultOf<Aggregation>) {
    using Of = Aggregation;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelVotes",
         .help = "Label sets of people's votes",
         .schema = "assay.label_votes/2"},
        {
            part({.help = "The file of votes", .name = "source"},
                 [](const Of& o) { return o.options.votes.filename(); }),
            part<&Of::options, &AggregateOptions::method>({}),
            part<&Of::votes, &Votes::read>({.group = "votes"}),
            part({.name = "used", .group = "votes"},
                 [](const Of& o) { return o.votes.codes.size(); }),
            part<&Of::original_votes>({.help = "Of those used, of the original labels",
                                       .name = "original_labels",
                                       .group = "votes"}),
            part<&Of::votes, &Votes::repeated>({.group = "votes"}),
            part<&Of::votes, &Votes::pooled>({.name = "pooled_questions", .group = "votes"}),
            part({.name = "annotators"}, [](const Of& o) { return o.votes.annotators.size(); }),
            part<&Of::votes, &Votes::questions>({}),
            part({.name = "images"}, [](const Of& o) { return o.votes.items.size(); }),
            part(
                {.help = "Their names", .name = "answers"},
                [](const Of& o) -> const auto& { return o.votes.scale.names; }),
            part<&Of::rule, &KeepRule::threshold>({.group = "rule"}),
            part<&Of::rule, &KeepRule::above>({.help = "More than the threshold", .group = "rule"}),
            part<&Of::built, &BuiltLabelSets::kept>({.name = "labels_kept"}),
            part({.name = "all", .group = "items"},
                 [](const Of& o) { return o.built.sets.size(); }),
            part<&Of::built, &BuiltLabelSets::emptied>(
                {.name = "annotated_without_label", .group = "items"}),
            part<&Of::built, &BuiltLabelSets::original>(
                {.help = "Not annotated: they have their original labels", .group = "items"}),
            part<&Of::built, &BuiltLabelSets::left_out>({.group = "items"}),
            part({.help = "Images by their number of labels: `1` to `5`, `>5`, `none`",
                  .name = "labels_per_image"},
                 [](const Of& o) {
                     std::map<std::string, std::uint64_t> out;
                     for (const LabelsPerImage& row : o.histogram)
                         out[std::string(row.labels)] = row.images;
                     return out;
                 }),
            part({.help = "Fleiss' kappa and Krippendorff's alpha", .name = "measurements"},
                 [](const Of& o) {
                     return std::array{std::cref(o.agreement.fleiss_kappa),
                                       std::cref(o.agreement.krippendorff_alpha)};
                 }),
            part<&Of::agreement, &AnswerAgreement::pairless>(
                {.help = "They are in neither measurement",
                 .name = "questions_with_one_answer_or_none"}),
            part({.name = "notes"}, [](const Of& o) { return notes_of(o); }),
            part(
                {.help = "What was not used", .name = "votes", .group = "problems"},
                [](const Of& o) -> const auto& { return o.votes.problems.kinds(); }),
            part(
                {.name = "items", .group = "problems"},
                [](const Of& o) -> const auto& { return o.built.problems.kinds(); }),
            part({.help = "With that method", .name = "dawid_skene", .omitted = true},
                 [](const Of& o) {
                     return o.fitted ? std::optional(ShownFit{&*o.fitted}) : std::nullopt;
                 }),
            part({.help = "With `--against`", .name = "comparison", .omitted = true},
                 [](const Of& o) {
                     return o.comparison ? std::optional(ShownComparison{&o, &*o.comparison})
                                         : std::nullopt;
                 }),
            part({.help = "With `--annotators`", .name = "annotator_quality", .omitted = true},
                 [](const Of& o) {
                     return o.options.list_annotators ? std::optional(shown_annotators(o))
                                                      : std::nullopt;
                 }),
        });
    return rows;
}

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
