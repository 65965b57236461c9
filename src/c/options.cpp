#include "c/options.h"

#include <span>
#include <string>

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

GivenResampling resampling_in(const Keys& keys) {
    const auto given = [&](const Field& field) {
        const auto found = keys.rest().find(std::string(field.name));
        return found == keys.rest().end() ? json() : *found;
    };
    const json replicates = given(description<Resampling>.front());  // their number
    return {!replicates.is_null() && replicates != 0,
            !given(row_of<&Resampling::seed>().front()).is_null()};
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
        one.only({"name", "pattern", "stores"});
        decisions::GivenMethod& method = options.given.emplace_back();
        method.name = one["name"].text();
        if (one.has("pattern")) method.pattern = one["pattern"].text();
        if (!one.has("stores")) continue;
        for (const JsonReader& run : one["stores"].entries())
            method.runs.push_back({run["run"].text(), run["store"].text()});
    }
    options.within = keys.take("within", options.within);
    for (const auto& [key, value] : keys.rest().items()) {
        if (key != row_of<&MeasureOptions::labels>()[0].name &&
            key != row_of<&MeasureOptions::threads>()[0].name &&
            key != row_of<&Resampling::level>()[0].name)
            throw Error(ErrorCode::usage,
                        fmt::format("{} does not act with methods: remove it", key));
    }
    const MeasureOptions measure = take_measure(keys, true);
    if (measure.labels.size() > 1)
        throw Error(ErrorCode::usage, "methods take one file of labels: remove the others");
    if (!measure.labels.empty()) options.labels = measure.labels.front();
    options.level = measure.resampling.level;
    options.threads = measure.threads;
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
