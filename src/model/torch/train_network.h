// The small networks that can be trained: their layers, their forward pass, and their file.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "assay/model/train.h"

namespace assay::torch_plugin {

/// Convolutions, each with batch norm and ReLU, then the maximum over all positions (for patches
/// the mean) and one linear layer.
class TrainableNetwork {
public:
    /// Draws the weights from spec.seed: He's initialization, with a smaller last layer.
    TrainableNetwork(const TrainSpec& spec, std::int64_t classes);

    /// `input` is n x 3 x side x side, normalized. `training` uses the batch's statistics, and
    /// updates the running ones.
    at::Tensor forward(const at::Tensor& input, bool training) const;

    /// The optimizer's parameters. `decays(i)` says whether weight decay applies, which it does to
    /// weights, but not to biases and scales.
    const std::vector<at::Tensor>& parameters() const { return parameters_; }
    bool decays(std::size_t i) const { return parameters_[i].dim() > 1; }

    /// The bytes of a TorchScript file whose scores are forward(x, false) / temperature, with batch
    /// norms folded in.
    std::string torchscript(double temperature) const;
    /// The count of numbers in that file's parameters.
    std::int64_t folded_parameters() const;

private:
    struct Layer {
        std::int64_t stride = 1, padding = 0;
        at::Tensor weight, scale, shift, mean,
            variance;  ///< running statistics of the convolution's batch norm
    };
    NetworkKind kind_;
    std::vector<Layer> layers_;
    at::Tensor weight_, bias_;
    std::vector<at::Tensor> parameters_;
};

}  // namespace assay::torch_plugin
