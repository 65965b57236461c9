// Tokens as requests carry them.
#pragma once

#include <string_view>

namespace assay::serve {

/// The token of "Bearer TOKEN"; "" for anything else, and for what is no token by its form.
std::string_view token_in(std::string_view authorization);

}  // namespace assay::serve
