// Estimates for all methods and annotator numbers, and mixtures with other numbers of parts.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "replication/enough_annotators.h"
#include "replication/figures/figure_parts.h"
#include "replication/thinned.h"

namespace assay::replication::figures {
namespace {

/// An estimator and its position in the figure.
struct Entry {
    int annotators;
    std::string id;
    std::unique_ptr<Estimator> estimator;
};

/// Bootstraps the estimators without errors in closed form, all with the same replicates.
std::vector<FigurePoint> points_of(const CountedStudy& counted, std::vector<Entry> entries,
                                   Ticker* ticker) {
    const int threads = resolve_threads(counted.options.threads);
    std::vector<FigurePoint> points(entries.size());
    std::vector<std::vector<double>> values(entries.size());
    std::vector<std::uint8_t> without_error(entries.size(), 0);
    parallel_blocks(entries.size(), threads, [&](std::size_t e) {
        throw_if_stopped();
        MethodResult result;
        CellEffects effects;
        points[e].annotators = entries[e].annotators;
        result.id = entries[e].id;
        result.definition = entries[e].estimator->definition();
        try {
            values[e] = entries[e].estimator->estimate(counted.first, counted.second,
                                                       counted.correct, &result, &effects);
            without_error[e] = effects.adjusted.empty() ? 1 : 0;
            if (without_error[e] == 0) fill_analytic(counted, result, effects);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            make_undefined(counted, result, error.message());
        }
        result.drawing = {};
        result.details = nullptr;
        result.weights.clear();
        result.curves.clear();
        result.blind_spots.reset();
        points[e].result = std::move(result);
        if (ticker != nullptr &&
            (e + 1 == entries.size() || entries[e + 1].annotators != entries[e].annotators))
            ticker->add(1);
    });
    std::vector<std::unique_ptr<Estimator>> drawn;
    std::vector<std::size_t> place;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        if (without_error[e] == 0) continue;
        drawn.push_back(std::move(entries[e].estimator));
        place.push_back(e);
    }
    Replicates replicates;
    if (counted.options.bootstrap > 0 && !drawn.empty()) {
        replicates = resample(counted.study, counted.plan, counted.first.grid, counted.second.grid,
                              drawn, counted.options.bootstrap, counted.options.seed, threads, {});
    }
    for (std::size_t i = 0; i < place.size(); ++i)
        fill_bootstrap(counted, replicates, points[place[i]].result, values[place[i]], i);
    return points;
}

}  // namespace

std::vector<int> figure_numbers(int most) {
    std::vector<int> numbers;
    const int count = std::min(most, most_figure_numbers);
    for (int i = 1; i <= count; ++i) numbers.push_back(most * i / count);
    return numbers;
}

std::vector<FigurePoint> annotator_points(const CountedStudy& counted, Ticker& ticker) {
    const int most = counted.annotators();
    AdjustOptions each = counted.options;
    each.threads = 1;
    std::vector<Entry> entries;
    for (const int m : figure_numbers(most)) {
        for (auto& estimator :
             make_thinned_estimators(each, counted.first, counted.second, m, most)) {
            std::string id = estimator->id();
            entries.push_back({m, std::move(id), std::move(estimator)});
        }
    }
    return points_of(counted, std::move(entries), &ticker);
}

std::vector<FigurePoint> mixture_points(const CountedStudy& counted,
                                        const std::vector<int>& parts) {
    std::vector<Entry> entries;
    for (const int size : parts) {
        AdjustOptions at = counted.options;
        at.mixture_parts = size;
        at.threads = 1;
        entries.push_back({counted.annotators(), fmt::format("mixture{}", size),
                           make_mixture(at, counted.first, counted.second)});
    }
    return points_of(counted, std::move(entries), nullptr);
}

}  // namespace assay::replication::figures
