#include <algorithm>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "replication/thinned.h"
#include "replication/ticker.h"

namespace assay::replication {
std::vector<SweepPoint> annotator_sweep(const Study& study, const std::vector<int>& annotators,
                                        const AdjustOptions& options,
                                        const ProgressCallback& progress) {
    const CellCounts first = study.first.cells(), second = study.second.cells();
    const Correct correct{study.models(), study.correct(study.second, second.grid)};
    Ticker ticker(progress, "sweep", annotators.size());
    const int most = std::min(first.grid.min_n(), second.grid.min_n());
    std::vector<SweepPoint> points;
    for (const int m : annotators) {
        throw_if_stopped();
        if (m < 1 || m > most) {
            throw Error(ErrorCode::usage,
                        fmt::format("a sweep to {} annotators: 1 to {} are possible, the smallest "
                                    "number that an image has",
                                    m, most));
        }
        const CellCounts one = thinned(first, m), two = thinned(second, m);
        const Correct thinned_correct = thinned(correct, second.grid, m);
        for (const auto& estimator : make_estimators(options_at(options, m), one, two)) {
            SweepPoint point{m, estimator->id(), {}, {}, 0};
            try {
                MethodResult told;
                point.adjusted = estimator->estimate(one, two, thinned_correct, &told);
                point.exponents = std::move(told.exponents);
            } catch (const Error& error) {
                if (error.code() != ErrorCode::bad_input) throw;
                continue;
            }
            for (const double a : point.adjusted)
                point.mean += a / static_cast<double>(point.adjusted.size());
            points.push_back(std::move(point));
        }
        ticker.add(1);
    }
    return points;
}

std::vector<int> eighths(const AdjustReport& report) {
    const int n = std::min(report.first_cells.grid.min_n(), report.second_cells.grid.min_n());
    std::vector<int> numbers;
    for (int i = 1; i <= 8; ++i) {
        const int m = n * i / 8;
        if (m >= 2 && (numbers.empty() || numbers.back() != m)) numbers.push_back(m);
    }
    return numbers;
}

std::vector<SweepPoint> mixture_sweep(const Study& study, const std::vector<int>& parts,
                                      const AdjustOptions& options) {
    const CellCounts first = study.first.cells(), second = study.second.cells();
    const Correct correct{study.models(), study.correct(study.second, second.grid)};
    std::vector<SweepPoint> points;
    for (const int size : parts) {
        AdjustOptions at = options;
        at.mixture_parts = size;
        SweepPoint point{std::min(first.grid.min_n(), second.grid.min_n()),
                         fmt::format("mixture{}", size),
                         {},
                         {},
                         0};
        point.adjusted = make_mixture(at, first, second)->estimate(first, second, correct);
        for (const double a : point.adjusted)
            point.mean += a / static_cast<double>(point.adjusted.size());
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace assay::replication
