#include "core/shell_word.h"

#include <string_view>

namespace assay {

std::string shell_word(const std::string& word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
    if (!word.empty() && word.front() != '-' && word.find_first_not_of(plain) == std::string::npos)
        return word;
    std::string quoted = word.starts_with('-') ? "./" : "";
    quoted += '\'';
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + '\'';
}

}  // namespace assay
