#include "core/python_words.h"

#include <fmt/format.h>

namespace assay {

std::string_view without_python_words(std::string_view text, std::string& copy) {
    if (text.find("NaN") == std::string_view::npos &&
        text.find("Infinity") == std::string_view::npos)
        return text;
    copy.clear();
    std::size_t copied = 0;
    bool inside = false;  // true if the position is inside a text
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inside) {
            if (c == '\\') ++i;
            if (c == '"') inside = false;
            continue;
        }
        if (c == '"') inside = true;
        if (c != 'I' && c != 'N' && c != '-') continue;
        for (const std::string_view word : {"Infinity", "-Infinity", "NaN"}) {
            if (!text.substr(i).starts_with(word)) continue;
            copy += text.substr(copied, i - copied);
            copy += fmt::format("\"{}\"", word);
            i += word.size() - 1;
            copied = i + 1;
            break;
        }
    }
    copy += text.substr(copied);
    return copy;
}

}  // namespace assay
