// The pages and the docs are generated from the descriptions of results, and no part is written by
// hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "assay/describe_result.h"
#include "core/file.h"
#include "described_results.h"
#include "program.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

const fs::path source = ASSAY_SOURCE_DIR;

void expect_file(const fs::path& file, const std::string& made) {
    if (std::getenv("ASSAY_WRITE") != nullptr) write_file_atomically(file, made);
    EXPECT_TRUE(fs::exists(file) && slurp(file) == made)
        << "ASSAY_WRITE=1 writes " << file << " anew";
}

TEST(Docs, DescriptionsOfResultsAreSound) {
    EXPECT_THAT(faults_of(described_results()), testing::ElementsAre());
}

TEST(Docs, TypesOfThePagesAreThoseOfTheProgram) {
    expect_file(source / "web/src/report/schemas/described.ts",
                type_script_of(described_results()));
}

TEST(Docs, FieldsOfResultsAreThoseOfTheProgram) {
    expect_file(
        source / "docs/results.md",
        "# Fields of results\n\n"
        "What `--json` prints, by schema, and the columns of `--csv`. The test `Docs.*` writes "
        "this page from the program's\ndescriptions. Other results: "
        "[formats.md](formats.md).\n\n" +
            markdown_of(described_results()));
}

/// All files below the folders with this extension.
template <class Visit>
void each_source(std::initializer_list<const char*> folders,
                 std::initializer_list<const char*> endings, Visit&& visit) {
    for (const char* folder : folders) {
        for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
            const std::string ending = entry.path().extension();
            if (entry.is_regular_file() && std::ranges::find(endings, ending) != endings.end())
                visit(fs::relative(entry.path(), source).string(), slurp(entry.path()));
        }
    }
}

/// Whether it is the schema of a file that only Assay reads, with a reader and writer from one
/// description (src/core/record_file.h).
bool is_of_record(const std::string& text, std::size_t at) {
    const std::size_t line = text.rfind('\n', at) + 1;
    return text.substr(line, at - line).find("RecordSchema ") != std::string::npos;
}

/// Adds all names of schemas that the text has in quotes, such as "assay.gap/2".
void add_schemas(const std::string& text, std::set<std::string>& out) {
    for (std::size_t at = text.find("assay."); at != std::string::npos;
         at = text.find("assay.", at + 1)) {
        const auto is = [&](std::size_t i, auto&& kind) {
            return i < text.size() && kind(static_cast<unsigned char>(text[i]));
        };
        std::size_t end = at;
        while (is(end, [](int c) { return std::islower(c) || c == '.' || c == '_'; })) ++end;
        const std::size_t slash = end++;
        while (is(end, [](int c) { return std::isdigit(c); })) ++end;
        const bool quoted = at > 0 && end < text.size() && text[at - 1] == text[end] &&
                            (text[end] == '"' || text[end] == '\'');
        if (quoted && text[slash] == '/' && end > slash + 1 && !is_of_record(text, at))
            out.insert(text.substr(at, end - at));
    }
}

