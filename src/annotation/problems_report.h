// What a table of votes holds although it should not, as reports show it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/annotation/votes.h"

namespace assay {

/// One text per kind: how often, and the first examples on lines of their own.
std::vector<std::string> warnings_of(const VoteProblems& problems);
/// [{"what", "count", "examples"}].
nlohmann::json to_json(const VoteProblems& problems);

}  // namespace assay
