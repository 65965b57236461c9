// The schemas of the results that a report includes unchanged.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// True if a file with this schema may be in a report. Such a file is the output of a command with
/// --json, in the version that this program writes.
bool is_reportable(std::string_view schema);
/// Returns "assay.attack/1, assay.check/1, ..." for messages.
std::string reportable_schemas();

}  // namespace assay
