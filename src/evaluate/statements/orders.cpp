#include "evaluate/statements/orders.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace assay::statements {
namespace {

constexpr std::array<double, 16> grid{0,  .1, .2, .3,   .4,   .5,  .6,  .7,
                                      .8, .9, 1,  1.15, 1.35, 1.7, 2.5, 5};
constexpr double rounding = 1e-12;
enum Which : std::size_t { kendall, spearman };

/// The order of a column. Draws for one true value are nearly in this order, so each sort starts
/// from it.
class Order {
public:
    explicit Order(std::size_t models) : of_(models), start_(models), place_(models) {
        std::iota(start_.begin(), start_.end(), std::uint32_t{0});
    }
    void start_from(const double* values) {
        sort(values);
        start_ = of_;
    }
    /// Equal values stay in the order of the models.
    void sort(const double* values) {
        const auto before = [values](std::uint32_t a, std::uint32_t b) {
            return values[a] < values[b] || (values[a] == values[b] && a < b);
        };
        of_ = start_;
        std::size_t moves = 0;
        const std::size_t most = 16 * of_.size();
        for (std::size_t i = 1; i < of_.size() && moves <= most; ++i) {
            const std::uint32_t model = of_[i];
            std::size_t j = i;
            for (; j > 0 && before(model, of_[j - 1]); --j, ++moves) of_[j] = of_[j - 1];
            of_[j] = model;
        }
        if (moves > most) std::sort(of_.begin(), of_.end(), before);
        for (std::size_t i = 0; i < of_.size(); ++i) place_[of_[i]] = static_cast<std::uint32_t>(i);
    }
    const std::vector<std::uint32_t>& models() const { return of_; }
    std::uint32_t place(std::uint32_t model) const { return place_[model]; }

private:
    std::vector<std::uint32_t> of_, start_, place_;
};

/// Both correlations of two columns.
class Correlator {
public:
    explicit Correlator(std::size_t models) : x_(models), y_(models), seats_(models) {}

    void start_from(const double* x, const double* y) {
        x_.start_from(x);
        y_.start_from(y);
    }
    std::array<double, 2> of(const double* x, const double* y) {
        x_.sort(x);
        y_.sort(y);
        const std::size_t n = seats_.size();
        double products = 0;
        const double middle = static_cast<double>(n - 1) / 2;
        for (std::size_t i = 0; i < n; ++i) {
            seats_[i] = y_.place(x_.models()[i]);
            products +=
                (static_cast<double>(i) - middle) * (static_cast<double>(seats_[i]) - middle);
        }
        const double size = static_cast<double>(n), pairs = size * (size - 1) / 2;
        const double discordant = static_cast<double>(inversions());
        const double sum = pairs - 2 * discordant - of_equals(x, y);
        return {sum / pairs, products / (size * (size * size - 1) / 12)};
    }

private:
    // The contribution of pairs of equal values, because their models have an order.
    double of_equals(const double* x, const double* y) const {
        double sum = 0;
        const auto runs = [&](const Order& order, const double* values, auto&& each) {
            const auto& of = order.models();
            for (std::size_t i = 0; i < of.size(); ++i) {
                for (std::size_t j = i + 1; j < of.size() && values[of[j]] == values[of[i]]; ++j)
                    each(of[i], of[j]);
            }
        };
        runs(x_, x,
             [&](std::uint32_t a, std::uint32_t b) { sum += y_.place(a) < y_.place(b) ? 1 : -1; });
        runs(y_, y, [&](std::uint32_t a, std::uint32_t b) {
            if (x[a] != x[b]) sum += x_.place(a) < x_.place(b) ? 1 : -1;
        });
        return sum;
    }

    // Sorts by merging runs of growing length (Knight 1966).
    std::uint64_t inversions() {
        std::uint64_t count = 0;
        other_.resize(seats_.size());
        for (std::size_t width = 1; width < seats_.size(); width *= 2) {
            for (std::size_t begin = 0; begin < seats_.size(); begin += 2 * width) {
                const std::size_t middle = std::min(begin + width, seats_.size()),
                                  end = std::min(begin + 2 * width, seats_.size());
                std::size_t i = begin, j = middle, k = begin;
                while (i < middle && j < end) {
                    if (seats_[j] < seats_[i]) {
                        count += middle - i;
                        other_[k++] = seats_[j++];
                    } else {
                        other_[k++] = seats_[i++];
                    }
                }
                while (i < middle) other_[k++] = seats_[i++];
                while (j < end) other_[k++] = seats_[j++];
            }
            seats_.swap(other_);
        }
        return count;
    }

