// The idx files of MNIST and of data sets in the same format (yann.lecun.com/exdb/mnist). Sizes are
// big-endian numbers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "containers/at_place.h"
#include "containers/inflated_source.h"
#include "containers/source_file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/arrays/array_data.h"

namespace assay::arrays {
namespace {

namespace fs = std::filesystem;

struct IdxArray {
    std::shared_ptr<const ByteSource> bytes;
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0;
};

std::vector<std::byte> beginning_of(const ByteSource& source, bool packed, std::size_t most) {
    if (packed) return InflatedSource::beginning(source, DeflateWrap::gzip, most);
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(std::min<std::uint64_t>(most, source.size())));
    source.read(0, bytes);
    return bytes;
}

IdxArray open_idx(const fs::path& file, std::size_t dimensions) {
    auto source = std::make_shared<const SourceFile>(file);
    const bool packed = lower_extension(file.string()) == ".gz";
    IdxArray array;
    array.begin = 4 + 4 * dimensions;
    const std::vector<std::byte> header =
        beginning_of(*source, packed, static_cast<std::size_t>(array.begin));
    const auto byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(header[i]); };
    if (header.size() < array.begin || byte(0) != 0 || byte(1) != 0)
        refuse("it is not an idx file, or it was cut off");
    constexpr std::uint64_t unsigned_byte = 8;
    if (byte(2) != unsigned_byte || byte(3) != dimensions)
        refuse(fmt::format(
            "its array has {} dimensions of type 0x{:02x}; only {} of bytes (0x08) are supported",
            byte(3), byte(2), dimensions));
    std::uint64_t elements = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
        std::uint64_t size = 0;
        for (std::size_t i = 0; i < 4; ++i) size = size << 8 | byte(4 + 4 * d + i);
        array.shape.push_back(size);
        // The product of three 32-bit sizes may exceed 64 bits.
        if (size > 0 && elements > (std::uint64_t{1} << 62) / size)
            refuse("the sizes in its header are too large");
        elements *= size;
    }
    const std::uint64_t needed = array.begin + elements;
    if (packed) {
        array.bytes =
            std::make_shared<const InflatedSource>(std::move(source), DeflateWrap::gzip, needed);
    } else {
        array.bytes = std::move(source);
    }
    if (array.bytes->size() != needed)
        refuse(fmt::format("its header needs {} bytes; it has {}", needed, array.bytes->size()));
    return array;
}

/// The file of labels for a file of images, compressed or not: "t10k-labels-idx1-ubyte" for
/// "t10k-images-idx3-ubyte.gz". Empty if there is none.
fs::path idx_labels_beside(const fs::path& images) {
    std::string name = images.filename().string();
    const std::string extension = lower_extension(name) == ".gz" ? ".gz" : "";
    name.resize(name.size() - extension.size());
    for (const auto& [from, to] : {std::pair("images", "labels"), std::pair("idx3", "idx1")}) {
        const std::size_t at = name.rfind(from);
        if (at != std::string::npos) name.replace(at, std::string_view(from).size(), to);
    }
    for (const std::string& end : {extension, std::string(extension.empty() ? ".gz" : "")}) {
        const fs::path file = images.parent_path() / (name + end);
        if (file != images && is_there(file)) return file;
    }
    return {};
}

ArrayLabels idx_labels(const fs::path& file, std::uint64_t images) {
    return at_place([&] { return file.string(); },
                    [&] {
                        const IdxArray array = open_idx(file, 1);
                        check_label_count("it", array.shape[0], images);
                        std::vector<std::byte> values(static_cast<std::size_t>(array.shape[0]));
                        array.bytes->read(array.begin, values);
                        ArrayLabels labels;
                        labels.from = "`" + file.filename().string() + "`";
                        for (const std::byte value : values)
                            labels.numbers.push_back(std::to_integer<std::int64_t>(value));
                        return labels;
                    });
}

}  // namespace

ArrayData read_idx(const fs::path& file, const ArrayWishes& wishes) {
    const bool unlabelled = wishes.label_column == "none";
    if (!wishes.image_column.empty() || (!wishes.label_column.empty() && !unlabelled))
        throw Error(ErrorCode::usage,
                    "an idx file holds one array, which has no name: omit --image-column and "
                    "--label-column (--list FILE names the labels)");
    if (is_file_of_labels(file))
        refuse(
            "it holds labels: name the file with the images (...-images-idx3-ubyte); labels next "
            "to it are found");
    const IdxArray array = open_idx(file, 3);
    ArrayData data;
    data.name = file.filename().string();
    data.images = {.bytes = array.bytes,
                   .begin = array.begin,
                   .count = array.shape[0],
                   .height = array.shape[1],
                   .width = array.shape[2]};
    data.images.set_interleaved();
    data.images.check();
    data.taken = fmt::format("`{}`", data.name);
    const fs::path labels = unlabelled            ? fs::path()
                            : wishes.list.empty() ? idx_labels_beside(file)
                                                  : wishes.list;
    data.labels.from =
        unlabelled ? "none (--label-column)"
                   : "none (no ...-labels-idx1-ubyte next to the file; --list FILE names it)";
    if (!labels.empty()) data.labels = idx_labels(labels, data.images.count);
    return data;
}

}  // namespace assay::arrays
