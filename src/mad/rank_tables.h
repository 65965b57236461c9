// The tables of a ranking's report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/mad/rank.h"

namespace assay::mad {

/// `order` has indices in Ranking::classifiers, in the order shown.
Table ranking_table(const Ranking& ranking, const std::vector<std::size_t>& order);
/// The place with its bootstrap interval.
Estimate place_of(const RankedClassifier& one);
Table pairs_table(const Ranking& ranking);
/// `matrix` is between classifiers, like those of Ranking.
Table matrix_table(const Ranking& ranking, const PairMatrix& matrix,
                   const std::vector<std::size_t>& order, std::string title, std::string note);
Table ablation_table(const Ranking& ranking);
Table comparison_table(const Ranking& ranking);
/// The digits after the decimal point that all ranks of a comparison need.
int digits_of_ranks(const Comparison& comparison);
/// Each classifier in both orders, like Table 1 of the paper.
Table compared_ranks_table(const Comparison& comparison);

}  // namespace assay::mad
