#include "data/list_dataset.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "assay/error.h"
#include "core/file.h"
#include "core/string_index.h"
#include "core/text.h"
#include "data/column_words.h"
#include "data/folder_classes.h"
#include "data/folder_scan.h"
#include "data/image_folder.h"
#include "data/label_columns.h"
#include "data/label_list.h"
#include "data/label_rows.h"
#include "data/parquet/file_names.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_class_lines = 1'000'000;
constexpr std::uint64_t most_json_bytes = std::uint64_t{1} << 30;

/// The labels in byte order, or in the order of the columns if each label has a column.
std::vector<std::string> different_texts(const LabelList& list) {
    std::vector<std::string> texts;
    for (const auto& text : list.texts) texts.push_back(text.text);
    if (list.flags) return texts;
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
}

/// The classes of the labels if the caller gave none.
ClassList classes_from_texts(const LabelList& list, bool imagenet_val,
                             std::vector<std::string>& notes) {
    if (list.texts.empty()) return {};
    bool wnids = true, numbers = true;
    std::uint64_t most = 0, least = max_class_lines;
    for (const auto& [text, line] : list.texts) {
        std::uint64_t number = 0;
        wnids = wnids && is_wnid(text) && imagenet_classes().find(text);
        numbers = numbers && parse_number(text, number);
        most = std::max(most, number);
        least = std::min(least, number);
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
        if (least > 0) {
            notes.push_back(
                fmt::format("{}: no label is 0. If the labels count from 1, pass --classes FILE "
                            "with the labels in the order of the scores",
                            list.source));
        }
        return numbered_classes(static_cast<std::size_t>(most) + 1);
    }
    std::vector<std::string> ids = different_texts(list);
    notes.push_back(fmt::format("{}: {}; in {} they are the classes", list.source,
                                list.flags ? how_many(ids.size(), "column")
                                           : fmt::format("{} different labels", ids.size()),
                                list.flags ? "their order" : "byte order"));
    return ClassList(std::move(ids));
}

ClassList classes_of_list(const LabelList& list, const ClassList& known, bool imagenet_val,
                          std::vector<std::string>& notes) {
    if (known.empty()) return classes_from_texts(list, imagenet_val, notes);
    const auto is_known = [&](const LabelList::Text& text) {
        return known.find(text.text).has_value();
    };
    if (!only_numbers(known) || std::any_of(list.texts.begin(), list.texts.end(), is_known) ||
        list.texts.size() != known.size()) {
        return known;
    }
    // For classes that are mere numbers: the same number of label names become their names.
    std::vector<std::string> ids = different_texts(list);
    if (list.flags && !std::is_sorted(ids.begin(), ids.end())) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: the classifier's {} classes have no names. Are they the "
                        "columns in their order ({}, ...), or sorted by name? Give "
                        "--classes FILE, the names in the order of the scores",
                        list.source, ids.size(), fmt::join(ids.begin(), ids.begin() + 2, ", ")));
    }
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

bool images_there(const fs::path& root, const StringColumn& paths) {
    for (const std::size_t i : {std::size_t{0}, paths.size() / 2, paths.size() - 1}) {
        std::error_code problem;
        if (fs::exists(root / fs::path(paths[i]), problem)) return true;
    }
    return false;
}

fs::path folder_of(const fs::path& list) {
    return list.has_parent_path() ? list.parent_path() : fs::path(".");
}

/// Makes items from rows that name whole files.
void take_rows(Dataset& dataset, LabelList& list, const fs::path& folder, const fs::path& list_path,
               std::vector<std::string>& notes) {
    if (list.ids.size() == 0) {
        dataset.ids = std::move(list.files);
    } else {
        dataset.ids = std::move(list.ids);
        if (!(list.files == dataset.ids)) dataset.paths = std::move(list.files);
    }
    refuse_double_ids(dataset, list);
    const StringColumn& paths = dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
    const fs::path beside = folder_of(list_path);
    if (images_there(folder, paths)) return;
    if (images_there(beside, paths)) {
        dataset.root = beside;
        notes.push_back(
            fmt::format("{}: paths are relative to the list's own folder", list.source));
    } else {
        notes.push_back(fmt::format("{}: none of the listed images exists (first: {})", list.source,
                                    dataset.path_of(0).string()));
    }
}

/// The images of a folder that rows refer to by the end of a path or without its extension.
struct FoundRows {
    Dataset images;
    ScanCounts counts;
    std::vector<std::uint32_t> items;  ///< one item per row, or no_item; empty if no row names one
};

FoundRows find_rows(const fs::path& folder, const LabelList& list) {
    FoundRows found;
    scan_images(folder, "", 0, found.images.ids, found.counts);
    if (found.images.size() == 0) return found;
    found.items = items_of_keys(list.files, found.images, list.source);
    const bool none = std::ranges::all_of(found.items, [](auto item) { return item == no_item; });
    if (none) found.items.clear();
    return found;
}

/// Rows name files without their folders or extension, so the items come from the folder.
void take_found(Dataset& dataset, LabelList& list, const FoundRows& found, std::size_t limit,
                std::vector<std::string>& notes) {
    note_counts(found.counts, notes);
    LabelSets labels;
    std::vector<std::uint32_t> lines;
    std::vector<Dataset::Attribute> attributes;
    for (const auto& attribute : list.attributes) attributes.push_back({attribute.name, {}});
    std::size_t absent = 0;
    for (std::size_t row = 0; row < list.rows && (limit == 0 || dataset.size() < limit); ++row) {
        if (found.items[row] == no_item) {
            ++absent;
            continue;
        }
        dataset.ids.append(found.images.ids[found.items[row]]);
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
}

/// Rows contain only labels. They belong to the folder's images in order, or to ImageNet's
/// validation images by number.
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
        "{}: one label per line, assigned {}", list.source,
        by_number ? "by the number in the file name" : "in byte order of the file names"));
}

}  // namespace

