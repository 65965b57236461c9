// What a table of votes holds although it should not, as reports show it.
#pragma once

#include <string>
#include <vector>

#include "assay/annotation/votes.h"
#include "assay/result_type.h"

namespace assay {

/// One text per kind: how often, and the first examples on lines of their own.
std::vector<std::string> warnings_of(const VoteProblems& problems);
ResultType result_type(ResultOf<VoteProblems::Kind>);

}  // namespace assay
