#include "cli/offers.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "core/text.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// True for a name that a shell cannot show, or that contains a line end.
bool has_control(std::string_view text) {
    return std::ranges::any_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool ends_in_one_of(std::string_view name, std::span<const std::string_view> endings) {
    const std::string ending = lower_extension(name);
    return std::ranges::any_of(endings,
                               [&](std::string_view e) { return e.empty() || e == ending; });
}

}  // namespace

std::vector<std::string> Given::of(std::string_view name) const {
    std::vector<std::string> found;
    for (const auto& [key, value] : values) {
        if (key == name) found.push_back(value);
    }
    return found;
}

fs::path expanded(std::string_view path) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    std::string_view first = path.substr(0, slash);
    const char* value = nullptr;
    if (first == "~") value = std::getenv("HOME");
    if (first.starts_with('$')) {
        first.remove_prefix(1);
        if (first.starts_with('{') && first.ends_with('}'))
            first = first.substr(1, first.size() - 2);
        value = std::getenv(std::string(first).c_str());
    }
    if (value == nullptr) return path;
    return std::string(value) + std::string(path.substr(slash));
}

void Offers::name(std::string_view text, std::string_view about) {
    if (!text.starts_with(typed_) || has_control(text)) return;
    const auto same = [&](const Candidate& c) { return c.text == text; };
    if (std::ranges::any_of(candidates_, same)) return;
    candidates_.push_back({std::string(text), std::string(about)});
}

void Offers::paths(const PathRule& rule) {
    const std::size_t slash = typed_.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : typed_.substr(0, slash + 1);
    const std::string_view begun = std::string_view(typed_).substr(parent.size());
    if (begun == "~" && parent.empty()) return name("~/");
    if (begun == "..") return name(typed_ + "/");
    const fs::path folder = parent.empty() ? fs::path(".") : expanded(parent);
    // The folder's contents are not needed.
    if (rule.whole != nullptr && !parent.empty() && rule.whole(folder)) return;

    std::error_code error;
    std::vector<std::string> found;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string entry = at->path().filename().string();
        if (!entry.starts_with(begun) || (entry.starts_with('.') && begun.empty())) continue;
        std::error_code unknown;
        if (!at->is_directory(unknown)) {
            if (ends_in_one_of(entry, rule.endings)) found.push_back(entry);
        } else {
            const bool whole = rule.whole != nullptr && rule.whole(at->path());
            found.push_back(entry + (whole ? "" : "/"));
        }
    }
    std::ranges::sort(found);
    for (const std::string& entry : found) name(parent + entry);
    has_paths_ = has_paths_ || !found.empty();
}

}  // namespace assay::cli
