#include "data/source_file.h"

#include <fmt/format.h>

#include <cstring>

#include "core/refuse.h"

namespace assay {

SourceFile::SourceFile(const std::filesystem::path& path) : SourceFile(open_regular(path)) {}

SourceFile::SourceFile(const std::pair<int, std::uint64_t>& opened)
    : descriptor_(opened.first), size_(opened.second) {}

void SourceFile::read(std::uint64_t offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = retried([&] {
            return ::pread(descriptor_.get(), out.data() + done, out.size() - done,
                           static_cast<off_t>(offset + done));
        });
        if (got < 0) {
            throw Error(ErrorCode::io,
                        fmt::format("cannot read at byte {}: {}", offset, std::strerror(errno)));
        }
        if (got == 0)
            refuse(fmt::format("it ends at byte {}; it had {} bytes", offset + done, size_));
        done += static_cast<std::size_t>(got);
    }
}

}  // namespace assay
