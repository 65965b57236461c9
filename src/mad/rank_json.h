// A ranking, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "assay/mad/rank.h"

namespace assay::mad {

/// "assay.mad_ranking/1".
nlohmann::json ranking_json(const Ranking& ranking);

}  // namespace assay::mad
