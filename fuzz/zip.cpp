// Reads any bytes: entries or an Error. No entry has more bytes than it claims, and views are
// inside the archive.
#include "containers/zip.h"

#include <cstdint>
#include <cstdlib>

#include "assay/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    try {
        const assay::ZipArchive archive(bytes);
        for (const assay::ZipEntry& entry : archive.entries()) {
            try {
                if (entry.stored) {
                    const auto view = archive.view(entry);
                    if (view.data() < bytes.data() ||
                        view.data() + view.size() > bytes.data() + size)
                        std::abort();
                }
                std::uint64_t got = 0;
                archive.unpack(entry,
                               [&](std::span<const std::byte> piece) { got += piece.size(); });
                if (got != entry.size) std::abort();
            } catch (const assay::Error&) {
            }
        }
    } catch (const assay::Error&) {
    }
    return 0;
}
