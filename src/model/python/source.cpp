#include "model/python/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "assay/error.h"
#include "core/paths.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct SourceKind {
    std::string_view kind;
    std::string_view form;  ///< form for people
};
constexpr std::array source_kinds = {
    SourceKind{"timm", "timm:resnet18.a1_in1k"},
    SourceKind{"torchvision", "torchvision:resnet50"},
    SourceKind{"hf", "hf:google/vit-base-patch16-224"},
    SourceKind{"open_clip", "open_clip:ViT-B-32/laion2b_s34b_b79k"},
    SourceKind{"python", "python:FILE.py:NAME"},
    SourceKind{"process", "process:DESCRIPTOR"},
};

const SourceKind* kind_in(std::string_view source) {
    const std::size_t colon = source.find(':');
    if (colon == std::string_view::npos) return nullptr;
    const auto found = std::ranges::find(source_kinds, source.substr(0, colon), &SourceKind::kind);
    return found == source_kinds.end() ? nullptr : found;
}

/// Returns "FILE.py" for "python:FILE.py:NAME"; "" for any other form.
std::string_view file_in(std::string_view source) {
    const std::size_t first = source.find(':'), last = source.rfind(':');
    if (last == first) return "";
    return source.substr(first + 1, last - first - 1);
}

std::string with_file(std::string_view source, const fs::path& file) {
    return fmt::format("python:{}:{}", file.string(), name_in_source(source));
}

}  // namespace

bool is_python_source(const fs::path& model) {
    return kind_in(model.string()) != nullptr;
}

bool is_source_pattern(const fs::path& model) {
    const std::string text = model.string();
    const SourceKind* const kind = kind_in(text);
    return kind != nullptr && kind->kind != "python" && kind->kind != "process" &&
           name_in_source(text).find_first_of("*?[") != std::string_view::npos;
}

fs::path model_from(const fs::path& folder, const fs::path& model) {
    const std::string text = model.string();
    if (text.empty()) return {};
    if (!is_python_source(model)) return path_from(folder, model);
    if (kind_of_source(text) != "python" || file_in(text).empty()) return model;
    return with_file(text, path_from(folder, fs::path(file_in(text))));
}

std::string whole_source(const std::string& source) {
    const SourceKind* const kind = kind_in(source);
    const bool control = std::ranges::any_of(
        source, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    const bool python = kind != nullptr && kind->kind == "python";
    constexpr std::size_t longest = 4096;
    if (kind == nullptr || control || source.size() > longest || name_in_source(source).empty() ||
        (python && file_in(source).empty())) {
        std::string forms;
        for (const SourceKind& row : source_kinds) {
            if (row.kind == "process") continue;  // for programs
            forms += fmt::format("{}{}", forms.empty() ? "" : ", ", row.form);
        }
        throw Error(ErrorCode::usage,
                    fmt::format("no model in Python is named `{}`; allowed: {}",
                                source.substr(0, 200), kind != nullptr ? kind->form : forms));
    }
    if (!python) return source;
    const fs::path file = absolute_path(fs::path(file_in(source)));
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the file {}, which must define {}, does not exist", file.string(),
                                name_in_source(source)));
    }
    return with_file(source, file);
}

std::string_view kind_of_source(std::string_view source) {
    return source.substr(0, source.find(':'));
}

std::string_view name_in_source(std::string_view source) {
    if (kind_of_source(source) == "python") return source.substr(source.rfind(':') + 1);
    return source.substr(source.find(':') + 1);
}

std::string as_store_name(std::string_view name) {
    constexpr std::string_view refused = "/\\:*?\"<>|@";
    constexpr std::size_t longest = 200;
    std::string out(name.substr(0, longest));
    for (char& c : out) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
            refused.find(c) != std::string_view::npos)
            c = '-';
    }
    if (out.starts_with('.')) out.front() = '-';
    return out.empty() ? "model" : out;
}

}  // namespace assay
