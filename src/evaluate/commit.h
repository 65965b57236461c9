// The sources from which this program was built.
#pragma once

#include <string>

namespace assay {

/// The commit that was checked out at build time, 12 digits, with "+" if files differed from it; ""
/// outside a git checkout.
std::string source_commit();

}  // namespace assay
