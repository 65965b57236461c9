// Makes and compares the secrets in links.
#pragma once

#include <string>
#include <string_view>

namespace assay::study {

/// Returns 32 random letters and digits: 160 bits. Throws io if the system has no random numbers.
std::string new_secret();
/// True if two texts are equal. The time does not depend on the place of a difference.
bool same_secret(std::string_view one, std::string_view two);

}  // namespace assay::study
