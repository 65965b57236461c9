#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "assay/audit/audit.h"
#include "assay/describe_result.h"
#include "audit/described_audit.h"
#include "audit/duplicates.h"
#include "core/result_table.h"
#include "core/shell_word.h"
#include "core/text.h"

namespace assay {

using audit::AmbiguousImage;
using audit::AuditedModel;
using audit::CorrectedModel;
using audit::LabelAudit;
using audit::SuspectLabel;

ResultType result_type(ResultOf<SuspectLabel>) {
    using Of = SuspectLabel;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SuspectLabel",
         .columns = "item,given,suggested,given_name,suggested_name,score,given_probability,"
                    "suggested_probability,predict_suggested,voting,answer,wrong_probability*"},
        {part<&Of::item>({}), part<&Of::given>({.help = "Id of the label's class"}),
         part<&Of::suggested>({.help = "Id of the likeliest other class"}),
         part<&Of::given_name>({}), part<&Of::suggested_name>({}),
         part<&Of::score>({.help = "The label with the lowest score is the most suspicious"}),
         part<&Of::wrong_probability>({.help = "Probability that the label is wrong, estimated "
                                               "from people's answers about other labels"}),
         part<&Of::given_probability>({.help = "Probability by all voting models together"}),
         part<&Of::suggested_probability>({}),
         part<&Of::predict_suggested>({.help = "Voting models that predict the suggested class"}),
         part<&Of::voting>({.help = "Models that vote"}),
         part<&Of::answer>(
             {.help = "People's answer: correct, wrong, cannot be judged; empty: none"})});
    return rows;
}

ResultType result_type(ResultOf<AmbiguousImage>) {
    using Of = AmbiguousImage;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AmbiguousImage"},
        {part<&Of::item>({}), part<&Of::given>({.help = "The label's class"}),
         part<&Of::first>({.help = "The likeliest class"}), part<&Of::second>({}),
         part<&Of::first_probability>({}), part<&Of::second_probability>({})});
    return rows;
}

ResultType result_type(ResultOf<AuditedModel>) {
    using Of = AuditedModel;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AuditedModel"},
        {part<&Of::model>({}), part<&Of::temperature>({.help = "Its logits are divided by this"}),
         part<&Of::loss>({.help = "Mean -ln p of the likeliest three quarters of the labels"}),
         part<&Of::weight>({.help = "0: it does not vote"}),
         part<&Of::opposed>(
             {.help = "Images on which all other models agree on another class than the label, "
                      "each with at least 90 %"}),
         part<&Of::repeated>({.help = "Of these, those on which it predicts the label"}),
         part<&Of::expected>({.help = "Number of such images to expect if no label were wrong"})});
    return rows;
}

ResultType result_type(ResultOf<CorrectedModel>) {
    using Of = CorrectedModel;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CorrectedModel"},
        {part<&Of::model>({}), part<&Of::before>({.help = "Accuracy with the given labels"}),
         part<&Of::after>({.help = "Accuracy with the corrected labels"}),
         part<&Of::change>({.help = "On the same images"}), part<&Of::rank_before>({}),
         part<&Of::rank_after>({})});
    return rows;
}

