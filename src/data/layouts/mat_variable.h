// Reads a variable of a small MAT-file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "containers/mat.h"

namespace assay::layouts {

/// Throws bad_input, naming `file`, for damage, and a missing variable or one of another kind.
MatValue mat_variable(std::span<const std::byte> bytes, const std::string& file,
                      std::string_view name, MatValue::Kind kind);

}  // namespace assay::layouts
