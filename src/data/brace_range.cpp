#include "data/brace_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t most_names = 1'000'000;

[[noreturn]] void refuse_braces(std::string_view text, std::string_view why) {
    refuse(fmt::format("`{}`: {}; a range is {{000..063}}, a choice {{a,b}}", shortened(text, 200),
                       why));
}

/// The texts that a pair of braces expands to.
std::vector<std::string> choices_of(std::string_view inside, std::string_view text) {
    std::vector<std::string> choices;
    const std::size_t dots = inside.find("..");
    if (dots == std::string_view::npos) {
        for (std::size_t at = 0; at <= inside.size();) {
            const std::size_t comma = std::min(inside.find(',', at), inside.size());
            choices.emplace_back(inside.substr(at, comma - at));
            at = comma + 1;
        }
        return choices;
    }
    const std::string_view first = inside.substr(0, dots), last = inside.substr(dots + 2);
    std::uint64_t from = 0, to = 0;
    if (!parse_number(first, from) || !parse_number(last, to) || to < from)
        refuse_braces(text, "not a range from a smaller to a larger number");
    if (to - from >= most_names) refuse_braces(text, fmt::format("more than {} names", most_names));
    for (std::uint64_t n = from; n <= to; ++n)
        choices.push_back(fmt::format("{:0{}}", n, first.size()));
    return choices;
}

}  // namespace

bool has_braces(std::string_view text) {
    return text.find('{') != std::string_view::npos;
}

std::vector<std::string> expand_braces(std::string_view text) {
    std::vector<std::string> names = {""};
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t open = std::min(rest.find('{'), rest.size());
        for (std::string& name : names) name += rest.substr(0, open);
        if (open == rest.size()) break;
        const std::size_t close = rest.find('}', open);
        if (close == std::string_view::npos) refuse_braces(text, "a brace is not closed");
        const std::string_view inside = rest.substr(open + 1, close - open - 1);
        if (has_braces(inside)) refuse_braces(text, "braces in braces");
        const std::vector<std::string> choices = choices_of(inside, text);
        if (choices.size() > most_names / names.size())
            refuse_braces(text, fmt::format("more than {} names", most_names));
        std::vector<std::string> longer;
        for (const std::string& name : names)
            for (const std::string& choice : choices) longer.push_back(name + choice);
        names = std::move(longer);
        rest.remove_prefix(close + 1);
    }
    return names;
}

}  // namespace assay
