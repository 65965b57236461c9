#include "evaluate/computed_on.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace assay {

std::string computed_note(std::span<const ComputedStore> stores) {
    std::set<std::string> all;
    std::vector<std::pair<std::string, std::string>> said;  // ways, and the stores with these
    bool halves = false, bf16 = false;
    for (const ComputedStore& store : stores) {
        std::set<std::string> own;
        for (const ComputedOn& way : store.ways) {
            own.insert(describe(way));
            halves = halves || !way.precision.empty();
            bf16 = bf16 || way.precision == "bf16";
        }
        if (own.empty()) continue;
        all.insert(own.begin(), own.end());
        std::string ways = fmt::format("{}", fmt::join(own, " and "));
        const auto known =
            std::ranges::find(said, ways, &std::pair<std::string, std::string>::first);
        if (known == said.end()) {
            said.emplace_back(std::move(ways), store.name);
        } else {
            known->second += ", " + store.name;
        }
    }
    if (all.size() < 2) return "";
    std::vector<std::string> parts;
    parts.reserve(said.size());
    for (const auto& [ways, names] : said) parts.push_back(fmt::format("{}: {}", names, ways));
    return fmt::format("computed in different ways, which alone changes scores by about {}: {}",
                       bf16     ? "1 part in 100 (bf16)"
                       : halves ? "1 part in 1000 (tf32, fp16)"
                                : "1e-5",
                       fmt::join(parts, "; "));
}

}  // namespace assay
