#include "replication/mixture_newton.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "replication/dense.h"

namespace assay::replication {
namespace {

constexpr double longest_step = 1.5;  ///< largest step in any logarithm
constexpr double flat_slope = 1e-10;  ///< nats per image
constexpr double least_log_weight = -50;
constexpr double shortest_part = 1e-9;
constexpr double visible_gain = 1e-13;  ///< gain of the log-likelihood

/// Parameters are log weight, log a and log b of part 0, of part 1, ...
constexpr std::size_t of_part = 3;

struct Slopes {
    double value = 0;               ///< log-likelihood minus images * (sum of weights - 1)
    std::vector<double> gradient;   ///< by parameter
    std::vector<double> curvature;  ///< minus the second derivatives, row-major
};

/// The log-likelihood as a function of unconstrained logarithms. Subtracting images * (sum of
/// weights - 1) makes the weights sum to 1 at every maximum.
class MixtureSurface {
public:
    explicit MixtureSurface(const CellCounts& counts) : total_(counts.total()) {
        for (std::size_t c = 0; c < counts.grid.size(); ++c) {
            if (counts.images[c] <= 0) continue;
            const int n = counts.grid.n(c), k = counts.grid.k(c);
            cells_.push_back({static_cast<std::size_t>(n), static_cast<std::size_t>(k),
                              counts.images[c], log_choose(n, k)});
        }
        longest_ = static_cast<std::size_t>(counts.grid.max_n());
    }

    double images() const { return total_; }

    double value(const std::vector<double>& at) { return walk(at, nullptr); }
    Slopes slopes(const std::vector<double>& at) {
        Slopes out;
        out.gradient.assign(at.size(), 0.0);
        out.curvature.assign(at.size() * at.size(), 0.0);
        out.value = walk(at, &out);
        return out;
    }

private:
    struct UsedCell {
        std::size_t n, k;
        double images, log_choose;
    };
    /// The sums over i = 0 .. m-1 of log(x + i), x / (x + i) and its square, for every m.
    struct Rising {
        std::vector<double> log, first, second;
        void fill(double x, double scale, std::size_t longest) {
            log.assign(longest + 1, 0.0);
            first = second = log;
            for (std::size_t i = 0; i < longest; ++i) {
                const double sum = x + static_cast<double>(i), ratio = scale / sum;
                log[i + 1] = log[i] + std::log(sum);
                first[i + 1] = first[i] + ratio;
                second[i + 1] = second[i] + ratio * ratio;
            }
        }
    };
    struct Part {
        double log_weight = 0, a = 0, b = 0;
        Rising selected, rejected, asked;  ///< `asked` uses 1 / (a + b + i)
    };

    double walk(const std::vector<double>& at, Slopes* slopes) {
        const std::size_t parts = at.size() / of_part, size = at.size();
        parts_.resize(parts);
        double sum = total_;
        for (std::size_t j = 0; j < parts; ++j) {
            Part& part = parts_[j];
            part.log_weight = at[j * of_part];
            part.a = std::exp(at[j * of_part + 1]);
            part.b = std::exp(at[j * of_part + 2]);
            part.selected.fill(part.a, part.a, longest_);
            part.rejected.fill(part.b, part.b, longest_);
            part.asked.fill(part.a + part.b, 1, longest_);
            const double weight = total_ * std::exp(part.log_weight);
            sum -= weight;
            if (slopes == nullptr) continue;
            slopes->gradient[j * of_part] -= weight;
            slopes->curvature[(j * of_part) * size + j * of_part] += weight;
        }
        std::vector<double> log_part(parts), mean(size);
        for (const UsedCell& cell : cells_) {
            double top = -INFINITY;
            for (std::size_t j = 0; j < parts; ++j) {
                const Part& part = parts_[j];
                log_part[j] = part.log_weight + part.selected.log[cell.k] +
                              part.rejected.log[cell.n - cell.k] - part.asked.log[cell.n];
                top = std::max(top, log_part[j]);
            }
            double all = 0;
            for (const double x : log_part) all += std::exp(x - top);
            sum += cell.images * (cell.log_choose + top + std::log(all));
            if (slopes == nullptr) continue;
            for (std::size_t j = 0; j < parts; ++j)
                add_part(cell, j, std::exp(log_part[j] - top) / all, mean, *slopes);
            for (std::size_t p = 0; p < size; ++p) {
                slopes->gradient[p] += cell.images * mean[p];
                for (std::size_t q = 0; q < size; ++q)
                    slopes->curvature[p * size + q] += cell.images * mean[p] * mean[q];
            }
        }
        return sum;
    }

    /// Adds a cell's share of part j: its slopes to `mean`, and its second derivatives and the
    /// products of its slopes to the curvature.
    void add_part(const UsedCell& cell, std::size_t j, double share, std::vector<double>& mean,
                  Slopes& slopes) const {
        const Part& part = parts_[j];
        const std::size_t size = mean.size(), at = j * of_part, k = cell.k, left = cell.n - k;
        const double a = part.a, b = part.b, one = part.asked.first[cell.n],
                     two = part.asked.second[cell.n];
        const double d[of_part] = {1, part.selected.first[k] - a * one,
                                   part.rejected.first[left] - b * one};
        const double own[of_part][of_part] = {
            {0, 0, 0},
            {0, d[1] - part.selected.second[k] + a * a * two, a * b * two},
            {0, a * b * two, d[2] - part.rejected.second[left] + b * b * two}};
        for (std::size_t p = 0; p < of_part; ++p) {
            mean[at + p] = share * d[p];
            for (std::size_t q = 0; q < of_part; ++q)
                slopes.curvature[(at + p) * size + at + q] -=
                    cell.images * share * (d[p] * d[q] + own[p][q]);
        }
    }

