#include "replication/worlds.h"

#include <algorithm>
#include <cmath>

#include "assay/replication/simulation.h"
#include "core/statistics.h"

namespace assay::replication {
namespace {

/// The logarithm of a gamma variate. Source: Marsaglia and Tsang, "A simple method for generating
/// gamma variables", ACM TOMS 2000. Shapes below 1 use G(a) = G(a + 1) U^(1/a). The result is a
/// logarithm because the variate itself may underflow.
double log_gamma_draw(RandomStream& random, double a) {
    double boost = 0;
    if (a < 1) {
        boost = std::log1p(-random.uniform()) / a;
        a += 1;
    }
    const double d = a - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = random.normal(), v = 1 + c * x;
        if (v <= 0) continue;
        const double cube = v * v * v;
        if (std::log1p(-random.uniform()) < 0.5 * x * x + d - d * cube + d * std::log(cube)) {
            return std::log(d) + std::log(cube) + boost;
        }
    }
}

double beta_moment(const BetaPart& part, int power) {
    double moment = 1;
    for (int i = 0; i < power; ++i) moment *= (part.a + i) / (part.a + part.b + i);
    return moment;
}

double density(double x, double mean, double standard_deviation) {
    const double z = (x - mean) / standard_deviation;
    return std::exp(-0.5 * z * z) / (standard_deviation * std::sqrt(2 * 3.14159265358979323846));
}

/// Returns E[Phi(c + 0.25 u)] for a normal u with this mean and variance.
double smoothed(double c, double mean, double variance) {
    const double w = class_effect_hit;
    return normal_cdf((c + w * mean) / std::sqrt(1 + w * w * variance));
}

/// The accuracy on set `over` of a classifier whose P(correct | z) is that of set `curve`.
double probit_accuracy(const ProbitSet& over, const ProbitSet& curve, double t) {
    // The atom is drawn independently of the class effect, so u is standard normal there.
    double sum = over.atom * smoothed(probit_hit(t, atom_z), 0, 1);
    constexpr double low = -6, high = 9;
    constexpr int steps = 6000;
    for (int i = 0; i < steps; ++i) {
        const double z = low + (high - low) * (i + 0.5) / steps;
        double weight = 0, all = 0, hit = 0;
        for (const ProbitPart& part : over.parts)
            weight += part.weight * density(z, part.mean, part.standard_deviation);
        for (const ProbitPart& part : curve.parts) {
            const double p = part.weight * density(z, part.mean, part.standard_deviation);
            const double spread = part.standard_deviation * part.standard_deviation;
            all += p;
            hit += p * smoothed(probit_hit(t, z), class_effect * (z - part.mean) / spread,
                                1 - class_effect * class_effect / spread);
        }
        if (all > 0) sum += weight * hit / all * (high - low) / steps;
    }
    return sum;
}

/// The mean of a logistic step under a mixture of betas without infinite ends.
double steep_accuracy(const std::array<BetaPart, 3>& parts, double t) {
    constexpr int steps = 4000;
    double sum = 0;
    for (const BetaPart& part : parts) {
        double mass = 0, hit = 0;
        for (int i = 0; i < steps; ++i) {
            const double s = (i + 0.5) / steps;
            const double p = std::exp((part.a - 1) * std::log(s) + (part.b - 1) * std::log1p(-s));
            mass += p;
            hit += p * steep_hit(t, s);
        }
        sum += part.weight * hit / mass;
    }
    return sum;
}

/// The value E[Phi(z)] of one set.
double probit_rate(const ProbitSet& set) {
    double sum = set.atom;
    for (const ProbitPart& part : set.parts) {
        sum += part.weight * normal_cdf(part.mean / std::sqrt(1 + part.standard_deviation *
                                                                      part.standard_deviation));
    }
    return sum;
}

double mean_rate(const std::array<BetaPart, 3>& parts) {
    double sum = 0;
    for (const BetaPart& part : parts) sum += part.weight * beta_moment(part, 1);
    return sum;
}

}  // namespace

double PowerCurve::at(double s) const {
    const double s3 = s * s * s;
    return c0 + c1 * s + c2 * s3 * s3 * s3;
}

double PowerCurve::mean(const std::array<BetaPart, 3>& parts) const {
    double sum = c0;
    for (const BetaPart& part : parts)
        sum += part.weight * (c1 * beta_moment(part, 1) + c2 * beta_moment(part, 9));
    return sum;
}

PowerCurve beta_curve(double t) {
    return {.02 + .04 * t, .42 + .32 * t, .30 - .14 * t};
}

double probit_hit(double t, double z) {
    return -.80 + .75 * t + .72 * std::min(z, atom_z);
}

double steep_hit(double t, double s) {
    constexpr double slope = 14;
    return .03 + .92 / (1 + std::exp(-slope * (s - (.85 - .25 * t))));
}

Rate draw_beta(RandomStream& random, double a, double b) {
    const double x = log_gamma_draw(random, a), y = log_gamma_draw(random, b);
    // s is e^x / (e^x + e^y), and 1 - s is the same with x and y exchanged.
    return {1 / (1 + std::exp(y - x)), 1 / (1 + std::exp(x - y))};
}

Rate draw_mixture(RandomStream& random, const std::array<BetaPart, 3>& parts) {
    double u = random.uniform();
    std::size_t i = 0;
    while (i + 1 < parts.size() && u >= parts[i].weight) u -= parts[i++].weight;
    return draw_beta(random, parts[i].a, parts[i].b);
}

Simulation::Truth true_accuracies(const SimulationOptions& options) {
    Simulation::Truth truth;
    const auto add = [&](double adjusted, double first, double second) {
        truth.adjusted.push_back(adjusted);
        truth.first.push_back(first);
        truth.second.push_back(second);
    };
    if (options.world == World::matching) {
        truth.first_rate = mean_rate(matching_first);
        truth.second_rate = mean_rate(matching_pool);
        const double one = matching_curve.mean(matching_first);
        add(one, one, matching_curve.mean(matching_pool));
        return truth;
    }
    if (options.world == World::steep) {
        truth.first_rate = mean_rate(steep_first);
        truth.second_rate = mean_rate(steep_second);
        for (std::uint32_t m = 0; m < options.classifiers; ++m) {
            const double t = static_cast<double>(m) / (options.classifiers - 1);
            const double adjusted = steep_accuracy(steep_first, t);
            add(adjusted, adjusted + steep_gap, steep_accuracy(steep_second, t));
        }
        return truth;
    }
    const bool probit = options.world == World::probit;
    truth.first_rate = probit ? probit_rate(probit_first) : mean_rate(beta_first);
    truth.second_rate = probit ? probit_rate(probit_second) : mean_rate(beta_second);
    for (std::uint32_t m = 0; m < options.classifiers; ++m) {
        const double t = static_cast<double>(m) / (options.classifiers - 1);
        if (probit) {
            add(probit_accuracy(probit_first, probit_second, t),
                probit_accuracy(probit_first, probit_first, t),
                probit_accuracy(probit_second, probit_second, t));
        } else {
            const PowerCurve g = beta_curve(t);
            add(g.mean(beta_first), g.mean(beta_first) + beta_gap, g.mean(beta_second));
        }
    }
    return truth;
}

}  // namespace assay::replication
