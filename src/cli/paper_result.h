// What `assay paper` made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::cli {

/// One table or figure of the paper.
struct PaperPart {
    std::string row, number, shows;
    std::string state;  ///< made, no input, not yet, failed
    std::vector<std::string> files;
    std::string command;  ///< the command that prints the same alone
    std::string reason;   ///< why it was not made
};
ResultType result_type(ResultOf<PaperPart>);

/// Schema `assay.paper/1`.
struct PaperResult {
    std::string paper, folder;
    std::vector<PaperPart> rows;
    std::vector<std::string> results;   ///< files with the results behind them
    std::vector<std::string> warnings;  ///< of the evaluations, each once
    bool partial = false;               ///< a row failed, or stores lack scores
};
ResultType result_type(ResultOf<PaperResult>);
Report report_of(const PaperResult& result);

/// The overview of the folder, in Markdown: a line for each table and figure.
std::string overview_of(const PaperResult& result, std::string_view title);

}  // namespace assay::cli
