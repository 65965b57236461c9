// The settings of a competition as rows of its database.
#pragma once

#include <map>
#include <string>

#include "assay/mad/competition.h"

namespace assay::mad {

/// Throws usage: out of range.
void check_settings(const CompetitionSettings& settings);
/// Name and value of each.
std::map<std::string, std::string> settings_text(const CompetitionSettings& settings);
/// Throws bad_input, naming setting, value and what is allowed.
CompetitionSettings settings_from(const std::map<std::string, std::string>& text,
                                  const std::string& file);

}  // namespace assay::mad
