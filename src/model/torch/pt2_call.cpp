#include "model/torch/pt2_call.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <c10/core/MemoryFormat.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

using c10::IValue;
using c10::TypeKind;
using torch::jit::Operator;

/// Values are the exporter's own (MemoryFormat in torch/_export/serde/schema.py).
at::MemoryFormat memory_format_of(std::int64_t number) {
    switch (number) {
        case 1:
            return at::MemoryFormat::Contiguous;
        case 2:
            return at::MemoryFormat::ChannelsLast;
        case 3:
            return at::MemoryFormat::ChannelsLast3d;
        case 4:
            return at::MemoryFormat::Preserve;
        default:
            refuse(fmt::format("memory format {} is unknown", number));
    }
}

IValue constant_of(const pt2::Argument& argument, const ComputeOn& where) {
    using pt2::ArgumentKind;
    switch (argument.kind) {
        case ArgumentKind::none:
            return {};
        case ArgumentKind::integer:
            return argument.integer;
        case ArgumentKind::real:
            return argument.real;
        case ArgumentKind::complex:
            return c10::complex<double>(argument.real, argument.imaginary);
        case ArgumentKind::boolean:
            return argument.boolean;
        case ArgumentKind::text:
            return argument.text;
        case ArgumentKind::number_type:
            return static_cast<std::int64_t>(
                computed_type(scalar_type_of(argument.type), where.type));
        case ArgumentKind::memory_format:
            return static_cast<std::int64_t>(memory_format_of(argument.integer));
        case ArgumentKind::layout:
            if (argument.integer != 7)
                refuse(fmt::format("layout {} is not supported; strided (7) is", argument.integer));
            return static_cast<std::int64_t>(c10::kStrided);
        case ArgumentKind::device:
            // The device of the exporter's machine is ignored.
            if (argument.text == "meta") refuse("tensors without numbers (device meta)");
            return where.device;
        default:
            refuse(fmt::format("an argument of the kind `{}` is not supported", argument.word));
    }
}

bool is_number(const IValue& x) {
    return x.isInt() || x.isDouble() || x.isBool() || x.isComplexDouble();
}

[[noreturn]] void misfit(const IValue& given, const c10::Type& wanted) {
    refuse(fmt::format("{} instead of {}", given.tagKind(), wanted.str()));
}

IValue fit(const IValue& given, const c10::Type& wanted, std::optional<int> repeated);

IValue fit_list(const IValue& given, const c10::Type& wanted, std::optional<int> repeated) {
    const c10::TypePtr& element = wanted.castRaw<c10::ListType>()->getElementType();
    c10::impl::GenericList out(element);
    if (given.isList()) {
        const auto items = given.toListRef();
        out.reserve(items.size());
        for (const IValue& item : items) out.push_back(fit(item, *element, std::nullopt));
    } else if (is_number(given) && repeated) {
        // An argument like "int[2] stride" accepts one number for both.
        for (int i = 0; i < *repeated; ++i) out.push_back(fit(given, *element, std::nullopt));
    } else {
        misfit(given, wanted);
    }
    return out;
}

/// A number in place of a tensor does not affect the type of the result, as in Python.
at::Tensor number_as_tensor(const IValue& given) {
    at::Tensor out = c10::scalar_to_tensor(given.toScalar());
    out.unsafeGetTensorImpl()->set_wrapped_number(true);
    return out;
}

IValue fit(const IValue& given, const c10::Type& wanted, std::optional<int> repeated) {
    switch (wanted.kind()) {
        case TypeKind::OptionalType:
            if (given.isNone()) return given;
            return fit(given, *wanted.castRaw<c10::OptionalType>()->getElementType(), repeated);
        case TypeKind::ListType:
            return fit_list(given, wanted, repeated);
        case TypeKind::TensorType:
            if (given.isTensor()) return given;
            if (is_number(given)) return number_as_tensor(given);
            break;
        case TypeKind::FloatType:
            if (given.isDouble()) return given;
            if (given.isInt()) return static_cast<double>(given.toInt());
            break;
        case TypeKind::IntType:
        case TypeKind::SymIntType:
            if (given.isInt()) return given;
            if (given.isBool()) return std::int64_t{given.toBool() ? 1 : 0};
            break;
        case TypeKind::BoolType:
            if (given.isBool()) return given;
            if (given.isInt()) return given.toInt() != 0;
            break;
        case TypeKind::NumberType:
            if (is_number(given)) return given;
            if (given.isTensor() && given.toTensor().numel() == 1) return given.toTensor().item();
            break;
        case TypeKind::StringType:
            if (given.isString()) return given;
            break;
        case TypeKind::DeviceObjType:
            if (given.isDevice()) return given;
            break;
        default:
            break;
    }
    misfit(given, wanted);
}

