// NumPy files of numbers that no processor here has: big-endian ones, and bfloat16 as ml_dtypes
// writes it (two bytes of no type, "|V2").
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace assay {

struct ForeignNumbers {
    std::string dtype;     ///< ">f4", "|V2"
    std::size_t size = 0;  ///< bytes of a number
    bool bfloat16 = false;
};

/// Nothing for all other files, and for what is no .npy file.
std::optional<ForeignNumbers> foreign_numbers(std::span<const std::byte> npy);

/// The same array in little-endian numbers (bfloat16 as <f4, exactly), a .npy file in pieces.
void write_native(std::span<const std::byte> npy, const ForeignNumbers& numbers,
                  const std::function<void(std::span<const std::byte>)>& piece);

}  // namespace assay
