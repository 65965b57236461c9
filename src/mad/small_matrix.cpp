#include "mad/small_matrix.h"

namespace assay::mad {

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b) {
    const std::size_t n = a.size();
    SmallMatrix out(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const double factor = a(i, k);
            if (factor == 0) continue;
            for (std::size_t j = 0; j < n; ++j) out(i, j) += factor * b(k, j);
        }
    }
    return out;
}

SmallMatrix transposed(const SmallMatrix& a) {
    SmallMatrix out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j) out(j, i) = a(i, j);
    }
    return out;
}

}  // namespace assay::mad
