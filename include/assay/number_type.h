// Number types of arrays that other programs made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

/// Named as in NumPy. bfloat16 is the addition: safetensors and tensors can hold it, npy files
/// cannot.
enum class NumberType : std::uint8_t { f2, f4, f8, u1, u2, u4, u8, i1, i2, i4, i8, b1, bf16 };

/// As in npy files: "<f4", "|u1", ...; "bfloat16".
std::string_view name_of(NumberType);
/// Bytes.
std::size_t size_of(NumberType);
bool is_float(NumberType);

}  // namespace assay
