#include "c/options.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/json_reader.h"

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
    if (of_stores) {
        keys.take(measure);
        keys.take(measure.plugins);
    } else {
        keys.take(measure, {"stores", "gates"});
    }
    keys.take(measure.resampling);
    std::erase(measure.labels, "");  // none
    return measure;
}

ClassList take_classes(Keys& keys) {
    const json given = keys.take_any("classes");
    if (given.is_null()) return {};
    if (given.is_string()) {
        const auto name = given.get<std::string>();
        return name == "imagenet" ? imagenet_classes() : read_class_list(name);
    }
    const JsonReader classes(given, {}, "options.classes");
    if (!given.is_object()) return named_classes(classes.texts());
    classes.only({"ids", "names"});
    return ClassList(classes["ids"].texts(), classes["names"].texts());
}

decisions::MethodOptions take_methods(Keys& keys) {
    decisions::MethodOptions options;
    const json given = keys.take_any("methods");
    const JsonReader all(given, {}, "options.methods");
    for (const JsonReader& one : all.entries()) {
        one.only({"name", "pattern", "runs"});
        decisions::GivenMethod& method = options.given.emplace_back();
        method.name = one["name"].text();
        if (one.has("pattern")) method.pattern = one["pattern"].text();
        if (!one.has("runs")) continue;
        for (const JsonReader& run : one["runs"].entries())
            method.runs.push_back({run["seed"].text(), run["store"].text()});
    }
    options.within = keys.take("within", options.within);
    options.labels = keys.take("labels", std::string());
    options.level = keys.take("level", options.level);
    options.threads = keys.take("threads", options.threads);
    keys.nothing_left();
    if (!(options.level > 0 && options.level < 1))
        throw Error(
            ErrorCode::usage,
            fmt::format("level is {}; allowed: between 0 and 1, such as 0.95", options.level));
    if (!(options.within >= 0 && options.within <= 1))
        throw Error(
            ErrorCode::usage,
            fmt::format("within is {}; allowed: from 0 to 1, such as 0.005", options.within));
    return options;
}

std::vector<Dataset::Attribute> take_attributes(Keys& keys) {
    std::vector<Dataset::Attribute> attributes;
    const json given = keys.take_any("attributes");
    if (given.is_null()) return attributes;
    const JsonReader all(given, {}, "options.attributes");
    for (const auto& [name, values] : all.object().items()) {
        Dataset::Attribute& attribute = attributes.emplace_back();
        attribute.name = name;
        for (const JsonReader& value : all[name].entries()) attribute.values.append(value.text());
    }
    return attributes;
}

}  // namespace assay::c
