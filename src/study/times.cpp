#include "study/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "core/text.h"

namespace assay::study {
namespace {

/// Parses a time from the front.
class TimeText {
public:
    explicit TimeText(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    /// Reads exactly `count` digits, with a value of at most `most`.
    std::optional<int> digits(std::size_t count, int most) {
        std::uint64_t value = 0;
        if (rest_.size() < count || !parse_number(rest_.substr(0, count), value) ||
            value > static_cast<std::uint64_t>(most)) {
            return std::nullopt;
        }
        rest_.remove_prefix(count);
        return static_cast<int>(value);
    }
    /// Reads the fraction of a second as microseconds. Digits after the sixth are dropped.
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

/// Reads minutes east of UTC from "Z", "+02:00", "+0200", "+02" or no text.
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

std::string utc_now() {
    return utc_moment_now().substr(0, std::string_view("2026-11-23T01:02:03").size()) + "Z";
}

std::string utc_moment_now() {
    using namespace std::chrono;
    const auto now = system_clock::now().time_since_epoch();
    const auto micro = duration_cast<microseconds>(now).count();
    const auto second = static_cast<std::time_t>(micro / 1'000'000);
    std::tm parts{};
    ::gmtime_r(&second, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       micro % 1'000'000);
}

bool is_utc_second(std::string_view text) {
    if (text.empty() || text.back() != 'Z') return false;
    const std::string moment = std::string(text.substr(0, text.size() - 1)) + ".000000Z";
    return is_utc_moment(moment);
}

bool is_utc_moment(std::string_view text) {
    return utc_moment_of(text) == text;
}

std::optional<std::string> utc_moment_of(std::string_view written) {
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

}  // namespace assay::study
