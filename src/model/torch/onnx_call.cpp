// Reads the inputs and attributes of operators, and has shared helpers.
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

template <class T>
const T& value_of(const OnnxAttribute& attribute, const char* kind) {
    const T* value = std::get_if<T>(&attribute.value);
    if (value == nullptr)
        throw NodeError(fmt::format("attribute \"{}\" is not {}", attribute.name, kind));
    return *value;
}

}  // namespace

const at::Tensor& OnnxCall::in(std::size_t i) const {
    if (!has(i)) throw NodeError(fmt::format("input {} is missing", i));
    return inputs_[i];
}

Ints OnnxCall::ints_in(std::size_t i) const {
    const at::Tensor& tensor = in(i);
    if (tensor.is_floating_point() || tensor.dim() > 1)
        throw NodeError(fmt::format("input {} must be a list of whole numbers", i));
    constexpr std::int64_t most = 64;  // limit for dimensions, which no tensor exceeds
    if (tensor.numel() > most)
        throw NodeError(
            fmt::format("input {} has {} numbers; the limit is {}", i, tensor.numel(), most));
    const at::Tensor values = tensor.to(at::kCPU, at::kLong).contiguous();
    const auto* data = values.data_ptr<std::int64_t>();
    return {data, data + values.numel()};
}

const OnnxAttribute* OnnxCall::find(std::string_view name) const {
    if (node_.opset > kNewestOpset) asked_.push_back(name);
    const auto at = std::ranges::find(node_.attributes, name, &OnnxAttribute::name);
    return at == node_.attributes.end() ? nullptr : &*at;
}

std::int64_t OnnxCall::integer(std::string_view name, std::int64_t fallback) const {
    const OnnxAttribute* attribute = find(name);
    return attribute != nullptr ? value_of<std::int64_t>(*attribute, "a whole number") : fallback;
}

std::int64_t OnnxCall::integer(std::string_view name) const {
    if (!has_attribute(name)) throw NodeError(fmt::format("attribute \"{}\" is missing", name));
    return integer(name, 0);
}

double OnnxCall::real(std::string_view name, double fallback) const {
    const OnnxAttribute* attribute = find(name);
    return attribute != nullptr ? value_of<double>(*attribute, "a number") : fallback;
}

std::string OnnxCall::text(std::string_view name, std::string_view fallback) const {
    const OnnxAttribute* attribute = find(name);
    return attribute != nullptr ? value_of<std::string>(*attribute, "a text")
                                : std::string(fallback);
}

Ints OnnxCall::integers(std::string_view name, Ints fallback) const {
    const OnnxAttribute* attribute = find(name);
    return attribute != nullptr ? value_of<Ints>(*attribute, "a list of whole numbers") : fallback;
}

std::vector<double> OnnxCall::reals(std::string_view name) const {
    const OnnxAttribute* attribute = find(name);
    return attribute != nullptr ? value_of<std::vector<double>>(*attribute, "a list of numbers")
                                : std::vector<double>();
}

std::vector<std::string> OnnxCall::texts(std::string_view name) const {
    const OnnxAttribute* attribute = find(name);
    return attribute != nullptr ? value_of<std::vector<std::string>>(*attribute, "a list of texts")
                                : std::vector<std::string>();
}

void OnnxCall::check_attributes() const {
    if (node_.opset <= kNewestOpset) return;
    for (const OnnxAttribute& attribute : node_.attributes) {
        if (std::ranges::find(asked_, attribute.name) == asked_.end())
            throw NodeError(fmt::format("its attribute \"{}\" does not exist up to opset {}",
                                        attribute.name, kNewestOpset));
    }
}

at::Tensor OnnxCall::tensor(std::string_view name) const {
    const OnnxAttribute* attribute = find(name);
    return attribute != nullptr ? value_of<at::Tensor>(*attribute, "a tensor") : at::Tensor();
}

