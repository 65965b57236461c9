// The inner loop of RowReader::order_keys(). The plain and AVX2 forms give the same bits.
#pragma once

#include <cstddef>

namespace assay::store {

/// out[t] = (x[t] - largest) - half.
void keys_of_logits_plain(const float* x, std::size_t count, double largest, double half,
                          double* out);
void keys_of_logits_avx2(const float* x, std::size_t count, double largest, double half,
                         double* out);

}  // namespace assay::store
