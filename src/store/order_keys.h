// The inner loop of RowReader::order_keys(). The plain and AVX2 forms give bit-identical results.
#pragma once

#include <cstddef>

namespace assay::store {

/// Sets out[t] to (x[t] - largest) - half.
void keys_of_logits_plain(const float* x, std::size_t count, double largest, double half,
                          double* out);
void keys_of_logits_avx2(const float* x, std::size_t count, double largest, double half,
                         double* out);

}  // namespace assay::store
