// The settings of a study as rows: name and value as text, the last row of a name counts.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/database.h"

namespace assay::study {

/// The last value of each setting of any name; `first`: the one that the study began with.
std::map<std::string, std::string> read_settings(const Database& database, bool first = false);
/// The value of a setting that must be there.
const std::string& setting_of(const std::map<std::string, std::string>& text,
                              const std::string& name, const std::string& file);
/// Writes it anew, with a decision. Throws bad_input: the value is no text, or no path where it is
/// to be one.
void write_setting(Database& database, std::string_view name, std::string_view value,
                   std::string_view reason);

}  // namespace assay::study
