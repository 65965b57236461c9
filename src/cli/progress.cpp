#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/table.h"

namespace assay::cli {

Progress::Progress(std::string label, std::string unit, bool quiet)
    : label_(std::move(label)), unit_(std::move(unit)), quiet_(quiet), terminal_(stderr_is_terminal()) {
}

Progress::~Progress() {
    finish();
}

void Progress::update(std::uint64_t done_now, std::uint64_t total, std::uint64_t skipped, std::string_view detail) {
    if (quiet_) return;
    const std::scoped_lock lock(mutex_);
    const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
    const auto now = Clock::now();
    // Elsewhere than on a terminal the first line comes after one pause: short runs print none.
    if (now - (last_ == Clock::time_point{} && !terminal_ ? start_ : last_) < pause) return;
    last_ = now;
    draw(done_now, total, skipped, detail);
}

void Progress::draw(std::uint64_t done_now, std::uint64_t total, std::uint64_t skipped, std::string_view detail) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::uint64_t fresh = done_now > skipped ? done_now - skipped : 0;
    const double rate = seconds > 0 ? static_cast<double>(fresh) / seconds : 0;
    const double share = total > 0 ? static_cast<double>(done_now) / static_cast<double>(total) : 0;
    const std::string left =
        rate > 0 && total >= done_now ? duration_text(static_cast<double>(total - done_now) / rate) + " left" : "";
    const std::string numbers = fmt::format("{} / {} {}  {:.0f}/s  {}{}{}", count_text(done_now), count_text(total),
                                            unit_, rate, left, detail.empty() ? "" : "  ", detail);
    if (terminal_) {
        std::fputs(fmt::format("\r\033[K{} |{}| {:3.0f} %  {}", label_, bar(share, 24), 100 * share, numbers).c_str(),
                   stderr);
        std::fflush(stderr);
        drawn_ = true;
    } else {
        std::fputs(fmt::format("{}: {:.0f} %  {}\n", label_, 100 * share, numbers).c_str(), stderr);
    }
}

void Progress::finish() {
    const std::scoped_lock lock(mutex_);
    if (drawn_) std::fputs("\r\033[K", stderr);
    drawn_ = false;
}

std::string duration_text(double seconds) {
    if (seconds < 10) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string count_text(std::uint64_t n) {
    const std::string digits = std::to_string(n);
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out.push_back(',');
        out.push_back(digits[i]);
    }
    return out;
}

}  // namespace assay::cli
