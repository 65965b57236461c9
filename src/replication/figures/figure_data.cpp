#include <fmt/format.h>

#include "assay/error.h"
#include "replication/figures/figure_parts.h"

namespace assay::replication {
namespace {

constexpr int fewest_splits = 2, most_splits = 1000;

}  // namespace

FigureData figure_data(const Study& study, const FigureOptions& options,
                       const ProgressCallback& progress) {
    if (options.splits < fewest_splits || options.splits > most_splits) {
        throw Error(ErrorCode::usage, fmt::format("{} splits into halves; allowed: {} to {}",
                                                  options.splits, fewest_splits, most_splits));
    }
    check(options.estimates);
    const CountedStudy counted(study, options.estimates);
    const bool halved = counted.plan.count >= fewest_halved_units;
    Ticker ticker(progress, "figures",
                  figures::figure_numbers(counted.annotators()).size() +
                      static_cast<std::uint64_t>(halved ? options.splits : 0));
    FigureData data;
    data.annotators = figures::annotator_points(counted, ticker);
    data.parts = figures::mixture_points(counted, options.parts);
    figures::add_readings(counted, data);
    figures::add_halves(counted, options.splits, data, ticker);
    return data;
}

}  // namespace assay::replication
