#include "data/image_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/text.h"
#include "data/folder_classes.h"
#include "data/list_dataset.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct ClassFolder {
    std::string name;
    std::size_t first = 0, end = 0;  // its items
    bool has_images = false;
};

/// The items of all class folders, in byte order of their paths. Beyond the limit, a folder is only
/// checked for containing an image.
std::vector<ClassFolder> scan_class_folders(const fs::path& root,
                                            const std::vector<std::string>& names,
                                            std::size_t limit, StringColumn& ids,
                                            ScanCounts& counts) {
    std::vector<ClassFolder> folders;
    for (const std::string& name : names) {
        ClassFolder folder{
            .name = name, .first = ids.size(), .end = ids.size(), .has_images = false};
        if (limit == 0 || ids.size() < limit) {
            scan_images(root, name, limit, ids, counts);
            folder.end = ids.size();
            folder.has_images = folder.end > folder.first;
        } else {
            StringColumn one;
            ScanCounts uncounted;
            scan_images(root, name, 1, one, uncounted);
            folder.has_images = one.size() > 0;
        }
        folders.push_back(std::move(folder));
    }
    return folders;
}

/// The folders that are classes. A folder without images counts, because omitting it would shift
/// the labels of the others. It does not count if WordNet ids, numbers or a list define the
/// classes, and it is none of them.
std::vector<std::string> class_names(const std::vector<ClassFolder>& folders,
                                     const ClassList& classes) {
    bool wnids = true, numbers = true;
    std::uint64_t number = 0;
    std::vector<std::string> with_images;
    for (const ClassFolder& folder : folders) {
        if (!folder.has_images) continue;
        with_images.push_back(folder.name);
        wnids = wnids && is_wnid(folder.name);
        numbers = numbers && parse_number(folder.name, number);
    }
    const ClassList known = folder_names_fit(with_images, classes) ? classes : ClassList();
    std::vector<std::string> names;
    for (const ClassFolder& folder : folders) {
        const bool fits = !known.empty() ? known.find(folder.name).has_value()
                          : wnids        ? is_wnid(folder.name)
                          : numbers      ? parse_number(folder.name, number)
                                         : true;
        if (folder.has_images || fits) names.push_back(folder.name);
    }
    return names;
}

}  // namespace

void note_counts(const ScanCounts& counts, std::vector<std::string>& notes) {
    if (counts.others > 0) {
        notes.push_back(
            fmt::format("skipped {} file{} without an image's extension (.jpg .jpeg .png .webp "
                        ".bmp .tif .tiff .gif .ppm .pgm .pbm .pnm)",
                        counts.others, counts.others == 1 ? "" : "s"));
    }
    if (counts.repeats > 0) {
        notes.push_back(fmt::format("{} link{} to folders already read: not followed",
                                    counts.repeats, counts.repeats == 1 ? "" : "s"));
    }
}

std::optional<Dataset> open_image_folder(const fs::path& root, const DatasetOptions& options,
                                         std::vector<std::string>& notes) {
    const FolderListing listing = list_folder(root);
    Dataset dataset;
    ScanCounts counts{.others = listing.others, .repeats = 0};
    const auto folders =
        scan_class_folders(root, listing.folders, options.limit, dataset.ids, counts);
    if (dataset.size() == 0) return std::nullopt;
    const std::vector<std::string> names = class_names(folders, options.classes);
    FolderClasses found = with_note("reading the class folders of " + root.string(),
                                    [&] { return match_folders(names, options.classes); });
    dataset.root = root;
    dataset.classes = std::move(found.classes);
    notes.push_back(std::move(found.note));

    std::size_t without = 0, named = 0;
    for (const ClassFolder& folder : folders) {
        without += !folder.has_images;
        if (named == names.size() || names[named] != folder.name) continue;
        const std::int32_t label = found.class_of[named++];
        for (std::size_t i = folder.first; i < folder.end; ++i)
            dataset.labels.append(std::span(&label, 1));
    }
    if (without > 0) {
        const auto first = std::find_if(folders.begin(), folders.end(),
                                        [](const auto& f) { return !f.has_images; });
        notes.push_back(fmt::format("{} folder{} no image: {}{}", without,
                                    without == 1 ? " holds" : "s hold", first->name,
                                    without == 1 ? "" : ", ..."));
    }
    if (listing.images > 0) {
        notes.push_back(fmt::format("skipped {} image{} next to the class folders", listing.images,
                                    listing.images == 1 ? "" : "s"));
    }
    note_counts(counts, notes);
    return dataset;
}

namespace {

/// Refuses to silently ignore a file of labels. Throws bad_input.
void refuse_labels_beside(const fs::path& root, const std::vector<std::string>& tables,
                          const Dataset& images) {
    for (const std::string& table : tables) {
        if (!labels_images(root / table, images)) continue;
        const bool json = lower_extension(table) == ".json";
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} next to the images of {} has labels for them: {}; to read the "
                                "images without labels, pass --layout flat",
                                table, root.string(),
                                json ? fmt::format("give `assay score` --labels {}",
                                                   (root / table).string())
                                     : fmt::format("give --list {}", (root / table).string())));
    }
}

}  // namespace

Dataset open_flat(const fs::path& root, const DatasetOptions& options,
                  std::vector<std::string>& notes) {
    Dataset dataset;
    ScanCounts counts;
    scan_images(root, "", options.limit, dataset.ids, counts);
    if (dataset.size() == 0) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: no image (.jpg .jpeg .png .webp .bmp .tif .tiff .gif .ppm .pgm "
                        ".pbm .pnm) in this folder{}",
                        root.string(),
                        counts.others > 0 ? fmt::format("; {} other files", counts.others) : ""));
    }
    dataset.root = root;
    dataset.classes = options.classes;
    for (std::size_t i = 0; i < dataset.size(); ++i) dataset.labels.append({});
    const auto tables = list_folder(root).tables;
    if (options.layout == DatasetOptions::Layout::automatic)
        refuse_labels_beside(root, tables, dataset);
    notes.push_back(fmt::format(
        "flat folder of {} images without labels{}", dataset.size(),
        tables.empty()
            ? ""
            : fmt::format(" (if {} is a list of labels, pass it with --list)", tables.front())));
    note_counts(counts, notes);
    return dataset;
}

}  // namespace assay
