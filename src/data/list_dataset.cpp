#include "data/list_dataset.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/string_index.h"
#include "core/text.h"
#include "data/folder_scan.h"
#include "data/image_folder.h"
#include "data/label_list.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_class_lines = 1'000'000;

/// The classes that the labels mean when the caller gave none.
ClassList classes_from_texts(const LabelList& list, bool imagenet_val,
                             std::vector<std::string>& notes) {
    if (list.texts.empty()) return {};
    bool wnids = true, numbers = true;
    std::uint64_t most = 0;
    for (const auto& [text, line] : list.texts) {
        std::uint64_t number = 0;
        wnids = wnids && is_wnid(text) && imagenet_classes().find(text);
        numbers = numbers && parse_number(text, number);
        most = std::max(most, number);
        if (numbers && number >= max_class_lines) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} line {}: label {} is too large (at most {})", list.source,
                                    line, shortened(text), max_class_lines - 1));
        }
    }
    if (wnids || (numbers && imagenet_val && most < imagenet_classes().size())) {
        notes.push_back(
            fmt::format("{}: labels are {}: ImageNet's 1000 classes", list.source,
                        wnids ? "WordNet ids" : "numbers of ImageNet's validation images"));
        return imagenet_classes();
    }
    if (numbers) {
        notes.push_back(fmt::format("{}: labels are numbers up to {}: {} classes", list.source,
                                    most, most + 1));
        return numbered_classes(static_cast<std::size_t>(most) + 1);
    }
    std::vector<std::string> ids;
    for (const auto& text : list.texts) ids.push_back(text.text);
    std::sort(ids.begin(), ids.end());
    notes.push_back(fmt::format("{}: {} different labels; in byte order they are the classes",
                                list.source, ids.size()));
    return ClassList(std::move(ids));
}

ClassList classes_of_list(const LabelList& list, const ClassList& known, bool imagenet_val,
                          std::vector<std::string>& notes) {
    if (known.empty()) return classes_from_texts(list, imagenet_val, notes);
    const auto is_known = [&](const LabelList::Text& text) {
        return known.find(text.text).has_value();
    };
    if (!is_numbered(known) || known.names() != known.ids() ||
        std::any_of(list.texts.begin(), list.texts.end(), is_known) ||
        list.texts.size() != known.size()) {
        return known;
    }
    // The classifier's classes are mere numbers, and the labels as many names.
    std::vector<std::string> ids;
    for (const auto& text : list.texts) ids.push_back(text.text);
    std::sort(ids.begin(), ids.end());
    notes.push_back(
        fmt::format("{}: no class list; assuming that its {} labels, sorted by bytes, are the "
                    "classifier's classes (pass --classes)",
                    list.source, ids.size()));
    return ClassList(std::move(ids));
}

void refuse_double_ids(const Dataset& dataset, const LabelList& list) {
    StringIndex index(dataset.size(), [&](std::uint32_t i) { return dataset.ids[i]; });
    for (std::uint32_t i = 0; i < dataset.size(); ++i) {
        if (const auto earlier = index.insert(i)) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("{} line {}: item `{}` appears twice (first in line {})", list.source,
                            list.line_of(i), shortened(dataset.ids[i]), list.line_of(*earlier)));
        }
    }
}

bool images_there(const fs::path& root, const Dataset& dataset) {
    const StringColumn& column = dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
    for (const std::size_t i : {std::size_t{0}, dataset.size() / 2, dataset.size() - 1}) {
        std::error_code problem;
        if (fs::exists(root / fs::path(column[i]), problem)) return true;
    }
    return false;
}

/// Rows name whole files: they are the items.
void take_rows(Dataset& dataset, LabelList& list, const fs::path& folder, const fs::path& list_path,
               std::vector<std::string>& notes) {
    if (list.ids.size() == 0) {
        dataset.ids = std::move(list.files);
    } else {
        dataset.ids = std::move(list.ids);
        if (!(list.files == dataset.ids)) dataset.paths = std::move(list.files);
    }
    refuse_double_ids(dataset, list);
    const fs::path beside = list_path.has_parent_path() ? list_path.parent_path() : fs::path(".");
    if (images_there(folder, dataset)) return;
    if (images_there(beside, dataset)) {
        dataset.root = beside;
        notes.push_back(
            fmt::format("{}: paths are relative to the list's own folder", list.source));
    } else {
        notes.push_back(fmt::format("{}: none of the listed images exists (first: {})", list.source,
                                    dataset.path_of(0).string()));
    }
}

