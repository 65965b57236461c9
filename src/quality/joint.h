// The errors of cells that were measured on the same images: joint draws, and standard errors of
// differences.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/quality/table.h"

namespace assay::quality {

/// Joint draws of cells' errors. A draw of a cell is sum_data sum_g parts[g] z(data, g), with
/// standard normal z. The z depend only on (seed, data, replicate, g), so all models and dimensions
/// share them. The cost of a draw is proportional to the number of parts of all shares; memory: 4
/// bytes per part.
class JointDraws {
public:
    explicit JointDraws(std::uint64_t seed) : seed_(seed) {}
    /// Returns the cell's index among the draws.
    std::size_t add(const std::vector<ErrorShare>& shares);
    /// Draws the next replicate.
    void next();
    double operator[](std::size_t cell) const { return sums_[cell][at_ % block_size]; }

private:
    /// Number of replicates that are drawn at once.
    static constexpr std::size_t block_size = 32;
    using Block = std::array<float, block_size>;
    struct Term {
        std::size_t cell, begin, size;  ///< begin and size of the parts
    };
    struct Data {
        std::size_t groups = 0;
        std::vector<Term> terms;
    };
    void draw_block(std::uint64_t first);

    std::uint64_t seed_;
    std::map<std::string, Data> data_;
    std::vector<float> parts_;
    std::vector<Block> sums_;  ///< by cell
    std::vector<Block> normals_;
    std::uint64_t at_ = 0;
    bool begun_ = false;
};

/// The sum of weight[d] x[d] / divisor[d], without dimensions of weight 0.
struct CellWeights {
    PerDimension<double> weight{}, divisor{};
};

/// The dependence of the error of a weighted sum of a model's cells on images.
struct SumError {
    std::map<std::string_view, std::vector<double>> shares;  ///< one number per group, by data set
    double independent = 0;                                  ///< variance of all other cells
    double variance() const;
};
/// Cells without a standard error count as exact. The names are valid as long as the model.
SumError sum_error(const QualityModel& model, const CellWeights& sum);

/// The standard error of the difference of two sums, or of two cells of one dimension. They are
/// independent if they share no data set.
double error_of_difference(const SumError& a, const SumError& b);
double error_of_difference(const QualityCell& a, const QualityCell& b);

}  // namespace assay::quality
