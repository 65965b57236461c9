#include <fmt/format.h>

#include "assay/derived/ensemble.h"
#include "assay/describe_result.h"
#include "core/result_table.h"
#include "derived/described_derived.h"

namespace assay {

ResultType result_type(ResultOf<EnsembleMember>) {
    static constexpr auto rows = describe_result<EnsembleMember>(
        {.name = "EnsembleMember",
         .columns = "model,store,top1=top1.value,low=top1.interval.low,high=top1.interval.high"},
        {
            part<&EnsembleMember::model>({}),
            part<&EnsembleMember::store>({}),
            part<&EnsembleMember::top1>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<EnsembleStore>) {
    static constexpr auto rows = describe_result<EnsembleStore>(
        {.name = "EnsembleStore",
         .help = "What `assay ensemble` prints",
         .schema = "assay.ensemble/1"},
        {
            part<&EnsembleStore::model>({.help = "The ensemble"}),
            part<&EnsembleStore::dataset>({}),
            part<&EnsembleStore::store>({}),
            part<&EnsembleStore::of>({.help = "What is averaged"}),
            part<&EnsembleStore::items>({}),
            part<&EnsembleStore::without_scores>(
                {.help = "Items without scores, because a member lacks them"}),
            part<&EnsembleStore::top1>({}),
            part<&EnsembleStore::agreement>(
                {.help = "Proportion of the pairs of members that predict the same class"}),
            part<&EnsembleStore::mutual_information>(
                {.help =
                     "Mutual information of class and member, in nats: 0 if all members agree"}),
            part<&EnsembleStore::members>({}),
            part<&EnsembleStore::warnings>({}),
        });
    return rows;
}

Report report_of(const EnsembleStore& result) {
    Report report;
    std::vector<EnsembleMember> all{{result.store, result.model, result.top1}};
    all.insert(all.end(), result.members.begin(), result.members.end());
    report.records = table_of(all);
    Table table;
    table.title = fmt::format("{} on {}: mean of the {} of {} members", result.model,
                              result.dataset, name_of(result.of), result.members.size());
    table.columns = {{"model", false}, {"top1 %", true, Column::Show::value_and_interval}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        table.add({all[i].model, all[i].top1});
        if (i == 0) table.rule();
    }
    Table disagreement;
    disagreement.columns = {{"disagreement", false},
                            {"value", true, Column::Show::value_and_interval}};
    disagreement.add({"pairs that predict the same class, %", result.agreement});
    disagreement.add({"mutual information (nats)", result.mutual_information});
    disagreement.notes.push_back(fmt::format("written to {}", result.store.string()));
    report.sections.push_back(
        {.title = "", .blocks = {std::move(table), std::move(disagreement)}, .sections = {}});
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.without_scores > 0;
    return report;
}

}  // namespace assay
