// How each operator of ATen is counted: one row per operator.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/model/cost.h"

namespace assay::torch_plugin {

using Operands = c10::ArrayRef<c10::IValue>;

/// The tensor at a place of an operator's arguments or results; undefined where there is none.
at::Tensor tensor_at(Operands values, std::size_t place);

/// Multiply-accumulates by the sizes of what went in and came out.
struct Products {
    std::uint64_t all = 0;
    std::uint64_t between = 0;  ///< of these, those of the two factors that may depend on the image
};

struct OperatorRule {
    std::string_view name;  ///< without a trailing underscore: in place counts alike
    OperatorKind kind = OperatorKind::unknown;
    /// Of products; nothing where the operands are not as the operator has them.
    std::optional<Products> (*macs)(Operands in, Operands out) = nullptr;
    /// Places of the factors that may both depend on the image.
    std::size_t left = 0, right = 0;
    bool integer = false;
};

/// nullptr: there is no rule for it.
const OperatorRule* find_operator_rule(std::string_view name);

}  // namespace assay::torch_plugin