ResultType result_type(ResultOf<LabelAudit>) {
    using Of = LabelAudit;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelAudit", .help = "What `assay audit` prints", .schema = "assay.audit/1"},
        {part<&Of::dataset>({}),
         part<&Of::images_folder>({.help = "Empty if it is unknown"}),
         part<&Of::images>({.help = "Images with one label and scores of every model"}),
         part<&Of::unlabelled>({.help = "Images without a label, or with several"}),
         part<&Of::left_out>({.help = "Images without a finite score of every model"}),
         part<&Of::suspects>({.help = "Labels with a likelier class"}),
         part<&Of::ambiguous>({.help = "Images with two classes of at least 25 %"}),
         part<&Of::duplicate_groups>({.help = "Images that are in the data set several times"}),
         part<&Of::duplicate_images>({.help = "All images of these groups"}),
         part<&Of::contradicting_groups>({.help = "Groups with different labels"}),
         part<&Of::decoded>({.help = "Images whose pixels were compared"}),
         part<&Of::alike_groups>({.help = "Groups of images that look alike"}),
         part<&Of::alike_images>({.help = "All images of these groups"}),
         part<&Of::contradicting_alike_groups>(
             {.help = "Those of these groups that have different labels"}),
         part<&Of::wrong_labels>({.help = "Number of wrong labels among the suspect ones, "
                                          "estimated from people's answers about some"}),
         part<&Of::sampled>({.help = "Labels in the questions that are not listed"}),
         part<&Of::checked>({.help = "Images with answers"}),
         part<&Of::confirmed_wrong>({.help = "Of these, labels that are wrong"}),
         part<&Of::corrected>({.help = "Of the wrong labels, those with a confirmed class"}),
         part<&Of::without_class>({.help = "Of the wrong labels, those without a confirmed class"}),
         part<&Of::unjudged>({.help = "Images that nobody can judge, or with a tie"}),
         part<&Of::several_classes>({.help = "Images with several confirmed classes"}),
         part<&Of::half_answered>({.help = "Images with answers, but none about the label"}),
         part<&Of::answers_ignored>({.help = "About other images or labels"}),
         part<&Of::models>({}),
         part<&Of::listed>({.help = "The most suspicious labels"}),
         part<&Of::listed_ambiguous>({}),
         part<&Of::listed_duplicates>({.help = "Those with different labels first"}),
         part<&Of::duplicate_notes>({.help = "What was not compared"}),
         part<&Of::corrected_models>({.help = "Empty without answers"}),
         part<&Of::questions_file>({}),
         part<&Of::labels_file>({}),
         part<&Of::notes>({}),
         part<&Of::warnings>({})});
    return rows;
}

