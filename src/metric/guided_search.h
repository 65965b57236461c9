// Where numbers stand among few ascending ones: below them all, at the first, between the first and
// the second, ...
//
// The range of the ascending numbers is cut into cells of equal width, some four per number. A
// number's cell says how many of them lie in lower cells, so that a search has only those of its
// own cell left: mostly one or two, where a search by halves has log2 of all to do. Numbers that
// crowd in few cells are searched by halves, as without cells. AVX2 where the processor has it,
// with the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

class GuidedSearch {
public:
    /// Columns have a multiple of so many numbers.
    static constexpr std::size_t lanes = 8;

    /// `values`: ascending, each once, none NaN; infinite ones are allowed. They are not kept.
    explicit GuidedSearch(std::span<const double> values);

    /// A slot for each number of the column, none NaN: 2 * (values below) + (one is equal), among
    /// the same values, of which there are some.
    void find(std::span<const double> values, std::span<const double> column,
              std::uint32_t* slots) const;
    void find_plain(const double* values, std::span<const double> column,
                    std::uint32_t* slots) const;
    void find_avx2(const double* values, std::span<const double> column,
                   std::uint32_t* slots) const;

private:
    std::size_t cell_of(double x) const;

    double low_ = 0, scale_ = 0, last_ = 0;
    std::uint32_t window_ = 0;           ///< values that a search begins with
    std::vector<std::uint32_t> starts_;  ///< by cell: the first of them
};

}  // namespace assay
