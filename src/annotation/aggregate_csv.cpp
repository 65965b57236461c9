// An Aggregation as csv.
#include <fmt/format.h>

#include "annotation/aggregate_parts.h"
#include "assay/describe_result.h"
#include "containers/csv.h"
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

/// Probability of an answer where the latent class is the truth.
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
    // The columns are those of the answers, whether or not there is an annotator.
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

}  // namespace assay
