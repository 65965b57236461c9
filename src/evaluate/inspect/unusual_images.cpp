#include "evaluate/inspect/unusual_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/text.h"
#include "evaluate/inspect/duplicates.h"

namespace assay::inspect {
namespace {

using Kind = UnusualImages::Kind;

/// A kind that is known from an image alone. The limits of the luma, of the entropy (0.3 of 10
/// bits) and of the sides are those of CleanVision 0.3.7; docs/inspect.md says where that of the
/// sharpness comes from.
struct Limit {
    Kind kind;
    bool above;  ///< images above the limit are unusual, else those below
    double limit;
};
constexpr std::array<Limit, 5> limits = {{{Kind::dark, false, 0.32},
                                          {Kind::nearly_white, true, 0.95},
                                          {Kind::blurred, false, 0.02},
                                          {Kind::low_information, false, 3},
                                          {Kind::long_and_narrow, false, 0.35}}};

/// The number of pixels that at least `quarters` quarters of the images do not exceed.
double quartile_of(const std::map<double, std::uint64_t>& counts, std::uint64_t images,
                   std::uint64_t quarters) {
    std::uint64_t up_to = 0;
    for (const auto& [pixels, count] : counts) {
        up_to += count;
        if (4 * up_to >= quarters * images) return pixels;
    }
    return 0;
}

/// The limits of the usual numbers of pixels.
std::pair<double, double> usual_pixels(const SizeCounts& sizes) {
    std::map<double, std::uint64_t> counts;
    std::uint64_t images = 0;
    for (const auto& [size, count] : sizes) {
        counts[static_cast<double>(size.first) * static_cast<double>(size.second)] += count;
        images += count;
    }
    const double lower = quartile_of(counts, images, 1), upper = quartile_of(counts, images, 3);
    // Tukey's outer fences (three interquartile ranges) of the logarithm, at least a factor of 4.
    const double ratio = upper / lower;
    const double factor = std::max(ratio * ratio * ratio, 4.0);
    return {lower / factor, upper * factor};
}

}  // namespace

std::string unusual_id(UnusualImages::Kind kind) {
    return std::string(words_of(kind)[static_cast<std::size_t>(kind)].second);
}

const UnusualWords& words_for(UnusualImages::Kind kind) {
    static constexpr std::array<UnusualWords, 6> words = {
        {{Kind::dark, "is dark", "are dark", "99th percentile of the luma"},
         {Kind::nearly_white, "is nearly white", "are nearly white", "5th percentile of the luma"},
         {Kind::blurred, "is blurred", "are blurred",
          "variance of the Laplacian over the variance of the luma"},
         {Kind::low_information, "has little information", "have little information",
          "bits of entropy of the luma"},
         {Kind::long_and_narrow, "is long and narrow", "are long and narrow",
          "shorter side over longer side"},
         {Kind::odd_size, "has an unusual size", "have unusual sizes", "pixels"}}};
    return words[static_cast<std::size_t>(kind)];
}

std::string value_text(UnusualImages::Kind kind, double value) {
    if (kind == Kind::odd_size) return count_text(static_cast<std::uint64_t>(value));
    return fmt::format("{:.4g}", value);
}

std::string rule_text(const UnusualImages& unusual) {
    const auto text = [&](const std::optional<double>& limit, std::string_view side) {
        return limit ? fmt::format("{} {}", side, value_text(unusual.kind, *limit)) : "";
    };
    std::optional<double> below = unusual.below;
    // Numbers of pixels are whole: "below 2,036" is below 2,035.4.
    if (below && unusual.kind == Kind::odd_size) below = std::ceil(*below);
    return fmt::format("{} {}{}{}", words_for(unusual.kind).measure, text(below, "below"),
                       unusual.below && unusual.above ? " or " : "", text(unusual.above, "above"));
}

void UnusualTally::keep(Kept& kept, double key, std::uint32_t item) const {
    kept.emplace(key, item);
    if (kept.size() > examples_) kept.erase(std::prev(kept.end()));
}

void UnusualTally::add(std::uint32_t item, int width, int height, const PixelMeasures& measures) {
    const auto [shorter, longer] = std::minmax(width, height);
    const std::array<double, 5> values = {measures.percentile_99, measures.percentile_5,
                                          measures.sharpness, measures.entropy,
                                          static_cast<double>(shorter) / longer};
    bool dark_or_white = false;
    for (std::size_t k = 0; k < limits.size(); ++k) {
        const Limit& at = limits[k];
        // NaN is not unusual.
        const bool unusual = at.above ? values[k] > at.limit : values[k] < at.limit;
        if (!unusual || (at.kind == Kind::low_information && dark_or_white)) continue;
        dark_or_white = dark_or_white || at.kind == Kind::dark || at.kind == Kind::nearly_white;
        ++counted_[k].images;
        keep(counted_[k].kept, at.above ? -values[k] : values[k], item);
    }
    const double pixels = static_cast<double>(width) * static_cast<double>(height);
    keep(fewest_pixels_, pixels, item);
    keep(most_pixels_, -pixels, item);
}

UnusualImages UnusualTally::odd_sizes(const Dataset& dataset, const SizeCounts& sizes) const {
    UnusualImages out{
        .kind = Kind::odd_size, .images = 0, .below = {}, .above = {}, .examples = {}};
    const auto [least, most] = usual_pixels(sizes);
    if (least >= 1) out.below = least;  // no image has fewer pixels than 1
    out.above = most;
    for (const auto& [size, count] : sizes) {
        const double pixels = static_cast<double>(size.first) * static_cast<double>(size.second);
        if (pixels < least || pixels > most) out.images += count;
    }
    // The ratio to the limit makes few and many pixels comparable.
    std::map<std::pair<double, std::uint32_t>, double> found;
    for (const auto& [pixels, item] : fewest_pixels_)
        if (pixels < least) found.emplace(std::pair(pixels / least, item), pixels);
    for (const auto& [negative, item] : most_pixels_)
        if (-negative > most) found.emplace(std::pair(most / -negative, item), -negative);
    for (const auto& [extreme_first, pixels] : found) {
        if (out.examples.size() == examples_) break;
        out.examples.push_back({inspected_image(dataset, extreme_first.second), pixels});
    }
    return out;
}

std::vector<UnusualImages> UnusualTally::result(const Dataset& dataset,
                                                const SizeCounts& sizes) const {
    if (sizes.empty()) return {};
    std::vector<UnusualImages> out;
    for (std::size_t k = 0; k < limits.size(); ++k) {
        const Limit& at = limits[k];
        UnusualImages& one = out.emplace_back();
        one.kind = at.kind;
        one.images = counted_[k].images;
        (at.above ? one.above : one.below) = at.limit;
        for (const auto& [key, item] : counted_[k].kept)
            one.examples.push_back({inspected_image(dataset, item), at.above ? -key : key});
    }
    out.push_back(odd_sizes(dataset, sizes));
    return out;
}

}  // namespace assay::inspect
