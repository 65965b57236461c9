// Secrets that links carry.
#pragma once

#include <string>
#include <string_view>

namespace assay::study {

/// 32 letters and digits of the system's random numbers: 160 bits. Throws io where there are none.
std::string new_secret();
/// Whether two texts are equal; takes as long wherever they differ.
bool same_secret(std::string_view one, std::string_view two);

}  // namespace assay::study
