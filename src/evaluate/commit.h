// Which sources this program was built from.
#pragma once

#include <string>

namespace assay {

/// The commit that was checked out when it was built, 12 digits, with "+" where files differed from
/// it; "" outside a git checkout.
std::string source_commit();

}  // namespace assay
