#include "evaluate/short_threshold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/finite_number.h"

namespace assay::evaluate {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The largest number of an image below the threshold, and the smallest of the others.
struct ScoreGap {
    double low = -unbounded, high = unbounded;
};
ScoreGap score_gap(const std::vector<ScoredImage>& images, double threshold,
                   double ScoredImage::*number) {
    ScoreGap gap;
    for (const ScoredImage& one : images) {
        if (one.score < threshold)
            gap.low = std::max(gap.low, one.*number);
        else
            gap.high = std::min(gap.high, one.*number);
    }
    return gap;
}

/// The decimals of a probability with three digits of its distance from the nearer end.
int first_places(double probability) {
    const double distance = std::min(probability, 1 - probability);
    return distance > 0 ? 2 - static_cast<int>(std::floor(std::log10(distance))) : 0;
}

double to_places(double number, int places) {
    return finite_number(fmt::format("{:.{}f}", number, places)).value_or(number);
}

std::optional<double> short_probability(ScoreGap gap, bool near_low) {
    if (gap.high == unbounded) gap.high = 1;
    if (gap.low == -unbounded) gap.low = -1;
    if (gap.low >= gap.high) return std::nullopt;
    // Without an image below, the number stays near the lowest score, and is not 0.
    const bool from_low = near_low && gap.low >= 0;
    return short_number(gap.low, gap.high, from_low, first_places(from_low ? gap.low : gap.high));
}

}  // namespace

double short_number(double low, double high, bool near_low, int places) {
    // Doubles need at most 17 digits, and the smallest probabilities begin after 308 zeros.
    constexpr int most_places = 330;
    for (; places <= most_places; ++places) {
        const double step = std::pow(10.0, -places);
        double number = to_places(near_low ? low : high, places);
        if (near_low && number <= low) number = to_places(low + step, places);
        if (!near_low && number > high) number = to_places(high - step, places);
        if (number > low && number <= high) return number;
    }
    return near_low ? std::nextafter(low, unbounded) : high;
}

ShownThreshold shown_threshold(const ThresholdHalves& halves, double threshold) {
    const ScoreGap scores = score_gap(halves.all, threshold, &ScoredImage::score);
    // A rule chooses either the score of an image or the next number above one.
    const bool near_low = scores.high != threshold;
    ShownThreshold out;
    out.probability =
        short_probability(score_gap(halves.all, threshold, &ScoredImage::probability), near_low);
    constexpr int odds_places = 2;
    if (halves.are_log_odds)
        out.log_odds = short_number(scores.low, scores.high, near_low, odds_places);
    return out;
}

std::string text_of(const ShownThreshold& threshold) {
    constexpr double near_end = 1e-3;
    const std::optional<double>& probability = threshold.probability;
    const bool is_clear = probability && *probability >= near_end && 1 - *probability >= near_end;
    if (threshold.log_odds && !is_clear) return fmt::format("log-odds {}", *threshold.log_odds);
    return probability ? fmt::format("{}", *probability) : "above 1";
}

}  // namespace assay::evaluate
