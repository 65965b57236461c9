#include "store/fiftyone.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "assay/error.h"
#include "containers/npy.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/annotated_items.h"
#include "store/cells.h"
#include "store/json_rows.h"

namespace assay::store {
namespace {

using nlohmann::json;
using Type = json::value_t;

/// A classifier's confidence in its prediction, or nothing if it is missing.
std::optional<double> confidence_of(const JsonReader& label) {
    const auto found = label.json().is_object() ? label.find("confidence") : std::nullopt;
    return found ? std::optional(found->number()) : std::nullopt;
}

/// Returns {"id", "index", "prob"}, the form in which JsonRows reads a predicted class.
json prediction_row(std::string id, std::int32_t cls, const std::optional<double>& confidence) {
    json row = {{"id", std::move(id)}};
    if (confidence) {
        row["index"] = json::array({cls});
        row["prob"] = json::array({*confidence});
    } else {
        row["prediction"] = cls;
    }
    return row;
}

std::vector<std::byte> from_base64(std::string_view text) {
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    while (text.ends_with('=')) text.remove_suffix(1);
    std::uint32_t word = 0;
    int bits = 0;
    for (const char c : text) {
        constexpr std::string_view digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos) refuse("the logits are not base64");
        word = word << 6U | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<std::byte>(word >> static_cast<unsigned>(bits) & 0xFFU));
    }
    return bytes;
}

/// Unpacks at most `most` bytes.
std::vector<std::byte> inflated(const std::vector<std::byte>& packed, std::size_t most) {
    std::vector<std::byte> out(most);
    uLongf size = most;
    const int state = ::uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                   reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (state == Z_BUF_ERROR)
        refuse(fmt::format(
            "the logits decompress to more than {} bytes, the size for these classes", most));
    if (state != Z_OK) refuse("the logits are damaged: zlib cannot decompress them");
    out.resize(size);
    return out;
}

/// Reads logits as a list of numbers, or as FiftyOne stores them: NumPy's bytes, compressed by
/// zlib, in base64.
std::vector<float> logits_of(const JsonReader& value, std::size_t classes) {
    std::vector<float> logits;
    if (value.json().is_array()) {
        for (const json& logit : value.list()) {
            if (!logit.is_number()) value.entry(logits.size()).refuse_as("a number");
            logits.push_back(static_cast<float>(logit.get<double>()));
        }
    } else {
        // The form is {"$binary": {"base64": text, ...}}, or {"$binary": text, ...} from older
        // writers of MongoDB.
        const json* text = &value.json();
        for (const char* key : {"$binary", "base64"}) {
            if (text->is_object() && text->contains(key)) text = &text->at(key);
        }
        if (!text->is_string()) value.refuse_as("a list of numbers, or MongoDB's $binary");
        constexpr std::size_t header = 4096, widest = 8;
        const std::vector<std::byte> bytes =
            inflated(from_base64(text->get_ref<const std::string&>()), header + widest * classes);
        const NpyView array = parse_npy(bytes);
        if (array.shape.size() != 1 || !is_float(array.type()))
            refuse(fmt::format("the logits have the shape {}; allowed: one row of floats",
                               array.shape_text()));
        logits.resize(array.count());
        array.values.floats(0, logits);
    }
    if (logits.size() != classes)
        refuse(fmt::format("{} logits of {} classes", logits.size(), classes));
    return logits;
}

/// Reads samples with one field of predictions.
class Samples {
public:
    explicit Samples(const SourceOptions& options)
        : options_(options), field_(options.array), rows_(options) {
        if (options.classes.empty())
            throw Error(ErrorCode::usage,
                        "FiftyOne's samples do not list the classes: pass them with --classes, in "
                        "the order of the logits if there are any");
    }

    void add(const JsonReader& sample) {
        const std::string& id = sample["filepath"].text();
        with_note("reading the sample `" + shortened(id) + "`", [&] { add(sample, id); });
    }

    ScoreSource finish() {
        ScoreSource source = rows_.finish();
        source.array = field_;
        if (source.truth.size() > 0) source.truth_name = truth_;
        return source;
    }

private:
    static bool is_classification(const json& value) {
        const auto cls = value.is_object() ? value.find("_cls") : value.end();
        return value.is_object() && cls != value.end() && *cls == "Classification";
    }

