// The settings of a competition as rows of its database.
#pragma once

#include <map>
#include <string>

#include "assay/mad/competition.h"
#include "core/database.h"

namespace assay::mad {

/// Throws usage: out of range.
void check_settings(const CompetitionSettings& settings);
/// Name and value of each.
std::map<std::string, std::string> settings_text(const CompetitionSettings& settings);
/// The last value of each setting of any name; `first`: the one that the competition began with.
std::map<std::string, std::string> read_settings(const Database& database, bool first = false);
/// Throws bad_input, naming setting, value and what is allowed.
CompetitionSettings settings_from(const std::map<std::string, std::string>& text,
                                  const std::string& file);
/// The value of a setting that must be there.
const std::string& setting_of(const std::map<std::string, std::string>& text,
                              const std::string& name, const std::string& file);

}  // namespace assay::mad
