// The images in Arrow files that `datasets` saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/image_archive.h"
#include "containers/arrow/stream_reader.h"
#include "containers/source_file.h"

namespace assay::arrow {

/// An Arrow file. Rows are numbered across its batches.
class SavedFile {
public:
    /// Throws bad_input, naming the file.
    explicit SavedFile(std::filesystem::path path);

    const std::filesystem::path& path() const noexcept { return path_; }
    const StreamReader& stream() const noexcept { return stream_; }
    const ByteSource& source() const noexcept { return *source_; }
    std::uint64_t rows() const noexcept { return first_rows_.back(); }
    /// The batch that contains a row, and the row's number in it.
    std::pair<const StreamBatch*, std::uint64_t> place_of(std::uint64_t row) const;

private:
    std::filesystem::path path_;
    std::shared_ptr<const SourceFile> source_;
    StreamReader stream_;
    std::vector<std::uint64_t> first_rows_{0};  ///< first row of each batch, and number of all rows
};

/// A file's column of images: bytes, or a structure that contains them.
struct ImageField {
    StreamField whole, bytes;
    bool turn = false;  ///< true if images are rotated by their EXIF data
};

/// The column `wanted`, or, for "", the only column that the metadata call Image, or else `image`
/// or `img`. Throws bad_input, naming the file: no such column or several (the message lists the
/// columns), or a column with too few rows.
ImageField image_field(const SavedFile& file, const std::string& wanted);

/// The name of an image is "<file>/<row>". Files stay open as long as this object lives. Memory: 16
/// bytes for each buffer of a batch.
class SavedImages final : public ImageArchive {
public:
    /// Throws bad_input if another file has its name.
    void add(std::shared_ptr<const SavedFile> file, ImageField field);

    std::vector<std::byte> read(std::string_view name, std::uint64_t limit) const override;

private:
    struct Named {
        std::shared_ptr<const SavedFile> file;
        ImageField field;
    };
    std::map<std::string, Named, std::less<>> files_;
};

}  // namespace assay::arrow
