// ImageNet's validation set as downloaded: ILSVRC2012_img_val.tar next to the development kit.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/error.h"
#include "containers/gunzip.h"
#include "containers/tar_reader.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/folder_classes.h"
#include "data/layouts/layout.h"
#include "data/layouts/mat_variable.h"
#include "data/tar_dataset.h"

namespace assay::layouts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view devkit_name = "ILSVRC2012_devkit_t12.tar.gz";
constexpr std::string_view meta_name = "data/meta.mat",
                           truth_name = "data/ILSVRC2012_validation_ground_truth.txt";
constexpr std::size_t most_devkit_bytes = std::size_t{256} << 20;

std::vector<std::byte> unpacked_devkit(const fs::path& file) {
    std::vector<std::byte> bytes;
    gunzip(read_file(file, most_devkit_bytes), [&](std::span<const std::byte> piece) {
        if (piece.size() > most_devkit_bytes - bytes.size())
            refuse(fmt::format("it unpacks to more than {} bytes", most_devkit_bytes));
        bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    return bytes;
}

/// The bytes of the member whose name ends with `name`.
std::span<const std::byte> member_of(std::span<const std::byte> tar, std::string_view name) {
    const MemorySource source(tar);
    webdataset::TarReader reader(source);
    while (const auto member = reader.next()) {
        if (member->is_file() && member->name.ends_with(name))
            return tar.subspan(member->offset, member->size);
    }
    refuse(fmt::format("{} is not in it", name));
}

/// The WordNet id for each class number of the development kit, which are not in the usual
/// order.
std::map<std::uint64_t, std::string> wnids_of(const MatValue& synsets) {
    std::map<std::uint64_t, std::string> wnids;
    for (std::size_t i = 0; i < synsets.structs(); ++i) {
        const MatValue *const number = synsets.field(i, "ILSVRC2012_ID"),
                              *const wnid = synsets.field(i, "WNID"),
                              *const children = synsets.field(i, "num_children");
        if (number == nullptr || number->numbers.size() != 1 || wnid == nullptr ||
            !is_wnid(wnid->text) || children == nullptr || children->numbers.size() != 1)
            refuse(fmt::format("{}, synset {}: no ILSVRC2012_ID, WNID and num_children", meta_name,
                               i + 1));
        if (children->numbers[0] != 0) continue;  // not a class
        const double id = number->numbers[0];
        if (!(id >= 1 && id <= 1e6) ||
            !wnids.emplace(static_cast<std::uint64_t>(id), wnid->text).second)
            refuse(fmt::format("{}, synset {}: the number {} is used already, or is not valid",
                               meta_name, i + 1, id));
    }
    return wnids;
}

struct DevkitLabels {
    std::vector<std::string> wnids;     ///< WordNet ids of the classes, sorted
    std::vector<std::size_t> labels{};  ///< indices into `wnids`, for images 1, 2, ...
};

DevkitLabels labels_of_devkit(const fs::path& file) {
    const std::vector<std::byte> tar = unpacked_devkit(file);
    const auto wnids = wnids_of(mat_variable(member_of(tar, meta_name), std::string(meta_name),
                                             "synsets", MatValue::Kind::structs));
    DevkitLabels out;
    for (const auto& [number, wnid] : wnids) out.wnids.push_back(wnid);
    std::ranges::sort(out.wnids);
    const auto truth = member_of(tar, truth_name);
    for_each_line({reinterpret_cast<const char*>(truth.data()), truth.size()},
                  [&](std::string_view line, std::size_t at) {
                      if (trimmed(line).empty()) return;
                      std::uint64_t number = 0;
                      const bool is_number = parse_number(trimmed(line), number);
                      const auto wnid = wnids.find(number);
                      if (!is_number || wnid == wnids.end())
                          refuse_line(truth_name, at,
                                      fmt::format("`{}` is not one of the {} numbers in {}",
                                                  shortened(line), wnids.size(), meta_name));
                      out.labels.push_back(static_cast<std::size_t>(
                          std::ranges::lower_bound(out.wnids, wnid->second) - out.wnids.begin()));
                  });
    return out;
}

}  // namespace

Dataset open_imagenet_tar(const fs::path& folder, const DatasetOptions& options,
                          std::vector<std::string>& notes) {
    const fs::path images = folder / "ILSVRC2012_img_val.tar", devkit = folder / devkit_name;
    if (!is_there(devkit))
        refuse(
            fmt::format("{}, which has the labels of {}, is missing: put it there, or unpack the "
                        "images into class folders",
                        devkit.string(), images.string()));
    const DevkitLabels labels =
        with_note("reading " + devkit.string(), [&] { return labels_of_devkit(devkit); });
    std::vector<std::string> of_tar;
    Dataset dataset = open_tars({{images}, {}, {}, {}}, options, of_tar);
    of_tar.pop_back();  // removes the note about labels, which the archive lacks
    notes.insert(notes.end(), of_tar.begin(), of_tar.end());
    FolderClasses found = match_folders(labels.wnids, options.classes);
    dataset.classes = std::move(found.classes);
    dataset.labels = {};
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::uint64_t number = imagenet_val_number(dataset.paths[i]);
        if (number == 0 || number > labels.labels.size())
            refuse(fmt::format("{}: the image {} is not one of the {} that {} has labels for",
                               images.string(), shortened(dataset.paths[i], 120),
                               labels.labels.size(), devkit.string()));
        const std::int32_t label = found.class_of[labels.labels[number - 1]];
        dataset.labels.append(std::span(&label, 1));
    }
    notes.push_back(std::move(found.note));
    notes.push_back(
        fmt::format("labels: {} of {}, by the number of the image", truth_name, devkit_name));
    return dataset;
}

}  // namespace assay::layouts
