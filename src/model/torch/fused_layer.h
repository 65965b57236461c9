// Several steps of a graph computed as one: a convolution or a matrix product with the batch norm,
// the sum and the activation behind it. Both formats describe their steps in the words below.
// Rounding differs from the steps one by one, by about 1e-6 of the spread of the scores.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace assay::torch_plugin {

/// What may stand behind a product.
enum class LayerActivation { none, relu, relu6, silu, hard_swish, gelu, gelu_tanh };

/// Of two dimensions, with the same padding before and after.
struct ConvolutionShape {
    std::vector<std::int64_t> strides, padding, dilations;
    std::int64_t groups = 1;
};

struct NormConstants {
    at::Tensor scale, bias, mean, variance;  ///< by channel; scale and bias may be undefined
    double epsilon = 0;
};

/// What a step does.
enum class Meaning {
    other,
    convolution,
    product,
    batch_norm,
    sum,
    multiplication,
    sigmoid,
    activation
};

struct DescribedStep {
    Meaning meaning = Meaning::other;
    std::vector<int> reads;    ///< numbers of values, one as often as it is read
    std::vector<int> results;  ///< the first is what the members below are about
    std::vector<int> writes;   ///< values that are changed in place
    int input = -1;       ///< the operand that is no constant; a sum's and a multiplication's first
    int other = -1;       ///< their second
    at::Tensor weight;    ///< a convolution's; a product's: inputs x outputs
    at::Tensor bias;      ///< undefined: none
    at::Tensor constant;  ///< the other operand of a sum, where it is a constant
    ConvolutionShape shape;
    NormConstants norm;
    LayerActivation activation = LayerActivation::none;
};

/// Called from many threads at once. While gradients are recorded nothing is changed in place.
class FusedLayer {
public:
    /// `layer`: a convolution or a product.
    explicit FusedLayer(const DescribedStep& layer);

    void fold(const NormConstants& norm);
    void set_bias(const at::Tensor& bias) { bias_ = bias; }
    void set_activation(LayerActivation activation) { activation_ = activation; }
    bool has_bias() const { return bias_.defined(); }
    std::int64_t outputs() const { return weight_.size(convolves_ ? 0 : 1); }

    /// `added`: what is added before the activation; may be undefined.
    at::Tensor run(const at::Tensor& input, const at::Tensor& added) const;

private:
    bool fits(const at::Tensor& input) const;
    at::Tensor packed_product(const at::Tensor& input, bool relu) const;
    at::Tensor product(const at::Tensor& input) const;
    at::Tensor activated(const at::Tensor& y, bool in_place) const;

    bool convolves_;
    at::Tensor weight_, bias_;
    ConvolutionShape shape_;
    LayerActivation activation_ = LayerActivation::none;
    // Weights in the order that oneDNN computes with, made for the first batch.
    mutable std::once_flag once_;
    mutable c10::IValue packed_;
};

/// Steps that a layer takes the place of.
struct Fusion {
    std::vector<std::size_t> steps;  ///< in order; the layer is computed at the place of the last
    int input = -1;
    int added = -1;  ///< -1: nothing is
    int result = -1;
    std::shared_ptr<const FusedLayer> layer;
};

/// `wanted`: values that are read after the last step.
std::vector<Fusion> find_fusions(std::span<const DescribedStep> steps, std::span<const int> wanted);

/// False: the user asks for graphs step by step (ASSAY_GRAPH=written).
bool may_fuse();

}  // namespace assay::torch_plugin
