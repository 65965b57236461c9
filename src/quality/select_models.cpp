// Selects models of a table.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "assay/error.h"
#include "assay/quality/table.h"
#include "core/text.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

[[noreturn]] void refuse_selector(const std::string& selector, const std::string& why) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}`: {}; a selector is TAG=VALUE, model=VALUE or rows=1,5,7-9",
                            shortened(selector, 200), why));
}

/// '*' matches anything. The cost for every star is linear in the text.
bool matches_pattern(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, after = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++after;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

std::vector<std::size_t> rows_of(const std::string& selector, std::string_view list,
                                 std::size_t models) {
    std::vector<std::size_t> rows;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string_view part = trimmed(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
        const std::size_t dash = part.find('-');
        std::uint64_t first = 0, last = 0;
        const bool range = dash != std::string_view::npos;
        if (!parse_number(part.substr(0, dash), first) ||
            (range && !parse_number(part.substr(dash + 1), last)))
            refuse_selector(selector, fmt::format("`{}` is not a row", part));
        if (!range) last = first;
        if (first < 1 || last > models || first > last)
            refuse_selector(selector, fmt::format("`{}` is not within rows 1 to {}", part, models));
        for (std::uint64_t row = first; row <= last; ++row) rows.push_back(row - 1);
    }
    return rows;
}

}  // namespace

std::vector<std::size_t> select_listed(const QualityTable& table,
                                       const std::vector<std::string>& selectors) {
    std::vector<std::size_t> chosen(table.models.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
    for (const std::string& selector : selectors) {
        const std::size_t equal = selector.find('=');
        if (equal == std::string::npos) refuse_selector(selector, "it has no `=`");
        const std::string key = loose_name(selector.substr(0, equal));
        const std::string value = loose_name(trimmed(selector.substr(equal + 1)));
        std::vector<std::size_t> kept;
        if (key == "rows" || key == "row") {
            std::vector<bool> is_chosen(table.models.size(), false);
            for (const std::size_t i : chosen) is_chosen[i] = true;
            for (const std::size_t row :
                 rows_of(selector, selector.substr(equal + 1), table.models.size())) {
                if (is_chosen[row]) kept.push_back(row);
            }
        } else {
            const auto tag = std::find_if(table.tags.begin(), table.tags.end(),
                                          [&](const auto& t) { return loose_name(t) == key; });
            if (key != "model" && tag == table.tags.end()) {
                refuse_selector(selector, no_tag(table, key));
            }
            const auto place = static_cast<std::size_t>(tag - table.tags.begin());
            for (const std::size_t i : chosen) {
                const QualityModel& model = table.models[i];
                const std::string& text = key == "model" ? model.name : model.tags[place];
                if (matches_pattern(value, loose_name(text)) ||
                    (key == "model" && matches_pattern(value, loose_name(model.label))))
                    kept.push_back(i);
            }
        }
        if (kept.empty())
            refuse_selector(selector, chosen.size() == table.models.size()
                                          ? "no model matches"
                                          : "no model that meets the other selectors matches");
        chosen = std::move(kept);
    }
    return chosen;
}

std::vector<std::size_t> distinct_models(const std::vector<std::size_t>& models) {
    std::vector<std::size_t> out;
    std::unordered_set<std::size_t> seen;
    for (const std::size_t m : models) {
        if (seen.insert(m).second) out.push_back(m);
    }
    return out;
}

std::vector<std::size_t> select_models(const QualityTable& table,
                                       const std::vector<std::string>& selectors) {
    return distinct_models(select_listed(table, selectors));
}

}  // namespace assay::quality
