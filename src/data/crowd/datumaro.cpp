// Datumaro's JSON: an item per image, whose annotations of type label contain class numbers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_events.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

using nlohmann::json;

constexpr int datumaro_depth = 32;
constexpr std::uint64_t datumaro_values = std::uint64_t{4} << 20;

std::vector<std::string> classes_of(std::string_view text, const std::string& source) {
    std::vector<std::string> names;
    read_json_parts(text, "categories", datumaro_depth, datumaro_values,
                    [&](const std::string& key, json&& part, std::uint64_t) {
                        if (key != "label" || !part.is_object() || !part.contains("labels") ||
                            !part["labels"].is_array())
                            return;
                        for (const json& label : part["labels"]) {
                            const bool named = label.is_object() && label.contains("name");
                            names.push_back(named ? scalar_in(label["name"]) : scalar_in(label));
                        }
                    });
    if (names.empty()) refuse(fmt::format("{}: no classes in `categories.label.labels`", source));
    return names;
}

std::string image_of(const json& item) {
    for (const char* name : {"image", "media"}) {
        const auto found = item.find(name);
        if (found != item.end() && found->is_object() && found->contains("path"))
            if (std::string path = scalar_in((*found)["path"]); !path.empty()) return path;
    }
    return item.contains("id") ? scalar_in(item["id"]) : "";
}

/// The annotator that an attribute of the annotation names.
std::string annotator_in(const json& annotation) {
    const auto attributes = annotation.find("attributes");
    if (attributes == annotation.end() || !attributes->is_object()) return "";
    return field_among(*attributes, annotator_words);
}

}  // namespace

Reading read_datumaro(std::string_view text, const std::string& source, const Sink& sink) {
    const std::vector<std::string> classes = classes_of(text, source);
    LeftOut left_out;
    bool unnamed = false;
    read_json_parts(
        text, "items", datumaro_depth, datumaro_values,
        [&](const std::string&, json&& item, std::uint64_t number) {
            const Where where = [&] { return fmt::format("{} item {}", source, number + 1); };
            const auto annotations = item.find("annotations");
            if (!item.is_object() || annotations == item.end() || !annotations->is_array())
                refuse(fmt::format("{}: it is {}; allowed: an object with `annotations`", where(),
                                   shown_json(item)));
            const std::string image = image_of(item);
            for (const json& annotation : *annotations) {
                if (!annotation.is_object() || !annotation.contains("type") ||
                    annotation["type"] != "label") {
                    left_out.add("annotations of types other than label");
                    continue;
                }
                const auto id = annotation.find("label_id");
                if (id == annotation.end() || !id->is_number_unsigned() ||
                    id->get<std::uint64_t>() >= classes.size()) {
                    refuse(fmt::format("{}: `label_id` is {}; allowed: 0 to {}", where(),
                                       id == annotation.end() ? "not there" : shown_json(*id),
                                       classes.size() - 1));
                }
                std::string by = annotator_in(annotation);
                unnamed = unnamed || by.empty();
                if (by.empty()) by = source;
                sink.take({.annotator = by,
                           .item = image,
                           .label = {},
                           .answer = classes[id->get<std::uint64_t>()]},
                          where);
            }
        });
    return reading_of(
        Layout::datumaro, true, source,
        fmt::format("image: image.path, else id; annotator: {}; class chosen: label_id",
                    annotator_of_attribute(unnamed)),
        left_out);
}

}  // namespace assay::crowd
