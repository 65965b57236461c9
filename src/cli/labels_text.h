// How `assay labels aggregate` tells what it found.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/annotation/aggregate.h"
#include "cli/table.h"

namespace assay::cli {

struct AggregateReport {
    std::string source, method;
    const Votes& votes;
    KeepRule rule;
    std::vector<double> yes;  ///< posterior or share of each question
    std::optional<DawidSkene> fitted;
    std::vector<double> weights;   ///< of the annotators; empty unless weighted
    std::uint64_t unweighted = 0;  ///< questions whose annotators all have weight 0
    BuiltLabelSets built;
    AnswerAgreement agreement;
    std::vector<AnnotatorQuality> annotators;
    const Dataset& dataset;
    const ClassList& classes;
    std::optional<LabelSetComparison> comparison;
    std::string compared_with;
};

std::string aggregate_text(const AggregateReport& report, bool with_annotators, bool colour);
nlohmann::json aggregate_json(const AggregateReport& report, bool with_annotators);
/// Name and number of everything that the text shows: for --csv.
Table aggregate_csv(const AggregateReport& report);
/// A row an annotator. `people`: rounded, with intervals in one cell.
Table annotator_table(const AggregateReport& report, bool people);
/// A row a question: item, label, answers by kind, posterior, kept.
std::string posterior_csv(const AggregateReport& report);

}  // namespace assay::cli
