// Checks the settings with which networks are trained.
#pragma once

#include <span>

#include "assay/model/train.h"

namespace assay {

/// Throws usage: no network, a name that is no file name or that two networks have, a number
/// outside its range.
void check_specs(std::span<const TrainSpec> specs);

}  // namespace assay
