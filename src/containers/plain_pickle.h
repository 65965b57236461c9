// Reads pickles of tables with NumPy arrays, such as the batches of CIFAR-10 and CIFAR-100. It
// supports the few opcodes that these contain, and never executes anything from the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "containers/byte_source.h"

namespace assay {

/// The value of one key of a table.
struct PlainPickleEntry {
    enum class Kind : std::uint8_t { numbers, texts, array, other };
    Kind kind = Kind::other;
    std::vector<std::int64_t> numbers{};  ///< a list of whole numbers
    std::vector<std::string> texts{};     ///< a list of texts
    /// For a NumPy array: the position of its bytes in the file, in C order.
    std::string dtype{};  ///< "u1"
    std::vector<std::uint64_t> shape{};
    std::uint64_t begin = 0, bytes = 0;
};

/// Reads a pickle (protocol 2 to 5) that consists of one table. It may have 4 million values, and
/// data above 64 KiB stays in the file. Throws bad_input for a truncated pickle, an unknown opcode
/// or global (named), no table, or an array in Fortran order.
std::map<std::string, PlainPickleEntry> read_plain_pickle(const ByteSource& source);

/// True if the bytes have the start of such a pickle.
inline bool begins_as_pickle(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
           bytes[1] <= std::byte{5};
}

}  // namespace assay