const std::vector<std::shared_ptr<Operator>>& operators_called(const Pt2OperatorName& name) {
    return torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name.qualified));
}

/// The overload that the file names, then the plug-in's own overload. The latter accepts arguments
/// that an older LibTorch refuses ("correction", then "correction_number").
std::vector<std::shared_ptr<Operator>> candidates_for(const Pt2OperatorName& name) {
    std::vector<std::shared_ptr<Operator>> out;
    for (const auto& op : operators_called(name)) {
        // Some of TorchScript's operators have no function, so TorchScript makes one for each node.
        if (op->hasOperation() && op->schema().overload_name() == name.overload) out.push_back(op);
    }
    if (out.empty() || name.overload.empty()) return out;
    for (const auto& op : operators_called(name)) {
        if (op->schema().overload_name() == name.overload + "_number") out.push_back(op);
    }
    return out;
}

bool is_tensor_argument(const c10::Argument& argument) {
    const c10::Type* type = argument.type().get();
    while (true) {
        if (type->kind() == TypeKind::OptionalType) {
            type = type->castRaw<c10::OptionalType>()->getElementType().get();
        } else if (type->kind() == TypeKind::ListType) {
            type = type->castRaw<c10::ListType>()->getElementType().get();
        } else {
            return type->kind() == TypeKind::TensorType;
        }
    }
}

/// The arguments of `node` in the schema's order, with the schema's defaults.
std::vector<Pt2Feed> feeds_for(const c10::FunctionSchema& schema, const pt2::Node& node,
                               std::span<const int> places, const ComputeOn& where) {
    // from_file and save would read or write any path that the archive names.
    for (const c10::Argument& argument : schema.arguments()) {
        if (argument.name() == "filename")
            refuse("it reads or writes a file, which is not allowed");
    }
    std::vector<Pt2Feed> feeds;
    std::vector<bool> taken(node.inputs.size(), false);
    bool makes = true;  // takes no tensor, so its result must be placed on the right device
    for (const c10::Argument& argument : schema.arguments())
        makes = makes && !is_tensor_argument(argument);
    for (const c10::Argument& argument : schema.arguments()) {
        const auto given =
            std::ranges::find(node.inputs, argument.name(), &pt2::NamedArgument::name);
        if (given != node.inputs.end()) {
            taken[static_cast<std::size_t>(given - node.inputs.begin())] = true;
            Pt2Feed feed(given->argument, places, where);
            // Converts constants once. A constant that does not fit may mean another overload.
            if (feed.constant() != nullptr) feed = Pt2Feed(feed.fitted({}, argument));
            feeds.push_back(std::move(feed));
        } else if (makes && argument.name() == "device") {
            feeds.emplace_back(IValue(where.device));
        } else if (argument.default_value()) {
            feeds.emplace_back(*argument.default_value());
        } else {
            refuse(fmt::format("its argument `{}` is missing", argument.name()));
        }
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const pt2::NamedArgument& input = node.inputs[i];
        if (taken[i] || input.argument.kind == pt2::ArgumentKind::none) continue;
        refuse(fmt::format("its argument `{}` is not known to {}", input.name, framework_name()));
    }
    return feeds;
}

}  // namespace

