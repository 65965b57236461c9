// Ordered items with a stable id, a path and attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/held_array.h"
#include "assay/data/image_archive.h"
#include "assay/data/label_sets.h"

namespace assay {

class Error;
struct Image;

/// A column of short strings in one buffer: 8 bytes per item plus the text.
class StringColumn {
public:
    StringColumn() = default;
    /// Throws bad_input unless the ends are ascending and reach the end of the text.
    StringColumn(HeldArray<char> text, HeldArray<std::uint64_t> ends);

    void append(std::string_view text);
    std::size_t size() const noexcept { return ends_.size(); }
    std::string_view operator[](std::size_t i) const {
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return {arena_.data() + begin, ends_[i] - begin};
    }
    /// All strings concatenated, and the end of each.
    std::span<const char> text() const noexcept { return arena_.span(); }
    std::span<const std::uint64_t> ends() const noexcept { return ends_.span(); }
    bool operator==(const StringColumn&) const = default;

private:
    HeldArray<char> arena_;
    HeldArray<std::uint64_t> ends_;
};

/// Items in a fixed order: by the bytes of the id for folders, in file order for lists. Ids are
/// unique, relative paths with '/' (or the list's own ids), and do not change when the folder
/// moves.
class Dataset {
public:
    std::string name;            ///< the folder's name by default
    std::filesystem::path root;  ///< image files are at root / path; empty without images (imports)
    ClassList classes;           ///< may be empty if there are no labels
    StringColumn ids;
    StringColumn paths;  ///< relative to root, or absolute; an empty column means that the ids are
                         ///< the paths
    LabelSets labels;    ///< one set per item; an empty set means no label
    struct Attribute {
        std::string name;
        StringColumn values;
    };
    std::vector<Attribute>
        attributes;  ///< other columns of the csv: group, shape cue, condition, parent, ...

    /// The archive that contains the images, or null if they are files. With an archive, path_of()
    /// leads through the archive's file ("val/test.parquet/17"): such a path is for messages and
    /// names no file.
    std::shared_ptr<const ImageArchive> archive{};

