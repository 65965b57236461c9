#include "data/attributes.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "core/text.h"

namespace assay {

const Dataset::Attribute& attribute_named(const Dataset& dataset, std::string_view name) {
    if (const Dataset::Attribute* found = find_attribute(dataset, name)) return *found;
    std::vector<std::string> names;
    for (const Dataset::Attribute& attribute : dataset.attributes) names.push_back(attribute.name);
    if (names.empty()) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "no attribute `{}`: the data set has none (they are the extra columns of its list)",
                name));
    }
    throw Error(ErrorCode::usage,
                fmt::format("the data set has no attribute `{}`{}", name, suggest(name, names)));
}

ResultType result_type(ResultOf<AttributeValue>) {
    static constexpr auto rows = describe_result<AttributeValue>(
        {.name = "AttributeValue"},
        {part<&AttributeValue::name>({}), part<&AttributeValue::value>({})});
    return rows;
}

std::vector<AttributeValue> attributes_of(const Dataset& dataset, std::size_t item) {
    std::vector<AttributeValue> values = attribute_names(dataset);
    for (std::size_t a = 0; a < values.size(); ++a)
        values[a].value = dataset.attributes[a].values[item];
    return values;
}

std::vector<AttributeValue> attribute_names(const Dataset& dataset) {
    std::vector<AttributeValue> names;
    for (const Dataset::Attribute& attribute : dataset.attributes)
        names.push_back({attribute.name, {}});
    return names;
}

namespace {

/// Groups as they are found: numbers in the order of their first item.
struct FoundGroups {
    std::vector<std::int32_t> of;
    std::vector<std::vector<std::string_view>> values;  // one value per attribute, for each group
};

[[noreturn]] void too_many(std::span<const std::string> attributes, std::size_t most) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}` has more than {} different values, too many for groups",
                            fmt::join(attributes, ","), most));
}

/// Divides each group by the values of one more attribute.
FoundGroups divided(const FoundGroups& before, const StringColumn& column,
                    std::span<const std::string> attributes, std::size_t most) {
    FoundGroups after;
    after.of.assign(before.of.size(), AttributeGroups::none);
    std::unordered_map<std::string_view, std::uint64_t> numbers;  // numbers of the values
    std::unordered_map<std::uint64_t, std::int32_t> groups;
    for (std::size_t i = 0; i < before.of.size(); ++i) {
        const std::string_view value = column[i];
        if (before.of[i] == AttributeGroups::none || value.empty()) continue;
        const std::uint64_t number = numbers.try_emplace(value, numbers.size()).first->second;
        const std::uint64_t key = number << 32U | static_cast<std::uint32_t>(before.of[i]);
        const auto [at, first] = groups.try_emplace(key, static_cast<std::int32_t>(groups.size()));
        after.of[i] = at->second;
        if (!first) continue;
        if (groups.size() > most) too_many(attributes, most);
        auto& values =
            after.values.emplace_back(before.values[static_cast<std::size_t>(before.of[i])]);
        values.push_back(value);
    }
    return after;
}

}  // namespace

AttributeGroups groups_by(const Dataset& dataset, std::span<const std::string> attributes,
                          std::size_t most) {
    FoundGroups found{std::vector<std::int32_t>(dataset.size(), 0), {{}}};
    for (std::size_t a = 0; a < attributes.size(); ++a) {
        if (std::ranges::count(attributes, attributes[a]) > 1) {
            throw Error(ErrorCode::usage, fmt::format("`{}` names the attribute `{}` twice",
                                                      fmt::join(attributes, ","), attributes[a]));
        }
        const Dataset::Attribute& attribute = attribute_named(dataset, attributes[a]);
        found = divided(found, attribute.values, attributes, most);
    }
    std::vector<std::int32_t> order(found.values.size()), place(found.values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](std::int32_t g) { return found.values[static_cast<std::size_t>(g)]; });
    AttributeGroups groups;
    for (const std::int32_t g : order) {
        place[static_cast<std::size_t>(g)] = static_cast<std::int32_t>(groups.names.size());
        std::string name;
        for (std::size_t a = 0; a < attributes.size(); ++a) {
            name += fmt::format("{}{}={}", a == 0 ? "" : ",", attributes[a],
                                found.values[static_cast<std::size_t>(g)][a]);
        }
        groups.names.push_back(std::move(name));
    }
    groups.of = std::move(found.of);
    for (std::int32_t& g : groups.of) {
        if (g == AttributeGroups::none) {
            ++groups.without;
        } else {
            g = place[static_cast<std::size_t>(g)];
        }
    }
    return groups;
}

}  // namespace assay
