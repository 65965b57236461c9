// Tokens in requests.
#pragma once

#include <string_view>

namespace assay::serve {

/// 1 to 64 letters, digits, - and _.
bool is_token(std::string_view text);

/// The token in "Bearer TOKEN"; "" for anything else, including an invalid token.
std::string_view token_in(std::string_view authorization);

}  // namespace assay::serve
