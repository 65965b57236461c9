#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/replication/npmle.h"
#include "replication/dense.h"

namespace assay::replication {
namespace {

constexpr double pi = 3.14159265358979323846;

double dot(const double* a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += a[i] * b[i];
    return sum;
}

}  // namespace

RateGrid::RateGrid(int points) {
    if (points < 2 || points > 100000)
        throw Error(ErrorCode::usage, "a grid of rates needs 2 to 100000 points");
    for (int j = 0; j < points; ++j) {
        const double angle = pi * (j + 0.5) / (2 * points);
        s.push_back(std::sin(angle) * std::sin(angle));
        rest.push_back(std::cos(angle) * std::cos(angle));
    }
}

std::vector<double> RateGrid::likelihood(const CellGrid& cells) const {
    std::vector<double> out(cells.size() * s.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
        const int n = cells.n(c), k = cells.k(c);
        for (std::size_t j = 0; j < s.size(); ++j) {
            out[c * s.size() + j] =
                std::exp(log_choose(n, k) + k * std::log(s[j]) + (n - k) * std::log(rest[j]));
        }
    }
    return out;
}

RateDistribution fit_rates(const CellCounts& counts, const RateGrid& grid, double tolerance,
                           int max_rounds) {
    const double total = counts.grid.size() == 0 ? 0 : counts.total();
    if (total <= 0)
        throw Error(ErrorCode::bad_input, "selection rates cannot be fitted without images");
    const std::vector<double> like = grid.likelihood(counts.grid);
    const std::size_t points = grid.s.size();
    std::vector<std::size_t> used;
    for (std::size_t c = 0; c < counts.grid.size(); ++c) {
        if (counts.images[c] > 0) used.push_back(c);
    }
    RateDistribution fit;
    fit.weight.assign(points, 1 / static_cast<double>(points));
    std::vector<double> q(used.size()), gradient(points);
    const auto evaluate = [&](const std::vector<double>& weight, std::vector<double>& out) {
        double sum = 0;
        for (std::size_t i = 0; i < used.size(); ++i) {
            out[i] = dot(like.data() + used[i] * points, weight);
            sum += counts.images[used[i]] * std::log(std::max(out[i], 1e-300));
        }
        return sum;
    };
    fit.log_likelihood = evaluate(fit.weight, q);
    for (;; ++fit.rounds) {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        for (std::size_t i = 0; i < used.size(); ++i) {
            const double* row = like.data() + used[i] * points;
            const double factor = counts.images[used[i]] / total / q[i];
            for (std::size_t j = 0; j < points; ++j) gradient[j] += factor * row[j];
        }
        fit.gap = *std::max_element(gradient.begin(), gradient.end()) - 1;
        if (fit.gap < tolerance || fit.rounds == max_rounds) break;
        // The support, and every local maximum of the gradient with an expected gain.
        std::vector<std::size_t> support;
        for (std::size_t j = 0; j < points; ++j) {
            const bool peak = gradient[j] > 1 && (j == 0 || gradient[j] >= gradient[j - 1]) &&
                              (j + 1 == points || gradient[j] > gradient[j + 1]);
            if ((fit.weight[j] > 0 && fit.rounds > 0) || peak) support.push_back(j);
        }
        // The quadratic model of the log-likelihood over the simplex is a nonnegative least-squares
        // problem.
        Matrix model(used.size() + 1, support.size());
        for (std::size_t a = 0; a < support.size(); ++a) {
            for (std::size_t i = 0; i < used.size(); ++i) {
                model.at(i, a) = std::sqrt(counts.images[used[i]] / total) *
                                 (like[used[i] * points + support[a]] / q[i] - 2);
            }
            model.at(used.size(), a) = 1;
        }
        std::vector<double> rhs(used.size() + 1, 0.0);
        rhs.back() = 1;
        const std::vector<double> solution = nonnegative_least_squares(model, rhs);
        double sum = 0;
        for (const double x : solution) sum += x;
        if (!(sum > 0)) break;
        std::vector<double> target(points, 0.0), trial(points), trial_q(used.size());
        for (std::size_t a = 0; a < support.size(); ++a) target[support[a]] = solution[a] / sum;
        bool moved = false;
        for (double step = 1; step > 1e-8; step /= 2) {
            for (std::size_t j = 0; j < points; ++j)
                trial[j] = fit.weight[j] + step * (target[j] - fit.weight[j]);
            const double value = evaluate(trial, trial_q);
            if (value <= fit.log_likelihood) continue;
            fit.weight = trial;
            fit.log_likelihood = value;
            q = trial_q;
            moved = true;
            break;
        }
        if (!moved) break;
    }
    // log_likelihood is for the readings, and likelihood() includes their binomial coefficients.
    return fit;
}

void add_roughness(std::vector<double>& matrix, std::size_t functions, double penalty) {
    for (std::size_t i = 0; i + 2 < functions; ++i) {
        const double d[3] = {1, -2, 1};
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b)
                matrix[(i + a) * functions + i + b] += penalty * d[a] * d[b];
        }
    }
}

std::vector<double> linear_basis(const RateGrid& grid) {
    std::vector<double> out;
    for (const double s : grid.s) {
        out.push_back(1);
        out.push_back(s);
    }
    return out;
}

