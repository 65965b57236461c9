// Checks the options of a server.
#pragma once

#include "assay/serve/server.h"

namespace assay::serve {

/// Converts the host to its canonical form, and sets a default for warnings. Throws usage for
/// values out of range.
ServerOptions checked_options(ServerOptions options);

}  // namespace assay::serve