    Order x_, y_;
    std::vector<std::uint32_t> seats_, other_;
};

/// The candidate true values between equal orders (c = 0) and the observed values (c = 1).
class Path {
public:
    // With `sign` -1, y is reversed, for opposite orders.
    Path(const Ordered& first, const Ordered& second, double sign)
        : x_(centred(first.values)), y_(centred(second.values)), u_(x_.size()) {
        for (double& y : y_) y *= sign;
        const double n1 = std::max(first.total, 1e-14), n2 = std::max(second.total, 1e-14);
        const double vx = std::max(sum_of_products(x_, x_) - n1, .01 * n1),
                     vy = std::max(sum_of_products(y_, y_) - n2, .01 * n2);
        slope_ = std::sqrt(vy / vx);
        const double w1 = 1 / n1, w2 = slope_ * slope_ / n2;
        for (std::size_t m = 0; m < u_.size(); ++m)
            u_[m] = (w1 * x_[m] + w2 * y_[m] / slope_) / (w1 + w2);
        const double squares = sum_of_products(u_, u_);
        const double kept =
            squares > 0 ? std::sqrt(std::max(0.0, 1 - 1 / ((w1 + w2) * squares))) : 0;
        for (double& u : u_) u *= kept;
    }
    void truth(double c, std::vector<double>& x, std::vector<double>& y) const {
        for (std::size_t m = 0; m < u_.size(); ++m) {
            x[m] = u_[m] + c * (x_[m] - u_[m]);
            y[m] = slope_ * u_[m] + c * (y_[m] - slope_ * u_[m]);
        }
    }

private:
    std::vector<double> x_, y_, u_;
    double slope_ = 1;
};

/// The counts of draws on a path that are at most, and at least, the observed value.
struct Along {
    std::vector<double> up, down, truth;
    bool ended = false;
};
struct PathResult {
    std::vector<double> accepted;
    double value = 0;
};

PathResult result_of(const Along& along, double tail, double sign) {
    PathResult out;
    const auto& [up, down, truth, ended] = along;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (up[i] >= tail && down[i] >= tail) out.accepted.push_back(sign * truth[i]);
    }
    for (const auto& [p, other] : {std::pair{&up, &down}, {&down, &up}}) {
        for (std::size_t i = 0; i + 1 < truth.size(); ++i) {
            const double a = (*p)[i], b = (*p)[i + 1];
            if ((a < tail) == (b < tail)) continue;
            const double part = (tail - a) / (b - a);
            if ((1 - part) * (*other)[i] + part * (*other)[i + 1] >= tail)
                out.accepted.push_back(sign * ((1 - part) * truth[i] + part * truth[i + 1]));
        }
    }
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < truth.size(); ++i) {
        if (std::abs(up[i] - down[i]) < std::abs(up[nearest] - down[nearest])) nearest = i;
    }
    out.value = truth[nearest];
    for (std::size_t i = 0; i + 1 < truth.size(); ++i) {
        const double a = up[i] - down[i], b = up[i + 1] - down[i + 1];
        if (a < 0 && b >= 0) {
            const double part = -a / (b - a);
            out.value = (1 - part) * truth[i] + part * truth[i + 1];
            break;
        }
    }
    out.value *= sign;
    return out;
}

/// Both statistics along one path; `wanted` says which.
std::array<PathResult, 2> walk(const Ordered& first, const Ordered& second,
                               const std::array<double, 2>& seen, double sign, double tail,
                               std::array<bool, 2> wanted) {
    const std::size_t models = first.values.size(), draws = first.draws->rows;
    const Path path(first, second, sign);
    Correlator correlator(models), of_truth(models);
    std::vector<double> x(models), y(models), drawn_x(models), drawn_y(models);
    std::array<Along, 2> along;
    for (std::size_t which = 0; which < 2; ++which) along[which].ended = !wanted[which];
    for (const double c : grid) {
        if (along[0].ended && along[1].ended) break;
        path.truth(c, x, y);
        correlator.start_from(x.data(), y.data());
        std::array<std::size_t, 2> up{}, down{};
        for (std::size_t b = 0; b < draws; ++b) {
            const auto e1 = first.draws->row(b), e2 = second.draws->row(b);
            for (std::size_t m = 0; m < models; ++m) {
                drawn_x[m] = x[m] + e1[m];
                drawn_y[m] = y[m] + sign * e2[m];
            }
            const auto values = correlator.of(drawn_x.data(), drawn_y.data());
            for (std::size_t which = 0; which < 2; ++which) {
                up[which] += values[which] <= sign * seen[which] + rounding ? 1 : 0;
                down[which] += values[which] >= sign * seen[which] - rounding ? 1 : 0;
            }
        }
        const auto truth = c == 0 ? std::array<double, 2>{1, 1} : of_truth.of(x.data(), y.data());
        for (std::size_t which = 0; which < 2; ++which) {
            Along& of = along[which];
            if (of.ended) continue;
            of.up.push_back(static_cast<double>(up[which]) / static_cast<double>(draws));
            of.down.push_back(static_cast<double>(down[which]) / static_cast<double>(draws));
            of.truth.push_back(truth[which]);
            of.ended = c >= 1 && of.down.back() < tail;
        }
    }
    std::array<PathResult, 2> out;
    for (std::size_t which = 0; which < 2; ++which) {
        if (wanted[which]) out[which] = result_of(along[which], tail, sign);
    }
    return out;
}

