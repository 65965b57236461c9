#include "store/annotated_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/json_events.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/fiftyone.h"
#include "store/json_rows.h"

namespace assay::store {
namespace {

using nlohmann::json;

/// Visits the entries of one of COCO's lists.
template <class Visit>
void for_each_entry(std::string_view text, const char* list, Visit&& visit) {
    read_json_parts(text, list, max_row_depth, most_json_values,
                    [&](const std::string&, json&& part, std::uint64_t number) {
                        visit(JsonReader(part, {}, fmt::format("{}[{}]", list, number)));
                    });
}

/// Categories are keyed by number. COCO omits some numbers, so a number is not a list position.
void read_categories(std::string_view text, const ClassList& told, AnnotatedItems& items) {
    std::vector<std::pair<std::int64_t, std::string>> categories;
    for_each_entry(text, "categories", [&](const JsonReader& entry) {
        categories.emplace_back(entry["id"].integer(), entry["name"].text());
    });
    std::ranges::sort(categories);
    for (std::size_t i = 1; i < categories.size(); ++i) {
        if (categories[i].first == categories[i - 1].first)
            refuse(fmt::format("the category {} appears twice: `{}` and `{}`", categories[i].first,
                               shortened(categories[i - 1].second),
                               shortened(categories[i].second)));
    }
    std::vector<std::string> names;
    for (const auto& [number, name] : categories) {
        items.numbered.categories.emplace(number, told.empty()
                                                      ? static_cast<std::int32_t>(names.size())
                                                      : class_called(told, name));
        names.push_back(name);
    }
    items.classes = told.empty() ? ClassList(std::move(names)) : told;
}

AnnotatedItems read_coco(std::string_view text, const ClassList& told) {
    AnnotatedItems items;
    read_categories(text, told, items);
    std::unordered_map<std::int64_t, std::uint32_t> places;
    for_each_entry(text, "images", [&](const JsonReader& entry) {
        const std::int64_t id = entry["id"].integer();
        std::string name = entry["file_name"].text();
        if (places.size() >= std::numeric_limits<std::uint32_t>::max())
            entry.refuse("too many images");
        if (!places.emplace(id, static_cast<std::uint32_t>(places.size())).second)
            entry.refuse(fmt::format("an earlier image also has the id {}", id));
        items.ids.append(name);
        items.numbered.images.emplace(id, std::move(name));
    });
    std::vector<std::vector<std::int32_t>> labels(items.ids.size());
    for_each_entry(text, "annotations", [&](const JsonReader& entry) {
        const std::int64_t image = entry["image_id"].integer(),
                           category = entry["category_id"].integer();
        const auto place = places.find(image);
        if (place == places.end())
            entry.refuse(fmt::format("image_id {} is not an image's id", image));
        const auto found = items.numbered.categories.find(category);
        if (found == items.numbered.categories.end())
            entry.refuse(fmt::format("category_id {} is not a category's id", category));
        labels[place->second].push_back(found->second);
    });
    for (const auto& classes : labels) items.labels.append(classes);
    return items;
}

AnnotatedItems read_labels(std::string_view text, const ClassList& told) {
    const FiftyOneLabels labels(text, told);
    AnnotatedItems items;
    items.classes = labels.classes();
    labels.for_each([&](const std::string& image, const JsonReader& label) {
        items.ids.append(image);
        if (label.json().is_null()) return items.labels.append({});
        const std::int32_t cls = labels.class_of(label);
        items.labels.append(std::span(&cls, 1));
    });
    return items;
}

}  // namespace

AnnotatedItems read_annotated_items(std::string_view text, const ClassList& told) {
    const JsonOutline outline = json_outline(text, max_row_depth);
    if (is_fiftyone_labels(outline)) return read_labels(text, told);
    using Type = json::value_t;
    if (outline.has("images", Type::array) && outline.has("annotations", Type::array) &&
        outline.has("categories", Type::array))
        return read_coco(text, told);
    refuse(
        "not a list of items; supported JSON: COCO's annotations (images, annotations, categories) "
        "and FiftyOne's labels.json (classes, labels). For labels only, use --labels");
}

std::int32_t class_called(const ClassList& classes, std::string_view text) {
    const std::optional<std::int32_t> found = classes.find(text);
    const auto is_called = [&](std::int32_t c) {
        const auto place = static_cast<std::size_t>(c);
        return classes.id(place) == text || classes.name(place) == text;
    };
    if (!found || !is_called(*found))
        refuse(fmt::format("`{}` is not a class{}", shortened(text),
                           suggest(shortened(text), classes.ids())));
    return *found;
}

}  // namespace assay::store
