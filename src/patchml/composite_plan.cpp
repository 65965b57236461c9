// Draws patches and places them, without touching pixels.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/error.h"
#include "assay/patchml/composites.h"
#include "core/random.h"
#include "data/label_texts.h"

namespace assay {
namespace {

constexpr int max_canvas = 8192;

std::uint64_t grid_key(const Grid& grid, int shift) {
    return (static_cast<std::uint64_t>(grid.k) << shift) + static_cast<std::uint64_t>(grid.p);
}

/// The pool during the draws of one grid: candidates are [0, open), patches put aside are [open,
/// left), and drawn patches are removed.
class Urn {
public:
    explicit Urn(std::size_t patches) : order_(patches), open_(patches), left_(patches) {
        std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    }
    std::size_t open() const { return open_; }
    std::size_t left() const { return left_; }

    /// Picks a candidate and moves it to the end of the candidates. Then call take() or
    /// put_aside().
    std::uint32_t pick(RandomStream& random) {
        const auto at = static_cast<std::size_t>(random.below(open_));
        std::swap(order_[at], order_[open_ - 1]);
        return order_[open_ - 1];
    }
    void take() { order_[--open_] = order_[--left_]; }
    void put_aside() { --open_; }
    void put_back() { open_ = left_; }

private:
    std::vector<std::uint32_t> order_;
    std::size_t open_, left_;
};

std::string grid_fault(const Grid& grid, int canvas) {
    const std::int64_t k = grid.k, p = grid.p, f = canvas;
    if (k < 1 || p < 1) return "both must be 1 or more";
    if (p > f) return fmt::format("a patch does not fit the canvas of {} pixels", f);
    if (k * p * p > f * f)
        return fmt::format("k p^2 = {} is more than canvas^2 = {}", k * p * p, f * f);
    const std::int64_t c = f / p;
    if (k > c * c) return fmt::format("the canvas has only {} x {} cells of {} pixels", c, c, p);
    return "";
}

template <class FaultOf>
void refuse_faults(const std::vector<Grid>& grids, FaultOf&& fault_of) {
    std::string faults;
    for (const Grid& grid : grids) {
        const std::string fault = fault_of(grid);
        if (!fault.empty())
            faults += fmt::format("{}k = {}, p = {}: {}", faults.empty() ? "" : "; ", grid.k,
                                  grid.p, fault);
    }
    if (!faults.empty()) throw Error(ErrorCode::usage, faults);
}

}  // namespace

int default_patch_side(int k, int canvas) {
    if (k >= 2 && k <= 4) return canvas / 2;
    if (k == 9) return canvas / 4;
    int columns = 1;
    while (columns < k / columns + (k % columns != 0)) ++columns;  // ceil(sqrt(k))
    return canvas / columns;
}

void check_grids(const CompositeOptions& options) {
    if (options.canvas < 1 || options.canvas > max_canvas) {
        throw Error(ErrorCode::usage, fmt::format("a canvas of {} pixels; allowed: 1 to {}",
                                                  options.canvas, max_canvas));
    }
    if (options.grids.empty()) throw Error(ErrorCode::usage, "no k is given");
    refuse_faults(options.grids, [&](const Grid& grid) {
        const std::string fault = grid_fault(grid, options.canvas);
        if (!fault.empty()) return fault;
        return std::count(options.grids.begin(), options.grids.end(), grid) > 1
                   ? std::string("given twice")
                   : "";
    });
}

void check_composites(const PatchPool& pool, const CompositeOptions& options) {
    check_grids(options);
    const auto counts = pool.class_counts();
    const auto present = static_cast<std::size_t>(
        std::count_if(counts.begin(), counts.end(), [](std::uint64_t n) { return n > 0; }));
    refuse_faults(options.grids, [&](const Grid& grid) {
        const auto k = static_cast<std::size_t>(grid.k);
        if (k > pool.patches.size())
            return fmt::format("the pool holds {} patches", pool.patches.size());
        if (!options.distinct || k <= present) return std::string();
        return fmt::format("the pool has only {} classes, but the labels must be distinct",
                           present);
    });
    check_label_ids(pool.classes);
}

CompositePlan plan_composites(const PatchPool& pool, const Grid& grid,
                              const CompositeOptions& options) {
    CompositePlan plan;
    plan.grid = grid;
    const auto k = static_cast<std::size_t>(grid.k);
    RandomStream random(options.seed, "patchml.draw", grid_key(grid, 32));
    Urn urn(pool.patches.size());
    std::vector<std::uint32_t> drawn;
    while (urn.left() >= k && (options.limit == 0 || plan.size() < options.limit)) {
        drawn.clear();
        while (drawn.size() < k && urn.open() > 0) {
            const std::uint32_t patch = urn.pick(random);
            const auto same = [&](std::uint32_t other) {
                return pool.patches[other].cls == pool.patches[patch].cls;
            };
            if (options.distinct && std::any_of(drawn.begin(), drawn.end(), same)) {
                urn.put_aside();
            } else {
                drawn.push_back(patch);
                urn.take();
            }
        }
        if (drawn.size() < k) break;
        plan.patches.insert(plan.patches.end(), drawn.begin(), drawn.end());
        urn.put_back();
    }
    return plan;
}

std::vector<Placement> place_patches(const PatchPool& pool, const CompositePlan& plan,
                                     std::size_t i, const CompositeOptions& options) {
    const int p = plan.grid.p;
    const int columns = options.canvas / p;
    RandomStream random(options.seed, "patchml.offset", (grid_key(plan.grid, 16) << 32) + i);
    std::vector<Placement> out;
    const auto shorter = [p](std::int64_t side, std::int64_t longer) {
        return static_cast<int>(std::max<std::int64_t>(1, (2 * p * side + longer) / (2 * longer)));
    };
    const auto offset = [&](int component) {
        return static_cast<int>(random.below(static_cast<std::uint64_t>(component) + 1));
    };
    for (int j = 0; j < plan.grid.k; ++j) {
        const Patch& patch = pool.patches[plan.patches[i * static_cast<std::size_t>(plan.grid.k) +
                                                       static_cast<std::size_t>(j)]];
        const bool wide = patch.width >= patch.height;
        Placement at{.row = j / columns,
                     .column = j % columns,
                     .x = 0,
                     .y = 0,
                     .width = wide ? p : shorter(patch.width, patch.height),
                     .height = wide ? shorter(patch.height, patch.width) : p};
        at.x = at.column * p + offset(p - at.width);
        at.y = at.row * p + offset(p - at.height);
        out.push_back(at);
    }
    return out;
}

std::uint64_t GridCounts::repeats() const {
    return composites - by_labels.back();
}

GridCounts count_labels(const PatchPool& pool, const CompositePlan& plan) {
    const auto k = static_cast<std::size_t>(plan.grid.k);
    GridCounts out{.grid = plan.grid,
                   .composites = plan.size(),
                   .by_labels = std::vector<std::uint64_t>(k + 1, 0),
                   .patches_left = pool.patches.size() - plan.patches.size()};
    std::vector<std::int32_t> labels;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        labels.clear();
        for (std::size_t j = 0; j < k; ++j)
            labels.push_back(pool.patches[plan.patches[i * k + j]].cls);
        std::sort(labels.begin(), labels.end());
        ++out.by_labels[static_cast<std::size_t>(std::unique(labels.begin(), labels.end()) -
                                                 labels.begin())];
    }
    return out;
}

