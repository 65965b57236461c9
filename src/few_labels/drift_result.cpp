#include <fmt/format.h>

#include "assay/describe_result.h"
#include "assay/few_labels/drift.h"
#include "core/result_table.h"
#include "few_labels/described_few_labels.h"

namespace assay {

using few_labels::ClassifierDrift;
using few_labels::DriftSign;
using few_labels::PoolDrift;

ResultType result_type(ResultOf<ClassifierDrift>) {
    using Of = ClassifierDrift;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ClassifierDrift",
         .columns = "classifier,before=before.value,now=now.value,change=change.value,"
                    "low=change.interval.low,high=change.interval.high,alarm"},
        {part<&Of::classifier>({}), part<&Of::before>({.help = "Accuracy on the old pool"}),
         part<&Of::now>({.help = "Accuracy on the new pool"}),
         part<&Of::change>({.help = "Change of the accuracy on images like those of the pools"}),
         part<&Of::alarm>({.help = "The interval of the change excludes 0"})});
    return rows;
}

ResultType result_type(ResultOf<DriftSign>) {
    using Of = DriftSign;
    static constexpr auto rows = describe_result<Of>(
        {.name = "DriftSign"},
        {part<&Of::sign>({.help = "agreement (proportion of images with equal labels), consensus "
                                  "or confidence (means)"}),
         part<&Of::classifier>({.help = "Empty: of all classifiers"}), part<&Of::before>({}),
         part<&Of::now>({}), part<&Of::p>({.help = "Two-sided, after Holm"})});
    return rows;
}

ResultType result_type(ResultOf<PoolDrift>) {
    using Of = PoolDrift;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PoolDrift",
         .help = "What `assay estimate drift` prints",
         .schema = "assay.drift/1"},
        {part<&Of::before>({.help = "Study of the old pool"}),
         part<&Of::now>({.help = "Study of the new pool"}),
         part<&Of::pools>({.help = "New pools that are planned"}),
         part<&Of::level>({.help = "Of all intervals together"}),
         part<&Of::change_level>({.help = "Of each interval"}), part<&Of::classifiers>({}),
         part<&Of::signs>({}),
         part<&Of::alarm>({.help = "True if any classifier has an alarm"}),
         part<&Of::notes>({}), part<&Of::warnings>({})});
    return rows;
}

namespace few_labels {
namespace {

Table change_table(const PoolDrift& result) {
    Table table;
    table.title = fmt::format("Accuracy of {} and {}", result.before.string(), result.now.string());
    table.columns = {{"classifier", false},
                     {"before %", true},
                     {"now %", true},
                     {"change, points", true, Column::Show::value_and_interval, true},
                     {"alarm", false}};
    for (const ClassifierDrift& one : result.classifiers)
        table.add({one.classifier, one.before, one.now, one.change, one.alarm ? "yes" : "no"});
    table.notes.push_back(fmt::format(
        "each interval has the level {:.4g} %; together they have {:.4g} % for {} classifiers and "
        "{} planned pools",
        100 * result.change_level, 100 * result.level, result.classifiers.size(), result.pools));
    return table;
}

Table sign_table(const PoolDrift& result) {
    Table table;
    table.title = "Signs without labels";
    table.columns = {
        {"sign", false}, {"classifier", false}, {"before %", true}, {"now %", true}, {"p", true}};
    for (const DriftSign& one : result.signs)
        table.add({one.sign, one.classifier.empty() ? "all" : one.classifier,
                   Number{one.before, Unit::proportion, 1}, Number{one.now, Unit::proportion, 1},
                   PValue{one.p}});
    return table;
}

}  // namespace

Report report_of(const PoolDrift& result) {
    Report report;
    report.records = table_of(result.classifiers);
    Section section;
    Table signs = sign_table(result);
    if (result.classifiers.empty()) {
        report.records = signs;
    } else {
        section.blocks.emplace_back(change_table(result));
    }
    for (const std::string& note : result.notes) signs.notes.push_back(note);
    section.blocks.emplace_back(std::move(signs));
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    return report;
}

}  // namespace few_labels
}  // namespace assay
