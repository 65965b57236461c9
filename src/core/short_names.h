// Short names of classes and categories, for figures.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace assay {

/// For each name the first of its synonyms: "tench" for "tench, Tinca tinca". Returns the id
/// instead if that is empty, or if several names begin with it.
inline std::vector<std::string> short_names(const std::vector<std::string>& ids,
                                            const std::vector<std::string>& names) {
    std::map<std::string, int> count;
    std::vector<std::string> out;
    for (const std::string& name : names) {
        out.push_back(name.substr(0, name.find(',')));
        ++count[out.back()];
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        if (out[i].empty() || count[out[i]] > 1) out[i] = ids.at(i);
    return out;
}

}  // namespace assay
