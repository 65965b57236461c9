// Tables of the smallest changes, for the report of attacks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/evaluate/attack.h"
#include "assay/report.h"

namespace assay::attack {

/// A row for each model and search. Empty if there is none.
Table table_of_smallest(std::span<const AttackedResult> results, Norm norm);
/// A row for each pair of models. Empty if there is none.
Table table_of_pairs(const std::vector<SmallestPair>& pairs, Norm norm);
/// Warnings of changes that are not known; "" if all are.
std::string unknown_line(const AttackedResult& result, const SmallestChanges& search);

}  // namespace assay::attack
