// The small networks that can be trained: their layers, their forward pass, and the file they
// become.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "assay/model/train.h"

namespace assay::torch_plugin {

/// Convolutions, each with batch norm and ReLU, then the highest value over all places (patches:
/// the mean) and one linear layer.
class TrainableNetwork {
public:
    /// Weights are drawn from spec.seed: He's initialisation, the last layer smaller.
    TrainableNetwork(const TrainSpec& spec, std::int64_t classes);

    /// `input`: n x 3 x side x side, normalised. `training`: statistics of the batch, and the
    /// running ones follow.
    at::Tensor forward(const at::Tensor& input, bool training) const;

    /// What the optimiser moves; `decays(i)`: weights, to which weight decay applies, not biases
    /// and scales.
    const std::vector<at::Tensor>& parameters() const { return parameters_; }
    bool decays(std::size_t i) const { return parameters_[i].dim() > 1; }

    /// The bytes of a TorchScript file whose scores are forward(x, false) / temperature, batch
    /// norms folded in.
    std::string torchscript(double temperature) const;
    /// Numbers in that file's parameters.
    std::int64_t folded_parameters() const;

private:
    struct Layer {
        std::int64_t stride = 1, padding = 0;
        at::Tensor weight, scale, shift, mean,
            variance;  ///< convolution, batch norm, its running statistics
    };
    NetworkKind kind_;
    std::vector<Layer> layers_;
    at::Tensor weight_, bias_;
    std::vector<at::Tensor> parameters_;
};

}  // namespace assay::torch_plugin
