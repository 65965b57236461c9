#include "serve/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "assay/error.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "core/text.h"
#include "serve/pages.h"

namespace assay::serve {
namespace {

using nlohmann::json;

/// Every {word} of a text.
std::set<std::string> placeholders_of(std::string_view text) {
    std::set<std::string> out;
    for (std::size_t at = text.find('{'); at != std::string_view::npos;
         at = text.find('{', at + 1)) {
        const std::size_t end = text.find('}', at);
        if (end == std::string_view::npos) break;
        out.insert(std::string(text.substr(at, end + 1 - at)));
    }
    return out;
}

void check_placeholders(const std::string& place, const std::string& english,
                        const std::string& given) {
    const std::set<std::string> wanted = placeholders_of(english), met = placeholders_of(given);
    for (const std::string& name : wanted) {
        if (!met.contains(name))
            refuse(fmt::format("{}: {} is missing in {}; the page inserts a value there", place,
                               name, shown_json(given)));
    }
    for (const std::string& name : met) {
        if (!wanted.contains(name))
            refuse(
                fmt::format("{}: {} in {} is unknown; allowed: {}", place, name, shown_json(given),
                            wanted.empty() ? "none" : fmt::format("{}", fmt::join(wanted, ", "))));
    }
}

/// Characters beyond ASCII stay as they are.
std::string in_small_letters(std::string text) {
    for (char& c : text) c = lower(c);
    return text;
}

constexpr std::array<const char*, 4> older_keys = {"key_yes", "key_no", "key_undo", "key_zoom"};

/// The first letter that no older key has. Without it, files made before `key_tag` that use its
/// English letter would be refused.
std::string free_letter_for_tags(const json& strings) {
    constexpr std::array<const char*, older_keys.size() + 1> letters = {"t", "g", "l", "k", "b"};
    return *std::ranges::find_if(letters, [&](const char* letter) {
        return std::ranges::none_of(older_keys, [&](const char* name) {
            return in_small_letters(strings.at(name)) == letter;
        });
    });
}

/// A keyboard shortcut must be one character with one meaning.
void check_letters(const json& strings, const std::string& file) {
    std::map<std::string, std::string> names;
    std::vector<const char*> keys(older_keys.begin(), older_keys.end());
    keys.push_back("key_tag");
    for (const char* name : keys) {
        const std::string text = strings.at(name);
        const auto characters =
            std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });  // UTF-8
        if (characters != 1 || text == " ")
            refuse(fmt::format("{}: `{}` is {}; allowed: one character, for a key to press", file,
                               name, shown_json(text)));
        const auto [known, is_new] = names.emplace(in_small_letters(text), name);
        if (!is_new)
            refuse(fmt::format("{}: `{}` and `{}` are both {}; they must differ", file,
                               known->second, name, shown_json(text)));
    }
}

}  // namespace

std::string strings_json(const std::filesystem::path& file) {
    json strings = json::parse(english_strings());
    if (!file.empty()) {
        const json given = with_note("reading " + file.string(), [&] {
            return parse_json(read_text(file, std::uint64_t{1} << 20), 2, 10'000);
        });
        if (!given.is_object())
            refuse(fmt::format(
                "{}: it is {}; allowed: a JSON object of texts, like web/strings/en.json",
                file.string(), shown_json(given)));
        std::vector<std::string> keys;
        for (const auto& entry : strings.items()) keys.push_back(entry.key());
        for (const auto& entry : given.items()) {
            const std::string place = fmt::format("{}: `{}`", file.string(), entry.key());
            const auto english = strings.find(entry.key());
            if (english == strings.end())
                refuse(fmt::format("{}: an unknown key{}", place, suggest(entry.key(), keys)));
            if (!entry.value().is_string())
                refuse(fmt::format("{} is {}; allowed: a text", place, shown_json(entry.value())));
            const std::string text = entry.value();
            check_placeholders(place, *english, text);
            if (entry.key() == "dir" && text != "ltr" && text != "rtl")
                refuse(fmt::format("{} is `{}`; allowed: ltr, rtl", place, text));
            *english = text;
        }
        if (!given.contains("key_tag")) strings["key_tag"] = free_letter_for_tags(strings);
    }
    check_letters(strings, file.string());
    json out = {{"lang", strings["lang"]}, {"dir", strings["dir"]}};
    strings.erase("lang");
    strings.erase("dir");
    out["strings"] = std::move(strings);
    return json_line(out);
}

}  // namespace assay::serve
