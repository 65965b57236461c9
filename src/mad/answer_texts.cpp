// Answers and times as people and tools write them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/refuse.h"
#include "core/text.h"
#include "mad/answer_readers.h"
#include "mad/decisions.h"

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

/// Reads a time from its front.
class TimeText {
public:
    explicit TimeText(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    /// Exactly so many digits, at most `most`.
    std::optional<int> digits(std::size_t count, int most) {
        std::uint64_t value = 0;
        if (rest_.size() < count || !parse_number(rest_.substr(0, count), value) ||
            value > static_cast<std::uint64_t>(most)) {
            return std::nullopt;
        }
        rest_.remove_prefix(count);
        return static_cast<int>(value);
    }
    /// Of a second; digits beyond the sixth are cut off.
    std::optional<int> microseconds() {
        std::size_t count = 0;
        int value = 0;
        for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; ++count) {
            if (count < 6) value = 10 * value + (rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        if (count == 0 || count > 12) return std::nullopt;
        for (; count < 6; ++count) value *= 10;
        return value;
    }

private:
    std::string_view rest_;
};

/// Minutes east of UTC: "Z", "+02:00", "+0200", "+02", or nothing at all.
std::optional<int> offset_minutes(TimeText& text) {
    if (text.done() || text.take('Z') || text.take('z')) return 0;
    const bool west = text.take('-');
    if (!west && !text.take('+')) return std::nullopt;
    const std::optional<int> hours = text.digits(2, 23);
    if (!hours) return std::nullopt;
    int minutes = 0;
    if (!text.done()) {
        text.take(':');
        const std::optional<int> more = text.digits(2, 59);
        if (!more) return std::nullopt;
        minutes = *more;
    }
    return (west ? -1 : 1) * (60 * *hours + minutes);
}

}  // namespace

std::string_view name_of(Answer answer) {
    switch (answer) {
        case Answer::no:
            return "no";
        case Answer::yes:
            return "yes";
        case Answer::cannot_say:
            return "cannot say";
    }
    return "";
}

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

std::optional<std::string> utc_time_of(std::string_view written) {
    using namespace std::chrono;
    TimeText text(trimmed(written));
    const std::optional<int> y = text.digits(4, 9999);
    if (!y || !text.take('-')) return std::nullopt;
    const std::optional<int> m = text.digits(2, 12);
    if (!m || !text.take('-')) return std::nullopt;
    const std::optional<int> d = text.digits(2, 31);
    if (!d) return std::nullopt;
    const year_month_day date{year{*y}, month{static_cast<unsigned>(*m)},
                              day{static_cast<unsigned>(*d)}};
    if (!date.ok()) return std::nullopt;
    int of_day = 0, micro = 0, offset = 0;
    if (!text.done()) {
        if (!text.take('T') && !text.take('t') && !text.take(' ')) return std::nullopt;
        const std::optional<int> hour = text.digits(2, 23);
        if (!hour || !text.take(':')) return std::nullopt;
        const std::optional<int> minute = text.digits(2, 59);
        if (!minute) return std::nullopt;
        std::optional<int> second = 0;
        if (text.take(':')) {
            second = text.digits(2, 60);
            if (!second) return std::nullopt;
            if (text.take('.')) {
                const std::optional<int> fraction = text.microseconds();
                if (!fraction) return std::nullopt;
                micro = *fraction;
            }
        }
        text.take(' ');
        const std::optional<int> minutes = offset_minutes(text);
        if (!minutes || !text.done()) return std::nullopt;
        offset = *minutes;
        of_day = 3600 * *hour + 60 * *minute + std::min(*second, 59);
    }
    const sys_seconds at = sys_days{date} + seconds{of_day} - minutes{offset};
    const sys_days on = floor<days>(at);
    const year_month_day utc{on};
    if (static_cast<int>(utc.year()) < 0 || static_cast<int>(utc.year()) > 9999)
        return std::nullopt;
    const auto rest = static_cast<int>((at - on).count());
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(utc.year()),
                       static_cast<unsigned>(utc.month()), static_cast<unsigned>(utc.day()),
                       rest / 3600, rest / 60 % 60, rest % 60, micro);
}

std::string utc_time_in(std::string_view text, const std::string& where) {
    if (text.empty()) return "";
    const std::optional<std::string> utc = utc_time_of(text);
    if (!utc) {
        refuse(fmt::format("{}: the time is `{}`; allowed: as 2026-11-23T01:02:03Z", where,
                           shortened(text)));
    }
    return *utc;
}

std::string utc_time_now() {
    return utc_time_of(utc_now()).value_or("");
}

}  // namespace assay::mad
