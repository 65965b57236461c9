// Exports tables of a study as csv.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "assay/study/answer.h"
#include "core/database.h"

namespace assay::study {

/// Adds an apostrophe before a text that a spreadsheet would read as a formula: one that begins
/// with =, +, -, @, a tab or a newline. Adds one also before a text that begins with an apostrophe.
std::string for_spreadsheet(std::string_view text);
/// Without that apostrophe.
std::string from_spreadsheet(std::string_view text);

/// A query whose columns and their names are those of the csv table.
struct CsvQuery {
    std::string sql;
    /// the number of first columns that are only for `takes`
    int hidden = 0;
    std::function<bool(const Statement&)> takes = {};  ///< whether to write a row; empty writes all
    bool for_spreadsheets = true;                      ///< protect texts with for_spreadsheet()
    std::string_view AnswerWords::*answers = &AnswerWords::name;  ///< of the column `answer`
};

/// `emit` receives pieces. Throws bad_input: a damaged file, a number that is no answer.
void write_csv(const Database& database, const CsvQuery& query,
               const std::function<void(std::string_view)>& emit);
std::string csv_of(const Database& database, const CsvQuery& query);

/// One row for each answer ever given, in the order of storing. `mad answers` can read it.
std::string answers_csv(const Database& database);

}  // namespace assay::study
