// Number types of arrays that other programs made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay {

/// The names are NumPy's. bfloat16 is an addition, which safetensors and tensors can hold but npy
/// files cannot.
enum class NumberType : std::uint8_t { f2, f4, f8, u1, u2, u4, u8, i1, i2, i4, i8, b1, bf16 };

/// The code in npy files: "<f4", "|u1", ...; "bfloat16".
std::string_view name_of(NumberType);
/// Bytes.
std::size_t size_of(NumberType);
bool is_float(NumberType);

}  // namespace assay
