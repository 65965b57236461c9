// Reads any bytes as a Parquet file of images: rows or an Error. Each row can be read or has an
// Error, the same both times.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "assay/error.h"
#include "data/parquet/rows.h"
#include "scratch.h"

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes = 1U << 16;

/// The bytes of a row, or nothing and its Error.
std::optional<std::vector<std::byte>> image_of(const assay::parquet::Images& images,
                                               std::uint64_t row) {
    std::optional<std::vector<std::byte>> bytes;
    fuzz::attempt([&] { bytes = images.read(row, most_bytes); });
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fs::path path = fuzz::scratch_folder("parquet") / "x.parquet";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    fuzz::attempt([&] {
        std::vector<std::string> notes;
        assay::parquet::RowOptions options;
        options.limit = 512;
        const assay::parquet::Rows rows = assay::parquet::open_rows({&path, 1}, options, notes);
        if (rows.ids.size() == 0 || rows.ids.size() > options.limit ||
            rows.labels.label_of.size() != rows.ids.size() || rows.images->size() < rows.ids.size())
            std::abort();
        for (const std::int32_t label : rows.labels.label_of) {
            if (label < -1 ||
                (label >= 0 && static_cast<std::size_t>(label) >= rows.labels.classes.size()))
                std::abort();
        }
        std::vector<std::optional<std::vector<std::byte>>> read;
        for (std::uint64_t row = 0; row < rows.ids.size(); ++row)
            read.push_back(image_of(*rows.images, row));
        for (std::uint64_t row = rows.ids.size(); row-- > 0;) {
            if (read[row] != image_of(*rows.images, row)) std::abort();
            if (read[row] && read[row]->size() > most_bytes) std::abort();
        }
    });
    return 0;
}
