// NumPy's arrays of texts, and arrays of a .npz while they are unpacked: first the header, then the
// elements in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "containers/npy.h"
#include "containers/zip.h"

namespace assay {

/// NumPy's fixed-width texts (<U28: 28 characters of 32 bits; |S9: 9 bytes).
struct TextType {
    std::size_t width = 0;  ///< number of characters; 0: the array contains numbers
    std::size_t size = 4;   ///< bytes of a character
};

struct ArrayHeader {
    NpyView view;  ///< shape, order and, for numbers, the type; no values
    TextType text;
    std::size_t begin = 0;  ///< position of the elements; 0 if the bytes end within the header
    std::size_t element_bytes() const {
        return text.width > 0 ? text.width * text.size : size_of(view.type());
    }
    std::uint64_t elements() const;
};

/// The header of a .npy file that begins with `bytes`, which may be shorter or longer than the
/// header. Numbers are handled as in parse_npy_header, and texts are accepted. Throws bad_input.
ArrayHeader array_header(std::span<const std::byte> bytes);

/// True if a complete .npy file contains texts. False for anything that is no .npy file.
bool holds_texts(std::span<const std::byte> npy);

/// Appends one element of a text array as UTF-8, without the padding zeros. Invalid characters
/// become "?".
void append_text(std::span<const std::byte> element, const TextType& type, std::string& out);

/// All texts of a complete .npy file, in storage order. Throws bad_input for numbers or damage.
std::vector<std::string> texts_of(std::span<const std::byte> npy);

/// Unpacks an entry. Calls `header` once, then `elements` with whole elements in storage order and
/// the number of their first. Throws bad_input: not an array, a size that does not fit its shape, a
/// damaged entry. Passes on exceptions of the callbacks.
void stream_array(
    const ZipArchive& archive, const ZipEntry& entry,
    const std::function<void(const ArrayHeader&)>& header,
    const std::function<void(std::uint64_t first, std::span<const std::byte>)>& elements);

}  // namespace assay
