// Pickles of tables with NumPy arrays, such as the batches of CIFAR-10 and CIFAR-100. A reader of
// the few opcodes that these hold; nothing of the file is executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "containers/byte_source.h"

namespace assay {

/// What a table holds under a name.
struct PlainPickleEntry {
    enum class Kind : std::uint8_t { numbers, texts, array, other };
    Kind kind = Kind::other;
    std::vector<std::int64_t> numbers{};  ///< a list of whole numbers
    std::vector<std::string> texts{};     ///< a list of texts
    /// A NumPy array: its bytes lie in the file, in C order.
    std::string dtype{};  ///< "u1"
    std::vector<std::uint64_t> shape{};
    std::uint64_t begin = 0, bytes = 0;
};

/// The table that is all of the pickle, of protocol 2 to 5. Memory is bounded by 4 million values;
/// what has more than 64 KiB stays in the file. Throws bad_input: cut off, unknown opcode or global
/// (named), no table, an array in Fortran order.
std::map<std::string, PlainPickleEntry> read_plain_pickle(const ByteSource& source);

/// Whether bytes begin as such a pickle does.
inline bool begins_as_pickle(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
           bytes[1] <= std::byte{5};
}

}  // namespace assay
