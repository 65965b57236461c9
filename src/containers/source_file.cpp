#include "containers/source_file.h"

#include <fmt/format.h>

#include <cstring>

#include "containers/remote/files.h"
#include "core/refuse.h"
#include "core/url.h"

namespace assay {

SourceFile::SourceFile(const std::filesystem::path& path) {
    if (is_url(path)) {
        remote_ = remote::files().open(path.native());
        size_ = remote_->version().size;
        return;
    }
    const auto [descriptor, size] = open_regular(path);
    here_.emplace(descriptor);
    size_ = size;
}

void SourceFile::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (remote_ == nullptr) return read_here(offset, out);
    if (offset > size_ || out.size() > size_ - offset)
        refuse(fmt::format("it ends at byte {}; bytes up to {} are needed", size_,
                           offset + out.size()));
    remote::files().read(*remote_, offset, out);
}

void SourceFile::read_here(std::uint64_t offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t got = retried([&] {
            return ::pread(here_->get(), out.data() + done, out.size() - done,
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
