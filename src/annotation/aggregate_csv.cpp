// Writes an Aggregation as csv.
#include <fmt/format.h>

#include "annotation/aggregate_parts.h"
#include "assay/describe_result.h"
#include "containers/described_csv.h"
#include "core/list_columns.h"
#include "metric/measurement_result.h"

namespace assay {
namespace {

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

}  // namespace

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
    count("votes_used", a.votes.used());
    count("annotators", a.votes.annotators.size());
    count("questions", a.votes.questions());
    count("labels_kept", a.built.kept);
    if (!a.options.hierarchy.empty()) {
        count("implied_labels", a.implied_labels);
        count("implied_and_rejected", a.contradictions);
    }
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
    if (a.which) {
        count("passes", static_cast<std::uint64_t>(a.which->passes));
        count("converged", a.which->converged ? 1 : 0);
    }
    if (a.comparison) {
        measured(a.comparison->agreement);
        estimated("precision", a.comparison->precision);
        estimated("recall", a.comparison->recall);
    }
    return table;
}

namespace {

struct GivenAnswers {
    std::string answer;
    std::uint64_t times;
};
ResultType result_type(ResultOf<GivenAnswers>) {
    static constexpr auto rows = describe_result<GivenAnswers>(
        {.name = "GivenAnswers"},
        {part<&GivenAnswers::answer>({}), part<&GivenAnswers::times>({})});
    return rows;
}

/// The probability of an answer if the latent class is the truth.
struct AnswerProbability {
    std::string answer_and_truth;
    double p;
};
ResultType result_type(ResultOf<AnswerProbability>) {
    static constexpr auto rows = describe_result<AnswerProbability>(
        {.name = "AnswerProbability"},
        {part<&AnswerProbability::answer_and_truth>({}), part<&AnswerProbability::p>({})});
    return rows;
}

struct AnnotatorRow {
    const Aggregation* of;
    std::string name;
    const AnnotatorQuality* quality;

    std::vector<GivenAnswers> given() const {
        std::vector<GivenAnswers> out;
        for (const std::uint64_t times : quality->given)
            out.push_back({of->votes.scale.names.at(out.size()), times});
        return out;
    }
    std::vector<AnswerProbability> confusion() const {
        const auto& names = of->votes.scale.names;
        std::vector<AnswerProbability> out;
        for (const double p : quality->confusion) {
            const std::size_t latent = out.size() / names.size();
            out.push_back(
                {fmt::format("{}|{}", names[out.size() % names.size()], latent_name(latent, *of)),
                 p});
        }
        return out;
    }
};
ResultType result_type(ResultOf<AnnotatorRow>) {
    using Of = AnnotatorRow;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AnnotatorRow",
         .columns = "annotator,answers,given_{answer}=given.times,accuracy*,agreement*,"
                    "P({answer_and_truth})=confusion.p"},
        {
            part<&Of::name>({.name = "annotator"}),
            part({.name = "answers"}, [](const Of& o) { return o.quality->answers; }),
            part<&Of::given>({}),
            part(
                {.name = "accuracy"},
                [](const Of& o) -> const auto& { return o.quality->accuracy; }),
            part(
                {.name = "agreement"},
                [](const Of& o) -> const auto& { return o.quality->agreement; }),
            part<&Of::confusion>({}),
        });
    return rows;
}

struct AnnotatorWeight {
    double weight;
};
ResultType result_type(ResultOf<AnnotatorWeight>) {
    static constexpr auto rows = describe_result<AnnotatorWeight>(
        {.name = "AnnotatorWeight", .columns = "weight"}, {part<&AnnotatorWeight::weight>({})});
    return rows;
}

}  // namespace

Table annotator_records(const Aggregation& a) {
    // The columns depend on the answers, even if there is no annotator.
    AnnotatorQuality none;
    none.given.resize(a.votes.answers());
    none.confusion.resize((a.fitted ? a.fitted->latents : 2) * a.votes.answers());
    const AnnotatorRow like{&a, "", &none};
    Table table =
        a.weights.empty() ? result_table_for(like) : result_table_for(like, AnnotatorWeight{});
    for (std::size_t i = 0; i < a.annotators.size(); ++i) {
        const AnnotatorRow row{&a, std::string(a.votes.annotators[i]), &a.annotators[i]};
        if (a.weights.empty()) {
            add_row(table, row);
        } else {
            add_row(table, row, AnnotatorWeight{a.weights[i]});
        }
    }
    return table;
}

namespace {

/// The probability of a "yes", named after its method.
struct YesProbability {
    std::string_view name;
    double value;
};
ResultType result_type(ResultOf<YesProbability>) {
    static constexpr auto rows = describe_result<YesProbability>(
        {.name = "YesProbability"},
        {part<&YesProbability::name>({}), part<&YesProbability::value>({})});
    return rows;
}

/// A question with its votes.
struct PosteriorRow {
    std::string_view item, label;
    std::vector<GivenAnswers> given;
    std::vector<YesProbability> yes;  ///< one
    int kept = 0;
};
ResultType result_type(ResultOf<PosteriorRow>) {
    using Of = PosteriorRow;
    static constexpr auto rows =
        describe_result<Of>({.name = "PosteriorRow",
                             .columns = "item,label,n_{answer}=given.times,{name}=yes.value,kept"},
                            {part<&Of::item>({}), part<&Of::label>({}), part<&Of::given>({}),
                             part<&Of::yes>({}), part<&Of::kept>({})});
    return rows;
}

struct CurveRow {
    double threshold;
    std::uint64_t kept;
    Estimate precision, recall, agreement, same_set;
};
ResultType result_type(ResultOf<CurveRow>) {
    using Of = CurveRow;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CurveRow", .columns = "threshold,kept,precision*,recall*,agreement*,same_set*"},
        {part<&Of::threshold>({}), part<&Of::kept>({}), part<&Of::precision>({}),
         part<&Of::recall>({}), part<&Of::agreement>({}), part<&Of::same_set>({})});
    return rows;
}

}  // namespace

std::string posterior_csv(const Aggregation& a) {
    PosteriorRow row;
    for (const std::string& answer : a.votes.scale.names) row.given.push_back({answer, 0});
    row.yes = {{a.fitted || a.which ? "posterior" : "proportion", 0}};
    std::string out;
    DescribedCsv<PosteriorRow> csv(out, row);
    for (std::size_t q = 0; q < a.votes.questions(); ++q) {
        row.item = a.votes.items[a.votes.question_item[q]];
        row.label = a.votes.labels[a.votes.question_label[q]];
        for (GivenAnswers& given : row.given) given.times = 0;
        for (const std::uint32_t code : a.votes.of(q)) ++row.given[code % row.given.size()].times;
        row.yes[0].value = a.yes[q];
        const bool placed = a.built.item_of_question[q] >= 0 && a.built.class_of_question[q] >= 0;
        row.kept = placed && !a.votes.of(q).empty() && a.rule.keeps(q, a.yes[q]) ? 1 : 0;
        csv.add(row);
    }
    return out;
}

std::string curve_csv(const Aggregation& a) {
    const ThresholdCurve& curve = a.curve.value();
    const double level = a.options.level;
    std::string out;
    DescribedCsv<CurveRow> csv(out);
    for (const ThresholdPoint& p : curve.points) {
        csv.add({p.threshold, p.kept, curve.precision(p, level), curve.recall(p, level),
                 curve.agreement(p, level), curve.same_sets(p, level)});
    }
    return out;
}

}  // namespace assay
