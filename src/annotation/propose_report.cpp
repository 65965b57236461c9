// Reports of proposals for people and programs.
#include <fmt/format.h>

#include <optional>

#include <nlohmann/json.hpp>

#include "annotation/propose_questions.h"
#include "assay/annotation/propose.h"
#include "assay/describe_result.h"
#include "containers/described_csv.h"
#include "core/list_columns.h"
#include "metric/measurement_result.h"

namespace assay {
namespace {

using Show = Column::Show;

bool by_rank(const Proposals& p) {
    return p.options.rule == ProposeOptions::Rule::rank;
}

std::string_view limit_name(const Proposals& p) {
    return by_rank(p) ? "best k" : "threshold";
}

Table model_table(const Proposals& p) {
    Table table;
    table.title = p.dataset.name;
    table.columns = {{.name = "model", .numbers = false},
                     {.name = "chosen", .numbers = false},
                     {.name = std::string(limit_name(p))},
                     {.name = "proposals"},
                     {.name = "alone"},
                     {.name = "recall of known labels %", .show = Show::value_and_interval}};
    for (const ModelProposals& m : p.models) {
        if (!m.chosen) {
            table.add({m.name, false});
            continue;
        }
        table.add({m.name, true,
                   by_rank(p) ? Cell(Number{.value = m.threshold, .digits = 0})
                              : Cell(Number{.value = m.threshold}),
                   Count{m.proposals}, Count{m.alone}, m.recall});
    }
    table.notes.emplace_back(
        "alone: proposed by no other chosen model. A model's predicted class is always proposed.");
    table.notes.insert(table.notes.end(), p.notes.begin(), p.notes.end());
    return table;
}

Table total_table(const Proposals& p) {
    Table table;
    table.columns = {{.name = "", .numbers = false},
                     {.name = "", .show = Show::value_and_interval}};
    table.add({"images", Count{p.items}});
    table.add({"asked about", Count{p.asked}});
    table.add({"skipped, all models agree with the label", Count{p.agreed}});
    table.add({"without scores", Count{p.not_scored}});
    table.add({"questions", Count{p.questions.size()}});
    table.add(
        {"questions per image asked about, mean", Number{.value = p.mean_questions, .digits = 2}});
    table.add({"questions per image, maximum", Count{p.most_questions}});
    for (const auto& [name, recall] :
         {std::pair{"recall of the original labels", &p.recall_original},
          {"recall of the gold labels", &p.recall_gold}}) {
        table.add({std::string(name) + ", %", *recall});
        if (!recall->value) table.notes.push_back(fmt::format("{}: {}", name, recall->undefined));
    }
    table.add({"images that set the thresholds", Count{p.sampled}});
    return table;
}

/// The limit of a model's proposals: a rank or a probability.
struct ProposalLimit {
    std::string_view name;
    std::optional<double> value;
};
ResultType result_type(ResultOf<ProposalLimit>) {
    static constexpr auto rows = describe_result<ProposalLimit>(
        {.name = "ProposalLimit"},
        {part<&ProposalLimit::name>({}), part<&ProposalLimit::value>({})});
    return rows;
}

/// A row of csv.
struct ProposingModel {
    const ModelProposals* of;
    std::vector<ProposalLimit> limits;  ///< one
};
ResultType result_type(ResultOf<ProposingModel>) {
    static constexpr auto of = &ProposingModel::of;
    static constexpr auto rows = describe_result<ProposingModel>(
        {.name = "ProposingModel",
         .columns = "model=of.model,chosen=of.chosen,{name}=limits.value,proposals=of.proposals,"
                    "alone=of.alone,recall of known labels %=of.recall*"},
        {part<of>({}), part<&ProposingModel::limits>({})});
    return rows;
}

Table model_records(const Proposals& p) {
    const std::string_view limit = limit_name(p);
    const ModelProposals none{};
    Table table = result_table_for(ProposingModel{&none, {{limit, {}}}});
    for (const ModelProposals& m : p.models) {
        ProposalLimit shown{limit, {}};
        if (m.chosen) shown.value = m.threshold;
        add_row(table, ProposingModel{&m, {shown}});
    }
    return table;
}

}  // namespace

ResultType result_type(ResultOf<ModelProposals>) {
    using Of = ModelProposals;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ModelProposals"},
        {
            part<&Of::name>({.name = "model"}),
            part<&Of::chosen>({}),
            part({.help = "The lowest probability, or the largest rank, that is proposed",
                  .name = "threshold",
                  .omitted = true},
                 [](const Of& o) { return o.chosen ? &o.threshold : nullptr; }),
            part({.help = "Pairs of image and label", .name = "proposals", .omitted = true},
                 [](const Of& o) { return o.chosen ? &o.proposals : nullptr; }),
            part({.help = "Of these, labels that no other chosen model proposes",
                  .name = "alone",
                  .omitted = true},
                 [](const Of& o) { return o.chosen ? &o.alone : nullptr; }),
            part({.help = "Recall of the known labels", .name = "recall", .omitted = true},
                 [](const Of& o) { return o.chosen ? &o.recall : nullptr; }),
        });
    return rows;
}

