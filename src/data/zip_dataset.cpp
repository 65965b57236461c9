#include "data/zip_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "containers/at_place.h"
#include "containers/source_file.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/parquet/labels.h"
#include "data/zip/members.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
struct IndexedZip {
    std::uint64_t bytes = 0;
    std::vector<ZipEntry> images;  ///< by name
    std::uint64_t left_out = 0;
};

/// Files that macOS, Windows and version control put next to images.
bool is_clutter(std::string_view name) {
    return name.starts_with("__MACOSX/") || base_name(name).starts_with(".") ||
           base_name(name) == "Thumbs.db";
}

/// Some archivers on Windows wrote backslashes.
void turn_slashes(std::string& name) {
    if (name.find('/') == std::string::npos) std::replace(name.begin(), name.end(), '\\', '/');
}

IndexedZip index_zip(const fs::path& path) {
    throw_if_stopped();
    return at_place(
        [&] { return path.string(); },
        [&] {
            const SourceFile source(path);
            IndexedZip out;
            out.bytes = source.size();
            read_zip_directory(source, [&](ZipEntry entry) {
                turn_slashes(entry.name);
                if (entry.name.empty() || entry.name.ends_with('/') || is_clutter(entry.name))
                    return;
                if (!has_image_extension(entry.name)) {
                    ++out.left_out;
                    return;
                }
                // An image that cannot be read is an error, because skipping it could go unnoticed.
                check_zip_entry(entry);
                out.images.push_back(std::move(entry));
            });
            std::ranges::sort(out.images, {}, &ZipEntry::name);
            const auto twice = std::ranges::adjacent_find(out.images, {}, &ZipEntry::name);
            if (twice != out.images.end())
                refuse(fmt::format("two of its entries are named `{}`", shortened(twice->name)));
            return out;
        });
}

/// The folders that all names share: "val/" for "val/n01/x.png" and "val/n02/y.png".
std::string common_folder(const std::vector<IndexedZip>& indexed) {
    std::string common;
    bool first = true;
    for (const IndexedZip& zip : indexed) {
        for (const ZipEntry& entry : zip.images) {
            const std::string_view folder =
                std::string_view(entry.name).substr(0, entry.name.rfind('/') + 1);
            if (first) common = folder;
            first = false;
            const auto differs = std::ranges::mismatch(common, folder).in1;
            common.erase(differs, common.end());
            common.erase(common.rfind('/') + 1);
        }
    }
    return common;
}

/// The folder at `begin` of an image's name, or "".
std::string_view class_folder(std::string_view name, std::size_t begin) {
    const std::string_view rest = name.substr(begin);
    const std::size_t slash = rest.find('/');
    return slash == std::string_view::npos ? std::string_view() : rest.substr(0, slash);
}

/// The position of the class folders in names. It is after the folders that all images share. If
/// all images are of one class, it is at the last shared folder. Nothing if some image is in no
/// folder.
std::optional<std::size_t> place_of_classes(const std::vector<IndexedZip>& indexed) {
    const std::string common = common_folder(indexed);
    std::size_t all = 0, in_folders = 0;
    for (const IndexedZip& zip : indexed) {
        for (const ZipEntry& entry : zip.images) {
            ++all;
            in_folders += class_folder(entry.name, common.size()).empty() ? 0 : 1;
        }
    }
    if (in_folders == all) return common.size();
    if (in_folders > 0 || common.size() < 2) return std::nullopt;
    return common.rfind('/', common.size() - 2) + 1;
}

