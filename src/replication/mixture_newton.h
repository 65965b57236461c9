// Maximizes a beta mixture's log-likelihood by Newton steps, where EM alone is slow.
#pragma once

#include "assay/replication/mixture.h"

namespace assay::replication {

/// Limits of a and b. A beta distribution beyond the larger limit counts as a point.
inline constexpr double min_shape = 1e-3, max_shape = 1e4;

/// Climbs from `mixture` for at most `rounds` steps, until no parameter's slope exceeds 1e-10 nats
/// per image. Then refines the result by full steps. Sets log_likelihood, gradient and converged,
/// and adds to rounds. Parameters are log weight, log a and log b of each part, with the limits
/// above; at a limit an outward slope does not count. Each step divides the slope along every
/// eigenvector of the curvature by the size of its eigenvalue (saddle-free: Dauphin et al., NeurIPS
/// 2014). So it leads away from saddles. A step is halved until the likelihood rises. Cost of a
/// step: cells * (3 parts)^2 + 10 (3 parts)^3.
void climb_by_newton(const CellCounts& counts, BetaMixture& mixture, int rounds);

}  // namespace assay::replication
