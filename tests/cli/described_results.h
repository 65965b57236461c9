// All results that are described, by what they are printed as.
#pragma once

#include <vector>

#include "assay/result_type.h"

namespace assay {

std::vector<ResultType> described_results();

}  // namespace assay
