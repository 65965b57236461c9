// Describes the result of a match in words.
#include <fmt/format.h>

#include "core/interval_sides.h"
#include "replication/matching_parts.h"

namespace assay::replication {
namespace {

std::string percent(const Estimate& e) {
    return fmt::format("{:.1f} %", 100 * *e.value);
}

/// "3.9 ±0.5 points", or with both ends.
std::string points(const Estimate& e) {
    const Estimate size = without_sign(e);
    return e.interval ? fmt::format("{:.1f} {} points", 100 * *size.value, sides_text(size, 1))
                      : fmt::format("{:.1f} points", 100 * *size.value);
}

std::string range(const Estimate& e) {
    return e.interval ? fmt::format("{:+.1f} to {:+.1f} points", 100 * e.interval->low,
                                    100 * e.interval->high)
                      : fmt::format("{:+.1f} points, without an interval", 100 * *e.value);
}

/// Without an interval, no effect counts as shown.
bool shown(const Estimate& e) {
    return e.interval && (e.interval->low > 0 || e.interval->high < 0);
}

}  // namespace

std::string verdict(const MatchResult& result) {
    if (!result.held_out.value || !result.difference.value) return "";
    std::string out = fmt::format(
        "Held-out annotators select the chosen images in {}, those of the "
        "reference are selected in {}.",
        percent(result.held_out), percent(result.reference));
    const Estimate& off = result.difference;
    out += shown(off) ? fmt::format(" The chosen images are selected {} {} often.", points(off),
                                    *off.value < 0 ? "less" : "more")
                      : fmt::format(" A difference is not shown ({}).", range(off));
    const Estimate& bias = result.regression;
    if (!bias.value)
        return out + fmt::format("\nSelection bias is not estimated: {}.", bias.undefined);
    if (result.reference_annotators == 0) {
        out += shown(bias)
                   ? fmt::format(
                         "\nThose who chose select them {} {} often than those held "
                         "out: their answers must not be used again.",
                         points(bias), *bias.value < 0 ? "more" : "less")
                   : fmt::format("\nThat those who chose select them more often is not shown ({}).",
                                 range(bias));
        return out;
    }
    out += shown(bias) ? fmt::format(
                             "\nFrequencies of {} annotators hide {} of selection bias: the images "
                             "that they match are selected {} often than they seem to be.",
                             result.annotators, points(bias), *bias.value < 0 ? "less" : "more")
                       : fmt::format("\nSelection bias is not shown ({}).", range(bias));
    return out;
}

namespace matching {

void add_warnings(const MatchOptions& options, MatchResult& result) {
    auto& warnings = result.warnings;
    if (result.too_few_annotators > 0) {
        warnings.push_back(fmt::format("{} candidates with too few annotators were not considered",
                                       result.too_few_annotators));
    }
    if (result.from_higher > 0) {
        warnings.push_back(
            fmt::format("{} images come from a higher bucket than the reference asks for: the "
                        "lower ones lacked candidates",
                        result.from_higher));
    }
    if (result.missing > 0) {
        warnings.push_back(
            fmt::format("{} images are missing: no candidates were left for them", result.missing));
    }
    if (!result.held_out.value) {
        warnings.push_back(
            "IN-SAMPLE AGREEMENT PROVES NOTHING: images were chosen by these same frequencies, so "
            "they agree in any case. Hold out annotators (`annotators`) to measure the frequencies "
            "independently");
        return;
    }
    const Estimate& d = result.regression;
    if (options.strategy == Strategy::matched && shown(d)) {
        warnings.push_back(fmt::format(
            "the match is {:+.1f} {} points off, which is selection bias: "
            "held-out annotators select its images in {}, the reference's in {}",
            100 * *d.value, sides_text(d, 1), percent(result.held_out), percent(result.reference)));
    }
}

}  // namespace matching
}  // namespace assay::replication
