#include "replication/blind_spot_warnings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/interval_sides.h"

namespace assay::replication {
namespace {

/// The warning's limit for the proportion of the original's images with rates above almost all of
/// the replication's. In simulated studies, intervals for such sets were too narrow.
constexpr double much_above = .30;
constexpr std::size_t most_named = 5;

struct Finding {
    std::string classifier;
    double size;               ///< proportion: the finding
    const Estimate* estimate;  ///< with the interval that it is compared with

    double half() const { return half_width(*estimate); }
};

/// "±0.80", or "-0.75 to +0.85" points around the estimate.
std::string interval_around(const Estimate& e) {
    if (has_equal_sides(e, 2)) return sides_text(e, 2);
    return fmt::format("{:+.2f} to {:+.2f}", 100 * (e.interval->low - *e.value),
                       100 * (e.interval->high - *e.value));
}

/// "a (1.20, interval ±0.80), b (...) and 3 more", the largest excess first.
std::string named(std::vector<Finding> findings) {
    std::ranges::stable_sort(findings, [](const Finding& x, const Finding& y) {
        return std::abs(x.size) - x.half() > std::abs(y.size) - y.half();
    });
    std::string out;
    for (std::size_t i = 0; i < std::min(findings.size(), most_named); ++i) {
        const Finding& f = findings[i];
        out += fmt::format("{}{} ({:+.2f} points, interval {})", i == 0 ? "" : ", ", f.classifier,
                           100 * f.size, interval_around(*f.estimate));
    }
    if (findings.size() > most_named)
        out += fmt::format(" and {} more", findings.size() - most_named);
    return out;
}

}  // namespace

void add_blind_spots(AdjustReport& report) {
    MethodResult& main = report.methods.front();
    if (!main.defined() || !main.blind_spots) return;
    BlindSpots& spots = *main.blind_spots;
    const MethodResult* moments = report.method("moments");
    if (moments != nullptr && moments->defined()) {
        for (std::size_t m = 0; m < report.classifiers.size(); ++m)
            spots.companion_difference.push_back(*moments->adjusted[m].value -
                                                 *main.adjusted[m].value);
    }
    const auto beyond = [&](const std::vector<double>& sizes) {
        std::vector<Finding> found;
        for (std::size_t m = 0; m < sizes.size(); ++m) {
            const Finding one{report.classifiers[m], sizes[m], &main.adjusted[m]};
            if (std::abs(sizes[m]) > one.half()) found.push_back(one);
        }
        return found;
    };
    if (const auto found = beyond(spots.companion_difference); !found.empty()) {
        report.warnings.push_back(fmt::format(
            "the estimate of `moments` is outside the interval of {} of {} classifiers: {}. Either "
            "their accuracy rises too steeply for `moments`, or the interval is too narrow",
            found.size(), report.classifiers.size(), named(found)));
    }
    if (const auto found = beyond(spots.top_jump); !found.empty()) {
        report.warnings.push_back(
            fmt::format("for {} of {} classifiers, the interval would not cover a 10-point jump of "
                        "accuracy at a selection rate of .98: {}",
                        found.size(), report.classifiers.size(), named(found)));
    }
    if (spots.above_99 > much_above) {
        report.warnings.push_back(
            fmt::format("{:.0f} % of the original's images have larger selection rates than 99 % "
                        "of the replication's (above {:.3f}). The replication says little about "
                        "the accuracy there, and the intervals may be too narrow",
                        100 * spots.above_99, spots.rate_99));
    }
}

}  // namespace assay::replication
