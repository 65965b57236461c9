#include "model/python/class_texts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/text.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view default_templates = "openai";
constexpr std::size_t most_templates = 1000, longest_template = 1000;

/// The place for the name is {} or {c}. A template has no other braces.
bool has_place(std::string_view text) {
    bool found = false;
    for (std::size_t at = 0; (at = text.find_first_of("{}", at)) != std::string_view::npos;) {
        const std::string_view rest = text.substr(at);
        if (!rest.starts_with("{}") && !rest.starts_with("{c}")) return false;
        at += rest.starts_with("{}") ? 2 : 3;
        found = true;
    }
    return found;
}

json templates_in(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the file of templates {} does not exist; --templates takes a file "
                                "with one template per line, openai or simple",
                                file.string()));
    }
    json out = json::array();
    for_each_line(read_text(file, 1 << 20), [&](std::string_view line, std::size_t number) {
        const std::string_view text = trimmed(line);
        if (text.empty()) return;
        if (!has_place(text) || text.size() > longest_template) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}:{}: the template \"{}\" has no place for the class name. "
                                    "Allowed: a text of at most {} bytes with {{}} or {{c}}, such "
                                    "as \"a photo of a {{}}.\"",
                                    file.string(), number, shortened(text), longest_template));
        }
        out.push_back(std::string(text));
    });
    if (out.empty() || out.size() > most_templates) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{} has {}; allowed: 1 to {}, one per line, such as \"a photo of a {{}}.\"",
                        file.string(), how_many(out.size(), "template"), most_templates));
    }
    return out;
}

/// A text with "n01440764" or "17" is meaningless to a model.
void check_names(const ClassList& classes) {
    const bool numbers = is_numbered(classes) && classes.names() == classes.ids();
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (!numbers && !is_wnid(classes.name(c))) continue;
        throw Error(ErrorCode::bad_input,
                    fmt::format("class {} is named `{}`, which is {}, not a name. The model needs "
                                "names: give --classes FILE, with a line `{} NAME` for each",
                                c, classes.name(c), numbers ? "a number" : "an id", classes.id(c)));
    }
}

/// The ImageNet number of a class whose name is WordNet's ("tench", "tench, Tinca tinca"); else -1.
int number_in_imagenet(const ClassList& classes, std::size_t c) {
    const ClassList& imagenet = imagenet_classes();
    if (!is_wnid(classes.id(c))) return -1;
    const auto found = imagenet.find(classes.id(c));
    if (!found) return -1;
    const std::string& known = imagenet.name(static_cast<std::size_t>(*found));
    const std::string& name = classes.name(c);
    return name == known || name.starts_with(known + ", ") ? *found : -1;
}

}  // namespace

bool is_template_list(std::string_view name) {
    return name == default_templates || name == "simple";
}

ClassTexts class_texts(const PythonStart& start) {
    ClassTexts out;
    if (start.classes) out.classes = start.classes();
    if (out.classes.empty()) {
        throw Error(ErrorCode::bad_input,
                    "the model needs class names, but there are none: pass a class list with "
                    "--classes FILE");
    }
    check_names(out.classes);
    const std::string templates = start.templates.string();
    json told = {{"classes", out.classes.names()}, {"device", start.device}};
    json& numbers = told["imagenet"] = json::array();
    for (std::size_t c = 0; c < out.classes.size(); ++c)
        numbers.push_back(number_in_imagenet(out.classes, c));
    if (templates.empty() || is_template_list(templates)) {
        told["templates"] = templates.empty() ? std::string(default_templates) : templates;
    } else {
        told["templates"] = templates_in(start.templates);
    }
    out.json = json_line(told);
    return out;
}

}  // namespace assay
