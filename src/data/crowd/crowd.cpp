#include "data/crowd/crowd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_events.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, Said>, 29> spellings = {{
    {"yes", Said::yes},
    {"y", Said::yes},
    {"true", Said::yes},
    {"t", Said::yes},
    {"1", Said::yes},
    {"1.0", Said::yes},
    {"no", Said::no},
    {"n", Said::no},
    {"false", Said::no},
    {"f", Said::no},
    {"0", Said::no},
    {"0.0", Said::no},
    {"cannot say", Said::cannot_say},
    {"can not say", Said::cannot_say},
    {"cant say", Said::cannot_say},
    {"cannot tell", Said::cannot_say},
    {"can not tell", Said::cannot_say},
    {"cant tell", Said::cannot_say},
    {"cannot judge", Said::cannot_say},
    {"cant judge", Said::cannot_say},
    {"unsure", Said::cannot_say},
    {"not sure", Said::cannot_say},
    {"unclear", Said::cannot_say},
    {"unknown", Said::cannot_say},
    {"dont know", Said::cannot_say},
    {"do not know", Said::cannot_say},
    {"hard to say", Said::cannot_say},
    {"?", Said::cannot_say},
    {"cannot_say", Said::cannot_say},
}};

/// The text in lower case, without apostrophes, and with blanks and similar characters made equal.
std::string plain_answer(std::string_view text) {
    std::string plain;
    for (const char c : loose_name(trimmed(text)))
        if (c != '\'') plain += c;
    constexpr std::string_view curly = "\xE2\x80\x99";
    for (std::size_t at = plain.find(curly); at != std::string::npos; at = plain.find(curly))
        plain.erase(at, curly.size());
    return plain;
}

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f');
}

/// The layout of a JSON list, judged by the members of its first element.
Layout layout_of_list(std::string_view text) {
    constexpr int depth = 64;
    Layout layout = Layout::none;
    // Ends parsing at the first element. The reader judges the rest.
    struct Enough {};
    try {
        read_json_elements(text, depth, 200'000, "", [&](json&& element, std::uint64_t) {
            if (element.is_object()) {
                bool annotator = false, item = false;
                for (const auto& [name, value] : element.items()) {
                    annotator = annotator || is_among(plain_name(name), annotator_words);
                    item = item || is_among(plain_name(name), item_words);
                }
                if (element.contains("datasetObjectId") && element.contains("annotations")) {
                    layout = Layout::consolidation;
                } else if (element.contains("data") && element.contains("annotations")) {
                    layout = Layout::label_studio;
                } else if (annotator && item) {
                    layout = Layout::records;
                }
            }
            throw Enough{};
        });
    } catch (const Enough&) {
    } catch (const Error&) {
    }
    return layout;
}

bool holds_both(std::string_view text, std::string_view one, std::string_view other) {
    return text.find(one) != std::string_view::npos && text.find(other) != std::string_view::npos;
}

bool is_ground_truth(const JsonOutline& line) {
    using Type = json::value_t;
    return (line.has("source-ref", Type::string) || line.has("source", Type::string)) &&
           std::ranges::any_of(line.members, [](const auto& member) {
               return member.first.ends_with("-metadata") && member.second == Type::object;
           });
}

/// Reports damage before other errors. Lines of JSON are judged by the first one.
void refuse_damaged_json(std::string_view text, char first, const std::string& source) {
    constexpr int depth = 64;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (first == '[')
        read_json_elements(text, depth, 200'000, source, [](json&&, std::uint64_t) {});
    if (first != '{') return;
    try {
        const std::string_view rest = text.substr(text.find(first));
        json_outline(rest.substr(0, rest.find('\n')), depth, SIZE_MAX);
    } catch (const Error&) {
        read_json_parts(text, "", depth, most_json_values,
                        [](const std::string&, json&&, std::uint64_t) {});
    }
}

/// The layout of an object, or of a line of one. Most objects are no votes and may be large, so
/// objects without a layout's words are not parsed.
Layout layout_of_object(std::string_view text) {
    constexpr int depth = 64;
    using Type = json::value_t;
    const std::string_view first = text.substr(0, text.find('\n'));
    try {
        if (holds_both(first, "\"source", "-metadata\"") &&
            is_ground_truth(json_outline(first, depth)))
            return Layout::ground_truth;
    } catch (const Error&) {  // the object has several lines
    }
    try {
        if (!holds_both(text, "\"categories\"", "\"items\"")) return Layout::none;
        const JsonOutline whole = json_outline(text, depth);
        if (whole.has("categories", Type::object) && whole.has("items", Type::array))
            return Layout::datumaro;
    } catch (const Error&) {
    }
    return Layout::none;
}

}  // namespace

