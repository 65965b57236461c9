// Attention as TorchScript files and ONNX files from several exporters use it.
#pragma once

#include <ATen/core/Tensor.h>

namespace assay::torch_plugin {

/// Computes softmax(query key' scale + mask) value along the last two dimensions (positions,
/// width). The dimensions before them broadcast. `mask` is absent, bool (true allows attention) or
/// has numbers to add. With `causal`, position i sees the positions up to i. A query without any
/// allowed key gets zeros. Query and key are each multiplied by the root of the scale, so that
/// their product does not overflow.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     at::Tensor mask, bool causal, double scale);

}  // namespace assay::torch_plugin
