// Multiply-accumulates of products. Each function takes an operator's arguments and results.
#pragma once

#include <vector>

#include "model/torch/cost_rules.h"

namespace assay::torch_plugin {

using MacCount = std::optional<Products>;

MacCount conv_macs(Operands in, Operands out);             ///< input, weight, ...
MacCount transposed_conv_macs(Operands in, Operands out);  ///< input, weight, ...
MacCount either_conv_macs(Operands in, Operands out);      ///< aten::convolution
MacCount product_macs(Operands in, Operands out);          ///< left, right
MacCount added_product_macs(Operands in, Operands out);    ///< operands are the addend, left, right
MacCount summed_product_macs(Operands in, Operands out);   ///< the same, summed over the batch
MacCount attention_macs(Operands in, Operands out);        ///< operands are query, key, value, ...
/// Operands: query, key, value, width, heads, weights of the three projections, ...
MacCount projected_attention_macs(Operands in, Operands out);
/// A transformer block with the operands source, width, heads, ...
MacCount encoder_layer_macs(Operands in, Operands out);
// Operands: input, packed weight, ...
MacCount quantised_conv_macs(Operands in, Operands out);
MacCount quantised_transposed_macs(Operands in, Operands out);
MacCount quantised_linear_macs(Operands in, Operands out);

/// The weight, and the bias if there is one, of packed parameters. Empty for other values.
std::vector<at::Tensor> unpacked_weights(const c10::IValue& packed);

}  // namespace assay::torch_plugin