std::optional<Ints> OnnxCall::ints_of(std::string_view attribute, std::size_t i) const {
    if (has_attribute(attribute)) return integers(attribute);
    if (has(i)) return ints_in(i);
    return std::nullopt;
}

at::Tensor OnnxCall::as(std::string_view op, std::span<const at::Tensor> inputs) const {
    const OnnxCall inner(node_, inputs, folding_);
    at::Tensor out = find_onnx_operator(op)->one(inner);
    asked_.insert(asked_.end(), inner.asked_.begin(), inner.asked_.end());
    return out;
}

std::int64_t axis_in(std::int64_t axis, std::int64_t rank) {
    if (axis < -rank || axis >= rank)
        throw NodeError(
            fmt::format("axis {} does not exist in a tensor with {} dimensions", axis, rank));
    return axis < 0 ? axis + rank : axis;
}

void check_numbers(c10::IntArrayRef sizes) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    std::int64_t numbers = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0 || (size > 0 && numbers > most / size))
            throw NodeError(
                fmt::format("a result of {} numbers is too large (at most 2^31 numbers)",
                            fmt::join(sizes.begin(), sizes.end(), " x ")));
        numbers *= size;
    }
}

at::Tensor from_ints(const Ints& values) {
    at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
    std::ranges::copy(values, out.data_ptr<std::int64_t>());
    return out;
}

at::Tensor beside(const at::Tensor& operand, const at::Tensor& data) {
    return operand.device() == data.device() ? operand : operand.to(data.device());
}

Padding padding_of(const OnnxCall& call, const at::Tensor& input, const Ints& window,
                   const Ints& strides) {
    const std::size_t spatial = window.size();
    Padding out = {Ints(spatial, 0), Ints(spatial, 0)};
    const std::string automatic = call.text("auto_pad", "NOTSET");
    if (automatic == "VALID") return out;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        for (std::size_t d = 0; d < spatial; ++d) {
            const std::int64_t size = input.size(static_cast<std::int64_t>(d) + 2);
            const std::int64_t steps = (size + strides[d] - 1) / strides[d];
            const std::int64_t total =
                std::max<std::int64_t>(0, (steps - 1) * strides[d] + window[d] - size);
            const std::int64_t half = total / 2;
            out.before[d] = automatic == "SAME_UPPER" ? half : total - half;
            out.after[d] = total - out.before[d];
        }
        return out;
    }
    if (automatic != "NOTSET")
        throw NodeError(fmt::format(
            "auto_pad is \"{}\"; allowed: NOTSET, SAME_UPPER, SAME_LOWER, VALID", automatic));
    const Ints pads = call.integers("pads", Ints(2 * spatial, 0));
    if (pads.size() != 2 * spatial)
        throw NodeError(fmt::format(
            "attribute \"pads\" has {} numbers instead of {}: two for each spatial dimension",
            pads.size(), 2 * spatial));
    std::copy_n(pads.begin(), spatial, out.before.begin());
    std::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(spatial), spatial, out.after.begin());
    return out;
}

at::Tensor padded(const at::Tensor& input, const Padding& padding, double value) {
    Ints last_first;  // ATen's order
    Ints sizes = input.sizes().vec();
    for (std::size_t d = padding.before.size(); d-- > 0;) {
        last_first.push_back(padding.before[d]);
        last_first.push_back(padding.after[d]);
        auto& size = sizes.at(sizes.size() - padding.before.size() + d);
        if (std::abs(padding.before[d]) > (1 << 24) || std::abs(padding.after[d]) > (1 << 24))
            throw NodeError(
                fmt::format("padding of {} and {} pixels is out of range (at most 2^24)",
                            padding.before[d], padding.after[d]));
        size += padding.before[d] + padding.after[d];
    }
    if (std::ranges::all_of(last_first, [](std::int64_t p) { return p == 0; })) return input;
    check_numbers(sizes);
    return at::constant_pad_nd(input, last_first, value);
}

}  // namespace assay::torch_plugin