/// Rows name files without extension: the items are those that the folder has.
void take_stems(Dataset& dataset, LabelList& list, const StringColumn& images, std::size_t limit,
                std::vector<std::string>& notes) {
    StringIndex index(images.size(),
                      [&](std::uint32_t i) { return without_extension(base_name(images[i])); });
    for (std::uint32_t i = 0; i < images.size(); ++i) {
        if (const auto earlier = index.insert(i)) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("{} names images without extension, and both {} and {} may be meant",
                            list.source, shortened(images[*earlier]), shortened(images[i])));
        }
    }
    LabelSets labels;
    std::vector<std::uint32_t> lines;
    std::vector<Dataset::Attribute> attributes;
    for (const auto& attribute : list.attributes) attributes.push_back({attribute.name, {}});
    std::size_t absent = 0;
    for (std::size_t row = 0; row < list.rows && (limit == 0 || dataset.size() < limit); ++row) {
        const auto found = index.find(without_extension(base_name(list.files[row])));
        if (!found) {
            ++absent;
            continue;
        }
        dataset.ids.append(images[*found]);
        labels.append(list.labels[row]);
        lines.push_back(list.lines[row]);
        for (std::size_t a = 0; a < attributes.size(); ++a)
            attributes[a].values.append(list.attributes[a].values[row]);
    }
    list.labels = std::move(labels);
    list.lines = std::move(lines);
    list.attributes = std::move(attributes);
    refuse_double_ids(dataset, list);
    if (absent > 0)
        notes.push_back(fmt::format("{}: skipped {} of {} rows, which have no image in the folder",
                                    list.source, absent, list.rows));
    if (dataset.size() == 0)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: none of its images is in the folder; name the folder that its "
                                "paths begin in by --data",
                                list.source));
}

/// Rows are labels alone: they go with the folder's images in order, or by the number of ImageNet's
/// validation images.
void take_labels(Dataset& dataset, LabelList& list, const StringColumn& images, std::size_t limit,
                 std::vector<std::string>& notes) {
    const bool by_number = list.rows == imagenet_val_size && all_imagenet_val(images);
    if (!by_number && list.rows != images.size()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: {} labels for {} images in the folder; without file names "
                                "there must be one for each (or 50000 "
                                "for images named ILSVRC2012_val_00000001 ...)",
                                list.source, list.rows, images.size()));
    }
    LabelSets labels;
    std::vector<Dataset::Attribute> attributes;
    for (const auto& attribute : list.attributes) attributes.push_back({attribute.name, {}});
    const std::size_t n = limit == 0 ? images.size() : std::min(limit, images.size());
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row =
            by_number ? static_cast<std::size_t>(imagenet_val_number(images[i])) - 1 : i;
        if (row >= list.rows) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: image {} has a number above {}", list.source,
                                    shortened(images[i]), list.rows));
        }
        dataset.ids.append(images[i]);
        labels.append(list.labels[row]);
        for (std::size_t a = 0; a < attributes.size(); ++a)
            attributes[a].values.append(list.attributes[a].values[row]);
    }
    list.labels = std::move(labels);
    list.attributes = std::move(attributes);
    notes.push_back(fmt::format(
        "{}: one label a line, taken {}", list.source,
        by_number ? "by the number in the file name" : "in byte order of the file names"));
}

}  // namespace

bool names_images(const fs::path& folder, const fs::path& list_path) {
    try {
        // A few hundred rows tell; a wrong table is often an error in its labels, which does not
        // matter here.
        const LabelList list =
            read_label_list(list_path, {.classes = nullptr, .attributes = false, .limit = 256});
        if (list.stems) return false;
        for (std::size_t i = 0; i < list.files.size(); ++i) {
            std::error_code problem;
            if (has_image_extension(list.files[i]) &&
                fs::exists(folder / fs::path(list.files[i]), problem)) {
                return true;
            }
        }
        return false;
    } catch (const Error&) {
        return false;
    }
}

Dataset open_list(const fs::path& folder, const fs::path& list_path, const DatasetOptions& options,
                  std::vector<std::string>& notes) {
    return with_note(fmt::format("reading the list {}", list_path.string()), [&] {
        const ClassList* const known = options.classes.empty() ? nullptr : &options.classes;
        LabelList list = read_label_list(
            list_path, {.classes = known, .attributes = true, .limit = options.limit});
        if (list.rows == 0)
            throw Error(ErrorCode::bad_input, list.source + ": the list has no rows");
        Dataset dataset;
        dataset.root = folder;
        if (list.files.size() > 0 && !list.stems) {
            take_rows(dataset, list, folder, list_path, notes);
        } else {
            StringColumn images;
            ScanCounts counts;
            scan_images(folder, "", 0, images, counts);
            if (images.size() == 0)
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: no image in this folder", folder.string()));
            list.files.size() > 0 ? take_stems(dataset, list, images, options.limit, notes)
                                  : take_labels(dataset, list, images, options.limit, notes);
            note_counts(counts, notes);
        }
        dataset.classes =
            classes_of_list(list, options.classes, all_imagenet_val(dataset.ids), notes);
        dataset.labels = to_classes(list, classes_of_texts(list, dataset.classes));
        dataset.attributes = std::move(list.attributes);
        if (!list.has_labels) notes.push_back(list.source + ": no labels");
        return dataset;
    });
}

}  // namespace assay
