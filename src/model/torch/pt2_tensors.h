// The tensors of an archive of torch.export.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <map>
#include <utility>

#include "assay/model/cost.h"
#include "model/pt2/package.h"
#include "model/torch/network.h"

namespace assay::torch_plugin {

/// The archive's tensors on the device. Tensors that share numbers in the file also share them
/// here.
class Pt2Tensors {
public:
    Pt2Tensors(const pt2::Package& package, const ComputeOn& where)
        : package_(package), where_(where) {}

    at::Tensor get(const pt2::StoredTensor& stored);

private:
    const pt2::Package& package_;
    const ComputeOn& where_;
    std::map<std::pair<std::size_t, pt2::NumberType>, at::Tensor> wholes_;
};

/// The count of numbers in the model's tensors, shared ones once: its parameters, then its buffers.
/// A program without parameters has its weights as buffers.
WeightCost program_weights(const pt2::Package& package);

}  // namespace assay::torch_plugin
