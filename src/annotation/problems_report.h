// Reports the faults in a table of votes.
#pragma once

#include <string>
#include <vector>

#include "assay/annotation/votes.h"
#include "assay/result_type.h"

namespace assay {

/// One text per kind of fault: its count, and the first examples on separate lines.
std::vector<std::string> warnings_of(const VoteProblems& problems);
ResultType result_type(ResultOf<VoteProblems::Kind>);

}  // namespace assay
