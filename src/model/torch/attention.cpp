#include "model/torch/attention.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>

namespace assay::torch_plugin {

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     at::Tensor mask, bool causal, double scale) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const double root = std::sqrt(std::abs(scale));
    at::Tensor weights =
        query.mul(scale < 0 ? -root : root).matmul(key.mul(root).transpose(-2, -1));
    bool masked = false;
    const auto hide = [&](const at::Tensor& seen) {
        weights = seen.scalar_type() == at::kBool ? weights.masked_fill(seen.logical_not(), none)
                                                  : weights.add(seen);
        masked = true;
    };
    if (mask.defined()) hide(mask);
    if (causal) {
        hide(at::ones({query.size(-2), key.size(-2)}, query.options().dtype(at::kBool)).tril());
    }
    if (!masked) return at::softmax(weights, -1).matmul(value);
    const at::Tensor blind = weights.eq(none).all(-1, true);
    return at::softmax(weights, -1).masked_fill(blind, 0.0).matmul(value);
}

}  // namespace assay::torch_plugin
