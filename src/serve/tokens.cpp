#include "serve/tokens.h"

#include <algorithm>
#include <cstddef>

#include "core/text.h"

namespace assay::serve {

bool is_token(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_';
    });
}

std::string_view token_in(std::string_view authorization) {
    constexpr std::string_view scheme = "bearer ";
    if (authorization.size() <= scheme.size()) return {};
    for (std::size_t i = 0; i < scheme.size(); ++i)
        if (lower(authorization[i]) != scheme[i]) return {};
    const std::string_view token = trimmed(authorization.substr(scheme.size()));
    // A person's token has a dot after the person's number.
    const std::size_t point = std::min(token.find('.'), token.size());
    const bool plain = is_token(token.substr(0, point)) &&
                       (point == token.size() || is_token(token.substr(point + 1)));
    return plain ? token : std::string_view();
}

}  // namespace assay::serve
