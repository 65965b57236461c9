// What is said of a model's settings before it runs: shared by predict and eval.
#pragma once

#include "assay/model/classifier.h"

namespace assay::cli {

/// What they resolve to, and what of their files was not read: on stderr.
void say_settings(const ModelSpec& spec);

}  // namespace assay::cli
