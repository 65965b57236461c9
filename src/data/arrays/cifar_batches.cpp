// The batches of CIFAR-10 and CIFAR-100 (cs.toronto.edu/~kriz/cifar.html): pickles of Python, and
// records of bytes.
#include <fmt/format.h>

#include <array>
#include <map>

#include "assay/error.h"
#include "containers/at_place.h"
#include "containers/plain_pickle.h"
#include "containers/source_file.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/arrays/array_data.h"

namespace assay::arrays {
namespace {

namespace fs = std::filesystem;
using Table = std::map<std::string, PlainPickleEntry>;
using EntryKind = PlainPickleEntry::Kind;

constexpr std::uint64_t cifar_side = 32;
constexpr std::uint64_t image_size = 3 * cifar_side * cifar_side;

void refuse_other_files(const ArrayWishes& wishes) {
    if (!wishes.list.empty() || !wishes.image_column.empty())
        throw Error(ErrorCode::usage,
                    "a batch of CIFAR holds its images and labels: omit --list and --image-column");
}

PixelArray planes_of(std::shared_ptr<const ByteSource> bytes, std::uint64_t begin,
                     std::uint64_t count, std::uint64_t step) {
    PixelArray images{.bytes = std::move(bytes),
                      .begin = begin,
                      .count = count,
                      .height = cifar_side,
                      .width = cifar_side,
                      .channels = 3};
    images.set_planar();
    images.image_step = step;
    images.check();
    return images;
}

/// The name of the labels: for CIFAR-100 "fine_labels" unless the user asks for others.
std::string wanted_labels(bool of_100, const std::string& wanted) {
    if (!of_100) {
        if (wanted.empty() || wanted == "labels") return "labels";
        refuse(fmt::format("it holds no labels `{}` (--label-column); it holds labels",
                           shortened(wanted)));
    }
    if (wanted.empty() || wanted == "fine_labels") return "fine_labels";
    if (wanted == "coarse_labels") return wanted;
    refuse(
        fmt::format("it holds no labels `{}` (--label-column); it holds fine_labels and "
                    "coarse_labels",
                    shortened(wanted)));
}

std::string shown_labels(const std::string& name) {
    return name == "fine_labels"
               ? "the 100 `fine_labels` (--label-column coarse_labels for the 20 superclasses)"
               : "`" + name + "`";
}

/// The lists of names in batches.meta (CIFAR-10) or meta (CIFAR-100) next to the batch.
std::vector<std::string> names_in_pickle(const fs::path& batch, bool of_100,
                                         const std::string& labels) {
    const fs::path file = batch.parent_path() / (of_100 ? "meta" : "batches.meta");
    if (!is_there(file)) return {};
    return at_place([&] { return file.string(); },
                    [&] {
                        const Table table = read_plain_pickle(SourceFile(file));
                        const std::string key =
                            labels.substr(0, labels.size() - 1) + "_names";  // fine_label_names
                        const auto names = table.find(key);
                        if (names == table.end() || names->second.kind != EntryKind::texts)
                            refuse(fmt::format("it holds no list of texts `{}`", key));
                        return names->second.texts;
                    });
}

/// Reads a name per line.
std::vector<std::string> names_in_text(const fs::path& batch, bool of_100,
                                       const std::string& labels) {
    const fs::path file =
        batch.parent_path() /
        (of_100 ? labels.substr(0, labels.size() - 1) + "_names.txt" : "batches.meta.txt");
    if (!is_there(file)) return {};
    constexpr std::uint64_t longest = 1U << 20;
    std::vector<std::string> names;
    for_each_part(read_text(file, longest), "\n",
                  [&](std::string_view name) { names.emplace_back(name); });
    return names;
}

/// The positions of the labels in each record of a binary file.
struct CifarRecords {
    std::uint64_t labels = 1;  ///< bytes before the image: 1 or 2 (coarse, fine)
    std::uint64_t size() const { return labels + image_size; }
};

CifarRecords records_of(const fs::path& file, std::uint64_t bytes) {
    constexpr CifarRecords ten{1}, hundred{2};
    const bool names_of_100 = is_there(file.parent_path() / "fine_label_names.txt");
    const bool names_of_10 = is_there(file.parent_path() / "batches.meta.txt");
    const bool fits_10 = bytes % ten.size() == 0, fits_100 = bytes % hundred.size() == 0;
    if (bytes == 0) refuse("it is empty");
    if (fits_10 && (!fits_100 || names_of_10) && !names_of_100) return ten;
    if (fits_100 && (!fits_10 || names_of_100)) return hundred;
    if (!fits_10 && !fits_100)
        refuse(
            fmt::format("it has {} bytes: neither records of 3073 bytes (CIFAR-10) nor of 3074 "
                        "(CIFAR-100); was it cut off?",
                        bytes));
    refuse(
        "its size fits CIFAR-10 and CIFAR-100: put the data set's batches.meta.txt or "
        "fine_label_names.txt next to it");
}

}  // namespace

ArrayData read_pickled_batch(const fs::path& file, const ArrayWishes& wishes) {
    refuse_other_files(wishes);
    auto source = std::make_shared<const SourceFile>(file);
    const Table table = read_plain_pickle(*source);
    const auto images = table.find("data");
    if (images == table.end() || images->second.kind != EntryKind::array)
        refuse("it is not a batch of CIFAR: it holds no array `data`");
    const PlainPickleEntry& data_entry = images->second;
    const bool known_shape = data_entry.shape.size() == 2 && data_entry.shape[1] == image_size &&
                             data_entry.bytes / image_size == data_entry.shape[0] &&
                             data_entry.bytes % image_size == 0;
    if (data_entry.dtype != "u1" || !known_shape)
        refuse(fmt::format(
            "its array `data` is of type {}, shape ({}) and {} bytes; only N x {} of u1 is "
            "supported",
            data_entry.dtype, fmt::join(data_entry.shape, ", "), data_entry.bytes, image_size));
    ArrayData data;
    data.name = file.filename().string();
    data.images = planes_of(std::move(source), data_entry.begin, data_entry.shape[0], image_size);
    data.taken = "`data`";
    if (wishes.label_column == "none") {
        data.labels.from = "none (--label-column)";
        return data;
    }
    const bool of_100 = table.contains("fine_labels");
    const std::string name = wanted_labels(of_100, wishes.label_column);
    const auto labels = table.find(name);
    if (labels == table.end() || labels->second.kind != EntryKind::numbers)
        refuse(fmt::format("it holds no list of numbers `{}`", name));
    check_label_count("`" + name + "`", labels->second.numbers.size(), data.images.count);
    data.labels.numbers = labels->second.numbers;
    data.labels.from = shown_labels(name);
    data.class_names = names_in_pickle(file, of_100, name);
    return data;
}

ArrayData read_binary_batch(const fs::path& file, const ArrayWishes& wishes) {
    refuse_other_files(wishes);
    auto source = std::make_shared<const SourceFile>(file);
    const CifarRecords records = records_of(file, source->size());
    const std::uint64_t count = source->size() / records.size();
    ArrayData data;
    data.name = file.filename().string();
    data.taken = fmt::format("records of {} bytes", records.size());
    if (wishes.label_column == "none") {
        data.labels.from = "none (--label-column)";
    } else {
        const bool of_100 = records.labels == 2;
        const std::string name = wanted_labels(of_100, wishes.label_column);
        const std::size_t place = name == "fine_labels" ? 1 : 0;
        std::array<std::byte, 2> label{};
        for (std::uint64_t i = 0; i < count; ++i) {
            source->read(i * records.size(),
                         std::span(label).first(static_cast<std::size_t>(records.labels)));
            data.labels.numbers.push_back(std::to_integer<std::int64_t>(label[place]));
        }
        data.labels.from = shown_labels(name);
        data.class_names = names_in_text(file, of_100, name);
    }
    data.images = planes_of(std::move(source), records.labels, count, records.size());
    return data;
}

}  // namespace assay::arrays
