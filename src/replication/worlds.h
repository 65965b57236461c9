// The distributions of the simulated worlds.
#pragma once

#include <array>
#include <vector>

#include "core/random.h"

namespace assay::replication {

/// A weighted beta distribution.
struct BetaPart {
    double weight, a, b;
};
inline constexpr std::array<BetaPart, 3> beta_first{
    {{.71, 27, .38}, {.215, 2.9, 1.9}, {.075, 1.15, 2.75}}};
inline constexpr std::array<BetaPart, 3> beta_second{
    {{.51, 33, 1.5}, {.40, 6, 2.45}, {.09, 1.3, 1.95}}};
inline constexpr std::array<BetaPart, 3> matching_first{
    {{.50, 14, 1.3}, {.35, 3, 1.6}, {.15, 1, 1.4}}};
inline constexpr std::array<BetaPart, 3> matching_pool{
    {{.25, 12, 1.2}, {.35, 2.5, 1.5}, {.40, .7, 1.6}}};

/// The curve P(correct | s) = c0 + c1 s + c2 s^9.
struct PowerCurve {
    double c0, c1, c2;
    double at(double s) const;
    /// The mean of the curve under a mixture.
    double mean(const std::array<BetaPart, 3>& parts) const;
};
/// The classifier at t in [0, 1], from weak to strong.
PowerCurve beta_curve(double t);
inline constexpr PowerCurve matching_curve{.05, .55, .30};
/// Set 1 is easier by this amount at equal selection rate, which is the true gap.
inline constexpr double beta_gap = .036;

/// A normal component of the probit of the selection rate.
struct ProbitPart {
    double weight, mean, standard_deviation;
};
struct ProbitSet {
    double atom;  ///< proportion of images that all annotators select
    std::array<ProbitPart, 2> parts;
};
inline constexpr ProbitSet probit_first{.12, {{{.70, 1.55, .55}, {.18, .10, .90}}}};
inline constexpr ProbitSet probit_second{.05, {{{.70, 1.38, .60}, {.25, .25, .90}}}};
inline constexpr double class_effect = .3;       ///< scale of a class's u for the rate's probit
inline constexpr double class_effect_hit = .25;  ///< effect of u on the probit of a hit
inline constexpr double atom_z = 3;
/// The probit of P(correct | z, u) without the class effect.
double probit_hit(double t, double z);

inline constexpr std::array<BetaPart, 3> steep_first{{{.70, 22, 1.3}, {.25, 1.6, 4}, {.05, 1, 1}}};
inline constexpr std::array<BetaPart, 3> steep_second{
    {{.55, 15, 1.4}, {.38, 1.7, 3.2}, {.07, 1, 1}}};
/// P(correct | s) of classifier t on set 2 is a logistic step between .03 and .95. Set 1 is easier
/// by steep_gap.
double steep_hit(double t, double s);
inline constexpr double steep_gap = .03;

/// The values s and 1 - s, both accurate even close to 0.
struct Rate {
    double s, rest;
};
Rate draw_beta(RandomStream& random, double a, double b);
Rate draw_mixture(RandomStream& random, const std::array<BetaPart, 3>& parts);

}  // namespace assay::replication
