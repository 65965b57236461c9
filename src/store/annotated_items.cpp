#include "store/annotated_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/json_events.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/fiftyone.h"
#include "store/json_rows.h"

namespace assay::store {
namespace {

using nlohmann::json;

/// An entry of one of COCO's lists, with its place in errors.
class Entry {
public:
    Entry(const json& value, const char* list, std::uint64_t number)
        : value_(value), list_(list), number_(number) {
        if (!value.is_object()) fail(fmt::format("{} where an object must be", shown_json(value)));
    }
    std::int64_t whole(const char* key) const {
        const json& value = at(key);
        const bool fits =
            value.is_number_integer() &&
            (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
        if (!fits)
            fail(fmt::format("`{}` is {}; a whole number is allowed", key, shown_json(value)));
        return value.get<std::int64_t>();
    }
    std::string text(const char* key) const {
        const json& value = at(key);
        if (!value.is_string())
            fail(fmt::format("`{}` is {}; a text is allowed", key, shown_json(value)));
        return value.get<std::string>();
    }
    [[noreturn]] void fail(const std::string& why) const {
        refuse(fmt::format("{}[{}]: {}", list_, number_, why));
    }

private:
    const json& at(const char* key) const {
        const auto found = value_.find(key);
        if (found == value_.end()) fail(fmt::format("the key `{}` is missing", key));
        return *found;
    }
    const json& value_;
    const char* list_;
    std::uint64_t number_;
};

template <class Visit>
void for_each_entry(std::string_view text, const char* list, Visit&& visit) {
    read_json_parts(text, list, max_row_depth, most_json_values,
                    [&](const std::string&, json&& part, std::uint64_t number) {
                        visit(Entry(part, list, number));
                    });
}

/// By number: COCO leaves some out, so that a number is no place in a list.
void read_categories(std::string_view text, const ClassList& told, AnnotatedItems& items) {
    std::vector<std::pair<std::int64_t, std::string>> categories;
    for_each_entry(text, "categories", [&](const Entry& entry) {
        categories.emplace_back(entry.whole("id"), entry.text("name"));
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
    for_each_entry(text, "images", [&](const Entry& entry) {
        const std::int64_t id = entry.whole("id");
        std::string name = entry.text("file_name");
        if (places.size() >= std::numeric_limits<std::uint32_t>::max())
            entry.fail("more images than can be numbered");
        if (!places.emplace(id, static_cast<std::uint32_t>(places.size())).second)
            entry.fail(fmt::format("an image before it has the id {}, too", id));
        items.ids.append(name);
        items.numbered.images.emplace(id, std::move(name));
    });
    std::vector<std::vector<std::int32_t>> labels(items.ids.size());
    for_each_entry(text, "annotations", [&](const Entry& entry) {
        const std::int64_t image = entry.whole("image_id"), category = entry.whole("category_id");
        const auto place = places.find(image);
        if (place == places.end()) entry.fail(fmt::format("image_id {} is no image's id", image));
        const auto found = items.numbered.categories.find(category);
        if (found == items.numbered.categories.end())
            entry.fail(fmt::format("category_id {} is no category's id", category));
        labels[place->second].push_back(found->second);
    });
    for (const auto& classes : labels) items.labels.append(classes);
    return items;
}

AnnotatedItems read_labels(std::string_view text, const ClassList& told) {
    const FiftyOneLabels labels(text, told);
    AnnotatedItems items;
    items.classes = labels.classes();
    labels.for_each([&](const std::string& image, const json& label) {
        items.ids.append(image);
        if (label.is_null()) return items.labels.append({});
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
        "no list of items: of JSON, COCO's annotations (images, annotations, categories) and "
        "FiftyOne's labels.json (classes, labels) are; labels alone are given with --labels");
}

std::int32_t class_called(const ClassList& classes, std::string_view text) {
    const std::optional<std::int32_t> found = classes.find(text);
    const auto is_called = [&](std::int32_t c) {
        const auto place = static_cast<std::size_t>(c);
        return classes.id(place) == text || classes.name(place) == text;
    };
    if (!found || !is_called(*found))
        refuse(fmt::format("`{}` is no class{}", shortened(text),
                           suggest(shortened(text), classes.ids())));
    return *found;
}

}  // namespace assay::store
