// The safetensors container: 8 bytes of header length, a JSON header, and the tensors' bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "containers/npy.h"

namespace assay::store {

struct Tensor {
    std::string name;
    std::string dtype;  ///< the file's name for it: "F32", "BF16", "I64", ...
    std::vector<std::uint64_t> shape;
    std::optional<NumberSpan> values;  ///< no value for types that cannot be scores
};

/// The tensors in the order of their names. Throws bad_input for a header that does not fit, is not
/// JSON, or has wrong offsets or sizes.
std::vector<Tensor> parse_safetensors(std::span<const std::byte> bytes);

}  // namespace assay::store
