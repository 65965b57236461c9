// Options of a server as it takes them.
#pragma once

#include "assay/serve/server.h"

namespace assay::serve {

/// With the host as it is written everywhere, and something to call for warnings. Throws usage:
/// out of range.
ServerOptions checked_options(ServerOptions options);

}  // namespace assay::serve
