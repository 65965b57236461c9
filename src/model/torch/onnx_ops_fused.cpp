// Operators that ONNX Runtime's optimizer writes (domain com.microsoft, and a few in ONNX's own),
// and ONNX's own attention.
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "model/torch/attention.h"
#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

Tensor bias_gelu(const OnnxCall& call) {
    return at::gelu(call.has(1) ? call.in(0).add(call.in(1)) : call.in(0));
}

/// Uses the tanh approximation.
Tensor fast_gelu(const OnnxCall& call) {
    return at::gelu(call.has(1) ? call.in(0).add(call.in(1)) : call.in(0), "tanh");
}

Tensor swish(const Tensor& x, double alpha) {
    return x.mul(x.mul(alpha).sigmoid());
}

/// Computes x / sqrt(mean of squares + epsilon) * scale over the dimensions from `axis` on.
Tensor rms_normalised(const Tensor& x, const Tensor& scale, std::int64_t axis, double epsilon) {
    Ints axes;
    for (std::int64_t d = axis_in(axis, x.dim()); d < x.dim(); ++d) axes.push_back(d);
    return x.mul(x.mul(x).mean(axes, true).add(epsilon).rsqrt()).mul(scale);
}

Tensor rms_normalization(const OnnxCall& call) {
    return rms_normalised(call.in(0), call.in(1), call.integer("axis", -1),
                          call.real("epsilon", 1e-5));
}

/// Inputs: x, the tensor to add to it, gamma, (beta,) bias. Outputs: the normalized sum; mean and
/// deviation, which only training reads; the sum.
template <bool Simple>
Tensors skip_normalization(const OnnxCall& call) {
    if (call.wants(1) || call.wants(2))
        throw NotSupported("the mean and deviation among its outputs are only for training");
    constexpr std::size_t bias = Simple ? 3 : 4;
    Tensor sum = call.in(0).add(call.in(1));
    if (call.has(bias)) sum = sum.add(call.in(bias));
    const double epsilon = call.real("epsilon", 1e-12);
    if (sum.dim() < 1 || call.in(2).dim() != 1) throw NodeError("gamma must have one dimension");
    const Tensor normal = Simple ? rms_normalised(sum, call.in(2), -1, epsilon)
                                 : at::layer_norm(sum, {sum.size(-1)}, call.in(2),
                                                  call.in_or_none(3), epsilon, false);
    return {normal, {}, {}, sum};
}

/// The activation at the end of a fused operator.
Tensor activated(const Tensor& x, const std::string& name, const std::vector<double>& p) {
    const auto at = [&](std::size_t i, double fallback) { return i < p.size() ? p[i] : fallback; };
    if (name.empty()) return x;
    if (name == "Relu") return x.relu();
    if (name == "Tanh") return x.tanh();
    if (name == "Sigmoid") return x.sigmoid();
    if (name == "LeakyRelu") return at::leaky_relu(x, at(0, 0.01));
    if (name == "HardSigmoid") return x.mul(at(0, 0.2)).add(at(1, 0.5)).clamp(0, 1);
    if (name == "Clip" && p.size() == 2) return x.clamp(p[0], p[1]);
    if (name == "HardSwish") return x.mul(x.mul(1.0 / 6).add(0.5).clamp(0, 1));
    throw NotSupported(fmt::format("activation \"{}\" is not supported", name));
}

/// A convolution, then an added tensor, then an activation.
Tensor fused_conv(const OnnxCall& call) {
    Tensor y = convolved(call);
    if (call.has(3)) y = y.add(call.in(3));
    return activated(y, call.text("activation", ""), call.reals("activation_params"));
}

Tensor fused_gemm(const OnnxCall& call) {
    std::vector<double> parameters;
    for (const char* name : {"leaky_relu_alpha", "activation_alpha", "activation_beta"}) {
        if (call.has_attribute(name)) parameters.push_back(call.real(name, 0));
    }
    return activated(general_product(call), call.text("activation", ""), parameters);
}

Tensor fused_matmul(const OnnxCall& call) {
    const auto operand = [&](std::size_t i, const char* last, const char* batch) {
        Tensor x = call.in(i);
        // With transBatch, the first dimension moves behind the other batch dimensions.
        if (call.integer(batch, 0) != 0) {
            if (x.dim() < 3)
                throw NodeError(fmt::format(
                    "{} needs at least three dimensions, but input {} has {}", batch, i, x.dim()));
            x = x.movedim(0, x.dim() - 2);
        }
        return call.integer(last, 0) != 0 && x.dim() > 1 ? x.transpose(-2, -1) : x;
    };
    return operand(0, "transA", "transBatchA")
        .matmul(operand(1, "transB", "transBatchB"))
        .mul(call.real("alpha", 1.0));
}

