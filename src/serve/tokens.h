// Tokens in requests.
#pragma once

#include <string_view>

namespace assay::serve {

/// True for 1 to 64 letters, digits, - and _.
bool is_token(std::string_view text);

/// Returns the token in "Bearer TOKEN", and "" for other text or an invalid token.
std::string_view token_in(std::string_view authorization);

}  // namespace assay::serve
