// Attention, as TorchScript files and ONNX files of several makers ask for it.
#pragma once

#include <ATen/core/Tensor.h>

namespace assay::torch_plugin {

/// softmax(query key' scale + mask) value along the last two dimensions (positions, width); those
/// in front broadcast. `mask`: none, bool (true: may be looked at) or numbers that are added.
/// `causal`: position i sees the positions up to i. A query that may look at nothing gets zeros.
/// Query and key are multiplied by the root of the scale each, so that their product does not
/// overflow.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     at::Tensor mask, bool causal, double scale);

}  // namespace assay::torch_plugin
