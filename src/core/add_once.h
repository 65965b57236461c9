// Lists that say each thing once.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace assay {

/// Adds `text` unless it is there.
inline void add_once(std::vector<std::string>& texts, const std::string& text) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace assay
