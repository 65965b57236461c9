#include <fmt/format.h>

#include "assay/store/import.h"

namespace assay {

Report report_of(const ImportReport& r) {
    const std::string kind(name_of(r.kind)), storage(name_of(r.storage));
    Report report;
    const auto row = [&](std::vector<Column> columns) {
        Table table{.title = "", .columns = std::move(columns), .rows = {}, .notes = {}};
        table.add(
            {r.store.string(), Count{r.rows}, Count{r.classes}, kind, storage, Count{r.bad_rows}});
        return table;
    };
    report.sections.push_back({.title = "",
                               .blocks = {row({{"store", false},
                                               {"rows"},
                                               {"classes"},
                                               {"kind", false},
                                               {"storage", false},
                                               {"without score"}})},
                               .sections = {}});
    report.records = row({{"store", false},
                          {"rows"},
                          {"classes"},
                          {"kind", false},
                          {"storage", false},
                          {"without_score"}});
    report.result = {{"schema", "assay.import/1"},
                     {"store", r.store.string()},
                     {"rows", r.rows},
                     {"classes", r.classes},
                     {"kind", kind},
                     {"storage", storage},
                     {"without_score", r.bad_rows},
                     {"left_out", r.left_out},
                     {"notes", r.notes}};
    report.partial = r.bad_rows > 0;
    if (report.partial) {
        report.warnings.push_back(fmt::format("{} of {} rows have no score; the first: {}",
                                              count_text(r.bad_rows), count_text(r.rows),
                                              r.first_error));
    }
    return report;
}

}  // namespace assay
