#include "core/told_apart.h"

#include <iterator>
#include <map>
#include <set>

namespace assay {
namespace {

std::string last_parts(const std::filesystem::path& folder, std::ptrdiff_t count) {
    const std::filesystem::path clean = folder.lexically_normal();
    std::vector<std::string> parts;
    for (const auto& part : clean)
        if (!part.empty()) parts.push_back(part.string());
    std::string text;
    const auto all = static_cast<std::ptrdiff_t>(parts.size());
    for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, all - count); i < all; ++i)
        text += (text.empty() || text == "/" ? "" : "/") + parts[static_cast<std::size_t>(i)];
    return text;
}

}  // namespace

std::vector<std::string> told_apart(const std::vector<NamedFolder>& named) {
    std::map<std::string, std::set<std::filesystem::path>> namesakes;
    for (const NamedFolder& one : named) namesakes[one.name].insert(one.folder.lexically_normal());
    constexpr std::ptrdiff_t most_parts = 64;
    std::map<std::string, std::ptrdiff_t> parts;
    for (const auto& [name, folders] : namesakes) {
        if (folders.size() == 1) continue;
        for (std::ptrdiff_t count = 1; count <= most_parts; ++count) {
            std::set<std::string> ends;
            for (const auto& folder : folders) ends.insert(last_parts(folder, count));
            parts[name] = count;
            if (ends.size() == folders.size()) break;
        }
    }
    std::vector<std::string> names;
    for (const NamedFolder& one : named) {
        const auto found = parts.find(one.name);
        names.push_back(found == parts.end() ? one.name : last_parts(one.folder, found->second));
    }
    return names;
}

}  // namespace assay
