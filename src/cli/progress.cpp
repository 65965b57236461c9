#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/table.h"

namespace assay::cli {

Progress::Progress(std::string label, std::string unit, bool quiet)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      quiet_(quiet),
      terminal_(stderr_is_terminal()) {}

Progress::~Progress() {
    finish();
}

void Progress::update(std::uint64_t done_now, std::uint64_t total, std::uint64_t skipped,
                      std::string_view detail) {
    if (quiet_) return;
    const std::scoped_lock lock(mutex_);
    if (!due()) return;
    const auto of_total = [&](std::uint64_t n) {
        return total > 0 ? static_cast<double>(n) / static_cast<double>(total) : 0;
    };
    const std::uint64_t fresh = done_now > skipped ? done_now - skipped : 0;
    const double rate = seconds() > 0 ? static_cast<double>(fresh) / seconds() : 0;
    draw(of_total(done_now), of_total(skipped),
         fmt::format("{} / {} {}  {:.0f}/s", count_text(done_now), count_text(total), unit_, rate),
         detail);
}

void Progress::update_share(double share, double skipped, std::uint64_t done_now,
                            std::uint64_t total) {
    if (quiet_) return;
    const std::scoped_lock lock(mutex_);
    if (due())
        draw(share, skipped,
             fmt::format("{} / {} {}", count_text(done_now), count_text(total), unit_), "");
}

bool Progress::due() {
    const auto pause =
        terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
    const auto now = Clock::now();
    // Elsewhere than on a terminal the first line comes after one pause: short runs print none.
    if (now - (last_ == Clock::time_point{} && !terminal_ ? start_ : last_) < pause) return false;
    last_ = now;
    return true;
}

double Progress::seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::draw(double share, double skipped, std::string_view numbers,
                    std::string_view detail) {
    const double fresh = share - skipped;
    const std::string left =
        fresh > 0 && share <= 1 ? duration_text(seconds() * (1 - share) / fresh) + " left" : "";
    const std::string rest =
        fmt::format("{}  {}{}{}", numbers, left, detail.empty() ? "" : "  ", detail);
    if (terminal_) {
        std::fputs(
            fmt::format("\r\033[K{} |{}| {:3.0f} %  {}", label_, bar(share, 24), 100 * share, rest)
                .c_str(),
            stderr);
        std::fflush(stderr);
        drawn_ = true;
    } else {
        std::fputs(fmt::format("{}: {:.0f} %  {}\n", label_, 100 * share, rest).c_str(), stderr);
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

}  // namespace assay::cli
