// Notes on a model's settings before it runs, which predict and eval share.
#pragma once

#include "assay/model/classifier.h"

namespace assay::cli {

/// Prints the resolved settings on stderr, with the keys of their files that were not read.
void say_settings(const ModelSpec& spec);

}  // namespace assay::cli
