// A progress line on stderr: bar, proportion, rate and remaining time on a terminal; otherwise a
// plain line every ten seconds.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

#include "assay/progress.h"
#include "assay/report.h"

namespace assay::cli {

/// The duration of the current step: a run of several steps restarts its count in each, so the time
/// must also restart.
class StepClock {
public:
    using Time = std::chrono::steady_clock::time_point;
    explicit StepClock(Time start) : start_(start) {}

    /// Seconds since the step began. A new step begins when the done count decreases.
    double seconds(const Progress& progress, Time now);

private:
    Time start_;
    std::uint64_t done_ = 0;
};

/// Draws the library's progress: pass the line itself as a ProgressCallback. Thread-safe. Draws at
/// most ten times a second; clears its line when it ends.
class ProgressLine {
public:
    /// `label` describes the work, unless Progress::step is more specific; `unit` is the counted
    /// unit. With -q nothing is drawn.
    ProgressLine(std::string label, std::string unit);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void update(const Progress& progress);
    /// The callback is valid as long as this line lives.
    operator ProgressCallback() {
        return [this](const Progress& progress) { update(progress); };
    }
    /// Clears the line to make room for other output. The destructor also does this.
    void finish();

private:
    using Clock = std::chrono::steady_clock;
    bool due();

    std::string label_;
    std::string unit_;
    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    Clock::time_point start_ = Clock::now();
    StepClock step_{start_};
    Clock::time_point last_{};
    std::mutex mutex_;
};

/// The text after the bar: "120 / 1,000 images  60/s  15 s left  step  2 failed" after `seconds`.
/// It has no rate if units differ in cost, and no total or remaining time if that is not
/// known.
std::string progress_text(const Progress& progress, std::string_view unit, double seconds);

/// Returns text such as "1 h 03 min", "4 min 10 s", "12 s" or "0.3 s".
std::string duration_text(double seconds);

}  // namespace assay::cli
