#include "containers/npy_foreign.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace assay {
namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";

/// The number of bytes before the elements, or 0 for a file that is no .npy file.
std::size_t bytes_before(std::span<const std::byte> npy) {
    const std::string_view text(reinterpret_cast<const char*>(npy.data()), npy.size());
    if (npy.size() < 12 || !text.starts_with(npy_magic)) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(npy[i]); };
    const std::size_t before = byte(6) == 1 ? 10 + byte(8) + 256 * byte(9)
                                            : 12 + byte(8) + 256 * byte(9) + 65536 * byte(10);
    return before <= npy.size() ? before : 0;
}

}  // namespace

std::optional<ForeignNumbers> foreign_numbers(std::span<const std::byte> npy) {
    const std::string_view header(reinterpret_cast<const char*>(npy.data()), bytes_before(npy));
    for (const std::string_view dtype :
         {">f2", ">f4", ">f8", ">i2", ">i4", ">i8", ">u2", ">u4", ">u8", "|V2", "<V2"}) {
        for (const char quote : {'\'', '"'}) {
            const std::string quoted = quote + std::string(dtype) + quote;
            if (header.find(quoted) == std::string_view::npos) continue;
            return ForeignNumbers{std::string(dtype), static_cast<std::size_t>(dtype[2] - '0'),
                                  dtype[1] == 'V'};
        }
    }
    return std::nullopt;
}

void write_native(std::span<const std::byte> npy, const ForeignNumbers& numbers,
                  const std::function<void(std::span<const std::byte>)>& piece) {
    const std::size_t before = bytes_before(npy);
    std::string header(reinterpret_cast<const char*>(npy.data()), before);
    const std::size_t at = header.find(numbers.dtype);
    header.replace(at, 3, numbers.bfloat16 ? "<f4" : "<" + numbers.dtype.substr(1));
    piece(std::as_bytes(std::span(header)));
    constexpr std::size_t numbers_a_piece = 1U << 16;
    const std::span<const std::byte> data = npy.subspan(before);
    const std::size_t step = numbers_a_piece * numbers.size;
    std::vector<std::byte> out;
    for (std::size_t begin = 0; begin < data.size(); begin += step) {
        const auto part = data.subspan(begin, std::min(step, data.size() - begin));
        out.clear();
        for (std::size_t i = 0; i < part.size(); i += numbers.size) {
            const auto number = part.subspan(i, std::min(numbers.size, part.size() - i));
            if (numbers.bfloat16) {  // a bfloat16 is the upper half of a float
                out.insert(out.end(), 2, std::byte{0});
                out.insert(out.end(), number.begin(), number.end());
            } else {
                out.insert(out.end(), number.rbegin(), number.rend());
            }
        }
        piece(out);
    }
}

}  // namespace assay
