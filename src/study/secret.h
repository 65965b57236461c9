// The secrets in links.
#pragma once

#include <string>
#include <string_view>

namespace assay::study {

/// 32 letters and digits from the system's random numbers: 160 bits. Throws io if it has none.
std::string new_secret();
/// Whether two texts are equal, in a time that does not depend on where they differ.
bool same_secret(std::string_view one, std::string_view two);

}  // namespace assay::study