bool has_csv_by_hand(const std::string& text) {
    for (const char* sign :
         {"records.columns = ", "records.columns.push_back", "by_store(results, {{"}) {
        if (text.find(sign) != std::string::npos) return true;
    }
    for (std::size_t at = text.find("\nTable "); at != std::string::npos;
         at = text.find("\nTable ", at + 1)) {
        const std::string head = text.substr(at, text.find('(', at) - at);
        const std::string body = text.substr(at, text.find("\n}\n", at) - at);
        if (head.find("records") != std::string::npos &&
            (body.find("columns = ") != std::string::npos ||
             body.find("columns.push_back") != std::string::npos))
            return true;
    }
    for (const std::string sign : {"report.records = ", "report.records = std::move("}) {
        for (std::size_t at = text.find(sign); at != std::string::npos;
             at = text.find(sign, at + 1)) {
            const std::string rest = text.substr(at + sign.size());
            const auto end = std::ranges::find_if(
                rest, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
            const std::string name(rest.begin(), end);
            if (text.find("Table " + name + "{") != std::string::npos) return true;
        }
    }
    return false;
}

/// Whether a source of the library writes csv field by field, or cells that come from no
/// description.
bool writes_csv_fields(const std::string& file, const std::string& text) {
    return file.starts_with("src/") && file.ends_with(".cpp") &&
           (text.find("CsvWriter ") != std::string::npos ||
            text.find("CellsCsv ") != std::string::npos);
}

/// Whether a function builds a report without records, so that its csv is a table for people.
bool has_report_without_records(const std::string& text) {
    for (std::size_t at = text.find("\nReport "); at != std::string::npos;
         at = text.find("\nReport ", at + 1)) {
        const std::string body = text.substr(at, text.find("\n}\n", at) - at);
        const std::size_t begun = body.find("\n    Report ");
        if (begun != std::string::npos && body[body.find_first_of(";=", begun)] == ';' &&
            body.find("records") == std::string::npos)
            return true;
    }
    return false;
}

/// Returns "type gap.ts GapLine" for each type that a file of the pages defines by hand.
void add_types(const std::string& file, const std::string& text, std::set<std::string>& out) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        for (const std::string begin : {"export interface ", "export type "}) {
            if (!line.starts_with(begin) || line.starts_with(begin + "{")) continue;
            const std::string name = line.substr(begin.size());
            const auto end = std::ranges::find_if(
                name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
            out.insert("type " + file + " " + std::string(name.begin(), end));
        }
    }
}

/// Names of formats that are not JSON, so they have no fields to describe.
const std::set<std::string> names_of_bytes = {
    // in the metadata of Parquet and Arrow files, which have their own column types
    "assay.items/1",
    "assay.stream/2",  // the start of a binary state, which passes between processes
};

/// Sources whose csv cannot come from a description. A new source must use one
/// (src/containers/described_csv.h, src/core/list_columns.h). Remove a line if its source is gone.
const std::set<std::string> csv_without_description = {
    // The columns come from a query on the tables that src/study/study_tables.cpp describes.
    "csv fields src/study/table_csv.cpp",
    // The columns are made of parts of the rows of dimension_facts(). The reader uses the same
    // rows.
    "csv fields src/quality/table_write.cpp",
    // Tables in memory for the readers of csv: rows of JSON, Parquet and Arrow, whose columns are
    // those of the file, and questions of votes.
    "csv fields src/store/json_table.cpp",
    "csv fields src/data/table_text.cpp",
    "csv fields src/containers/parquet/parquet_csv.cpp",
    "csv fields src/containers/arrow/arrow_csv.cpp",
    "csv fields src/labelling/question_csv.cpp",
    // One list of calls makes csv, lines of JSON, Parquet and Arrow (src/evaluate/export_fields.h).
    "csv fields src/evaluate/export_fields.cpp",
    // This is the renderer of records.
    "csv fields src/report/csv.cpp",
    // It prints a walkthrough for people, and has no --csv.
    "csv of people's table src/cli/cmd_demo.cpp",
};

TEST(Docs, NoResultIsWrittenByHand) {
    std::set<std::string> schemas, found;
    each_source({"src", "demo", "python"}, {".cpp", ".h", ".py"},
                [&](const std::string& file, const std::string& text) {
                    add_schemas(text, schemas);
                    if (has_csv_by_hand(text)) found.insert("csv " + file);
                    if (writes_csv_fields(file, text)) found.insert("csv fields " + file);
                    if (has_report_without_records(text))
                        found.insert("csv of people's table " + file);
                });
    ASSERT_GT(schemas.size(), 40U);
    for (const std::string& name : names_of_bytes)
        EXPECT_EQ(schemas.erase(name), 1U) << name << " is gone: remove it from names_of_bytes";
    for (const ResultType& type : types_in(described_results()))
        schemas.erase(std::string(type.facts.schema));
    for (const std::string& schema : schemas) found.insert("schema " + schema);
    each_source({"web/src/report/schemas"}, {".ts"},
                [&](const std::string& file, const std::string& text) {
                    if (!file.ends_with("/described.ts")) add_types(file, text, found);
                });
    for (const std::string& name : csv_without_description)
        EXPECT_EQ(found.erase(name), 1U) << name << " is gone: remove it from the list";
    EXPECT_THAT(found, testing::IsEmpty())
        << "describe what is written by hand (include/assay/describe_result.h)";
}

}  // namespace
}  // namespace assay::cli
