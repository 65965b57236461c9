#include "evaluate/score_records.h"

#include <algorithm>

#include "core/result_table.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/score_report_details.h"

namespace assay {

Table measurement_records(std::span<const ScoreReport> reports, std::span<const Measurement> more) {
    Table table = result_table<Measurement>();
    for (const ScoreReport& report : reports) {
        for (const Measurement& m : evaluate::with_groups(report.measurements, report.groups))
            add_row(table, m);
    }
    for (const Measurement& m : more) add_row(table, m);
    return table;
}

Table class_records(std::span<const ScoreReport> reports) {
    const bool valid = std::ranges::any_of(
        reports, [](const ScoreReport& report) { return report.valid_labels.has_value(); });
    if (!valid) {
        Table table = result_table<ShownStore, ClassResult>();
        for (const ScoreReport& report : reports) {
            for (const ClassResult& c : report.per_class) add_row(table, ShownStore{&report}, c);
        }
        return table;
    }
    Table table = result_table<ShownStore, ClassResult, ShownValidClass>();
    for (const ScoreReport& report : reports) {
        for (std::size_t c = 0; c < report.per_class.size(); ++c)
            add_row(table, ShownStore{&report}, report.per_class[c],
                    ShownValidClass{report.valid_labels ? &report.valid_labels->classes.at(c)
                                                        : nullptr});
    }
    return table;
}

Table confusion_records(std::span<const ScoreReport> reports) {
    Table table = result_table<ShownStore, ShownConfusion>();
    for (const ScoreReport& report : reports) {
        const bool valid = report.valid_labels.has_value();
        for (const Confusion& c : listed_confusions(report))
            add_row(table, ShownStore{&report}, ShownConfusion{&report, c, valid});
    }
    return table;
}

Table reliability_records(std::span<const ScoreReport> reports) {
    Table table = result_table<ShownStore, ReliabilityBin>();
    for (const ScoreReport& report : reports) {
        for (const ReliabilityBin& bin : report.reliability)
            add_row(table, ShownStore{&report}, bin);
    }
    return table;
}

}  // namespace assay
