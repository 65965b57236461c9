#include <algorithm>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "replication/enough_annotators.h"
#include "replication/thinned.h"
#include "replication/ticker.h"

namespace assay::replication {

std::vector<SweepPoint> annotator_sweep(const Study& study, const std::vector<int>& annotators,
                                        const AdjustOptions& options,
                                        const ProgressCallback& progress) {
    const CellCounts all_first = study.first.cells(), all_second = study.second.cells();
    const Correct all_correct{study.models(), study.correct(study.second, all_second.grid)};
    Ticker ticker(progress, "sweep", annotators.size());
    const int most = usual_annotators(all_first, all_second);
    for (const int m : annotators) {
        if (m < 1 || m > most) {
            throw Error(ErrorCode::usage, fmt::format("a sweep to {} annotators; allowed: 1 to {}, "
                                                      "the number that 99 % of the images have",
                                                      m, most));
        }
    }
    const int largest =
        annotators.empty() ? 1 : *std::max_element(annotators.begin(), annotators.end());
    const EnoughAnnotators part(all_first, all_second, all_correct, largest);
    std::vector<SweepPoint> points;
    for (const int m : annotators) {
        throw_if_stopped();
        const CellCounts one = thinned(part.first, m), two = thinned(part.second, m);
        const Correct thinned_correct = thinned(part.correct, part.second.grid, m);
        for (const auto& estimator : make_estimators(options_at(options, m), one, two)) {
            SweepPoint point{m,
                             estimator->id(),
                             {},
                             {},
                             0,
                             static_cast<std::size_t>(part.first_left_out),
                             static_cast<std::size_t>(part.second_left_out)};
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
    const int n = usual_annotators(report.first_cells, report.second_cells);
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
        SweepPoint point;
        point.annotators = usual_annotators(first, second);
        point.method = fmt::format("mixture{}", size);
        point.adjusted = make_mixture(at, first, second)->estimate(first, second, correct);
        for (const double a : point.adjusted)
            point.mean += a / static_cast<double>(point.adjusted.size());
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace assay::replication