/// batch x positions x (heads * width) to batch x heads x positions x width, and back.
Tensor split_heads(const Tensor& x, std::int64_t heads) {
    if (x.dim() != 3 || heads < 1 || x.size(2) % heads != 0)
        throw NodeError(fmt::format("{} heads do not divide an input of {}", heads,
                                    fmt::join(x.sizes(), " x ")));
    return x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

Tensor joined_heads(const Tensor& x) {
    return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

/// The attribute `scale`. If it is omitted or 0, one divided by the root of a head's width.
double scale_of(const OnnxCall& call, const Tensor& query) {
    const double given = call.real("scale", 0);
    return given != 0 ? given : 1 / std::sqrt(static_cast<double>(query.size(-1)));
}

void refuse_inputs(const OnnxCall& call, std::initializer_list<std::size_t> inputs,
                   const char* what) {
    for (const std::size_t i : inputs) {
        if (call.has(i)) throw NotSupported(fmt::format("{} (input {}) is not supported", what, i));
    }
}

void refuse_outputs(const OnnxCall& call) {
    for (std::size_t i = 1; i < call.outputs(); ++i) {
        if (call.wants(i)) throw NotSupported(fmt::format("its output {} is not supported", i));
    }
}

/// The numbers that a mask adds to weights of batch x heads x queries x keys: 0 for an allowed key,
/// and mask_filter_value for other keys. There are three forms of masks. The first has the number
/// of keys of each image. The second has the ends of the keys of all images, and then their
/// beginnings. The third has 1 or 0 for each image and key, or for each image, query and key.
Tensor added_by(const OnnxCall& call, const Tensor& mask, std::int64_t batch, std::int64_t queries,
                std::int64_t keys) {
    Tensor seen;
    if (mask.dim() == 1 && (mask.size(0) == batch || mask.size(0) == 2 * batch)) {
        const Tensor at = at::arange(keys, mask.options().dtype(at::kLong)).unsqueeze(0);
        seen = at.lt(mask.narrow(0, 0, batch).unsqueeze(1));
        if (mask.size(0) != batch)
            seen = seen.logical_and(at.ge(mask.narrow(0, batch, batch).unsqueeze(1)));
        seen = seen.unsqueeze(1);
    } else if (mask.sizes() == at::IntArrayRef{batch, keys}) {
        seen = mask.gt(0).unsqueeze(1);
    } else if (mask.sizes() == at::IntArrayRef{batch, queries, keys}) {
        seen = mask.gt(0);
    } else {
        throw NotSupported(fmt::format(
            "a mask of {} for {} images, {} queries and {} keys is not supported",
            fmt::join(mask.sizes().begin(), mask.sizes().end(), " x "), batch, queries, keys));
    }
    const double hidden = call.real("mask_filter_value", -10000);
    return seen.unsqueeze(1).logical_not().to(at::kFloat).mul(hidden);
}

/// The mask at input `i` plus the numbers at input `bias`, to be added to the weights; undefined
/// without both.
Tensor hiding(const OnnxCall& call, std::size_t i, std::size_t bias, const Tensor& query,
              const Tensor& key) {
    if (!call.has(i)) return call.in_or_none(bias);
    const Tensor mask =
        added_by(call, beside(call.in(i), query), query.size(0), query.size(-2), key.size(-2));
    return call.has(bias) ? mask.add(call.in(bias)) : mask;
}

/// Inputs of ONNX Runtime's Attention: x, the stacked weights of query, key and value, their bias.
Tensor microsoft_attention(const OnnxCall& call) {
    refuse_inputs(call, {4, 6}, "an earlier state");
    refuse_outputs(call);
    if (call.integer("do_rotary", 0) != 0) throw NotSupported("do_rotary is not supported");
    const std::int64_t heads = call.integer("num_heads");
    Tensor all = call.in(0).matmul(call.in(1));
    if (call.has(2)) all = all.add(call.in(2));
    Ints sizes = call.integers("qkv_hidden_sizes");
    if (sizes.empty()) sizes = Ints(3, all.size(-1) / 3);
    if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != all.size(-1))
        throw NodeError(fmt::format(
            "qkv_hidden_sizes must be three numbers with the sum {}, the width of the weights",
            all.size(-1)));
    const Tensors parts = all.split_with_sizes(sizes, -1);
    const Tensor query = split_heads(parts[0], heads), key = split_heads(parts[1], heads);
    return joined_heads(attention(query, key, split_heads(parts[2], heads),
                                  hiding(call, 3, 5, query, key),
                                  call.integer("unidirectional", 0) != 0, scale_of(call, query)));
}

/// Inputs: query, key and value separately (with one bias for the three), or packed in one tensor.
Tensor multi_head_attention(const OnnxCall& call) {
    refuse_inputs(call, {6, 7, 8, 9}, "an earlier state");
    refuse_outputs(call);
    const std::int64_t heads = call.integer("num_heads");
    const Tensor& first = call.in(0);
    Tensor query, key, value;
    if (first.dim() == 5) {  // batch x positions x heads x 3 x width
        if (first.size(3) != 3 || first.size(2) != heads || call.has(3))
            throw NodeError(fmt::format(
                "its packed input must be batch x positions x heads x 3 x width, but is {}",
                fmt::join(first.sizes(), " x ")));
        const auto part = [&](std::int64_t i) { return first.select(3, i).transpose(1, 2); };
        query = part(0), key = part(1), value = part(2);
    } else {
        Tensors bias(3);
        const std::int64_t width = first.size(-1);
        if (call.has(3)) {
            const Tensor& all = call.in(3);
            if (all.dim() != 1 || all.size(0) < 2 * width)
                throw NodeError(
                    fmt::format("its bias must be a list of at least {} numbers", 2 * width));
            bias = {all.narrow(0, 0, width), all.narrow(0, width, width), all.slice(0, 2 * width)};
        }
        const auto headed = [&](const Tensor& x, const Tensor& b) {
            if (x.dim() == 4) {  // heads are already a separate dimension
                return b.defined() ? x.add(b.reshape({1, x.size(1), 1, x.size(3)})) : x;
            }
            return split_heads(b.defined() ? x.add(b) : x, heads);
        };
        query = headed(first, bias[0]);
        if (call.in(1).dim() == 5) {  // batch x positions x heads x 2 x width
            if (call.in(1).size(3) != 2)
                throw NodeError(
                    fmt::format("its packed key and value must have size 2 along axis 3, not {}",
                                call.in(1).size(3)));
            key = call.in(1).select(3, 0).transpose(1, 2);
            value = call.in(1).select(3, 1).transpose(1, 2);
        } else {
            key = headed(call.in(1), bias[1]);
            value = headed(call.in(2), bias[2]);
        }
    }
    return joined_heads(attention(query, key, value, hiding(call, 4, 5, query, key),
                                  call.integer("unidirectional", 0) != 0, scale_of(call, query)));
}

/// ONNX's own Attention (opset 23), with separate heads (4 dimensions) or heads side by side (3).
/// Groups of queries share fewer key and value heads.
Tensor onnx_attention(const OnnxCall& call) {
    refuse_inputs(call, {4, 5, 6}, "an earlier state");
    refuse_outputs(call);
    if (call.real("softcap", 0) != 0) throw NotSupported("softcap is not supported");
    const bool flat = call.in(0).dim() == 3;
    const std::int64_t heads = flat ? call.integer("q_num_heads") : call.in(0).size(1);
    const auto headed = [&](std::size_t i, const char* attribute) {
        const Tensor x = flat ? split_heads(call.in(i), call.integer(attribute)) : call.in(i);
        if (x.dim() != 4)
            throw NodeError(
                fmt::format("input {} must have 3 or 4 dimensions, but has {}", i, x.dim()));
        if (x.size(1) == heads) return x;
        if (x.size(1) < 1 || heads % x.size(1) != 0)
            throw NodeError(fmt::format("{} heads of the key do not divide {} heads of the query",
                                        x.size(1), heads));
        return x.repeat_interleave(heads / x.size(1), 1);
    };
    const Tensor query = headed(0, "q_num_heads");
    const Tensor y =
        attention(query, headed(1, "kv_num_heads"), headed(2, "kv_num_heads"), call.in_or_none(3),
                  call.integer("is_causal", 0) != 0, scale_of(call, query));
    return flat ? joined_heads(y) : y;
}

/// Rotates the pairs of each head by the angles of its position. Cosines and sines are batch x
/// positions x pairs. A pair is two neighbors, or one number from each half.
Tensor turned_pairs(const OnnxCall& call, const Tensor& cosines, const Tensor& sines) {
    const std::int64_t pairs = cosines.size(-1);
    const bool flat = call.in(0).dim() == 3;
    std::int64_t heads = call.integer("num_heads", 0);
    if (flat && heads == 0) heads = pairs > 0 ? call.in(0).size(-1) / (2 * pairs) : 0;
    if (flat && heads < 1) throw NodeError("attribute \"num_heads\" is missing");
    const Tensor x = flat ? split_heads(call.in(0), heads) : call.in(0);
    if (x.dim() != 4)
        throw NodeError(fmt::format("its input must have 3 or 4 dimensions, but has {}", x.dim()));
    const std::int64_t width = x.size(-1);
    const std::int64_t given = call.integer("rotary_embedding_dim", 0);
    const std::int64_t turned = given == 0 ? width : given;
    if (cosines.dim() != 3 || sines.sizes() != cosines.sizes() || turned != 2 * pairs ||
        turned > width)
        throw NodeError("its cosines and sines do not fit its heads");
    const bool neighbours = call.integer("interleaved", 0) != 0;
    const auto half = [&](std::int64_t k) {
        return neighbours ? x.slice(-1, k, turned, 2) : x.narrow(-1, k * pairs, pairs);
    };
    const Tensor c = cosines.unsqueeze(1), s = sines.unsqueeze(1);
    const Tensor first = half(0).mul(c).sub(half(1).mul(s));
    const Tensor second = half(0).mul(s).add(half(1).mul(c));
    const Tensor all =
        neighbours ? at::stack({first, second}, -1).flatten(-2) : at::cat({first, second}, -1);
    const Tensor y = at::cat({all, x.narrow(-1, turned, width - turned)}, -1);
    return flat ? joined_heads(y) : y;
}

/// Looks up rows of a table by position: batch x positions x pairs.
Tensor rows_at(const Tensor& table, const Tensor& positions) {
    if (table.dim() != 2 || positions.dim() != 2)
        throw NodeError(
            fmt::format("its table and positions must have 2 dimensions, but have {} and {}",
                        table.dim(), positions.dim()));
    return table.index_select(0, beside(positions, table).flatten().to(at::kLong))
        .reshape({positions.size(0), positions.size(1), table.size(1)});
}

/// Inputs: x, cosines, sines, positions. Without positions, there is a row for each position.
Tensor rotary_embedding(const OnnxCall& call) {
    if (!call.has(3)) return turned_pairs(call, call.in(1), call.in(2));
    return turned_pairs(call, rows_at(call.in(1), call.in(3)), rows_at(call.in(2), call.in(3)));
}

/// Inputs: x, positions, cosines, sines. A single number is the first position of each image.
Tensor microsoft_rotary_embedding(const OnnxCall& call) {
    if (call.integer("is_packed_batching", 0) != 0 || call.real("scale", 1.0) != 1.0)
        throw NotSupported("packed batches and a scale are not supported");
    const Tensor& x = call.in(0);
    if (x.dim() < 3)
        throw NodeError(fmt::format("its input must have 3 or 4 dimensions, but has {}", x.dim()));
    Tensor positions = call.in(1).to(at::kLong);
    if (positions.numel() == 1)
        positions = at::arange(x.size(-2), positions.options())
                        .add(positions.reshape({1}))
                        .expand({x.size(0), x.size(-2)});
    return turned_pairs(call, rows_at(call.in(2), positions), rows_at(call.in(3), positions));
}

}  // namespace

