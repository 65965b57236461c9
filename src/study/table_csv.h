// Tables of a study as csv.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "assay/study/answer.h"
#include "core/database.h"

namespace assay::study {

/// A text that a spreadsheet would take for a formula (it begins with =, +, -, @, a tab or a line
/// end) gets an apostrophe before it, as does one that begins with an apostrophe.
std::string for_spreadsheet(std::string_view text);
/// Without that apostrophe.
std::string from_spreadsheet(std::string_view text);

/// A query whose columns, by their names, are those of a table.
struct CsvQuery {
    std::string sql;
    int hidden = 0;                                    ///< so many columns first are for `takes`
    std::function<bool(const Statement&)> takes = {};  ///< whether a row is written; empty: all
    bool for_spreadsheets = true;                      ///< texts as for_spreadsheet() has them
    std::string_view AnswerWords::*answers = &AnswerWords::name;  ///< of the column `answer`
};

/// `emit` gets pieces. Throws bad_input: a damaged file, a number that is no answer.
void write_csv(const Database& database, const CsvQuery& query,
               const std::function<void(std::string_view)>& emit);
std::string csv_of(const Database& database, const CsvQuery& query);

/// A row for each answer that was ever given, in the order in which they were taken in: `mad
/// answers` reads it.
std::string answers_csv(const Database& database);

}  // namespace assay::study