void refuse_parts_of_a_data_set(const std::vector<IndexedZip>& indexed,
                                const std::vector<fs::path>& files, std::size_t begin) {
    constexpr std::array<std::string_view, 7> splits = {"train",      "training", "val",    "valid",
                                                        "validation", "test",     "testing"};
    std::string seen;
    for (const IndexedZip& zip : indexed) {
        for (const ZipEntry& entry : zip.images) {
            const std::string folder = loose_name(class_folder(entry.name, begin));
            if (std::ranges::find(splits, folder) == splits.end()) return;
            if (seen.empty()) seen = folder;
        }
    }
    if (seen.empty()) return;
    refuse(
        fmt::format("{} holds the splits of a data set ({}, ...), not classes: pass a zip file of "
                    "one split, or the unpacked folder",
                    files.front().string(), seen));
}

fs::path folder_of_zip(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

bool has_zip_extension(const fs::path& path) {
    return lower_extension(path.string()) == ".zip";
}

std::vector<fs::path> zip_files_of(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::path& entry : entries_of(folder)) {
        const bool hidden = entry.filename().string().starts_with('.');
        if (!hidden && has_zip_extension(entry) && !is_folder(entry)) files.push_back(entry);
    }
    std::sort(files.begin(), files.end());
    return files;
}

Dataset open_zips(const std::vector<fs::path>& files, const DatasetOptions& options,
                  std::vector<std::string>& notes) {
    if (!options.list.empty() || !options.label_column.empty()) {
        throw Error(
            ErrorCode::usage,
            fmt::format("{} takes its labels from its folders: omit --list and --label-column",
                        files.front().string()));
    }
    Dataset dataset;
    dataset.root = folder_of_zip(files.front());
    for (const fs::path& file : files) {
        if (folder_of_zip(file) != dataset.root) {
            refuse(
                fmt::format("{} and {} are in different folders; a data set must be in one folder",
                            files.front().string(), file.string()));
        }
    }
    std::vector<IndexedZip> indexed(files.size());
    parallel_blocks(files.size(), resolve_threads(0),
                    [&](std::size_t i) { indexed[i] = index_zip(files[i]); });
    std::uint64_t left_out = 0;
    const std::optional<std::size_t> place = place_of_classes(indexed);
    if (place) refuse_parts_of_a_data_set(indexed, files, *place);
    auto images = std::make_shared<zipped::ZipImages>();
    parquet::Labels labels({});
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::vector<ZipEntry>& entries = indexed[i].images;
        left_out += indexed[i].left_out;
        if (options.limit > 0)
            entries.resize(
                std::min<std::size_t>(entries.size(), options.limit - dataset.ids.size()));
        images->add(files[i], indexed[i].bytes, entries);
        const std::string name = files[i].filename().string();
        for (const ZipEntry& entry : entries) {
            dataset.ids.append(fmt::format("{}/{}", name, entry.name));
            if (place) {
                labels.add(std::string(class_folder(entry.name, *place)),
                           fmt::format("{}: {}", files[i].string(), entry.name));
            } else {
                labels.add_unlabelled(1);
            }
        }
        indexed[i] = {};
    }
    if (dataset.ids.size() == 0)
        refuse(fmt::format("{}: no image in {}", files.front().string(),
                           files.size() == 1 ? "it" : "this or the other files"));
    if (left_out > 0)
        notes.push_back(fmt::format("skipped entries that are not images: {}",
                                    how_many(left_out, "entry", "entries")));
    notes.emplace_back(place ? "the folders in the zip file are the classes"
                             : "some images are not in a folder, so there are no labels");
    parquet::Labels::Classes classes = labels.resolve(options.classes);
    if (place) notes.push_back(classes.note);
    dataset.classes = std::move(classes.classes);
    for (const std::int32_t& label : classes.label_of)
        dataset.labels.append(std::span(&label, label < 0 ? 0 : 1));
    dataset.archive = std::move(images);
    return dataset;
}

std::shared_ptr<const ImageArchive> open_zip_images(const std::vector<fs::path>& files) {
    auto images = std::make_shared<zipped::ZipImages>();
    for (const fs::path& file : files) {
        const IndexedZip indexed = index_zip(file);
        images->add(file, indexed.bytes, indexed.images);
    }
    return images;
}

}  // namespace assay