std::optional<Said> said_by(std::string_view text) {
    if (text.size() > 64) return std::nullopt;
    const std::string plain = plain_answer(text);
    for (const auto& [spelling, answer] : spellings)
        if (plain == spelling) return answer;
    return std::nullopt;
}

std::string known_answers() {
    return "yes, no, cannot say (also y, n, 1, 0, true, false, cannot tell, unsure, ?)";
}

bool says_nothing(std::string_view text) {
    if (text.size() > 64) return false;
    const std::string plain = plain_answer(text);
    return plain.empty() || plain == "skip" || plain == "skipped";
}

std::string image_of_address(std::string_view text) {
    constexpr std::string_view local = "/data/local-files/?d=";
    if (const std::size_t at = text.find(local); at != std::string_view::npos)
        return std::string(text.substr(at + local.size()));
    if (text.find("/data/upload/") == std::string_view::npos) return std::string(text);
    constexpr std::size_t longest_mark = 8;
    const std::string_view name = base_name(text);
    const std::size_t dash = name.find('-');
    const bool marked =
        dash != std::string_view::npos && dash > 0 && dash <= longest_mark &&
        dash + 1 < name.size() &&
        std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dash), is_hex);
    return std::string(marked ? name.substr(dash + 1) : name);
}

std::string_view name_of(Layout layout) {
    switch (layout) {
        case Layout::none:
            return "no votes";
        case Layout::table:
            return "table of votes";
        case Layout::people:
            return "table of votes, a column per person";
        case Layout::mechanical_turk:
            return "Mechanical Turk's results";
        case Layout::toloka:
            return "Toloka's assignments";
        case Layout::zooniverse:
            return "Zooniverse's classifications";
        case Layout::label_studio:
            return "Label Studio's JSON";
        case Layout::records:
            return "JSON list of votes";
        case Layout::ground_truth:
            return "SageMaker Ground Truth's manifest";
        case Layout::consolidation:
            return "SageMaker Ground Truth's answers of workers";
        case Layout::datumaro:
            return "Datumaro's JSON";
        case Layout::cvat:
            return "CVAT's XML";
    }
    return "";
}

Layout layout_of(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return Layout::none;
    const std::string_view rest = text.substr(first);
    if (rest.front() == '[') return layout_of_list(text);
    if (rest.front() == '{') return layout_of_object(rest);
    if (rest.front() == '<') {
        constexpr std::size_t holds_root = 4096;
        const bool cvat = rest.substr(0, holds_root).find("<annotations") != std::string_view::npos;
        return cvat ? Layout::cvat : Layout::none;
    }
    return layout_of_table(text);
}

Reading read_votes(std::string_view text, const std::string& source, const Sink& sink) {
    return read_votes(text, layout_of(text), source, sink);
}

Reading read_votes(std::string_view text, Layout layout, const std::string& source,
                   const Sink& sink) {
    switch (layout) {
        case Layout::zooniverse:
            return read_zooniverse(text, source, sink);
        case Layout::label_studio:
            return read_label_studio_tasks(text, source, sink);
        case Layout::records:
            return read_records(text, source, sink);
        case Layout::ground_truth:
            return read_ground_truth(text, source, sink);
        case Layout::consolidation:
            return read_consolidation(text, source, sink);
        case Layout::datumaro:
            return read_datumaro(text, source, sink);
        case Layout::cvat:
            return read_cvat(text, source, sink);
        case Layout::none: {
            const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
            const bool table = first == std::string_view::npos ||
                               std::string_view("[{<").find(text[first]) == std::string_view::npos;
            if (!table) {
                refuse_damaged_json(text, text[first], source);
                refuse(
                    fmt::format("{}: no known export of votes. Known are the JSON and JSON-MIN of "
                                "Label Studio, the manifests of SageMaker Ground Truth, "
                                "Datumaro's JSON, CVAT's XML, csv and tsv",
                                source));
            }
            break;
        }
        default:
            break;
    }
    return read_table(text, source, layout, sink);
}

