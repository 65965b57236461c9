// What networks are trained by.
#pragma once

#include <span>

#include "assay/model/train.h"

namespace assay {

/// Throws usage: no network, a name that is no file's or that two have, a number out of its range.
void check_specs(std::span<const TrainSpec> specs);

}  // namespace assay
