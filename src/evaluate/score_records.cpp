#include "evaluate/score_records.h"

#include "core/result_table.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/groups_of_store.h"

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
    Table table = result_table<ShownStore, ClassResult>();
    for (const ScoreReport& report : reports) {
        for (const ClassResult& c : report.per_class) add_row(table, ShownStore{&report}, c);
    }
    return table;
}

Table confusion_records(std::span<const ScoreReport> reports) {
    Table table = result_table<ShownStore, ShownConfusion>();
    for (const ScoreReport& report : reports) {
        for (const Confusion& c : report.confusions)
            add_row(table, ShownStore{&report}, ShownConfusion{&report, c});
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
