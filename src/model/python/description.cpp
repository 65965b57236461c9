// Reads the JSON with which a Python process describes its model. It is untrusted input.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/refuse.h"
#include "model/huggingface.h"
#include "model/isolated/wire_fields.h"
#include "model/python/python_model.h"
#include "model/settings.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int deepest_description = 8;
constexpr std::size_t longest_name = 200, longest_format = 40;

constexpr JsonSource description_source = {
    "the description", [](std::string message) {
        refuse("what the process says of its model is damaged: " + message);
    }};

std::string text_in(const JsonReader& all, std::string_view key, std::size_t longest) {
    return all.has(key) ? all[key].text(longest) : std::string();
}

/// 32 hexadecimal digits, or nothing.
std::string identity_in(const JsonReader& all) {
    constexpr std::size_t digits = 32;
    const std::string text = text_in(all, "identity", longest_name);
    const bool whole =
        text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!text.empty() && !whole) all["identity"].refuse_as("32 hexadecimal digits, or \"\"");
    return text;
}

std::vector<std::string> notes_in(const JsonReader& all) {
    std::vector<std::string> notes;
    if (!all.has("notes")) return notes;
    for (const JsonReader& note : all["notes"].entries(isolated::most_texts))
        notes.push_back(note.text(isolated::longest_note));
    return notes;
}

/// Makes unique names from the folder of the model's file.
std::vector<std::string> data_files_in(const JsonReader& all) {
    std::vector<std::string> files;
    if (!all.has("data_files")) return files;
    for (const JsonReader& one : all["data_files"].entries()) {
        const fs::path file = one.text();
        const bool outside = file.empty() || file.is_absolute() ||
                             std::ranges::any_of(file, [](const fs::path& p) { return p == ".."; });
        if (outside || (!files.empty() && files.back() >= file.string()))
            one.refuse_as("the name of a file in the model's folder, in sorted order");
        files.push_back(file.string());
    }
    return files;
}

/// A class list is accepted only as a list, so that a process cannot make the program open a file.
void check_settings(const JsonReader& settings) {
    for (const char* const key : {"name", "arch", "expected"}) {
        if (const auto given = settings.find(key))
            given->refuse_as("nothing: it is not a setting of a model in Python");
    }
    const auto classes = settings.find("classes");
    if (classes && classes->json().is_string() && classes->text() != "imagenet")
        classes->refuse_as("\"imagenet\", or the list itself");
}

/// Adds the settings of transformers' preprocessor_config.json, unless the process gives its own
/// settings. Ignores a file whose settings cannot be expressed.
void add_image_processor(const JsonReader& all, ModelDescription& out) {
    const auto processor = all.find("image_processor");
    if (!processor) return;
    const json& file = processor->object();
    const std::string model_type = text_in(all, "model_type", longest_name);
    json below;
    try {
        below = checked_layer(settings_of_image_processor(file, model_type, out.without_effect));
    } catch (const Error& error) {
        out.notes.push_back(
            fmt::format("the model's image processor is not used: {}", error.message()));
        return;
    }
    // Both keys have the same meaning.
    if (out.settings.contains("crop_pct") || out.settings.contains("test_crop_pct"))
        below.erase("resize_size");
    if (out.settings.contains("resize_size")) below.erase("crop_pct");
    below.update(out.settings);
    out.settings = checked_layer(below);
}

}  // namespace

ModelDescription read_description(std::string_view text, std::string framework) {
    const json made = with_note("reading the description of the model from its process",
                                [&] { return parse_json(text, deepest_description); });
    const JsonReader all(made, description_source);
    ModelDescription out;
    out.framework = std::move(framework);
    out.name = text_in(all, "name", longest_name);
    out.identity = identity_in(all);
    out.format = text_in(all, "format", longest_format);
    out.notes = notes_in(all);
    out.data_files = data_files_in(all);
    if (all.has("settings")) {
        check_settings(all["settings"]);
        PassedOver passed_over{.any = true, .keys = {}};
        out.settings = with_note("reading the settings from the model's process", [&] {
            return checked_layer(all["settings"].object(), &passed_over);
        });
        out.without_effect = std::move(passed_over.keys);
    }
    add_image_processor(all, out);
    return out;
}

}  // namespace assay
