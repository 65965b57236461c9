// The results that a report takes as they were printed: their schemas.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// Whether a file of this schema may be in a report: what a command prints with --json, in the
/// version that this program prints.
bool is_reportable(std::string_view schema);
/// "assay.attack/1, assay.check/1, ...": for messages.
std::string reportable_schemas();

}  // namespace assay
