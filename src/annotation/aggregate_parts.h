// Parts that the text, the JSON and the csv of an Aggregation share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/annotation/aggregate_votes.h"
#include "assay/report.h"

namespace assay {

std::vector<std::string> notes_of(const Aggregation& a);
/// The thresholds in the text report: every twentieth, the finer end, the current one and the best.
std::vector<double> thresholds_shown(const Aggregation& a);
/// The answer that a latent class of the fit represents.
std::string latent_name(std::size_t l, const Aggregation& a);

/// One row per number, for csv.
Table value_records(const Aggregation& a);

}  // namespace assay