namespace audit {
namespace {

std::string number_note(const Estimate& wrong, std::uint64_t suspects) {
    if (!wrong.value) return "number of wrong labels: " + wrong.undefined;
    const auto whole = [](double number) {
        return count_text(static_cast<std::uint64_t>(std::llround(number)));
    };
    std::string out =
        wrong.interval
            ? fmt::format("number of wrong labels: about {} of {} ({:g} % interval: {} – {})",
                          whole(*wrong.value), how_many(wrong.n, "suspect label"),
                          100 * wrong.interval->level, whole(wrong.interval->low),
                          whole(wrong.interval->high))
            : fmt::format("number of wrong labels: {} of {}, which {} all checked",
                          whole(*wrong.value), how_many(wrong.n, "suspect label"),
                          wrong.n == 1 ? "is" : "are");
    if (suspects > wrong.n)
        out +=
            fmt::format("; without {} more that cannot be judged", count_text(suspects - wrong.n));
    if (!wrong.note.empty()) out += " (" + wrong.note + ")";
    return out;
}

Table suspect_table(const LabelAudit& audit, bool answered) {
    Table table;
    table.title = fmt::format("{} of {} labels of {} are suspect", count_text(audit.suspects),
                              count_text(audit.images), audit.dataset);
    table.columns = {
        {"image", false},   {"label", false},       {"suggested", false},          {"score", true},
        {"P(label)", true}, {"P(suggested)", true}, {"models for suggested", true}};
    const bool probable = std::ranges::any_of(audit.listed, [](const SuspectLabel& one) {
        return one.wrong_probability.value.has_value();
    });
    if (probable) table.columns.push_back({"P(wrong) %", true, Column::Show::value_and_interval});
    if (answered) table.columns.push_back({"label is", false});
    for (const SuspectLabel& one : audit.listed) {
        std::vector<Cell> row = {one.item,
                                 one.given_name,
                                 one.suggested_name,
                                 Number{one.score, Unit::number, 2},
                                 Number{one.given_probability, Unit::number, 4},
                                 Number{one.suggested_probability, Unit::number, 4},
                                 fmt::format("{} of {}", one.predict_suggested, one.voting)};
        if (probable && one.wrong_probability.value) {
            row.emplace_back(one.wrong_probability);
        } else if (probable) {
            row.emplace_back("");
        }
        if (answered) row.emplace_back(one.answer);
        table.rows.push_back(std::move(row));
    }
    if (audit.suspects > audit.listed.size())
        table.notes.push_back(fmt::format(
            "{} more: --top {}", count_text(audit.suspects - audit.listed.size()), audit.suspects));
    table.notes.push_back(number_note(audit.wrong_labels, audit.suspects));
    if (audit.unlabelled > 0)
        table.notes.push_back(fmt::format("{} images have no label or several and are skipped",
                                          count_text(audit.unlabelled)));
    if (audit.left_out > 0)
        table.notes.push_back(
            fmt::format("{} images are skipped: a model has no finite scores for them",
                        count_text(audit.left_out)));
    for (const std::string& note : audit.notes) table.notes.push_back(note);
    return table;
}

Table ambiguous_table(const LabelAudit& audit) {
    Table table;
    table.title = fmt::format("{} images with two likely classes", count_text(audit.ambiguous));
    table.columns = {{"image", false},   {"label", false},        {"first class", false},
                     {"P(first)", true}, {"second class", false}, {"P(second)", true}};
    for (const AmbiguousImage& one : audit.listed_ambiguous)
        table.add({one.item, one.given, one.first, Number{one.first_probability, Unit::number, 2},
                   one.second, Number{one.second_probability, Unit::number, 2}});
    return table;
}

Table model_table(const LabelAudit& audit) {
    Table table;
    table.title = "Models";
    table.columns = {{"model", false}, {"temperature", true}, {"loss", true}, {"weight %", true}};
    for (const AuditedModel& one : audit.models)
        table.add({one.model, Number{one.temperature, Unit::number, 2},
                   Number{one.loss, Unit::number, 3}, Number{one.weight, Unit::proportion, 1}});
    return table;
}

Table corrected_table(const LabelAudit& audit) {
    Table table;
    table.title = "Accuracies with the corrected labels";
    table.columns = {{"model", false},
                     {"before %", true, Column::Show::value_and_interval},
                     {"after %", true, Column::Show::value_and_interval},
                     {"change, points", true, Column::Show::value_and_interval, true},
                     {"rank before", true},
                     {"rank after", true}};
    for (const CorrectedModel& one : audit.corrected_models)
        table.add({one.model, one.before, one.after, one.change, Count{one.rank_before},
                   Count{one.rank_after}});
    table.notes.push_back(fmt::format(
        "{} checked, {} wrong: {} corrected, {} without a confirmed class; {} cannot "
        "be judged",
        how_many(audit.checked, "label"), count_text(audit.confirmed_wrong),
        count_text(audit.corrected), count_text(audit.without_class), count_text(audit.unjudged)));
    if (audit.without_class > 0)
        table.notes.push_back("accuracies exclude the images without a confirmed class");
    if (audit.several_classes > 0)
        table.notes.push_back(fmt::format("{} with several confirmed classes: each is correct",
                                          how_many(audit.several_classes, "image")));
    if (audit.checked < audit.images)
        table.notes.push_back(
            "only labels that the models doubt were checked, so accuracies rise more than if all "
            "labels were checked");
    if (!audit.labels_file.empty())
        table.notes.push_back(
            fmt::format("corrected labels: {}; next: assay score RUNS --labels {} --metrics real",
                        audit.labels_file.string(), shell_word(audit.labels_file.string())));
    return table;
}

}  // namespace

Report report_of(const LabelAudit& audit, bool duplicates) {
    Report report;
    report.records = duplicates ? duplicate_records(audit) : table_of(audit.listed);
    const bool answered = !audit.corrected_models.empty();
    Table suspects = suspect_table(audit, answered);
    if (!audit.questions_file.empty() && audit.listed.empty()) {
        suspects.notes.push_back(fmt::format("{} holds no question: no label is suspect",
                                             audit.questions_file.string()));
    } else if (!audit.questions_file.empty()) {
        const std::string images = audit.images_folder.empty()
                                       ? ""
                                       : " --images " + shell_word(audit.images_folder.string());
        suspects.notes.push_back(fmt::format("next: assay serve --questions {} --task labels{}",
                                             shell_word(audit.questions_file.string()), images));
        suspects.notes.push_back("then: assay audit RUNS --confirm VOTES");
    }
    Section section;
    if (duplicates) section.blocks.emplace_back(duplicate_table(audit));
    section.blocks.emplace_back(std::move(suspects));
    if (!audit.listed_ambiguous.empty()) section.blocks.emplace_back(ambiguous_table(audit));
    if (!duplicates &&
        (audit.duplicate_groups > 0 || audit.alike_groups > 0 || !audit.duplicate_notes.empty()))
        section.blocks.emplace_back(duplicate_table(audit));
    section.blocks.emplace_back(model_table(audit));
    if (answered) section.blocks.emplace_back(corrected_table(audit));
    report.sections.push_back(std::move(section));
    report.result = json_of(audit);
    report.warnings = audit.warnings;
    return report;
}

}  // namespace audit
}  // namespace assay