std::string plain_name(std::string_view text) {
    std::string out(trimmed(text));
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

bool is_among(std::string_view name, Words words) {
    return std::ranges::find(words, name) != words.end();
}

void LeftOut::note(const std::string& source, std::vector<std::string>& notes) const {
    if (counts_.empty()) return;
    std::string list;
    for (const auto& [what, count] : counts_)
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, what);
    notes.push_back(fmt::format("{}: not counted: {}", source, list));
}

Reading reading_of(Layout layout, bool which_class, const std::string& source,
                   std::string_view taken, const LeftOut& left_out) {
    Reading out{.layout = layout, .which_class = which_class, .notes = {}};
    out.notes.push_back(fmt::format("{}: {}; {}", source, name_of(layout), taken));
    left_out.note(source, out.notes);
    return out;
}

std::string_view annotator_of_attribute(bool unnamed) {
    return unnamed ? "the file, because no attribute annotator names one" : "the attribute";
}

void OneKind::check(std::string_view label, const Where& where) {
    if (asked_ && *asked_ == label.empty()) {
        refuse(
            fmt::format("{}: it names {} class that was asked about (label, class or category); "
                        "the files before it {}",
                        where(), label.empty() ? "no" : "a", label.empty() ? "did" : "did not"));
    }
    asked_ = !label.empty();
}

std::string field_among(const json& object, Words words, std::string* name) {
    for (const std::string_view word : words) {
        for (const auto& [key, value] : object.items()) {
            if (plain_name(key) != word) continue;
            std::string text = scalar_in(value);
            if (text.empty()) continue;
            if (name != nullptr) *name = key;
            return text;
        }
    }
    return "";
}

std::string scalar_in(const json& value) {
    if (value.is_string()) return std::string(trimmed(value.get_ref<const std::string&>()));
    if (value.is_number_float()) {  // pandas writes 1.0 if a column has empty cells
        const double number = value.get<double>();
        constexpr double exact = 9007199254740992.0;  // 2^53
        if (std::abs(number) < exact && number == std::trunc(number))
            return std::to_string(static_cast<std::int64_t>(number));
        return value.dump();
    }
    if (value.is_number_integer() || value.is_boolean()) return value.dump();
    return "";
}

std::vector<std::string> chosen_in(const json& value) {
    if (value.is_object()) {
        for (const char* name : {"choices", "labels", "label"})
            if (value.contains(name)) return chosen_in(value[name]);
        bool options = !value.empty();
        for (const json& one : value) options = options && one.is_boolean();
        std::vector<std::string> out;
        for (const auto& [name, on] : value.items())
            if (options && on.get<bool>()) out.push_back(name);
        if (options) return out;
    }
    std::vector<std::string> out;
    if (value.is_structured()) {
        for (const json& one : value) {
            const std::vector<std::string> inner = chosen_in(one);
            out.insert(out.end(), inner.begin(), inner.end());
        }
        return out;
    }
    if (std::string text = scalar_in(value); !text.empty()) out.push_back(std::move(text));
    return out;
}

void give(const Sink& sink, Vote vote, const std::vector<std::string>& chosen, const Where& where,
          LeftOut& left_out) {
    if (chosen.empty() || (chosen.size() == 1 && says_nothing(chosen[0]))) {
        left_out.add("without an answer");
        return;
    }
    if (chosen.size() > 1 && !vote.label.empty()) {
        sink.problem("several answers in one", [&] {
            return fmt::format("{}: {} answers (`{}`, `{}`); allowed: one", where(), chosen.size(),
                               shortened(chosen[0]), shortened(chosen[1]));
        });
        return;
    }
    for (const std::string& one : chosen) {
        vote.answer = one;
        sink.take(vote, where);
        vote.further = true;
    }
}

}  // namespace assay::crowd