    double total_;
    std::size_t longest_ = 0;
    std::vector<UsedCell> cells_;
    std::vector<Part> parts_;
};

/// The directions and distances in which parameters may move.
struct Limits {
    double low, high;
};
Limits limits_of(std::size_t parameter) {
    if (parameter % of_part == 0) return {least_log_weight, 0};
    return {std::log(min_shape), std::log(max_shape)};
}

/// True if the parameter is at a limit with an outward slope.
bool is_held(const std::vector<double>& at, const Slopes& slopes, std::size_t p) {
    const Limits limits = limits_of(p);
    return (at[p] <= limits.low && slopes.gradient[p] < 0) ||
           (at[p] >= limits.high && slopes.gradient[p] > 0);
}

double steepest(const std::vector<double>& at, const Slopes& slopes) {
    double most = 0;
    for (std::size_t p = 0; p < at.size(); ++p) {
        if (!is_held(at, slopes, p)) most = std::max(most, std::abs(slopes.gradient[p]));
    }
    return most;
}

struct Step {
    std::vector<double> by;
    double promise = 0;  ///< the step's expected gain, to second order
};

Step newton_step(const std::vector<double>& at, const Slopes& slopes) {
    std::vector<std::size_t> free;
    for (std::size_t p = 0; p < at.size(); ++p) {
        if (!is_held(at, slopes, p)) free.push_back(p);
    }
    // The curvature is scaled to a unit diagonal, because a part with small weight has small
    // derivatives but equally long steps.
    std::vector<double> scale;
    for (const std::size_t p : free) {
        const double own = std::abs(slopes.curvature[p * at.size() + p]);
        scale.push_back(own > 0 ? 1 / std::sqrt(own) : 0);
    }
    std::vector<double> matrix;
    for (std::size_t p = 0; p < free.size(); ++p) {
        for (std::size_t q = 0; q < free.size(); ++q)
            matrix.push_back(scale[p] * scale[q] * slopes.curvature[free[p] * at.size() + free[q]]);
    }
    const Eigen eigen = symmetric_eigen(std::move(matrix), free.size());
    constexpr double flattest = 1e-13;
    Step step{std::vector<double>(at.size(), 0.0)};
    for (std::size_t v = 0; v < free.size(); ++v) {
        double along = 0;
        for (std::size_t p = 0; p < free.size(); ++p)
            along += eigen.vector(v)[p] * scale[p] * slopes.gradient[free[p]];
        const double size = std::max(std::abs(eigen.values[v]), flattest);
        step.promise += along * along / size / 2;
        for (std::size_t p = 0; p < free.size(); ++p)
            step.by[free[p]] += along / size * scale[p] * eigen.vector(v)[p];
    }
    double most = 0;
    for (const double x : step.by) most = std::max(most, std::abs(x));
    if (most > longest_step) {
        for (double& x : step.by) x *= longest_step / most;
    }
    return step;
}

/// Moves by a fraction of the step, within the limits and with weights that sum to 1.
std::vector<double> moved(const std::vector<double>& at, const std::vector<double>& step,
                          double part) {
    std::vector<double> out(at.size());
    double weights = 0;
    for (std::size_t p = 0; p < at.size(); ++p) {
        const Limits limits = limits_of(p);
        out[p] = std::clamp(at[p] + part * step[p], limits.low, limits.high);
        if (p % of_part == 0) weights += std::exp(out[p]);
    }
    for (std::size_t p = 0; p < at.size(); p += of_part)
        out[p] = std::max(out[p] - std::log(weights), least_log_weight);
    return out;
}

}  // namespace

void climb_by_newton(const CellCounts& counts, BetaMixture& mixture, int rounds) {
    MixtureSurface surface(counts);
    std::vector<double> at;
    for (std::size_t j = 0; j < mixture.parts(); ++j) {
        for (const double x : {mixture.weight[j], mixture.a[j], mixture.b[j]})
            at.push_back(x > 0 ? std::log(x) : least_log_weight);
    }
    at = moved(at, at, 0);
    Slopes slopes = surface.slopes(at);
    const double flat = flat_slope * surface.images();
    double steep = steepest(at, slopes);
    for (int round = 0; round < rounds; ++round, ++mixture.rounds) {
        const Step step = newton_step(at, slopes);
        // Near the maximum, rounding hides a step's gain, so the slope decides.
        const bool at_top = step.promise < visible_gain * std::abs(slopes.value);
        std::vector<double> next;
        Slopes there;
        bool better = false;
        for (double part = 1; !better && part > shortest_part; part /= 2) {
            next = moved(at, step.by, part);
            if (next == at) break;
            if (!at_top && surface.value(next) <= slopes.value) continue;
            there = surface.slopes(next);
            better = !at_top || steepest(next, there) < steep;
        }
        if (!better) break;
        at = std::move(next);
        slopes = std::move(there);
        steep = steepest(at, slopes);
    }
    for (std::size_t j = 0; j < mixture.parts(); ++j) {
        mixture.weight[j] = std::exp(at[j * of_part]);
        mixture.a[j] = std::exp(at[j * of_part + 1]);
        mixture.b[j] = std::exp(at[j * of_part + 2]);
    }
    mixture.log_likelihood = log_likelihood(counts, mixture);
    mixture.gradient = steep;
    mixture.converged = steep <= flat;
}

}  // namespace assay::replication
