// Finds the positions of numbers among few ascending ones: below all, equal to the first, between
// the first and the second, ...
//
// The range of the ascending numbers is divided into cells of equal width, about four per number. A
// number's cell gives how many of them are in lower cells, so that only those of its own cell
// remain to be searched. These are mostly one or two, whereas binary search takes log2 of all.
// Numbers that are crowded in few cells are found by binary search, as without cells. It uses AVX2
// if the processor has it, with the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

class GuidedSearch {
public:
    /// The length of columns is a multiple of this number.
    static constexpr std::size_t lanes = 8;

    /// `values` must be ascending, each once, and not NaN; infinite ones are allowed. They are not
    /// stored.
    explicit GuidedSearch(std::span<const double> values);

    /// Finds a slot for each number of the column, none of which may be NaN: 2 * (values below) +
    /// (one is equal). `values` are the same as before and not empty.
    void find(std::span<const double> values, std::span<const double> column,
              std::uint32_t* slots) const;
    void find_plain(const double* values, std::span<const double> column,
                    std::uint32_t* slots) const;
    void find_avx2(const double* values, std::span<const double> column,
                   std::uint32_t* slots) const;

private:
    std::size_t cell_of(double x) const;

    double low_ = 0, scale_ = 0, last_ = 0;
    std::uint32_t window_ = 0;           ///< number of values at the start of a search
    std::vector<std::uint32_t> starts_;  ///< by cell: the index of its first value
};

}  // namespace assay
