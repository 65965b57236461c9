// A progress line on stderr: bar, share, rate and time left on a terminal; a plain line every ten
// seconds elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "assay/report.h"

namespace assay::cli {

/// Thread-safe. Draws at most ten times a second; clears its line when it ends.
class Progress {
public:
    /// `quiet`: draw nothing at all.
    Progress(std::string label, std::string unit, bool quiet = false);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `skipped` of `total` were there before and do not count for the rate.
    void update(std::uint64_t done_now, std::uint64_t total, std::uint64_t skipped = 0,
                std::string_view detail = "");
    /// Where units differ in cost: `share` of the work is done, `skipped` of it was there before,
    /// both in [0, 1].
    void update_share(double share, double skipped, std::uint64_t done_now, std::uint64_t total);
    void finish();

private:
    using Clock = std::chrono::steady_clock;
    bool due();
    /// `numbers` stand between the share and the time that is left.
    void draw(double share, double skipped, std::string_view numbers, std::string_view detail);
    double seconds() const;

    std::string label_;
    std::string unit_;
    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_{};
    std::mutex mutex_;
};

/// "1 h 03 min", "4 min 10 s", "12 s", "0.3 s".
std::string duration_text(double seconds);

}  // namespace assay::cli