std::vector<double> spline_basis(const RateGrid& grid, int functions) {
    if (functions < 4) throw Error(ErrorCode::usage, "a cubic spline needs at least 4 functions");
    const double step = 1.0 / (functions - 3);
    std::vector<double> out(grid.s.size() * static_cast<std::size_t>(functions), 0.0);
    for (std::size_t j = 0; j < grid.s.size(); ++j) {
        const int piece = std::min(static_cast<int>(grid.s[j] / step), functions - 4);
        const double t = grid.s[j] / step - piece, u = 1 - t;
        double* row = out.data() + j * static_cast<std::size_t>(functions) + piece;
        row[0] = u * u * u / 6;
        row[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
        row[2] = (3 * u * u * u - 6 * u * u + 4) / 6;
        row[3] = t * t * t / 6;
    }
    return out;
}

LogitCurve fit_logit_curve(const CellCounts& counts, std::span<const double> correct,
                           const RateGrid& grid, std::span<const double> density,
                           std::span<const double> basis, double penalty) {
    const std::size_t points = grid.s.size(), functions = basis.size() / points;
    const std::vector<double> like = grid.likelihood(counts.grid);
    // The values P(s_j | reading) for readings that occur.
    std::vector<std::size_t> used;
    std::vector<double> posterior;
    for (std::size_t c = 0; c < counts.grid.size(); ++c) {
        if (counts.images[c] <= 0) continue;
        double all = 0;
        for (std::size_t j = 0; j < points; ++j) all += density[j] * like[c * points + j];
        if (all <= 0) continue;
        used.push_back(c);
        for (std::size_t j = 0; j < points; ++j)
            posterior.push_back(density[j] * like[c * points + j] / all);
    }
    std::vector<double> roughness(functions * functions, 0.0);
    add_roughness(roughness, functions, 1);
    LogitCurve fit;
    fit.w.assign(functions, 0.0);
    std::vector<double> proportion(used.size());
    const auto evaluate = [&](const std::vector<double>& w, std::vector<double>& g) {
        g.resize(points);
        for (std::size_t j = 0; j < points; ++j) {
            double x = 0;
            for (std::size_t f = 0; f < functions; ++f) x += basis[j * functions + f] * w[f];
            g[j] = 1 / (1 + std::exp(-std::clamp(x, -500.0, 500.0)));
        }
        double sum = 0;
        for (std::size_t i = 0; i < used.size(); ++i) {
            proportion[i] = std::clamp(dot(posterior.data() + i * points, g), 1e-12, 1 - 1e-12);
            const double hits = correct[used[i]], misses = counts.images[used[i]] - hits;
            sum += hits * std::log(proportion[i]) + misses * std::log1p(-proportion[i]);
        }
        double rough = 0;
        for (std::size_t a = 0; a < functions; ++a) {
            for (std::size_t b = 0; b < functions; ++b)
                rough += w[a] * roughness[a * functions + b] * w[b];
        }
        fit.log_likelihood = sum;
        return sum - penalty / 2 * rough;
    };
    double value = evaluate(fit.w, fit.g), damping = 1e-3;
    double likelihood = fit.log_likelihood;
    for (fit.rounds = 0; fit.rounds < 100; ++fit.rounds) {
        std::vector<double> slope(functions, 0.0), information(functions * functions, 0.0);
        evaluate(fit.w, fit.g);
        for (std::size_t i = 0; i < used.size(); ++i) {
            std::vector<double> d(functions, 0.0);
            for (std::size_t j = 0; j < points; ++j) {
                const double p = posterior[i * points + j] * fit.g[j] * (1 - fit.g[j]);
                for (std::size_t f = 0; f < functions; ++f) d[f] += p * basis[j * functions + f];
            }
            const double n = counts.images[used[i]], e = proportion[i], spread = e * (1 - e);
            for (std::size_t a = 0; a < functions; ++a) {
                slope[a] += (correct[used[i]] - n * e) / spread * d[a];
                for (std::size_t b = 0; b < functions; ++b)
                    information[a * functions + b] += n / spread * d[a] * d[b];
            }
        }
        for (std::size_t a = 0; a < functions; ++a) {
            for (std::size_t b = 0; b < functions; ++b) {
                slope[a] -= penalty * roughness[a * functions + b] * fit.w[b];
                information[a * functions + b] += penalty * roughness[a * functions + b];
            }
        }
        bool better = false;
        double gain = 0;
        for (int attempt = 0; attempt < 30 && !better; ++attempt) {
            Matrix system(functions, functions);
            for (std::size_t a = 0; a < functions; ++a) {
                for (std::size_t b = 0; b < functions; ++b)
                    system.at(a, b) = information[a * functions + b];
                system.at(a, a) += damping * (information[a * functions + a] + 1e-9);
            }
            const Householder qr(std::move(system));
            const std::vector<double> step = qr.back(qr.project(slope));
            std::vector<double> trial = fit.w, g;
            for (std::size_t f = 0; f < functions; ++f) trial[f] += step[f];
            const double next = evaluate(trial, g);
            if (next >= value) {
                better = true;
                gain = next - value;
                value = next;
                likelihood = fit.log_likelihood;
                fit.w = std::move(trial);
                fit.g = std::move(g);
                damping = std::max(damping / 10, 1e-12);
            } else {
                damping *= 10;
            }
        }
        if (!better || gain < 1e-10 * std::abs(value)) break;
    }
    evaluate(fit.w, fit.g);
    fit.log_likelihood = likelihood;
    return fit;
}

}  // namespace assay::replication
