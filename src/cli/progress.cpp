#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/command.h"
#include "cli/ranks.h"
#include "cli/terminal.h"
#include "core/terminal_text.h"
#include "report/renderers.h"

namespace assay::cli {
namespace {

/// The proportion done, and the part done before this run; 0 if the total is not known.
struct Part {
    double done = 0, skipped = 0;
};

Part part_of(const Progress& p) {
    if (p.work) return {*p.work, p.work_skipped.value_or(0)};
    if (p.total == 0) return {};
    const auto total = static_cast<double>(p.total);
    return {static_cast<double>(p.done) / total, static_cast<double>(p.skipped) / total};
}

}  // namespace

std::string progress_text(const Progress& p, std::string_view unit, double seconds) {
    std::string text = count_text(p.done);
    if (p.total > 0) text += " / " + count_text(p.total);
    text += fmt::format(" {}", unit);
    if (!p.work) {
        const std::uint64_t fresh = p.done > p.skipped ? p.done - p.skipped : 0;
        text += fmt::format("  {:.0f}/s", seconds > 0 ? static_cast<double>(fresh) / seconds : 0);
    }
    const Part part = part_of(p);
    const double fresh = part.done - part.skipped;
    if (fresh > 0 && part.done <= 1)
        text += "  " + duration_text(seconds * (1 - part.done) / fresh) + " left";
    if (!p.step.empty()) text += fmt::format("  {}", p.step);
    if (p.failed > 0) text += fmt::format("  {} failed", count_text(p.failed));
    return text;
}

ProgressLine::ProgressLine(std::string label, std::string unit)
    : label_(without_controls(label)),
      unit_(std::move(unit)),
      quiet_(is_quiet() || !is_first_rank()),
      terminal_(stderr_is_terminal()) {}

ProgressLine::~ProgressLine() {
    finish();
}

void ProgressLine::update(const Progress& progress) {
    if (quiet_) return;
    const std::scoped_lock lock(mutex_);
    const double seconds = step_.seconds(progress, Clock::now());
    if (!due()) return;
    const double done = part_of(progress).done;
    const std::string text = without_controls(progress_text(progress, unit_, seconds));
    if (terminal_) {
        std::fputs(fmt::format("\r\033[K{} |{}| {:3.0f} %  {}", label_, bar_text(done, 24),
                               100 * done, text)
                       .c_str(),
                   stderr);
        std::fflush(stderr);
        drawn_ = true;
    } else {
        std::fputs(fmt::format("{}: {:.0f} %  {}\n", label_, 100 * done, text).c_str(), stderr);
    }
}

bool ProgressLine::due() {
    const auto pause =
        terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
    const auto now = Clock::now();
    // If the output is no terminal, the first line comes after one interval: not in short runs.
    if (now - (last_ == Clock::time_point{} && !terminal_ ? start_ : last_) < pause) return false;
    last_ = now;
    return true;
}

double StepClock::seconds(const Progress& progress, Time now) {
    if (progress.done < done_) start_ = now;
    done_ = progress.done;
    return std::chrono::duration<double>(now - start_).count();
}

void ProgressLine::finish() {
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
