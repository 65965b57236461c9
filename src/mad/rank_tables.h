// A ranking's tables, to read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/mad/rank.h"

namespace assay::mad {

/// `order`: places in Ranking::classifiers, as they are shown.
Table ranking_table(const Ranking& ranking, const std::vector<std::size_t>& order);
/// The place with the interval that the bootstrap gives it.
Estimate place_of(const RankedClassifier& one);
Table pairs_table(const Ranking& ranking);
/// `matrix`: between classifiers, as those of Ranking.
Table matrix_table(const Ranking& ranking, const PairMatrix& matrix,
                   const std::vector<std::size_t>& order, std::string title, std::string note);
Table ablation_table(const Ranking& ranking);
Table comparison_table(const Ranking& ranking);

}  // namespace assay::mad
