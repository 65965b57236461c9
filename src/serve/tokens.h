// Tokens as requests carry them.
#pragma once

#include <string_view>

namespace assay::serve {

/// 1 to 64 letters, digits, - and _.
bool is_token(std::string_view text);

/// The token of "Bearer TOKEN"; "" for anything else, and for what is no token by its form.
std::string_view token_in(std::string_view authorization);

}  // namespace assay::serve
