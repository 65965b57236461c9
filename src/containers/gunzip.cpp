#include "containers/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/refuse.h"

namespace assay {

void gunzip(std::span<const std::byte> packed,
            const std::function<void(std::span<const std::byte>)>& piece) {
    constexpr int gzip_window = 31;
    constexpr std::size_t most_at_once = 1U << 20;
    z_stream stream{};
    if (inflateInit2(&stream, gzip_window) != Z_OK) refuse("zlib cannot be started");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, inflateEnd);
    std::vector<std::byte> out(most_at_once);
    std::size_t at = 0;
    bool inside = false;  // true if it is inside a member
    while (at < packed.size() || inside) {
        const std::size_t given = std::min(packed.size() - at, most_at_once);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + at));
        stream.avail_in = static_cast<uInt>(given);
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        inside = true;
        const int result = inflate(&stream, Z_NO_FLUSH);
        const std::size_t made = out.size() - stream.avail_out;
        at += given - stream.avail_in;
        if (made > 0) piece(std::span(out).first(made));
        if (result == Z_STREAM_END) {
            inside = false;
            if (inflateReset(&stream) != Z_OK) refuse("zlib cannot be reset");
        } else if (result == Z_BUF_ERROR || (result == Z_OK && given == 0 && made == 0)) {
            refuse("the gzip file is cut off");
        } else if (result != Z_OK) {
            refuse("the gzip file is damaged, or is none");
        }
    }
}

}  // namespace assay
