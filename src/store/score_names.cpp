#include "store/score_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/text.h"
#include "store/cells.h"

namespace assay::store {

std::optional<std::pair<std::string_view, std::string_view>> prefixed(std::string_view name) {
    name = trimmed(name);
    constexpr std::size_t longest_prefix = 64;
    for (std::size_t at = name.substr(0, longest_prefix).find_last_of("_-.: ");
         at != std::string_view::npos && at > 0; at = name.find_last_of("_-.: ", at - 1)) {
        const std::string_view prefix = name.substr(0, at), rest = trimmed(name.substr(at + 1));
        std::string lowered(prefix);
        std::ranges::transform(lowered, lowered.begin(), lower);
        const bool known = role_of(lowered) == Role::score || lowered == "p" ||
                           lowered == "proba" || lowered == "pred" || lowered == "prediction" ||
                           lowered == "pred_prob" || lowered == "class_prob";
        if (known && !rest.empty()) return std::pair(prefix, rest);
    }
    return std::nullopt;
}

std::map<std::string_view, Columns> prefix_groups(const std::vector<std::string>& names) {
    std::map<std::string_view, Columns> groups;
    for (std::size_t c = 0; c < names.size(); ++c) {
        if (const auto split = prefixed(names[c])) groups[split->first].push_back(c);
    }
    std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
    return groups;
}

Columns places_of(const std::vector<std::string>& names) {
    Columns place;
    std::vector<bool> taken(names.size(), false);
    std::string_view prefix;
    for (const std::string& name : names) {
        const auto split = numbered(name);
        if (!split || split->second >= names.size() || taken[split->second]) return {};
        if (!place.empty() && split->first != prefix) return {};
        prefix = split->first;
        taken[split->second] = true;
        place.push_back(split->second);
    }
    return place;
}

bool has_prefix_group(const std::vector<std::string>& names) {
    return !prefix_groups(names).empty();
}

std::optional<std::pair<std::string_view, std::uint64_t>> numbered(std::string_view name) {
    name = trimmed(name);
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t digits = last == std::string_view::npos ? 0 : last + 1;
    std::uint64_t number = 0;
    if (!parse_number(name.substr(digits), number)) return std::nullopt;
    std::string_view prefix = name.substr(0, digits);
    if (prefix.ends_with('_') || prefix.ends_with('-') || prefix.ends_with('.'))
        prefix.remove_suffix(1);
    return std::pair(prefix, number);
}

bool is_placeholder(std::string_view prefix) {
    constexpr std::array<std::string_view, 12> words{"",  "c",   "cls", "p",     "proba",  "y",
                                                     "v", "col", "out", "class", "column", "unit"};
    std::string lowered(prefix);
    std::ranges::transform(lowered, lowered.begin(), lower);
    const Role role = role_of(lowered);
    return std::ranges::find(words, lowered) != words.end() || role == Role::score ||
           role == Role::index || role == Role::label || role == Role::predicted ||
           prefixed(lowered + "_0").has_value();
}

Columns places_of_list(const ClassList& list, const std::vector<std::string>& names) {
    Columns place;
    std::vector<bool> taken(names.size(), false);
    for (const std::string& name : names) {
        auto cls = list.find(trimmed(name));
        if (const auto split = prefixed(name); !cls && split) cls = list.find(split->second);
        const auto at = static_cast<std::size_t>(cls.value_or(-1));
        if (!cls || at >= names.size() || taken[at]) return {};
        taken[at] = true;
        place.push_back(at);
    }
    return list.size() == names.size() ? place : Columns{};
}

Columns by_number(const std::vector<std::string>& names) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t c = 0; c < names.size(); ++c) {
        const auto split = numbered(names[c]);
        if (!split || split->first != numbered(names.front())->first) return {};
        order.emplace_back(split->second, c);
    }
    std::ranges::sort(order);
    Columns place(names.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i > 0 && order[i].first == order[i - 1].first) return {};
        place[order[i].second] = i;
    }
    return place;
}

std::vector<std::string> placed(const std::vector<std::string>& names, const Columns& place) {
    std::vector<std::string> out(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) out[place[i]] = names[i];
    return out;
}

Columns copies_in(const std::vector<std::string>& names) {
    const std::set<std::string_view> all(names.begin(), names.end());
    Columns out;
    for (std::size_t c = 0; c < names.size(); ++c) {
        const std::string_view name = names[c];
        const std::size_t sign = name.find_last_not_of("0123456789");
        if (sign == std::string_view::npos || sign == 0 || sign + 1 == name.size()) continue;
        const bool marks = std::string_view("._:").find(name[sign]) != std::string_view::npos;
        if (marks && all.contains(name.substr(0, sign))) out.push_back(c);
    }
    return out;
}

std::optional<std::string> missing_number(const std::vector<std::string>& names) {
    const Columns place = by_number(names);
    if (place.empty()) return {};
    const std::vector<std::string> sorted = placed(names, place);
    const auto number = [&](std::size_t i) { return numbered(sorted[i])->second; };
    const std::uint64_t first = std::min<std::uint64_t>(number(0), 1);
    if (number(sorted.size() - 1) - first + 1 - sorted.size() >= sorted.size()) return {};
    std::uint64_t expected = first;
    for (std::size_t i = 0; i < sorted.size(); ++i, ++expected) {
        if (number(i) == expected) continue;
        const std::string& name = sorted[i];
        const std::size_t digits = name.find_last_not_of("0123456789");
        return name.substr(0, digits == std::string::npos ? 0 : digits + 1) +
               std::to_string(expected);
    }
    return {};
}

}  // namespace assay::store
