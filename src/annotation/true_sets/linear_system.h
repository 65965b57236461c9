// Systems of linear equations, some of which may say the same.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::true_sets {

/// Solves A x = b for several b, by elimination with complete pivoting. `a`: n x n, row by row;
/// `b`: right sides, n numbers each; both are used up. Where pivots are below 1e-9 of the largest,
/// the unknowns left over are 0: right where the equations agree. Cost: n^3.
std::vector<std::vector<double>> solved(std::vector<double> a, std::vector<std::vector<double>> b);

}  // namespace assay::true_sets
