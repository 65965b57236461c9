// Fuses several steps of a graph: a convolution or a matrix product with the following batch norm,
// sum and activation. Both formats describe their steps with the types below. Rounding differs from
// the separate steps by about 1e-6 of the spread of the scores.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace assay::torch_plugin {

/// Activations that may follow a product.
enum class LayerActivation { none, relu, relu6, silu, hard_swish, gelu, gelu_tanh };

/// A convolution of two dimensions, with the same padding before and after.
struct ConvolutionShape {
    std::vector<std::int64_t> strides, padding, dilations;
    std::int64_t groups = 1;
};

struct NormConstants {
    at::Tensor scale, bias, mean, variance;  ///< per channel; scale and bias may be undefined
    double epsilon = 0;
};

/// The operation of a step, in terms of both formats.
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
    std::vector<int> reads;    ///< numbers of the values read, with repetitions
    std::vector<int> results;  ///< the members below describe the first result
    std::vector<int> writes;   ///< values that the step changes in place
    int input = -1;       ///< the operand that is not constant; for a sum and a multiplication the
                          ///< first
    int other = -1;       ///< their second
    at::Tensor weight;    ///< weight of a convolution, or of a product (inputs x outputs)
    at::Tensor bias;      ///< undefined: none
    at::Tensor constant;  ///< the other operand of a sum, if it is a constant
    ConvolutionShape shape;
    NormConstants norm;
    LayerActivation activation = LayerActivation::none;
};

/// Several threads may call it. While gradients are recorded, it changes no tensor in
/// place.
class FusedLayer {
public:
    /// `layer` must be a convolution or a product.
    explicit FusedLayer(const DescribedStep& layer);

    void fold(const NormConstants& norm);
    void set_bias(const at::Tensor& bias) { bias_ = bias; }
    void set_activation(LayerActivation activation) { activation_ = activation; }
    bool has_bias() const { return bias_.defined(); }
    std::int64_t outputs() const { return weight_.size(convolves_ ? 0 : 1); }

    /// `added` is added before the activation; it may be undefined.
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
    // Weights in oneDNN's order, which the first batch makes.
    mutable std::once_flag once_;
    mutable c10::IValue packed_;
};

/// Steps that a fused layer replaces.
struct Fusion {
    std::vector<std::size_t> steps;  ///< in order; the layer is computed at the last one's position
    int input = -1;
    int added = -1;  ///< -1 if nothing is added
    int result = -1;
    std::shared_ptr<const FusedLayer> layer;
};

/// `wanted` are the values that are read after the last step.
std::vector<Fusion> find_fusions(std::span<const DescribedStep> steps, std::span<const int> wanted);

/// False if the user asks for unfused graphs (ASSAY_GRAPH=written).
bool may_fuse();

}  // namespace assay::torch_plugin
