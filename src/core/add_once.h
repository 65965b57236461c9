// Lists of texts without repetition.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace assay {

/// Adds `text` unless the list contains it already.
inline void add_once(std::vector<std::string>& texts, const std::string& text) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace assay
