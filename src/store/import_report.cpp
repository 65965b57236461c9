#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "store/described_store.h"

namespace assay {

ResultType result_type(ResultOf<ImportReport>) {
    static constexpr auto rows = describe_result<ImportReport>(
        {.name = "ImportResult",
         .help = "What `assay import` prints",
         .schema = "assay.import/1",
         .columns = "store,rows,classes,kind,storage,without_score"},
        {
            part<&ImportReport::store>({}),
            part<&ImportReport::rows>({}),
            part<&ImportReport::classes>({}),
            part<&ImportReport::kind>({}),
            part<&ImportReport::storage>({}),
            part<&ImportReport::bad_rows>({.name = "without_score"}),
            part<&ImportReport::left_out>({.help = "Rows of the file whose ids match no item"}),
            part<&ImportReport::notes>({.help = "Assumptions and findings"}),
        });
    return rows;
}

Report report_of(const ImportReport& r) {
    Report report;
    report.records = table_of(std::span(&r, 1));
    Table table = report.records;
    table.columns.back().name = "without score";
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = json_of(r);
    report.partial = r.bad_rows > 0;
    if (report.partial) {
        report.warnings.push_back(fmt::format("{} of {} rows have no score; the first: {}",
                                              count_text(r.bad_rows), count_text(r.rows),
                                              r.first_error));
    }
    return report;
}

}  // namespace assay