std::span<const OnnxOperator> fused_operators() {
    static constexpr OnnxOperator table[] = {
        {"com.microsoft::Gelu", [](const OnnxCall& c) { return at::gelu(c.in(0)); }},
        {"com.microsoft::BiasGelu", bias_gelu},
        {"com.microsoft::FastGelu", fast_gelu},
        {"com.microsoft::QuickGelu",
         [](const OnnxCall& c) { return swish(c.in(0), c.real("alpha", 1.702)); }},
        {"Swish", [](const OnnxCall& c) { return swish(c.in(0), c.real("alpha", 1.0)); }},
        {"RMSNormalization", rms_normalization},
        {"SimplifiedLayerNormalization", rms_normalization},
        {"com.microsoft::SkipLayerNormalization", nullptr, skip_normalization<false>},
        {"com.microsoft::SkipSimplifiedLayerNormalization", nullptr, skip_normalization<true>},
        {"com.microsoft::FusedConv", fused_conv},
        {"com.microsoft::FusedGemm", fused_gemm},
        {"com.microsoft::FusedMatMul", fused_matmul},
        {"com.microsoft::TransposeMatMul", fused_matmul},
        {"com.microsoft::Attention", microsoft_attention},
        {"com.microsoft::MultiHeadAttention", multi_head_attention},
        {"Attention", onnx_attention},
        {"RotaryEmbedding", rotary_embedding},
        {"com.microsoft::RotaryEmbedding", microsoft_rotary_embedding},
    };
    return table;
}

}  // namespace assay::torch_plugin
