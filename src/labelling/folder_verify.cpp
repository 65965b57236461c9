#include <fmt/format.h>

#include <array>
#include <string_view>

#include "assay/error.h"
#include "assay/labelling/folder.h"
#include "core/refuse.h"
#include "core/terminal_text.h"
#include "core/text.h"
#include "labelling/folder_contents.h"
#include "labelling/folder_schema.h"
#include "mad/answer_readers.h"

namespace assay::labelling {
namespace {

struct CheckedText {
    std::string_view table, key, column;
    std::string_view rows = "1";  ///< which ones
};
// All but paths, which may be of any bytes, and the decisions on them.
constexpr std::array<CheckedText, 18> texts_of_folders = {{
    {"decision", "id", "at"},
    {"decision", "id", "kind"},
    {"decision", "id", "subject"},
    {"decision", "id", "reason"},
    {"class", "number", "id"},
    {"class", "number", "name"},
    {"class", "number", "definition"},
    {"class", "number", "synonyms"},
    {"image", "number", "id"},
    {"question", "id", "token"},
    {"screen", "number", "name"},
    {"annotator", "id", "name"},
    {"answer", "id", "at"},
    {"answer", "id", "source"},
    {"answer", "id", "key"},
    {"setting", "id", "name"},
    {"setting", "id", "value", "name <> 'image_root'"},
    {"schema_version", "version", "assay"},
}};

/// Reads one column; throws bad_input at the first row that is wrong, with how many there are.
template <class IsRight>
void check_column(const Database& database, const CheckedText& text, std::string_view fault,
                  IsRight&& is_right) {
    Statement row = database.prepare(fmt::format("SELECT {}, {} FROM {} WHERE {} ORDER BY 1",
                                                 text.key, text.column, text.table, text.rows));
    std::uint64_t wrong = 0;
    std::string first;
    while (row.step()) {
        if (row.is_null(1) || is_right(row.text(1)) || ++wrong > 1) continue;
        first = fmt::format("{} {} has the {} `{}`", text.table, row.integer(0), text.column,
                            without_controls(shortened(row.text(1))));
    }
    if (wrong == 0) return;
    refuse(fmt::format("{}: {}, which is {}{}", database.path().string(), first, fault,
                       wrong > 1 ? fmt::format(" (and {} more)", wrong - 1) : ""));
}

}  // namespace

std::vector<std::string> verify_folder(const std::filesystem::path& folder) {
    std::vector<std::string> problems;
    const auto look = [&](const auto& part) {
        try {
            part();
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            problems.emplace_back(error.what());
        }
    };
    look([&] {
        const Database database = open_folder(folder, Database::Access::read);
        look([&] { problems = database.problems(); });
        look([&] {
            const FolderSettings settings = read_folder_settings(database);
            const Contents contents = read_folder_contents(database, settings);
            if (contents.questions.empty())
                problems.push_back(
                    fmt::format("{}: it holds no question", database.path().string()));
        });
        look([&] { mad::read_annotators(database); });
        look([&] { mad::read_answers(database, true); });
        look([&] { write_answers_csv(folder, [](std::string_view) {}); });
        for (const CheckedText& text : texts_of_folders)
            look([&] { check_column(database, text, "not UTF-8", is_utf8); });
        look([&] {
            check_column(database, {"answer", "id", "at"}, "no time as 2026-11-23T01:02:03.456789Z",
                         [](const std::string& at) { return mad::utc_time_of(at) == at; });
        });
    });
    return problems;
}

Report report_of(const FolderCheck& check) {
    Report report;
    report.title = check.folder.string();
    const std::string state = check.problems.empty() ? "sound" : "damaged";
    Table table{.title = "",
                .columns = {{"folder", false}, {"state", false}, {"problem", false}},
                .rows = {},
                .notes = {}};
    for (const std::string& problem : check.problems)
        table.add({check.folder.string(), state, problem});
    if (check.problems.empty()) table.add({check.folder.string(), state, std::string()});
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = {{"schema", "assay.labelling_verify/1"},
                     {"folder", check.folder.string()},
                     {"state", state},
                     {"problems", check.problems}};
    return report;
}

}  // namespace assay::labelling
