// The tables of the gap for people; gap_report.cpp puts them in order.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "assay/evaluate/gap.h"
#include "assay/report.h"

namespace assay::gap_tables {

Table average(const GapReport& report);
Table histogram(const GapReport& report);
Table decomposition(const GapReport& report);
Table subgroups(const GapReport& report);
Table models(const GapReport& report, bool all);
/// The best models by ASMA on a data set.
Table ranks(const GapReport& report, std::size_t set);
Table orders(const GapReport& report);
Table lines(const GapReport& report);
Table boxes(const GapReport& report);
/// All data sets' values, in the order of the ranking; it is shown with further data sets or a
/// ranking.
Table places(const GapReport& report, bool all);

// Helpers that the tables share.
Column text_column(std::string name);
Cell percent(const Estimate& v, bool sign = false);
std::string_view title_of(GapMetric metric);
/// Adds a note to the table unless it was already added.
void note_once(Table& table, std::set<std::string>& said, const std::string& text);

}  // namespace assay::gap_tables
