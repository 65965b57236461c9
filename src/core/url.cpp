#include "core/url.h"

#include <algorithm>

#include "core/text.h"

namespace assay {

bool is_url(const std::filesystem::path& path) {
    const std::string_view text = path.native();
    const std::size_t end = text.find("://");
    if (end == std::string_view::npos || end < 2) return false;  // "C://x" is no URL
    return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
        const char small = lower(c);
        return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
               c == '.';
    });
}

std::string shown_url(std::string_view url) {
    url = url.substr(0, url.find_first_of("?#"));
    const std::size_t host = url.find("://") + 3;
    const std::size_t end = std::min(url.find('/', host), url.size());
    const std::size_t at = url.substr(0, end).rfind('@');
    if (at == std::string_view::npos || at < host) return std::string(url);
    return std::string(url.substr(0, host)) + std::string(url.substr(at + 1));
}

}  // namespace assay
