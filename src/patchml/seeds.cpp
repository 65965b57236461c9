#include "patchml/seeds.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t max_seeds = 1000;

std::uint64_t seed_number(std::string_view text, std::string_view all) {
    std::uint64_t value = 0;
    if (!parse_number(text, value)) {
        throw Error(
            ErrorCode::usage,
            fmt::format("seeds `{}`: `{}` is not a seed; write 1-5, 7, or 1,2,9", all, text));
    }
    return value;
}

}  // namespace

std::vector<std::uint64_t> parse_seeds(std::string_view text) {
    std::vector<std::uint64_t> seeds;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        const std::size_t dash = part.find('-');
        const std::uint64_t first = seed_number(part.substr(0, dash), text);
        const std::uint64_t last =
            dash == std::string_view::npos ? first : seed_number(part.substr(dash + 1), text);
        if (last < first || last - first >= max_seeds ||
            seeds.size() + (last - first) >= max_seeds) {
            throw Error(ErrorCode::usage, fmt::format("seeds `{}`: write a range from the lower to "
                                                      "the higher seed, with at most {} in all",
                                                      text, max_seeds));
        }
        for (std::uint64_t i = 0; i <= last - first; ++i) seeds.push_back(first + i);
        begin = end + 1;
    }
    std::vector<std::uint64_t> sorted = seeds;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        throw Error(ErrorCode::usage, fmt::format("seeds `{}`: a seed appears twice", text));
    return seeds;
}

}  // namespace assay