    void add(const JsonReader& sample, const std::string& id) {
        std::vector<std::string> fields;
        const json* truth = nullptr;
        for (const auto& entry : sample.object().items()) {
            const std::string& key = entry.key();
            if (!is_classification(entry.value())) continue;
            if (key != field_ && role_of(key) == Role::truth) {
                truth = &entry.value();
                truth_ = key;
            } else {
                fields.push_back(key);
            }
        }
        if (field_.empty() && fields.size() == 1) field_ = fields.front();
        const auto found = field_.empty() ? std::nullopt : sample.find(field_);
        const bool other = options_.array.empty() &&
                           (fields.size() > 1 || (fields.size() == 1 && fields[0] != field_));
        if (other)
            refuse(fmt::format(
                "the fields {} hold classifications: choose the predictions with --array",
                fmt::join(with(fields, field_), ", ")));
        if (!found || !is_classification(found->json()))
            refuse(fmt::format("no prediction in {}; every sample needs a Classification",
                               field_.empty() ? "any field" : "the field `" + field_ + "`"));
        json row = row_of(*found, id);
        if (truth != nullptr && truth->contains("label")) row["target"] = truth->at("label");
        rows_.add(row);
    }

    static std::set<std::string> with(const std::vector<std::string>& fields,
                                      const std::string& field) {
        std::set<std::string> all(fields.begin(), fields.end());
        if (!field.empty()) all.insert(field);
        return all;
    }

    json row_of(const JsonReader& prediction, const std::string& id) const {
        const std::string& label = prediction["label"].text();
        const std::int32_t cls = class_called(options_.classes, label);
        const auto logits = prediction.find("logits");
        if (!logits) return prediction_row(id, cls, confidence_of(prediction));
        const std::vector<float> scores = logits_of(*logits, options_.classes.size());
        const auto best =
            static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
        // Without this check, a class order that differs from the logits' is not detected.
        if (scores[best] != scores[static_cast<std::size_t>(cls)])
            refuse(
                fmt::format("the label is `{}`, but the greatest logit belongs to class {}, `{}`: "
                            "check that --classes is in the order of the logits",
                            shortened(label), best, shortened(options_.classes.id(best))));
        return {{"id", id}, {"logits", scores}};
    }

    const SourceOptions& options_;
    std::string field_, truth_;
    JsonRows rows_;
};

}  // namespace

bool is_fiftyone_labels(const JsonOutline& outline) {
    return outline.has("labels", Type::object);
}

FiftyOneLabels::FiftyOneLabels(std::string_view text, const ClassList& told) : text_(text) {
    std::vector<std::string> names;
    if (json_outline(text, max_row_depth).has("classes", Type::array)) {
        read_json_parts(text, "classes", max_row_depth, most_json_values,
                        [&](const std::string&, json&& name, std::uint64_t number) {
                            const std::string place = fmt::format("classes[{}]", number);
                            names.push_back(JsonReader(name, {}, place).text());
                        });
    }
    for (std::size_t c = 0; c < names.size(); ++c)
        places_.push_back(told.empty() ? static_cast<std::int32_t>(c)
                                       : class_called(told, names[c]));
    classes_ = told.empty() && !names.empty() ? ClassList(std::move(names)) : told;
    if (classes_.empty())
        throw Error(ErrorCode::usage,
                    "the file does not list the classes: pass them with --classes");
}

std::int32_t FiftyOneLabels::class_of(const JsonReader& label) const {
    const JsonReader own = label.json().is_object() ? label["label"] : label;
    if (places_.empty()) {
        if (!own.json().is_string())
            own.refuse_as("the name of a class, because the file has no `classes`");
        return class_called(classes_, own.text());
    }
    std::uint64_t place = 0;
    if (!detail::take(own.json(), place) || place >= places_.size())
        own.refuse_as(
            fmt::format("an index into the file's `classes`, 0 to {}", places_.size() - 1));
    return places_[static_cast<std::size_t>(place)];
}

void FiftyOneLabels::for_each(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
    read_json_parts(text_, "labels", max_row_depth, most_json_values,
                    [&](const std::string& image, json&& label, std::uint64_t) {
                        with_note("reading the label of `" + shortened(image) + "`",
                                  [&] { visit(image, JsonReader(label, {.whole = "the label"})); });
                    });
}

ScoreSource read_fiftyone_labels(std::string_view text, const SourceOptions& options) {
    const FiftyOneLabels labels(text, options.classes);
    SourceOptions known = options;
    known.classes = labels.classes();
    JsonRows rows(known);
    labels.for_each([&](const std::string& image, const JsonReader& label) {
        if (label.json().is_null()) refuse("there is no prediction: null");
        rows.add(prediction_row(image, labels.class_of(label), confidence_of(label)));
    });
    ScoreSource source = rows.finish();
    if (options.classes.empty()) source.columns = known.classes;
    return source;
}

ScoreSource read_fiftyone_samples(std::string_view text, const SourceOptions& options) {
    Samples samples(options);
    read_json_parts(text, "samples", max_row_depth, most_json_values,
                    [&](const std::string&, json&& sample, std::uint64_t number) {
                        with_note(fmt::format("reading samples[{}]", number), [&] {
                            samples.add(JsonReader(sample, {.whole = "the sample"}));
                        });
                    });
    return samples.finish();
}

}  // namespace assay::store
