// Answers and times as people and tools write them.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_readers.h"
#include "study/times.h"

namespace assay::mad {
namespace {

constexpr std::array<std::pair<std::string_view, Answer>, 28> spellings = {{
    {"yes", Answer::yes},
    {"y", Answer::yes},
    {"true", Answer::yes},
    {"t", Answer::yes},
    {"1", Answer::yes},
    {"1.0", Answer::yes},
    {"no", Answer::no},
    {"n", Answer::no},
    {"false", Answer::no},
    {"f", Answer::no},
    {"0", Answer::no},
    {"0.0", Answer::no},
    {"cannot say", Answer::cannot_say},
    {"can not say", Answer::cannot_say},
    {"cant say", Answer::cannot_say},
    {"cannot tell", Answer::cannot_say},
    {"can not tell", Answer::cannot_say},
    {"cant tell", Answer::cannot_say},
    {"cannot judge", Answer::cannot_say},
    {"cant judge", Answer::cannot_say},
    {"unsure", Answer::cannot_say},
    {"not sure", Answer::cannot_say},
    {"unclear", Answer::cannot_say},
    {"unknown", Answer::cannot_say},
    {"dont know", Answer::cannot_say},
    {"do not know", Answer::cannot_say},
    {"hard to say", Answer::cannot_say},
    {"?", Answer::cannot_say},
}};

/// In lower case, blanks and their likes made one, without apostrophes of either kind.
std::string plain_answer(std::string_view text) {
    std::string plain;
    for (const char c : loose_name(trimmed(text)))
        if (c != '\'') plain += c;
    constexpr std::string_view curly = "\xE2\x80\x99";
    for (std::size_t at = plain.find(curly); at != std::string::npos; at = plain.find(curly))
        plain.erase(at, curly.size());
    return plain;
}

}  // namespace

std::optional<Answer> answer_named(std::string_view text) {
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

std::string utc_time_in(std::string_view text, const std::string& where) {
    if (text.empty()) return "";
    const std::optional<std::string> utc = study::utc_moment_of(text);
    if (!utc) {
        refuse(fmt::format("{}: the time is `{}`; allowed: as 2026-11-23T01:02:03Z", where,
                           shortened(text)));
    }
    return *utc;
}

}  // namespace assay::mad
