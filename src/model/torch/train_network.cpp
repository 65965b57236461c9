#include "model/torch/train_network.h"

#include <ATen/ops/amax.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <sstream>

#include "core/random.h"

namespace assay::torch_plugin {
namespace {

constexpr double kEpsilon = 1e-5;   // the usual value for batch norm
constexpr double kMomentum = 0.05;  // averages over about 20 batches, because trainings here are
                                    // short

struct Convolution {
    std::int64_t kernel, stride, factor;  ///< the layer has `factor` times the width as channels
};

std::vector<Convolution> convolutions(NetworkKind kind) {
    if (kind == NetworkKind::patches)
        return {{5, 2, 1}, {3, 2, 2}, {1, 1, 4}};  // the window has 5 + 2 * 2 pixels
    return {{5, 2, 1}, {3, 2, 2}, {3, 1, 2}, {3, 2, 4}, {3, 1, 4}};
}

at::Tensor normal(c10::IntArrayRef sizes, double deviation, RandomStream& random) {
    at::Tensor out = at::empty(sizes, at::kFloat);
    float* values = out.data_ptr<float>();
    for (std::int64_t i = 0; i < out.numel(); ++i)
        values[i] = static_cast<float>(deviation * random.normal());
    return out;
}

}  // namespace

TrainableNetwork::TrainableNetwork(const TrainSpec& spec, std::int64_t classes)
    : kind_(spec.network) {
    std::int64_t in = 3;
    std::uint64_t index = 0;
    for (const Convolution& c : convolutions(spec.network)) {
        RandomStream random(spec.seed, "initial weights", index++);
        const std::int64_t out = c.factor * spec.width;
        Layer layer;
        layer.stride = c.stride;
        layer.padding = c.kernel / 2;
        layer.weight =
            normal({out, in, c.kernel, c.kernel},
                   std::sqrt(2.0 / static_cast<double>(in * c.kernel * c.kernel)), random);
        layer.scale = at::ones({out});
        layer.shift = at::zeros({out});
        layer.mean = at::zeros({out});
        layer.variance = at::ones({out});
        parameters_.insert(parameters_.end(), {layer.weight, layer.scale, layer.shift});
        layers_.push_back(std::move(layer));
        in = out;
    }
    RandomStream random(spec.seed, "initial weights", index);
    weight_ = normal({classes, in}, 0.5 / std::sqrt(static_cast<double>(in)), random);
    bias_ = at::zeros({classes});
    parameters_.insert(parameters_.end(), {weight_, bias_});
    for (at::Tensor& parameter : parameters_) parameter.requires_grad_(true);
}

at::Tensor TrainableNetwork::forward(const at::Tensor& input, bool training) const {
    at::Tensor x = input;
    for (const Layer& layer : layers_) {
        x = at::conv2d(x, layer.weight, {}, layer.stride, layer.padding);
        x = at::relu(at::batch_norm(x, layer.scale, layer.shift, layer.mean, layer.variance,
                                    training, kMomentum, kEpsilon, false));
    }
    x = kind_ == NetworkKind::patches ? x.mean({2, 3}) : at::amax(x, {2, 3});
    return at::linear(x, weight_, bias_);
}

std::string TrainableNetwork::torchscript(double temperature) const {
    torch::jit::Module module("Classifier");
    std::string source = "def forward(self, x):\n";
    std::size_t index = 0;
    for (const Layer& layer : layers_) {
        const at::Tensor factor = layer.scale.detach().mul(at::rsqrt(layer.variance.add(kEpsilon)));
        const at::Tensor weight =
            layer.weight.detach().mul(factor.reshape({-1, 1, 1, 1})).contiguous();
        const at::Tensor bias = layer.shift.detach().sub(layer.mean.mul(factor));
        module.register_parameter(fmt::format("weight{}", index), weight, false);
        module.register_parameter(fmt::format("bias{}", index), bias, false);
        source += fmt::format(
            "    x = torch.relu(torch.conv2d(x, self.weight{0}, self.bias{0}, [{1}, {1}], [{2}, "
            "{2}]))\n",
            index, layer.stride, layer.padding);
        ++index;
    }
    const double factor = 1 / temperature;
    module.register_parameter("weight", weight_.detach().mul(factor), false);
    module.register_parameter("bias", bias_.detach().mul(factor), false);
    source += kind_ == NetworkKind::patches ? "    x = torch.mean(x, [2, 3])\n"
                                            : "    x = torch.amax(x, [2, 3])\n";
    source += "    return torch.linear(x, self.weight, self.bias)\n";
    module.register_attribute("training", c10::BoolType::get(), false);
    module.define(source);
    std::ostringstream out;
    module.save(out);
    return std::move(out).str();
}

std::int64_t TrainableNetwork::folded_parameters() const {
    std::int64_t numbers = weight_.numel() + bias_.numel();
    for (const Layer& layer : layers_) numbers += layer.weight.numel() + layer.shift.numel();
    return numbers;
}

}  // namespace assay::torch_plugin
