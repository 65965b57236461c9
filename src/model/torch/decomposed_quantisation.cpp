// The operators that PyTorch's quantization of exported programs (pt2e) puts around each quantized
// layer, to convert numbers to codes and back, computed as in
// torch/ao/quantization/fx/_decomposed.py.
#include <ATen/core/Tensor.h>

#include "core/refuse.h"
#include "model/torch/newer_operators.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;
using torch::jit::Stack;

std::vector<c10::IValue> taken(Stack& stack, std::size_t count) {
    std::vector<c10::IValue> out(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    stack.resize(stack.size() - count);
    return out;
}

/// Gets one value per tensor: a number in the file, or a tensor with one number.
double one_number(const c10::IValue& given) {
    if (!given.isTensor())
        return given.isInt() ? static_cast<double>(given.toInt()) : given.toDouble();
    if (given.toTensor().numel() != 1) refuse("a quantisation by tensor has several scales");
    return given.toTensor().to(at::kDouble).item<double>();
}

Tensor in_single(const Tensor& x) {
    return x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16 ? x.to(at::kFloat) : x;
}

/// Has one value for each position along `axis`.
Tensor along(const c10::IValue& given, const Tensor& x, std::int64_t axis) {
    const Tensor values = given.toTensor();
    if (axis < -x.dim() || axis >= x.dim() || values.numel() != x.size(axis))
        refuse("a quantisation by channel has not one scale for each channel");
    std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
    shape[static_cast<std::size_t>(axis < 0 ? axis + x.dim() : axis)] = values.numel();
    return values.to(x.device()).reshape(shape);
}

Tensor codes(const Tensor& moved, const c10::IValue& low, const c10::IValue& high,
             const c10::IValue& type) {
    return moved.clamp(one_number(low), one_number(high)).to(type.toScalarType());
}

at::ScalarType type_of_numbers(const c10::IValue& given) {
    return given.isNone() ? at::kFloat : given.toScalarType();
}

void quantise_tensor(Stack& stack) {
    const auto given = taken(stack, 6);
    const Tensor steps = in_single(given[0].toTensor()).mul(1.0 / one_number(given[1])).round();
    stack.emplace_back(codes(steps.add(one_number(given[2])), given[3], given[4], given[5]));
}

void dequantise_tensor(Stack& stack) {
    const auto given = taken(stack, 7);
    stack.emplace_back(given[0]
                           .toTensor()
                           .to(type_of_numbers(given[6]))
                           .sub(one_number(given[2]))
                           .mul(one_number(given[1])));
}

void quantise_channels(Stack& stack) {
    const auto given = taken(stack, 7);
    const Tensor x = in_single(given[0].toTensor());
    const std::int64_t axis = given[3].toInt();
    const Tensor steps = x.mul(along(given[1], x, axis).reciprocal()).round();
    stack.emplace_back(codes(steps.add(along(given[2], x, axis)), given[4], given[5], given[6]));
}

void dequantise_channels(Stack& stack) {
    const auto given = taken(stack, 8);
    const Tensor x = given[0].toTensor();
    const std::int64_t axis = given[3].toInt();
    Tensor moved = x.to(at::kFloat);
    if (!given[2].isNone()) moved = moved.sub(along(given[2], x, axis).to(at::kFloat));
    stack.emplace_back(moved.mul(along(given[1], x, axis)).to(type_of_numbers(given[7])));
}

}  // namespace

std::span<const NewerOperator> decomposed_quantisation() {
    static constexpr NewerOperator table[] = {
        {"quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int "
         "quant_min, int quant_max, ScalarType dtype) -> Tensor",
         quantise_tensor},
        {"quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor "
         "zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
         quantise_tensor},
        {"quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor "
         "zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
         quantise_tensor},
        {"quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, "
         "int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
         dequantise_tensor},
        {"quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor "
         "zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? "
         "out_dtype=None) -> Tensor",
         dequantise_tensor},
        {"quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor "
         "zero_point, Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? "
         "out_dtype=None) -> Tensor",
         dequantise_tensor},
        {"quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor "
         "zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
         quantise_channels},
        {"quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? "
         "zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? "
         "out_dtype=None) -> Tensor",
         dequantise_channels},
    };
    return table;
}

}  // namespace assay::torch_plugin
