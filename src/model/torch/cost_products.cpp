// Multiply-accumulates of products by the sizes of their operands. There are N images, C channels
// and a kernel of k numbers. A convolution has N * C_out * positions_out * C_in / groups * k
// multiply-accumulates. A matrix product has the product of its three extents.
#include "model/torch/cost_products.h"

#include <ATen/core/class_type.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace assay::torch_plugin {
namespace {

std::uint64_t numbers_in(const at::Tensor& tensor) {
    return static_cast<std::uint64_t>(tensor.numel());
}

std::uint64_t side_of(const at::Tensor& tensor, std::int64_t dimension) {
    return static_cast<std::uint64_t>(tensor.size(dimension));
}

Products of_weights(std::uint64_t macs) {
    return {macs, 0};
}
Products of_both(std::uint64_t macs) {
    return {macs, macs};
}

/// The number of weights per number of the result (of the input, if transposed).
std::optional<std::uint64_t> per_position(const at::Tensor& weight) {
    if (!weight.defined() || weight.dim() < 2 || weight.size(0) == 0) return std::nullopt;
    return numbers_in(weight) / side_of(weight, 0);
}

MacCount forward_conv(const at::Tensor& weight, Operands out) {
    const auto each = per_position(weight);
    const at::Tensor result = tensor_at(out, 0);
    if (!each || !result.defined()) return std::nullopt;
    return of_weights(numbers_in(result) * *each);
}

MacCount transposed_conv(const at::Tensor& input, const at::Tensor& weight) {
    const auto each = per_position(weight);
    if (!each || !input.defined()) return std::nullopt;
    return of_weights(numbers_in(input) * *each);
}

/// Each number of the result is a sum over left's last dimension.
MacCount sums_of_products(const at::Tensor& left, Operands out) {
    const at::Tensor result = tensor_at(out, 0);
    if (!left.defined() || left.dim() < 1 || !result.defined()) return std::nullopt;
    return of_both(numbers_in(result) * side_of(left, -1));
}

/// The operands of a quantized operator: input, packed parameters, ...
at::Tensor packed_weight(Operands in) {
    if (in.size() < 2) return {};
    const std::vector<at::Tensor> weights = unpacked_weights(in[1]);
    return weights.empty() ? at::Tensor() : weights.front();
}

}  // namespace

std::vector<at::Tensor> unpacked_weights(const c10::IValue& packed) {
    static constexpr std::pair<std::string_view, const char*> unpackers[] = {
        {"Conv2dPackedParams", "quantized::conv2d_unpack"},  // also for one dimension
        {"Conv3dPackedParams", "quantized::conv3d_unpack"},
        {"LinearPackedParams", "quantized::linear_unpack"},
    };
    if (!packed.isCustomClass()) return {};  // modules may have the same name
    const auto type = packed.type()->cast<c10::ClassType>();
    if (!type || !type->name()) return {};
    const std::string name = type->name()->name();
    for (const auto& [known, unpack] : unpackers) {
        if (!name.starts_with(known)) continue;
        // The observer must not count this call.
        const at::DisableRecordFunctionGuard unseen;
        const auto op = c10::Dispatcher::singleton().findSchema({unpack, ""});
        if (!op) return {};
        torch::jit::Stack stack = {packed};
        try {
            op->callBoxed(&stack);
        } catch (const std::exception&) {
            return {};  // the engine refuses this, but the model may still run
        }
        std::vector<at::Tensor> out;
        const auto add = [&](const c10::IValue& value) {
            if (value.isTensor() && value.toTensor().defined()) out.push_back(value.toTensor());
        };
        for (const c10::IValue& value : stack) {
            if (value.isTuple()) {
                for (const c10::IValue& item : value.toTupleRef().elements()) add(item);
            } else {
                add(value);
            }
        }
        return out;
    }
    return {};
}

at::Tensor tensor_at(Operands values, std::size_t place) {
    return place < values.size() && values[place].isTensor() ? values[place].toTensor()
                                                             : at::Tensor();
}

MacCount conv_macs(Operands in, Operands out) {
    return forward_conv(tensor_at(in, 1), out);
}

MacCount transposed_conv_macs(Operands in, Operands /*out*/) {
    return transposed_conv(tensor_at(in, 0), tensor_at(in, 1));
}

MacCount either_conv_macs(Operands in, Operands out) {
    constexpr std::size_t transposed = 6;
    if (in.size() <= transposed || !in[transposed].isBool()) return std::nullopt;
    return in[transposed].toBool() ? transposed_conv_macs(in, out) : conv_macs(in, out);
}

MacCount product_macs(Operands in, Operands out) {
    return sums_of_products(tensor_at(in, 0), out);
}

MacCount added_product_macs(Operands in, Operands out) {
    return sums_of_products(tensor_at(in, 1), out);
}

MacCount summed_product_macs(Operands in, Operands /*out*/) {
    const at::Tensor left = tensor_at(in, 1), right = tensor_at(in, 2);
    if (!left.defined() || !right.defined() || right.dim() != 3) return std::nullopt;
    return of_both(numbers_in(left) * side_of(right, 2));
}

MacCount attention_macs(Operands in, Operands /*out*/) {
    const at::Tensor query = tensor_at(in, 0), key = tensor_at(in, 1), value = tensor_at(in, 2);
    for (const at::Tensor& one : {query, key, value}) {
        if (!one.defined() || one.dim() < 2 || one.size(-1) == 0) return std::nullopt;
    }
    const std::uint64_t queries = numbers_in(query) / side_of(query, -1);
    return of_both(queries * side_of(key, -2) * (side_of(query, -1) + side_of(value, -1)));
}

MacCount projected_attention_macs(Operands in, Operands /*out*/) {
    const at::Tensor query = tensor_at(in, 0), key = tensor_at(in, 1), value = tensor_at(in, 2);
    for (const at::Tensor& one : {query, key, value}) {
        if (!one.defined() || one.dim() != 3) return std::nullopt;
    }
    const std::uint64_t width = side_of(query, 2);
    const std::uint64_t projections =
        (2 * numbers_in(query) + numbers_in(key) + numbers_in(value)) * width;
    const std::uint64_t between = 2 * numbers_in(query) * side_of(key, 1);
    return Products{projections + between, between};
}

MacCount encoder_layer_macs(Operands in, Operands /*out*/) {
    constexpr std::size_t first_of_mlp = 14;
    const at::Tensor source = tensor_at(in, 0), mlp = tensor_at(in, first_of_mlp);
    if (!source.defined() || source.dim() != 3 || !mlp.defined() || mlp.dim() != 2)
        return std::nullopt;
    const std::uint64_t weights = 4 * side_of(source, 2) + 2 * side_of(mlp, 0);
    const std::uint64_t between = 2 * numbers_in(source) * side_of(source, 1);
    return Products{numbers_in(source) * weights + between, between};
}

MacCount quantised_conv_macs(Operands in, Operands out) {
    return forward_conv(packed_weight(in), out);
}

MacCount quantised_transposed_macs(Operands in, Operands /*out*/) {
    return transposed_conv(tensor_at(in, 0), packed_weight(in));
}

MacCount quantised_linear_macs(Operands in, Operands /*out*/) {
    const at::Tensor weight = packed_weight(in);
    const at::Tensor input = tensor_at(in, 0);
    if (!weight.defined() || weight.dim() != 2 || !input.defined()) return std::nullopt;
    return of_weights(numbers_in(input) * side_of(weight, 0));
}

}  // namespace assay::torch_plugin
