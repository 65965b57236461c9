#include "agreement.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/statistics.h"

namespace assay {

Agreement agreement_named(std::string_view name) {
    if (name == "recall") return Agreement::recall;
    if (name == "jaccard") return Agreement::jaccard;
    if (name == "hamming") return Agreement::hamming;
    throw Error(ErrorCode::internal, fmt::format("agreement `{}`", name));
}

double agreement_of(Agreement kind, std::uint32_t g, std::uint32_t h, std::uint32_t classes) {
    const double size = g, hits = h;
    switch (kind) {
        case Agreement::recall:
            return hits / size;
        case Agreement::jaccard:
            return hits / (2 * size - hits);
        case Agreement::hamming:
            return 1 - 2 * (size - hits) / static_cast<double>(classes);
    }
    return 0;
}

Interval mean_interval(const MeanAgreement& m, double level) {
    const auto n = static_cast<double>(m.n);
    const double z = normal_quantile(0.5 + level / 2), p = m.mean;
    double size = n;
    const double spread = p * (1 - p);
    if (!m.yes_or_no && spread > 0 && m.n > 1) {
        const double variance = ((n - 1) * m.variance + 2 * spread) / (n + 1);
        size = spread * n / variance;
        const double t = student_t_quantile(0.5 + level / 2, n - 1);
        size *= z * z / (t * t);
    }
    const double centre = (p + z * z / (2 * size)) / (1 + z * z / size);
    const double half =
        z / (1 + z * z / size) * std::sqrt(spread / size + z * z / (4 * size * size));
    // The ends are exactly 0 and 1 in theory for a mean of 0 and 1; rounding must not move them
    // past the estimate.
    const double low = p <= 0 ? 0 : std::min(p, std::max(0.0, centre - half));
    const double high = p >= 1 ? 1 : std::max(p, std::min(1.0, centre + half));
    return {low, high, level, m.yes_or_no ? "wilson" : "wilson.clusters"};
}

Interval mean_of_terms(std::span<const Term> terms, double level, std::string_view method) {
    double mean = 0, below = 0, above = 0;
    for (const Term& term : terms) {
        mean += term.value;
        below += (term.value - term.low) * (term.value - term.low);
        above += (term.high - term.value) * (term.high - term.value);
    }
    const auto count = static_cast<double>(terms.size());
    mean /= count;
    return {mean - std::sqrt(below) / count, mean + std::sqrt(above) / count, level,
            std::string(method)};
}

}  // namespace assay
