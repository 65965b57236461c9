// One row of scores: its maximum, the rank of a class, and sums of exponentials. AVX2 is used if
// the processor has it. The plain path repeats the same operations in the same order and gives the
// same bits.
//
// exp: x = n ln 2 + r, a polynomial of degree 7 in r, scaled by 2^n. Largest error found over
// [-87.3, 0]: 1.06 units in the last place (tests/core/softmax_test.cpp). Results below 2^-126 are
// subnormal, below 2^-150 zero, as in std::exp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

/// Returns exp of one float, with the same bits as in the row functions.
float exp_f32(float x);

struct RowScan {
    float max = 0;
    float min = 0;
    std::int32_t argmax = 0;  ///< the first class that reaches the maximum
    std::int32_t rank = -1;   ///< classes ranked before `target`: higher score, or equal score and
                              ///< lower index; -1 without target
};
/// `row` must not be empty and must not contain NaN. `target` is in [0, row.size()), or -1.
RowScan scan_row(std::span<const float> row, std::int32_t target);

struct RowSums {
    double sum = 0;      ///< of e
    double squares = 0;  ///< sum of e * e
};
/// Computes e = exp(x - shift) for every x. Eight running sums in double (element i goes to sum i
/// mod 8) are joined in a fixed order.
RowSums exp_sums(std::span<const float> row, float shift);
/// Computes the same sums with e = x, for rows of probabilities.
RowSums plain_sums(std::span<const float> row);
/// Sets out[i] = exp(row[i] - shift) * factor. `out` may be `row`.
void exp_row(std::span<const float> row, float shift, float factor, float* out);

}  // namespace assay
