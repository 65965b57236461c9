// Adaptive class-wise calibration error (Nixon et al. 2019 as published by Hesse et al. 2026;
// definition `ace.class_wise`).
//
// For each class, the m items with p > 0 of that class are in ascending order of p. The edges are
// 1.0 and the order statistics at round_half_even(i m / B), capped at m-1, for i from 1 to B-1. The
// bin of p is the number of edges <= p. Equal values share a bin, and p = 1 exactly has a bin of
// its own. The error of the class is the sum over bins of |sum(p) - sum(y)| / m, or 0 without
// items. The result is the mean over the classes.
//
// No column is sorted. There are two passes over it. First, a histogram of the leading 16 bits says
// between which keys the order statistics lie. Then every value whose key holds none of them is
// added to its bin at once. The few others (about 2 %) are kept, sorted, and added once the edges
// are known. Sums are exact in units of 2^-40 (p is rounded to them, error 5e-13 at most), so they
// depend on nothing but the data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/metric/metric.h"

namespace assay {

/// A row of scores at its place in memory: p = exp(score - shift) * factor, or score * factor
/// clipped to [0, 1].
struct ScoreRow {
    const float* scores = nullptr;
    float shift = 0, factor = 0;
};

/// Probabilities by rows and columns, and the true class of each item.
class ProbabilityRows {
public:
    virtual ~ProbabilityRows() = default;
    virtual std::uint64_t items() const = 0;
    virtual std::uint32_t classes() const = 0;
    /// The only valid class, or -1 if the item is excluded.
    virtual std::int32_t target(std::uint64_t item) const = 0;
    /// Probabilities of items [first, first + n) and classes [begin, end), row-major, in [0, 1];
    /// zeros for excluded items. It is called from several threads. The number of classes that are
    /// read at a time is slice(). It is small, unless reading part of a row costs as much as
    /// reading all of it.
    virtual std::uint32_t slice() const { return 128; }
    virtual void read(std::uint64_t first, std::uint32_t n, std::uint32_t begin, std::uint32_t end,
                      float* out) const = 0;
    /// If rows are in memory as float32, they need no copy: row() then gives the same numbers as
    /// read(). Excluded items have any finite scores with factor 0.
    enum class Direct { no, exponential, proportional };
    virtual Direct direct() const { return Direct::no; }
    virtual ScoreRow row(std::uint64_t) const { return {}; }
};

struct ClassWiseOptions {
    int bins = 15;
    int threads = 1;
    std::uint64_t scratch_bytes = std::uint64_t{64} << 20;
    std::uint64_t columns_limit = std::uint64_t{256}
                                  << 20;  ///< above this size, rows are streamed, bit-identically
                                          ///< (4 million items)
    /// With several ranks: if all scores have more bytes than this, ranks share the items,
    /// otherwise the classes. The bits are the same.
    std::uint64_t row_shares_beyond = std::uint64_t{256} << 20;
    bool keep_edges = false;
    /// [first, last), clipped to the existing classes
    std::uint32_t first_class = 0, last_class = 0xFFFFFFFFU;
};

/// The bins of one class, as determined by the data.
struct ClassEdges {
    std::uint64_t m = 0;
    std::vector<float> bounds;                ///< the bin of p is the number of bounds <= p
    std::vector<double> confidence, members;  ///< sum of p and number of items in each bin
};

/// Sums over the classes [first_class, last_class); parts can be added (`sums`, `without`) in any
/// order.
struct ClassWiseSums {
    /// Two definitions: weights n_r / m (`ace.class_wise`) and 1 / B (`ace.class_wise_equal`,
    /// equation 8 of the paper).
    std::vector<std::int64_t> sums;     ///< 2 real sums
    std::vector<std::int64_t> without;  ///< 2 x group_count real sums: each sum without the
                                        ///< items of one group, with the same edges
    std::vector<ClassEdges> edges =
        {};  ///< with keep_edges: one per class of the rows, empty outside this part
};
ClassWiseSums class_wise_sums(const ProbabilityRows& rows, const ClassWiseOptions& options);
/// The same, shared by ranks, each of which gets the whole result. Collective; all ranks pass the
/// same options. If the ranks share the classes, each rank reads all rows, and together they
/// compute as much as one rank alone would. If they share the items (row_shares_beyond), a rank
/// reads its own rows four times, and counts are added over the ranks (300 KB per class). Together
/// they compute about six times as much.
ClassWiseSums class_wise_sums(const ProbabilityRows& rows, const ClassWiseOptions& options,
                              Comm& comm);

}  // namespace assay