bool names_images(const fs::path& folder, const TableFile& file, bool ask) {
    try {
        // A few hundred rows are enough. Errors in the labels, which a wrong table often has, do
        // not matter here.
        const LabelList list = read_label_list(file, {.classes = nullptr,
                                                      .attributes = false,
                                                      .limit = 256,
                                                      .ask = ask,
                                                      .minus_one_unlabelled = true});
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

bool labels_file_names(const TableFile& file, const std::string& label_column) {
    constexpr std::string_view column = "file_name";
    constexpr std::size_t most_header = 65'536;
    if (!parquet::has_parquet_extension(file.path()) &&
        read_start(file.path(), most_header).find(column) == std::string::npos)
        return false;
    try {
        const LabelList list = read_label_list(file, {.classes = nullptr,
                                                      .attributes = false,
                                                      .limit = 256,
                                                      .image_column = std::string(column),
                                                      .label_column = label_column,
                                                      .minus_one_unlabelled = true});
        return list.has_labels;
    } catch (const Error& error) {
        // a usage error means that the column does not exist
        return error.code() != ErrorCode::usage;
    }
}

bool labels_images(const fs::path& list_path, const Dataset& images) {
    try {
        if (lower_extension(list_path.string()) == ".json") {
            // Labels by name have quoted names, in every layout.
            const std::string text = read_text(list_path, most_json_bytes);
            return text.find(fmt::format("\"{}\"", base_name(images.ids[0]))) != std::string::npos;
        }
        const LabelList list = read_label_list(
            list_path,
            {.classes = nullptr, .attributes = false, .limit = 256, .minus_one_unlabelled = true});
        if (!list.has_labels) return false;
        if (list.files.size() == 0)
            return list.rows == images.size() && list.texts.size() < list.rows;
        const auto found = items_of_keys(list.files, images, list.source);
        return std::ranges::any_of(found, [](std::uint32_t item) { return item != no_item; });
    } catch (const UnclearColumns&) {
        return true;
    } catch (const Error&) {
        return false;
    }
}

namespace {

void note_splits(const LabelList& list, std::vector<std::string>& notes) {
    constexpr std::size_t most = 8;
    for (const Dataset::Attribute& attribute : list.attributes) {
        if (column_word(attribute.name) != ColumnWord::split) continue;
        std::map<std::string, std::uint64_t> counts;
        for (std::size_t i = 0; i < attribute.values.size() && counts.size() <= most; ++i)
            ++counts[std::string(attribute.values[i])];
        if (counts.size() < 2 || counts.size() > most) continue;
        std::vector<std::string> parts;
        for (const auto& [value, count] : counts)
            parts.push_back(fmt::format("{} of {}", count, shortened(value)));
        notes.push_back(fmt::format("{}: the rows of every {} are used: {}", list.source,
                                    attribute.name, fmt::join(parts, ", ")));
    }
}

StringColumn first_texts(const StringColumn& column, std::size_t limit) {
    StringColumn out;
    for (std::size_t i = 0; i < std::min(limit, column.size()); ++i) out.append(column[i]);
    return out;
}

/// The first rows of a list that was read completely.
void cut_rows(LabelList& list, std::size_t limit) {
    if (limit == 0 || list.rows <= limit) return;
    LabelSets labels;
    for (std::size_t i = 0; i < limit; ++i) labels.append(list.labels[i]);
    list.labels = std::move(labels);
    list.rows = limit;
    list.lines.resize(limit);
    list.files = first_texts(list.files, limit);
    list.ids = first_texts(list.ids, limit);
    for (Dataset::Attribute& attribute : list.attributes)
        attribute.values = first_texts(attribute.values, limit);
}

StringColumn images_of(const fs::path& folder, std::vector<std::string>& notes) {
    StringColumn images;
    ScanCounts counts;
    scan_images(folder, "", 0, images, counts);
    if (images.size() == 0)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no image in this folder", folder.string()));
    note_counts(counts, notes);
    return images;
}

}  // namespace

Dataset open_list(const fs::path& folder, const TableFile& file, const DatasetOptions& options,
                  std::vector<std::string>& notes) {
    const fs::path& list_path = file.path();
    return with_note(fmt::format("reading the list {}", list_path.string()), [&] {
        const ClassList* const known = options.classes.empty() ? nullptr : &options.classes;
        LabelList list = read_label_list(file, {.classes = known,
                                                .attributes = true,
                                                .limit = options.limit,
                                                .image_column = options.image_column,
                                                .label_column = options.label_column});
        if (list.rows == 0)
            throw Error(ErrorCode::bad_input, list.source + ": the list has no rows");
        for (std::string& note : notes_of(list)) notes.push_back(std::move(note));
        note_splits(list, notes);
        Dataset dataset;
        dataset.root = folder;
        const bool there =
            list.files.size() > 0 &&
            (images_there(folder, list.files) || images_there(folder_of(list_path), list.files));
        if (list.files.size() == 0) {
            take_labels(dataset, list, images_of(folder, notes), options.limit, notes);
        } else if (const FoundRows found = there ? FoundRows() : find_rows(folder, list);
                   found.items.empty()) {
            if (list.stems && !there)
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: none of its images (the first: `{}`) is in the folder "
                                        "{}; pass the folder that its paths start from with --data",
                                        list.source, shortened(list.files[0]), folder.string()));
            cut_rows(list, options.limit);
            take_rows(dataset, list, folder, list_path, notes);
        } else {
            take_found(dataset, list, found, options.limit, notes);
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
