// Checks the settings of networks to train.
#pragma once

#include <span>

#include "assay/model/train.h"

namespace assay {

/// Throws usage without a network, for a name that is no file name or repeated, and for a number
/// out of range.
void check_specs(std::span<const TrainSpec> specs);

}  // namespace assay