at::ScalarType scalar_type_of(pt2::NumberType type) {
    using pt2::NumberType;
    switch (type) {
        case NumberType::uint8:
            return at::kByte;
        case NumberType::int8:
            return at::kChar;
        case NumberType::int16:
            return at::kShort;
        case NumberType::int32:
            return at::kInt;
        case NumberType::int64:
            return at::kLong;
        case NumberType::float16:
            return at::kHalf;
        case NumberType::float32:
            return at::kFloat;
        case NumberType::float64:
            return at::kDouble;
        case NumberType::complex64:
            return at::kComplexFloat;
        case NumberType::complex128:
            return at::kComplexDouble;
        case NumberType::boolean:
            return at::kBool;
        case NumberType::bfloat16:
            return at::kBFloat16;
    }
    throw Error(ErrorCode::internal, "scalar_type_of: not a number type");
}

bool is_half_precision(pt2::NumberType type) {
    return type == pt2::NumberType::float16 || type == pt2::NumberType::bfloat16;
}

Pt2Feed::Pt2Feed(const pt2::Argument& argument, std::span<const int> places,
                 const ComputeOn& where) {
    if (argument.kind == pt2::ArgumentKind::value) {
        value_ = places[static_cast<std::size_t>(argument.value)];
        return;
    }
    if (argument.kind != pt2::ArgumentKind::list) {
        fixed_ = constant_of(argument, where);
        return;
    }
    for (const pt2::Argument& item : argument.items) {
        items_.emplace_back(item, places, where);
        is_list_ = is_list_ || items_.back().constant() == nullptr;
    }
    if (is_list_) return;
    c10::impl::GenericList list(c10::AnyType::get());
    for (const Pt2Feed& item : items_) list.push_back(item.fixed_);
    fixed_ = std::move(list);
    items_.clear();
}

IValue Pt2Feed::plain(const GraphValues& values) const {
    if (value_ >= 0) return values[static_cast<std::size_t>(value_)];
    if (!is_list_) return fixed_;
    c10::impl::GenericList list(c10::AnyType::get());
    for (const Pt2Feed& item : items_) list.push_back(item.plain(values));
    return list;
}

IValue Pt2Feed::fitted(const GraphValues& values, const c10::Argument& wanted) const {
    try {
        const auto n = wanted.N();
        return fit(plain(values), *wanted.type(), n ? std::optional<int>(*n) : std::nullopt);
    } catch (const Error& error) {
        refuse(fmt::format("its argument `{}`: {}", wanted.name(), error.message()));
    }
}

void Pt2Feed::add_values(std::vector<int>& out) const {
    if (value_ >= 0) out.push_back(value_);
    for (const Pt2Feed& item : items_) item.add_values(out);
}

const Pt2Feed* Pt2Call::feed(std::string_view argument) const {
    const auto& arguments = op->schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].name() == argument) return &feeds[i];
    }
    return nullptr;
}

std::optional<Pt2OperatorName> operator_name_of(const std::string& target) {
    constexpr std::string_view prefix = "torch.ops.";
    const std::size_t space_end = target.find('.', prefix.size());
    const std::size_t last = target.rfind('.');
    if (!target.starts_with(prefix) || space_end == std::string::npos || last <= space_end)
        return std::nullopt;
    Pt2OperatorName name;
    name.qualified = fmt::format("{}::{}", target.substr(prefix.size(), space_end - prefix.size()),
                                 target.substr(space_end + 1, last - space_end - 1));
    name.overload = target.substr(last + 1);
    if (name.overload == "default") name.overload.clear();
    return name;
}

bool is_known_operator(const Pt2OperatorName& name) {
    return !candidates_for(name).empty();
}

Pt2Call prepare_call(const Pt2OperatorName& name, const pt2::Node& node,
                     std::span<const int> places, const ComputeOn& where) {
    const auto candidates = candidates_for(name);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        try {
            const std::shared_ptr<Operator>& op = candidates[i];
            return {op, op->getOperation(), feeds_for(op->schema(), node, places, where)};
        } catch (const Error& error) {
            // If no candidate fits, reports the reason of the last candidate.
            if (i + 1 == candidates.size()) throw;
        }
    }
    refuse(fmt::format("{} does not have it", framework_name()));
}

}  // namespace assay::torch_plugin
