// What is described of one model of a gap: rows of csv are made of it, too.
#pragma once

#include "assay/evaluate/gap.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<GapModel>);

}  // namespace assay
