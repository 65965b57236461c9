// The statements about all models of a gap that follow from one factor of the errors.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "evaluate/gap/lines.h"
#include "evaluate/gap/model_statements.h"
#include "evaluate/statements/orders.h"
#include "evaluate/statements/places.h"
#include "evaluate/statements/sizes.h"

namespace assay {

/// The required parts of a factor. The middle one only gives values, and orders need the errors
/// themselves instead of a bound.
struct GapAsked {
    bool ends = true, orders = true;
};

/// The statements about a metric from one factor.
struct GapSaid {
    std::optional<statements::Range> absolute, mean;
    std::array<std::optional<statements::Range>, 3>
        spread;  ///< spreads of the first, the second, and the gaps
    std::array<std::optional<statements::Range>, 2> mean_of_set;
    std::optional<statements::WithinMargin> within;
    std::array<std::vector<statements::PlaceRange>, 2> places;
    std::vector<statements::ChangeRange> changes;
    std::array<std::optional<statements::Best>, 2> best;
    statements::RankCorrelations orders;
    GapLineParts line, scaled;
};

/// Models that have the requested values of a metric.
std::vector<std::size_t> models_with_values(const GapReport& report, std::size_t metric, bool first,
                                            bool second);

/// Needs only the factors of this metric; statements that need a missing one are skipped.
GapSaid said_of_metric(const GapReport& report, const GapFactors& factors, std::size_t metric,
                       GapAsked asked);

/// Orders by two metrics on the same images, whose errors share the drawn images.
statements::RankCorrelations order_on_one_set(const GapReport& report, const GapFactors& factors,
                                              const GapOrder& order);

}  // namespace assay
