// NumPy's arrays of texts, and any array of a .npz as it is unpacked: the header first, then the
// elements piece by piece.
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
    std::size_t width = 0;  ///< characters; 0: the array holds numbers
    std::size_t size = 4;   ///< bytes of a character
};

struct ArrayHeader {
    NpyView view;  ///< shape, order and, for numbers, the type; no values
    TextType text;
    std::size_t begin = 0;  ///< where the elements begin; 0: the bytes end within the header
    std::size_t element_bytes() const {
        return text.width > 0 ? text.width * text.size : size_of(view.type());
    }
    std::uint64_t elements() const;
};

/// The header of a .npy file that begins with `bytes`, more or fewer of them than it takes: numbers
/// as parse_npy_header, or texts. Throws bad_input.
ArrayHeader array_header(std::span<const std::byte> bytes);

/// Whether a whole .npy file holds texts; false, too, for what is none.
bool holds_texts(std::span<const std::byte> npy);

/// One element of a text array as UTF-8, without the zeros that pad it. Characters that are none
/// become "?".
void append_text(std::span<const std::byte> element, const TextType& type, std::string& out);

/// A whole .npy file of texts, in storage order. Throws bad_input: numbers, damaged.
std::vector<std::string> texts_of(std::span<const std::byte> npy);

/// Unpacks an entry: `header` once, then `elements` with whole elements in storage order, `first`
/// being the number of the first of them. Throws bad_input: not an array, other size than its shape
/// needs, damaged entry, whatever the callbacks throw.
void stream_array(
    const ZipArchive& archive, const ZipEntry& entry,
    const std::function<void(const ArrayHeader&)>& header,
    const std::function<void(std::uint64_t first, std::span<const std::byte>)>& elements);

}  // namespace assay