struct SurePairs {
    double same = 0, opposite = 0;  ///< proportions of all pairs
    bool all = false;
};
// The pairs whose order is certain on both sets.
SurePairs sure_pairs(const Ordered& first, const Ordered& second, double level) {
    if (first.pairs == nullptr || second.pairs == nullptr) return {};
    std::vector<double> largest;
    for (std::size_t b = 0; b < first.pairs->largest.rows; ++b) {
        largest.push_back(std::max(std::ranges::max(first.pairs->largest.row(b)),
                                   std::ranges::max(second.pairs->largest.row(b))));
        largest.push_back(largest.back());
    }
    const double critical = quantile_of(std::move(largest), 1 - .2 * (1 - level));
    std::size_t same = 0, opposite = 0, pairs = 0;
    for (std::size_t i = 0; i < first.values.size(); ++i) {
        for (std::size_t j = i + 1; j < first.values.size(); ++j) {
            ++pairs;
            const double x = (first.values[i] - first.values[j]) / first.pairs->errors.row(i)[j],
                         y = (second.values[i] - second.values[j]) / second.pairs->errors.row(i)[j];
            if (std::abs(x) <= critical || std::abs(y) <= critical) continue;
            ++(x * y > 0 ? same : opposite);
        }
    }
    const auto part = [&](std::size_t count) {
        return static_cast<double>(count) / static_cast<double>(pairs);
    };
    return {part(same), part(opposite), same + opposite == pairs};
}

}  // namespace

std::array<double, 2> seen_correlations(std::span<const double> x, std::span<const double> y) {
    return Correlator(x.size()).of(x.data(), y.data());
}

RankCorrelations rank_correlations(const Ordered& first, const Ordered& second, double level) {
    RankCorrelations out;
    const std::size_t models = first.values.size();
    if (models < 3) return out;
    for (const Ordered* set : {&first, &second}) {
        if (std::ranges::min(set->values) == std::ranges::max(set->values)) return out;
    }
    const double tail = .3 * (1 - level);
    const std::array<double, 2> seen = seen_correlations(first.values, second.values);
    // Checks whether errors alone reach the observed value: the true correlation may then have the
    // opposite sign.
    std::array<std::size_t, 2> reached{};
    Correlator correlator(models);
    const std::size_t draws = first.draws->rows;
    for (std::size_t b = 0; b < draws; ++b) {
        const auto values = correlator.of(first.draws->row(b).data(), second.draws->row(b).data());
        for (std::size_t which = 0; which < 2; ++which)
            reached[which] += std::abs(values[which]) >= std::abs(seen[which]) - rounding ? 1 : 0;
    }
    const SurePairs sure = sure_pairs(first, second, level);
    const std::array<bool, 2> turned{seen[0] < 0, seen[1] < 0};
    std::array<std::array<PathResult, 2>, 2> paths;  // [upright, turned over]
    for (const bool over : {false, true}) {
        std::array<bool, 2> wanted{};
        for (std::size_t which = 0; which < 2; ++which) {
            const bool by_errors =
                static_cast<double>(reached[which]) >= tail * static_cast<double>(draws);
            wanted[which] = turned[which] == over || models < 5 || by_errors;
        }
        if (!wanted[0] && !wanted[1]) continue;
        paths[over ? 1 : 0] = walk(first, second, seen, over ? -1 : 1, tail, wanted);
    }
    for (const Which which : {kendall, spearman}) {
        const double value = paths[turned[which] ? 1 : 0][which].value;
        double low = seen[which], high = seen[which];
        for (const auto& path : paths) {
            for (const double t : path[which].accepted) {
                low = std::min(low, t);
                high = std::max(high, t);
            }
        }
        if (sure.all) {
            low = high = seen[which];
        } else if (which == kendall) {
            low = std::min(std::max(low, 2 * sure.same - 1), seen[which]);
            high = std::max(std::min(high, 1 - 2 * sure.opposite), seen[which]);
        }
        (which == kendall ? out.tau : out.rho) = Range{std::clamp(value, low, high), low, high};
    }
    return out;
}

}  // namespace assay::statements
