// The JSON that a process of Python describes its model with: input like any other.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "model/huggingface.h"
#include "model/isolated/wire_fields.h"
#include "model/python/python_model.h"
#include "model/settings.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int deepest_description = 8;
constexpr std::size_t longest_name = 200;

[[noreturn]] void refuse_description(std::string_view key, const json& value,
                                     std::string_view allowed) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the process that runs the model describes it with \"{}\" {}; allowed: "
                            "{}",
                            key, shown_json(value), allowed));
}

std::string text_in(const json& all, const char* key, std::size_t longest,
                    std::string_view allowed) {
    const auto found = all.find(key);
    if (found == all.end()) return {};
    if (!found->is_string() || found->get_ref<const std::string&>().size() > longest)
        refuse_description(key, *found, allowed);
    return found->get<std::string>();
}

bool is_identity(std::string_view text) {
    constexpr std::size_t digits = 32;
    return text.empty() || (text.size() == digits &&
                            text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

std::vector<std::string> notes_in(const json& all) {
    constexpr std::string_view allowed = "a list of at most 16 texts of 2048 bytes";
    std::vector<std::string> notes;
    const auto found = all.find("notes");
    if (found == all.end()) return notes;
    if (!found->is_array() || found->size() > isolated::most_texts)
        refuse_description("notes", *found, allowed);
    for (const json& note : *found) {
        if (!note.is_string() || note.get_ref<const std::string&>().size() > isolated::longest_note)
            refuse_description("notes", note, allowed);
        notes.push_back(note.get<std::string>());
    }
    return notes;
}

/// Names in the folder of the model's file, each once.
std::vector<std::string> data_files_in(const json& all) {
    constexpr std::string_view allowed = "a sorted list of names of files in the model's folder";
    std::vector<std::string> files;
    const auto found = all.find("data_files");
    if (found == all.end()) return files;
    if (!found->is_array()) refuse_description("data_files", *found, allowed);
    for (const json& one : *found) {
        const fs::path file = one.is_string() ? one.get<std::string>() : std::string();
        const bool outside = file.empty() || file.is_absolute() ||
                             std::ranges::any_of(file, [](const fs::path& p) { return p == ".."; });
        if (outside || (!files.empty() && files.back() >= file.string()))
            refuse_description("data_files", one, allowed);
        files.push_back(file.string());
    }
    return files;
}

/// A list of classes comes as it is: no file is opened because a process names it.
void check_settings(const json& settings) {
    if (!settings.is_object()) refuse_description("settings", settings, "a table of settings");
    for (const char* const key : {"name", "arch"}) {
        if (settings.contains(key) && !settings[key].is_null())
            refuse_description(key, settings[key], "nothing: it is no setting of a process");
    }
    if (const auto classes = settings.find("classes");
        classes != settings.end() && classes->is_string() && *classes != "imagenet")
        refuse_description("classes", *classes, "\"imagenet\", or the list itself");
}

/// What transformers' preprocessor_config.json says, under what the process says itself. One that
/// cannot be expressed leaves it to the others.
void add_image_processor(const json& all, ModelDescription& out) {
    const auto processor = all.find("image_processor");
    if (processor == all.end() || processor->is_null()) return;
    if (!processor->is_object())
        refuse_description("image_processor", *processor, "a preprocessor_config.json");
    const std::string model_type = text_in(all, "model_type", longest_name, "a text");
    json below;
    try {
        below =
            checked_layer(settings_of_image_processor(*processor, model_type, out.without_effect));
    } catch (const Error& error) {
        out.notes.push_back(
            fmt::format("the model's image processor is not used: {}", error.message()));
        return;
    }
    // They say one thing in two ways.
    if (out.settings.contains("crop_pct") || out.settings.contains("test_crop_pct"))
        below.erase("resize_size");
    if (out.settings.contains("resize_size")) below.erase("crop_pct");
    below.update(out.settings);
    out.settings = checked_layer(below);
}

}  // namespace

ModelDescription read_description(std::string_view text, std::string framework) {
    const json all = with_note("reading what the process says of its model",
                               [&] { return parse_json(text, deepest_description); });
    if (!all.is_object()) refuse_description("", all, "a table");
    ModelDescription out;
    out.framework = std::move(framework);
    out.name = text_in(all, "name", longest_name, "a text of at most 200 bytes");
    out.identity = text_in(all, "identity", longest_name, "32 hexadecimal digits, or \"\"");
    if (!is_identity(out.identity))
        refuse_description("identity", out.identity, "32 hexadecimal digits, or \"\"");
    out.format = text_in(all, "format", 40, "a word of at most 40 letters");
    out.notes = notes_in(all);
    out.data_files = data_files_in(all);
    if (const auto settings = all.find("settings"); settings != all.end()) {
        check_settings(*settings);
        PassedOver passed_over{.any = true, .keys = {}};
        out.settings = with_note("reading the settings that the model's process gives",
                                 [&] { return checked_layer(*settings, &passed_over); });
        out.without_effect = std::move(passed_over.keys);
    }
    add_image_processor(all, out);
    return out;
}

}  // namespace assay