ResultType result_type(ResultOf<Proposals>) {
    using Of = Proposals;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelProposals",
         .help = "Which labels to ask annotators about",
         .schema = "assay.label_proposals/1"},
        {
            part<&Of::dataset, &Dataset::name>({.name = "dataset"}),
            part({.name = "rule", .script = R"("probability" | "rank")"},
                 [](const Of& o) { return by_rank(o) ? "rank" : "probability"; }),
            part<&Of::options, &ProposeOptions::recall>({.name = "target_recall"}),
            part<&Of::reached>({}),
            part<&Of::options, &ProposeOptions::depth>(
                {.help = "Number of best classes per row that are considered"}),
            part<&Of::models>({}),
            part<&Of::items>({}),
            part<&Of::asked>({.help = "Images"}),
            part<&Of::agreed>({.help = "Images that were skipped"}),
            part<&Of::not_scored>({}),
            part<&Of::sampled>({.help = "Images that set the thresholds"}),
            part({.name = "questions"}, [](const Of& o) { return o.questions.size(); }),
            part<&Of::mean_questions>({.name = "questions_per_image_mean"}),
            part<&Of::most_questions>({.name = "questions_per_image_max"}),
            part<&Of::recall_original>({.help = "Recall of the original labels"}),
            part<&Of::recall_gold>(
                {.help = "Recall of the gold label sets; undefined without them"}),
            part<&Of::notes>({}),
            part({.help = "Stores that were skipped, such as those of attacks",
                  .name = "warnings",
                  .omitted = true},
                 [](const Of& o) { return o.warnings.empty() ? nullptr : &o.warnings; }),
        });
    return rows;
}

Report report_of(const Proposals& p) {
    Report report;
    report.sections.push_back(
        {.title = "", .blocks = {model_table(p), total_table(p)}, .sections = {}});
    report.records = model_records(p);
    report.result = to_json(p);
    report.warnings = p.warnings;
    if (p.not_scored > 0) {
        report.warnings.push_back(fmt::format("{} images lack the scores of at least one model",
                                              count_text(p.not_scored)));
    }
    if (!p.reached) report.warnings.push_back(p.notes.back());
    report.partial = !p.reached || p.not_scored > 0;
    return report;
}

namespace {

struct ProposedQuestion {
    std::string_view item, path;
    std::string label, class_name, proposed_by;
    double prior;
};
ResultType result_type(ResultOf<ProposedQuestion>) {
    using Of = ProposedQuestion;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ProposedQuestion", .columns = "item,path,label,class,proposed_by,prior"},
        {part<&Of::item>({}), part<&Of::path>({}), part<&Of::label>({}),
         part<&Of::class_name>({.name = "class"}), part<&Of::proposed_by>({}),
         part<&Of::prior>({})});
    return rows;
}

}  // namespace

std::string question_csv(const Proposals& proposals) {
    const Dataset& dataset = proposals.dataset;
    const ClassList& classes = dataset.classes;
    std::string out;
    DescribedCsv<ProposedQuestion> csv(out);
    for (const Question& q : proposals.questions) {
        const auto item = static_cast<std::size_t>(q.item), c = static_cast<std::size_t>(q.cls);
        std::string by;
        for (std::size_t m = 0; m < proposals.models.size(); ++m) {
            if ((q.models >> m & 1U) != 0) by += (by.empty() ? "" : " ") + proposals.models[m].name;
        }
        const bool named = c < classes.size();
        const std::string number = std::to_string(c);
        csv.add({dataset.ids[item],
                 dataset.paths.size() > 0 ? dataset.paths[item] : dataset.ids[item],
                 named ? classes.id(c) : number, named ? classes.name(c) : number,
                 by.empty() ? "original" : by, propose::shortest(q.prior)});
    }
    return out;
}

}  // namespace assay
