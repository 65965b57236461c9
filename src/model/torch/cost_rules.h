// The counting rule for each ATen operator: one row per operator.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "assay/model/cost.h"

namespace assay::torch_plugin {

using Operands = c10::ArrayRef<c10::IValue>;

/// The tensor at a position in an operator's arguments or results; undefined if there is none.
at::Tensor tensor_at(Operands values, std::size_t place);

/// Multiply-accumulates, computed from the sizes of operands and results.
struct Products {
    std::uint64_t all = 0;
    std::uint64_t between = 0;  ///< part of `all` between two factors that may both depend on the
                                ///< image
};

struct OperatorRule {
    std::string_view name;  ///< without a trailing underscore, because in-place variants count the
                            ///< same
    OperatorKind kind = OperatorKind::unknown;
    /// Counts products. Returns nothing if the operands do not have the operator's usual form.
    std::optional<Products> (*macs)(Operands in, Operands out) = nullptr;
    /// Positions of the factors that may both depend on the image.
    std::size_t left = 0, right = 0;
    bool integer = false;
};

/// Returns nullptr if the operator has no rule.
const OperatorRule* find_operator_rule(std::string_view name);

}  // namespace assay::torch_plugin
