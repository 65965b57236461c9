// Readings of a replication study as counts: how many images were selected by k of their n
// annotators.
//
// Two data sets were shown to annotators, who select the images that show the asked class: set 1,
// the original, and set 2, its replication. An image's reading is (n, k): n annotators, k
// selections. The estimators only need the number of images (and of correctly classified ones) with
// each reading, which is a cell. Counts are real numbers, so that exact expectations can replace
// data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::replication {

/// The limit on annotators per image, because some tables have n^2 entries.
inline constexpr int max_annotators = 512;

/// The possible readings of images, as cells in the order of n (from a list), then k =
/// 0..n.
class CellGrid {
public:
    CellGrid() = default;
    /// `annotators`: the values of n, ascending and distinct, each in [1, max_annotators]. Throws
    /// usage.
    explicit CellGrid(std::vector<int> annotators);

    std::size_t size() const noexcept { return n_.size(); }
    int n(std::size_t cell) const { return n_[cell]; }
    int k(std::size_t cell) const { return k_[cell]; }
    /// The cell of a reading. The grid must contain it.
    std::size_t cell(int n, int k) const {
        return offset_[static_cast<std::size_t>(n)] + static_cast<std::size_t>(k);
    }
    bool has(int n) const;
    const std::vector<int>& annotators() const noexcept { return annotators_; }
    int min_n() const { return annotators_.front(); }
    int max_n() const { return annotators_.back(); }
    bool operator==(const CellGrid& other) const { return annotators_ == other.annotators_; }

private:
    std::vector<int> annotators_;
    std::vector<std::size_t> offset_;  ///< by n
    std::vector<int> n_, k_;
};

/// The number of images in each cell.
struct CellCounts {
    CellGrid grid;
    std::vector<double> images;  ///< one number per cell, >= 0
    double total() const;
    double mean_frequency() const;  ///< mean of k / n; 0 without images
};

/// Keeping m of n annotators at random turns a reading (n, k) into (m, j) with probability C(k,j)
/// C(n-k,m-j) / C(n,m). This gives the expected counts after thinning, without any draws.
class Thinning {
public:
    /// 1 <= m <= grid.min_n(). Throws usage. Cost: size() * m.
    Thinning(const CellGrid& grid, int m);
    int m() const noexcept { return m_; }
    std::size_t cells() const noexcept { return cells_; }
    /// P(j of m | cell), j = 0..m.
    std::span<const double> row(std::size_t cell) const {
        const std::size_t width = static_cast<std::size_t>(m_) + 1;
        return {table_.data() + cell * width, width};
    }
    /// Expected counts of j = 0..m from counts of the grid's cells.
    std::vector<double> apply(std::span<const double> counts) const;

private:
    int m_ = 0;
    std::size_t cells_ = 0;
    std::vector<double> table_;
};

/// The logarithm of C(n, k), from exact sums of logarithms (no lgamma differences).
double log_choose(int n, int k);

}  // namespace assay::replication
