// The properties of stdout and stderr.
#pragma once

#include <cstddef>

namespace assay::cli {

/// stdout is a terminal and neither NO_COLOR is set nor TERM=dumb.
bool stdout_is_terminal();
bool stderr_is_terminal();
/// The number of columns if stdout is a terminal, otherwise 120.
std::size_t stdout_width();

}  // namespace assay::cli