double repeat_proportion(int k, std::size_t classes) {
    if (k < 1 || classes == 0)
        throw Error(ErrorCode::usage, "a proportion of repeats needs k >= 1 and a class");
    double all_distinct = 1;
    for (int j = 1; j < k; ++j) {
        all_distinct *= std::max(0.0, 1 - static_cast<double>(j) / static_cast<double>(classes));
    }
    return 1 - all_distinct;
}

double repeat_proportion(int k, std::span<const std::uint64_t> class_counts) {
    const auto n = static_cast<double>(
        std::accumulate(class_counts.begin(), class_counts.end(), std::uint64_t{0}));
    if (k < 1 || static_cast<double>(k) > n) {
        throw Error(
            ErrorCode::usage,
            fmt::format("a proportion of repeats needs 1 <= k <= {} patches, not {}", n, k));
    }
    // distinct[j] is the chance, times a factor below, that j draws hit j different classes of
    // those processed so far. With counts as proportions f of the pool, e_k(f) k! n^k / (n (n - 1)
    // ... (n - k + 1)) is the required probability. The k! is spread over the steps so that no
    // number becomes tiny.
    std::vector<double> distinct(static_cast<std::size_t>(k) + 1, 0.0);
    distinct[0] = 1;
    for (const std::uint64_t count : class_counts) {
        const double proportion = static_cast<double>(count) / n;
        for (std::size_t j = static_cast<std::size_t>(k); j > 0; --j) {
            distinct[j] += distinct[j - 1] * proportion * static_cast<double>(j);
        }
    }
    double all_distinct = distinct.back();
    for (int j = 0; j < k; ++j) all_distinct *= n / (n - j);
    return std::clamp(1 - all_distinct, 0.0, 1.0);
}

}  // namespace assay
