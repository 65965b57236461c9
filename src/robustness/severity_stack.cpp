#include "robustness/severity_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/data/sample.h"
#include "data/array_dataset.h"
#include "data/dataset_name.h"

namespace assay::robustness {
namespace {

/// The index of an image in its file, from its id: 12345 for "fog/12345".
std::optional<std::uint64_t> place_in_file(std::string_view id) {
    const std::string_view digits = id.substr(id.rfind('/') + 1);
    if (digits.empty() || digits.size() > 9) return std::nullopt;
    std::uint64_t place = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        place = 10 * place + static_cast<std::uint64_t>(c - '0');
    }
    return place;
}

const Dataset::Attribute* severities_of(const Dataset& dataset) {
    const auto at = std::ranges::find_if(
        dataset.attributes, [](const auto& attribute) { return attribute.name == "severity"; });
    return at == dataset.attributes.end() ? nullptr : &*at;
}

}  // namespace

const Corruption* corruption_called(std::string_view dataset) {
    const std::string_view name = name_of_whole(dataset);
    for (const Corruption& c : corruptions()) {
        if (!name.ends_with(c.name)) continue;
        const std::size_t before = name.size() - c.name.size();
        if (before == 0 ||
            std::string_view("_-. ").find(name[before - 1]) != std::string_view::npos)
            return &c;
    }
    return nullptr;
}

bool is_severity_stack(const Dataset& dataset) {
    const Dataset::Attribute* severities = severities_of(dataset);
    if (severities == nullptr || dataset.size() == 0) return false;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const auto place = place_in_file(dataset.ids[i]);
        if (!place || severities->values[i] != std::to_string(*place / images_per_severity + 1))
            return false;
    }
    return true;
}

OneSeverity one_severity(const Dataset& stack, const std::vector<RowOutcome>& outcomes,
                         int severity) {
    const Dataset::Attribute* severities = severities_of(stack);
    const std::string wanted = std::to_string(severity);
    std::vector<std::uint32_t> items;
    OneSeverity one;
    StringColumn ids;
    for (std::uint32_t i = 0; i < stack.size(); ++i) {
        if (severities->values[i] != wanted) continue;
        items.push_back(i);
        one.outcomes.push_back(outcomes[i]);
        const std::string_view id = stack.ids[i];
        ids.append(fmt::format("{}{}", id.substr(0, id.rfind('/') + 1),
                               *place_in_file(id) % images_per_severity));
    }
    one.images = take_items(stack, items);
    one.images.ids = std::move(ids);
    return one;
}

}  // namespace assay::robustness