    std::size_t size() const noexcept { return ids.size(); }
    std::filesystem::path path_of(std::size_t item) const;
    /// The bytes of an image, from its file or the archive. Throws bad_input (missing, damaged,
    /// more than `limit` bytes) or io.
    std::vector<std::byte> read_image(std::size_t item, std::uint64_t limit = UINT64_MAX) const;
    /// The only label, or -1 if there is none or more than one.
    std::int32_t single_label(std::size_t item) const;
    /// A fingerprint of the ids in order, which identifies the rows of a store. Labels and
    /// attributes are not part of it.
    std::string ids_fingerprint() const;
};

/// Reads and decodes an image (image.h) from a data set's files or archive. Errors give its
/// location.
Image load_image(const Dataset& dataset, std::size_t item);

/// Returns true if an error while reading an image has another cause than the image. The cause is
/// that the user interrupted the run, or that a server does not respond. The image must then not be
/// recorded as unreadable.
bool ends_the_run(const Error& error) noexcept;

/// Options for reading a folder. The defaults are detected from the folder; describe() prints the
/// detected values.
struct DatasetOptions {
    enum class Layout { automatic, image_folder, flat };
    Layout layout = Layout::automatic;
    std::string name{};  ///< "" uses the folder's name
    std::filesystem::path
        list{};  ///< csv/txt list of a flat folder (path, label[, labels, group, ...])
    /// The *classifier's* classes, in which folder names are looked up. If empty: ImageNet's if the
    /// folders are WordNet ids of its classes, else numbered or sorted folder names. Folders (or
    /// labels of a list) may have other names than a classifier whose classes are mere numbers. If
    /// there are as many names as classes, these names, in order, are its classes.
    ClassList classes{};
    std::size_t limit = 0;  ///< read only the first n items; 0 reads all
    /// Columns of lists and of Parquet files, arrays of .npz files. For lists, "" means the known
    /// names (docs/formats.md). For Parquet files, "" means the only column that is declared as
    /// images, or else image or img, and label, labels or fine_label if present. `label_column`
    /// "none" ignores the labels of a list. For tar archives, `label_column` is the suffix of the
    /// member or the field of .json that has the label.
    std::string image_column{}, label_column{};
    /// For a data set with several splits: "test", "val", "train", ... "" means test, or else val,
    /// but never train.
    std::string split{};
    /// The folder for indexes of tar archives at URLs, so that each archive is read only once for
    /// its index. "" stores none. Commands use archive_index_folder().
    std::filesystem::path index_folder{};
};

/// Scans a folder, or reads a csv list whose paths are relative to its own folder. The folder is an
/// ImageFolder by wnid, by name, or by number in numeric order. Or it is flat with a list, or holds
/// ImageNet's validation images with a list of labels. Only files with extensions of images count
/// (.jpg .jpeg .png .webp .bmp .tif .tiff .gif .ppm .pgm .pbm .pnm, any case).
///
/// If a folder contains `labels.csv` and no list is given, that file is used as the list, with a
/// note. Its columns are path and labels (separated by blanks), and every other column becomes an
/// attribute. Images that it does not list are not items. There are two exceptions. With the layout
/// image_folder the file is never used. Next to class folders it is ignored, with a note, unless
/// one of its first 256 rows names an existing image.
///
/// Data sets as torchvision leaves them on disk (Oxford-IIIT Pets, Food-101, DTD, ...) are
/// recognised by their own annotation files, and read as torchvision reads them. So are folders of
/// splits (test, val, train) that contain class folders. A note names the split that is read.
///
/// Parquet files as the library `datasets` of Hugging Face writes them are data sets, too. `path`
/// is one file, several by a range in braces (`validation-{00000..00013}-of-00014.parquet`), or a
/// folder. The folder holds the files of one split, itself or in its folder `data`. Ids are
/// "<file>/<row>", from 0, because the paths in such files may be missing or repeat. Supported are
/// flat columns in all encodings except bit_packed, uncompressed or compressed by snappy, zstd,
/// gzip, brotli or lz4_raw. The error for anything else names it. A Parquet file whose images are
/// paths is treated as a list.
///
/// Tar archives as WebDataset writes them (uncompressed) are data sets, too: one, several by a
/// range in braces, or a folder of them. The folder has timm's _info.json or clip-benchmark's
/// layout. Consecutive members with the same key form an item with the id "<archive>/<key>". Its
/// label is the member .cls or a field of .json.
///
/// Arrays of images are data sets, too: .npy and .npz files of NumPy (uint8), and idx files of
/// MNIST. So are batches of CIFAR-10 and CIFAR-100, and .mat files of SVHN. Ids are
/// "<file>/<number>", or "<file>/<array>/<number>" for an .npz. docs/archives.md describes where
/// their labels are.
///
/// Parquet files, tars and zip files may lie at URLs: https://, http:// and s3://, several by a
/// range in braces. They are read by ranges of bytes through libcurl. S3's credentials and region
/// are those of the AWS tools' variables and files. It is an error if a file changes on its server
/// during the run, or a server does not respond after several tries. Such an error does not count
/// as an unreadable image.
///
/// Throws unreachable, and bad_input: no such folder, no image, duplicate ids, missing columns,
/// unknown labels (file, row, value, nearest). `notes` receives the assumptions made, for stderr.
Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                     std::vector<std::string>* notes = nullptr);

/// Writes the item table of a store: csv with columns id, path, labels (blank-separated numbers),
/// then the attributes. The round trip is byte-exact.
void write_items_csv(const Dataset& dataset, const std::filesystem::path& path);
/// Reads the table back. The table does not contain the classes, the name and the root.
Dataset read_items_csv(const std::filesystem::path& path);

}  // namespace assay
