// The properties of stdout and stderr.
#pragma once

#include <cstddef>

namespace assay::cli {

/// True if stdout is a terminal, and neither NO_COLOR nor TERM=dumb is set.
bool stdout_is_terminal();
bool stderr_is_terminal();
/// The number of columns if stdout is a terminal, otherwise 120.
std::size_t stdout_width();

}  // namespace assay::cli
