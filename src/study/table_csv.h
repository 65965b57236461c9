// Exports tables of a study as csv.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "assay/study/answer.h"
#include "core/database.h"

namespace assay::study {

/// Adds an apostrophe before a text that a spreadsheet would read as a formula, because it begins
/// with =, +, -, @, a tab or a newline. Also adds one before a text that begins with an apostrophe.
std::string for_spreadsheet(std::string_view text);
/// Removes that apostrophe.
std::string from_spreadsheet(std::string_view text);

/// A query whose columns and their names are those of the csv table.
struct CsvQuery {
    std::string sql;
    /// the number of first columns that are only for `takes`
    int hidden = 0;
    std::function<bool(const Statement&)> takes = {};  ///< true for rows to write; empty writes all
    bool for_spreadsheets = true;                      ///< protect texts with for_spreadsheet()
    std::string_view AnswerWords::*answers = &AnswerWords::name;  ///< words for the column `answer`
};

/// `emit` receives pieces. Throws bad_input for a damaged file or an invalid answer number.
void write_csv(const Database& database, const CsvQuery& query,
               const std::function<void(std::string_view)>& emit);
std::string csv_of(const Database& database, const CsvQuery& query);

/// Writes one row for each answer of a competition, in the order of storing. `mad answers` can read
/// the table.
std::string answers_csv(const Database& database);

}  // namespace assay::study
