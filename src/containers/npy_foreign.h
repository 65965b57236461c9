// NumPy files with number types that no supported processor uses: big-endian numbers, and bfloat16
// as ml_dtypes writes it (two bytes without a type, "|V2").
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

/// Returns nothing for all other files, and for files that are no .npy files.
std::optional<ForeignNumbers> foreign_numbers(std::span<const std::byte> npy);

/// The same array with little-endian numbers (bfloat16 exactly as <f4), as a .npy file in pieces.
void write_native(std::span<const std::byte> npy, const ForeignNumbers& numbers,
                  const std::function<void(std::span<const std::byte>)>& piece);

}  // namespace assay
