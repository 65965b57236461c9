// The tables of the gap for people; report.cpp puts them in order.
#pragma once

#include "assay/evaluate/gap.h"
#include "assay/report.h"

namespace assay::gap_tables {

Table average(const GapReport& report);
Table histogram(const GapReport& report);
Table decomposition(const GapReport& report);
Table subgroups(const GapReport& report);
Table models(const GapReport& report, bool all);
/// The best by ASMA on a data set.
Table ranks(const GapReport& report, std::size_t set);
Table orders(const GapReport& report);
Table lines(const GapReport& report);
Table boxes(const GapReport& report);
/// All data sets' values, in the order of the ranking; with further data sets or a ranking.
Table places(const GapReport& report, bool all);

}  // namespace assay::gap_tables
