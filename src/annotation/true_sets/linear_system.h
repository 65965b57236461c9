// Solves systems of linear equations, some of which may be redundant.
#pragma once

#include <cstddef>
#include <vector>

namespace assay::true_sets {

/// Solves A x = b for several b, by elimination with complete pivoting. `a` is n x n, row by row;
/// `b` has right sides of n numbers each. Both are overwritten. If pivots are below 1e-9 of the
/// largest, the remaining unknowns are 0, which is correct if the equations are consistent. Cost:
/// n^3.
std::vector<std::vector<double>> solved(std::vector<double> a, std::vector<std::vector<double>> b);

}  // namespace assay::true_sets
