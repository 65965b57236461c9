#include "replication/study_bootstrap.h"

#include "assay/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "replication/ticker.h"

namespace assay::replication {
namespace {

constexpr std::size_t step = 16;  ///< rows of hits are padded to a multiple of this

/// The number of draws of each unit. Classes are drawn for both sets together. Images of the two
/// sets are drawn separately, so that each set keeps its size.
std::vector<std::uint32_t> draw_units(const Study& study, const UnitPlan& plan, std::uint64_t seed,
                                      std::uint64_t replicate) {
    std::vector<std::uint32_t> times(plan.count, 0);
    RandomStream random(seed, "replicate.bootstrap", replicate);
    if (plan.units == Units::classes) {
        for (std::size_t i = 0; i < plan.count; ++i) ++times[random.below(plan.count)];
        return times;
    }
    const std::size_t first = study.first.size(), second = study.second.size();
    for (std::size_t i = 0; i < first; ++i) ++times[random.below(first)];
    for (std::size_t i = 0; i < second; ++i) ++times[first + random.below(second)];
    return times;
}

struct Tables {
    CellCounts cells;
    std::vector<std::uint32_t> correct;  ///< cell-major, row_bytes per cell
};

/// The images in the plan's order, with cell and unit next to each other, because the bootstrap
/// reads them many times.
struct Walk {
    std::vector<std::uint32_t> cell, unit;
    std::vector<std::uint8_t> hits;
};

Walk walk_of(const StudySet& set, const CellGrid& grid, const std::vector<std::uint32_t>& order,
             const std::vector<std::uint32_t>& begin, std::size_t row_bytes) {
    Walk walk;
    for (std::uint32_t u = 0; u + 1 < begin.size(); ++u) {
        for (std::uint32_t at = begin[u]; at < begin[u + 1]; ++at) {
            const std::uint32_t i = order[at];
            walk.unit.push_back(u);
            walk.cell.push_back(
                static_cast<std::uint32_t>(grid.cell(set.annotators[i], set.selected[i])));
            walk.hits.insert(walk.hits.end(),
                             set.hits.begin() + static_cast<std::ptrdiff_t>(i * row_bytes),
                             set.hits.begin() + static_cast<std::ptrdiff_t>((i + 1) * row_bytes));
        }
    }
    return walk;
}

void count(const Walk& walk, const std::vector<std::uint32_t>& times, std::size_t row_bytes,
           Tables& tables) {
    tables.cells.images.assign(tables.cells.grid.size(), 0.0);
    tables.correct.assign(tables.cells.grid.size() * row_bytes, 0);
    for (std::size_t i = 0; i < walk.cell.size(); ++i) {
        const std::uint32_t weight = times[walk.unit[i]];
        if (weight == 0) continue;
        tables.cells.images[walk.cell[i]] += weight;
        std::uint32_t* sums = tables.correct.data() + walk.cell[i] * row_bytes;
        const std::uint8_t* hit = walk.hits.data() + i * row_bytes;
        for (std::size_t block = 0; block < row_bytes; block += step) {
            for (std::size_t m = 0; m < step; ++m) sums[block + m] += weight * hit[block + m];
        }
    }
}

std::vector<double> accuracies(const Tables& tables, std::size_t row_bytes, std::size_t models) {
    std::vector<double> sums(models, 0.0);
    for (std::size_t c = 0; c < tables.cells.grid.size(); ++c) {
        for (std::size_t m = 0; m < models; ++m) sums[m] += tables.correct[c * row_bytes + m];
    }
    const double total = tables.cells.total();
    for (double& sum : sums) sum /= total;
    return sums;
}

}  // namespace

Replicates resample(const Study& study, const UnitPlan& plan, const CellGrid& first_grid,
                    const CellGrid& second_grid,
                    const std::vector<std::unique_ptr<Estimator>>& estimators,
                    std::uint32_t replicates, std::uint64_t seed, int threads,
                    const ProgressCallback& progress) {
    const std::size_t models = study.models(), row_bytes = study.row_bytes;
    const Walk first =
        walk_of(study.first, first_grid, plan.first_order, plan.first_begin, row_bytes);
    const Walk second =
        walk_of(study.second, second_grid, plan.second_order, plan.second_begin, row_bytes);
    Replicates out;
    out.count = replicates;
    out.first.resize(replicates);
    out.second.resize(replicates);
    out.adjusted.assign(estimators.size(), std::vector<std::vector<double>>(replicates));
    constexpr std::size_t block = 8;
    Ticker ticker(progress, "bootstrap", replicates);
    parallel_blocks((replicates + block - 1) / block, threads, [&](std::size_t b) {
        Tables one{{first_grid, {}}, {}}, two{{second_grid, {}}, {}};
        Correct correct{models, std::vector<double>(second_grid.size() * models)};
        for (std::size_t r = b * block; r < std::min<std::size_t>(replicates, (b + 1) * block);
             ++r) {
            throw_if_stopped();
            const auto times = draw_units(study, plan, seed, r);
            count(first, times, row_bytes, one);
            count(second, times, row_bytes, two);
            if (one.cells.total() <= 0 || two.cells.total() <= 0)
                continue;  // none of a set's few classes was drawn
            out.first[r] = accuracies(one, row_bytes, models);
            out.second[r] = accuracies(two, row_bytes, models);
            for (std::size_t c = 0; c < second_grid.size(); ++c) {
                for (std::size_t m = 0; m < models; ++m) {
                    correct.by_cell[c * models + m] = two.correct[c * row_bytes + m];
                }
            }
            for (std::size_t e = 0; e < estimators.size(); ++e) {
                if (!estimators[e]->resamples()) continue;
                try {
                    out.adjusted[e][r] = estimators[e]->estimate(one.cells, two.cells, correct);
                } catch (const Error& error) {
                    if (error.code() != ErrorCode::bad_input) throw;
                }
            }
        }
        ticker.add(std::min<std::size_t>(replicates, (b + 1) * block) - b * block);
    });
    return out;
}

}  // namespace assay::replication
