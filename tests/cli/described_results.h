// All results that have a description, by schema.
#pragma once

#include <vector>

#include "assay/result_type.h"

namespace assay {

std::vector<ResultType> described_results();

}  // namespace assay
