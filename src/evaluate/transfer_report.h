// The matrices of images that were made on one model and classified by another.
#pragma once

#include <span>
#include <vector>

#include "assay/evaluate/attack.h"
#include "assay/report.h"

namespace assay::attack {

/// Two tables for each data set, attack and budget: the accuracy of each model (columns) on the
/// images that were made on each model (rows), and the rate of transfer. None without
/// AttackRunOptions::transfer.
std::vector<Table> transfer_tables(std::span<const AttackedResult> results,
                                   const AttackRunOptions& options);

}  // namespace assay::attack
