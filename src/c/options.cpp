#include "options.h"

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/refuse.h"

namespace assay::c {
namespace {

using nlohmann::json;

constexpr int deepest = 32;

}  // namespace

Keys options_of(const char* text) {
    const std::string_view given = text == nullptr ? "" : text;
    return {given.empty()
                ? json::object()
                : with_note("reading the options", [&] { return parse_json(given, deepest); }),
            "options"};
}

MeasureOptions take_measure(Keys& keys, bool of_stores) {
    MeasureOptions measure;
    measure.metrics = keys.take_list<std::string>("metrics");
    measure.k = keys.take_list<int>("k");
    measure.bins = keys.take("bins", measure.bins);
    measure.edges = keys.take("edges", measure.edges);
    measure.subgroups = keys.take_list<std::string>("subgroups");
    measure.resampling.replicates = keys.take("bootstrap", measure.resampling.replicates);
    measure.resampling.seed = keys.take("seed", measure.resampling.seed);
    measure.resampling.level = keys.take("level", measure.resampling.level);
    measure.threads = keys.take("threads", measure.threads);
    if (measure.resampling.level < 0.5 || measure.resampling.level > 0.9999) {
        throw Error(ErrorCode::usage, "options.level is " +
                                          std::to_string(measure.resampling.level) +
                                          "; 0.5 to 0.9999 is allowed");
    }
    if (measure.bins < 0 || measure.bins > 100) {
        throw Error(ErrorCode::usage,
                    "options.bins is " + std::to_string(measure.bins) + "; 1 to 100 is allowed");
    }
    if (!of_stores) return measure;
    measure.labels = keys.take_list<std::string>("labels");
    std::erase(measure.labels, "");  // none
    measure.class_map = keys.take("class_map", measure.class_map);
    measure.gates = keys.take_list<std::string>("gates");
    measure.null_draws = keys.take("null", measure.null_draws);
    return measure;
}

ScoreShown take_shown(Keys& keys) {
    ScoreShown shown;
    shown.confusions = keys.take("confusions", shown.confusions);
    shown.reliability = keys.take("reliability", shown.reliability);
    shown.per_class = keys.take("per_class", shown.per_class);
    return shown;
}

ClassList take_classes(Keys& keys) {
    const json given = keys.take("classes", json());
    if (given.is_null()) return {};
    if (given.is_string()) {
        const auto name = given.get<std::string>();
        return name == "imagenet" ? imagenet_classes() : read_class_list(name);
    }
    const auto texts = [](const json& list) {
        try {
            return StrictJson<std::vector<std::string>>::of(list);
        } catch (const std::exception&) {
            refuse(
                "options.classes must be a list of texts, or ids and names of equal number; it "
                "is " +
                shown_json(list));
        }
    };
    if (!given.is_object()) return named_classes(texts(given));
    Keys parts(given, "options.classes");
    std::vector<std::string> ids = texts(parts.take("ids", json::array())),
                             names = texts(parts.take("names", json::array()));
    parts.nothing_left();
    return ClassList(std::move(ids), std::move(names));
}

std::vector<Dataset::Attribute> take_attributes(Keys& keys) {
    std::vector<Dataset::Attribute> attributes;
    const json given = keys.take("attributes", json::object());
    if (!given.is_object()) refuse("options.attributes must be an object of lists of texts");
    for (const auto& [name, values] : given.items()) {
        Dataset::Attribute& attribute = attributes.emplace_back();
        attribute.name = name;
        if (!values.is_array()) refuse("options.attributes." + name + " must be a list of texts");
        for (const json& value : values) {
            if (!value.is_string())
                refuse("options.attributes." + name + " has the value " + shown_json(value) +
                       ", which is no text");
            attribute.values.append(value.get_ref<const std::string&>());
        }
    }
    return attributes;
}

}  // namespace assay::c
