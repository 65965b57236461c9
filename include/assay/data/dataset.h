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

/// A column of short strings in one arena: 8 bytes an item and the text itself.
class StringColumn {
public:
    StringColumn() = default;
    /// Throws bad_input unless the ends ascend to that of the text.
    StringColumn(HeldArray<char> text, HeldArray<std::uint64_t> ends);

    void append(std::string_view text);
    std::size_t size() const noexcept { return ends_.size(); }
    std::string_view operator[](std::size_t i) const {
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return {arena_.data() + begin, ends_[i] - begin};
    }
    /// All of them, one behind the other, and where each ends.
    std::span<const char> text() const noexcept { return arena_.span(); }
    std::span<const std::uint64_t> ends() const noexcept { return ends_.span(); }
    bool operator==(const StringColumn&) const = default;

private:
    HeldArray<char> arena_;
    HeldArray<std::uint64_t> ends_;
};

/// Items in a fixed order: byte order of the id for folders, file order for lists. Ids are unique,
/// relative paths with
/// '/' (or whatever the list says), and stay the same when the folder moves.
class Dataset {
public:
    std::string name;  ///< the folder's name unless told otherwise
    std::filesystem::path
        root;           ///< images are at root / path; empty when there are no images (imports)
    ClassList classes;  ///< may be empty: unlabelled
    StringColumn ids;
    StringColumn paths;  ///< relative to root, or absolute; empty column: the ids are the paths
    LabelSets labels;    ///< one set an item (empty set: no label)
    struct Attribute {
        std::string name;
        StringColumn values;
    };
    std::vector<Attribute>
        attributes;  ///< group, shape cue, condition, parent, ... from the csv's other columns

    /// What holds the images; null: they are files. Then path_of() leads through the archive's file
    /// ("val/test.parquet/17"): a place for messages, and no file.
    std::shared_ptr<const ImageArchive> archive{};

    std::size_t size() const noexcept { return ids.size(); }
    std::filesystem::path path_of(std::size_t item) const;
    /// The bytes of an image, of its file or of the archive. Throws bad_input (missing, damaged,
    /// more than `limit` bytes) or io.
    std::vector<std::byte> read_image(std::size_t item, std::uint64_t limit = UINT64_MAX) const;
    /// The only label, or -1 where there is none or more than one.
    std::int32_t single_label(std::size_t item) const;
    /// Over ids in order: what a store's rows mean. Labels and attributes are not part of it.
    std::string ids_fingerprint() const;
};

/// Reads and decodes an image (image.h) of a data set, wherever it is held; errors carry its place.
Image load_image(const Dataset& dataset, std::size_t item);

/// Whether an error of reading an image says nothing of the image, which is not to be taken for an
/// unreadable one: the user wants to stop, or a server is away.
bool ends_the_run(const Error& error) noexcept;

/// How to read a folder; everything has a default that is worked out and can be printed
/// (`describe`).
struct DatasetOptions {
    enum class Layout { automatic, image_folder, flat };
    Layout layout = Layout::automatic;
    std::string name{};  ///< "": from the folder
    std::filesystem::path
        list{};  ///< csv/txt list of a flat folder (path, label[, labels, group, ...])
    /// Classes of the *classifier*; folder names are looked up in it. Empty: ImageNet when the
    /// folders are WordNet ids of its classes, else numbered or sorted folder names. Where the
    /// classifier's classes are mere numbers and the folders (or labels of a list) are as many
    /// other names, these in order are taken for its classes.
    ClassList classes{};
    std::size_t limit = 0;  ///< first n items only; 0: all
    /// Columns of lists and of Parquet files, arrays of .npz files. "": of lists those whose names
    /// are known (docs/formats.md); of Parquet files the only one that is declared as images, or
    /// else image or img, and label, labels or fine_label where there is one. `label_column`
    /// "none": a list has no labels. Of tar archives `label_column` is the suffix of the member or
    /// the field of .json that holds the label.
    std::string image_column{}, label_column{};
    /// Of a data set with several: "test", "val", "train", ... "": test, or else val; never train.
    std::string split{};
    /// Where it is kept what is in tar archives at URLs, so that they are read for it once; "":
    /// nowhere. Beside stores: archive_index_folder().
    std::filesystem::path index_folder{};
};

/// Scans a folder (ImageFolder by wnid, by name, or by number in numeric order; flat with a list;
/// ImageNet validation with a list of labels), or reads a csv list whose paths are relative to its
/// own folder. Files with the extensions of images only (.jpg .jpeg .png .webp .bmp .tif .tiff
/// .gif .ppm .pgm .pbm .pnm, any case).
///
/// A folder that holds `labels.csv` itself, and for which no list is given, is read through it
/// (columns: path; labels, separated by blanks; every other column becomes an attribute), with a
/// note: images that it does not name are not items. Two exceptions: with the layout image_folder
/// it is never read; and beside class folders it is left alone, with a note, unless one of its
/// first 256 rows names an image that is there.
///
/// Data sets as torchvision leaves them on disk (Oxford-IIIT Pets, Food-101, DTD, ...) are
/// recognised by their own annotation files, and read as torchvision reads them; so are folders of
/// splits (test, val, train) that hold class folders. The split that is read is said in a note.
///
/// Parquet files as the library `datasets` of Hugging Face writes them are data sets, too: one
/// file, several by a range in braces (`validation-{00000..00013}-of-00014.parquet`), or a folder
/// that holds those of one split, itself or in its folder `data`. Ids are "<file>/<row>", from 0:
/// they are there always, and once each, which the paths in such files are not. Read are flat
/// columns in all encodings but bit_packed, uncompressed or by snappy, zstd, gzip, brotli or
/// lz4_raw; anything else is named. One whose images are paths is a list.
///
/// So are tar archives as WebDataset writes them (uncompressed): one, several by a range in braces,
/// or a folder of them, with timm's _info.json or in clip-benchmark's layout. Members of one key
/// that follow one another are an item, which is called "<archive>/<key>"; its label is the member
/// .cls or a field of .json.
///
/// So are arrays of images: .npy and .npz files of NumPy (uint8), idx files of MNIST, batches of
/// CIFAR-10 and CIFAR-100, .mat files of SVHN; ids are "<file>/<number>", of an .npz
/// "<file>/<array>/<number>". docs/archives.md says where their labels are.
///
/// Parquet files, tars and zip files may lie at URLs: https://, http:// and s3://, several by a
/// range in braces. They are read by ranges of bytes through libcurl. S3's credentials and region
/// are those of the AWS tools' variables and files. A file that changes at its server meanwhile, or
/// a server that does not answer after several times, is an error and no unreadable image.
///
/// Throws unreachable, and bad_input: no such folder, no image, duplicate ids, missing columns,
/// unknown labels (file, row, value, nearest). `notes` receives what was assumed, for stderr.
Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                     std::vector<std::string>* notes = nullptr);

/// The item table as a store keeps it: csv with columns id, path, labels (blank-separated numbers),
/// then the attributes; byte-exact round trip.
void write_items_csv(const Dataset& dataset, const std::filesystem::path& path);
/// Reads it back (classes, name and root are not in it).
Dataset read_items_csv(const std::filesystem::path& path);

}  // namespace assay
