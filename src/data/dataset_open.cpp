#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "containers/remote/place.h"
#include "core/paths.h"
#include "core/text.h"
#include "core/url.h"
#include "data/array_dataset.h"
#include "data/brace_range.h"
#include "data/dataset_name.h"
#include "data/folder_scan.h"
#include "data/image_folder.h"
#include "data/layouts/open_layout.h"
#include "data/list_dataset.h"
#include "data/parquet/file_names.h"
#include "data/parquet_dataset.h"
#include "data/saved_dataset.h"
#include "data/tar_dataset.h"
#include "data/zip_dataset.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The lists that Assay writes into data sets that it makes, and the lists that Hugging Face's
/// `imagefolder` reads.
constexpr std::array<std::string_view, 4> own_list_names = {"labels.csv", "metadata.csv",
                                                            "metadata.jsonl", "metadata.parquet"};

enum class ArchiveKind : std::uint8_t { none, parquet, tar, zip, arrays };

/// Throws usage for an option that has no effect on such data. `is` says what the data are and
/// where their labels are.
void check_options(const DatasetOptions& options, const fs::path& path, ArchiveKind kind,
                   std::string_view is) {
    const auto refuse = [&](std::string_view option, std::string_view of) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} is for {}; {} is {}", option, of, path.string(), is));
    };
    if (kind == ArchiveKind::arrays) return;  // the readers of arrays know which arrays have names
    if (!options.image_column.empty() && kind != ArchiveKind::parquet)
        refuse("--image-column", "lists of labels, Parquet, .npz and HDF5 files");
    if (!options.label_column.empty() && kind != ArchiveKind::parquet && kind != ArchiveKind::tar)
        refuse("--label-column", "lists of labels, Parquet, .npz and HDF5 files, and tars");
}

/// Throws usage for a split if the data have none, or if their file names already select it.
void check_split(const DatasetOptions& options, const fs::path& path) {
    if (options.split.empty()) return;
    throw Error(ErrorCode::usage,
                fmt::format("--split {} is for data sets of torchvision and folders with splits; "
                            "{} is neither: name the file or folder of the split",
                            shortened(options.split), path.string()));
}

constexpr std::string_view folder_of_images =
    "a folder of images: its labels are the names of its class folders, or a list (--list FILE)";

/// Throws usage for a layout, because archives contain no folders that could be read in several
/// ways.
void check_layout(const DatasetOptions& options, const fs::path& path, std::string_view is) {
    check_split(options, path);
    if (options.layout == DatasetOptions::Layout::automatic) return;
    throw Error(ErrorCode::usage,
                fmt::format("--layout is for folders of images; {} is {}", path.string(), is));
}

bool holds_class_folders(const fs::path& path) {
    for (const std::string& name : list_folder(path).folders) {
        if (holds_an_image(path, name)) return true;
    }
    return false;
}

/// The folder's own list, if it describes the folder's images. Next to class folders the table may
/// be anything (names of classes, votes, ...). So it counts only if it has a column of paths and
/// one of its images exists. Without class folders nothing else describes the images, so the table
/// must be readable. Tables of `imagefolder` count only if they have a column `file_name` and
/// labels.
std::optional<Dataset> open_own_list(const fs::path& path, std::string_view own_list_name,
                                     const DatasetOptions& options,
                                     std::vector<std::string>& notes) {
    using Layout = DatasetOptions::Layout;
    const TableFile list(path / own_list_name);
    std::error_code problem;
    if (!fs::is_regular_file(list.path(), problem)) return std::nullopt;
    const bool metadata = own_list_name != own_list_names.front();
    if (metadata &&
        (options.layout == Layout::flat || !labels_file_names(list, options.label_column)))
        return std::nullopt;
    if (options.layout == Layout::image_folder) {
        notes.push_back(fmt::format(
            "{} in the folder is ignored, because class folders are requested", own_list_name));
        return std::nullopt;
    }
    if (options.layout == Layout::automatic && holds_class_folders(path) &&
        !names_images(path, list, !metadata)) {
        notes.push_back(
            fmt::format("{} next to the class folders names none of their images, so it is ignored "
                        "and the folders are the labels",
                        own_list_name));
        return std::nullopt;
    }
    Dataset dataset = open_list(path, list, options, notes);
    notes.push_back(fmt::format("using the images and labels in {} of the folder ({} items)",
                                own_list_name, dataset.size()));
    return dataset;
}

Dataset open_folder(const fs::path& path, const DatasetOptions& options,
                    std::vector<std::string>& notes) {
    using Layout = DatasetOptions::Layout;
    const auto images_alone = [&] {
        check_options(options, path, ArchiveKind::none, folder_of_images);
    };
    if (!options.list.empty()) {
        if (options.layout == Layout::image_folder) {
            throw Error(ErrorCode::usage,
                        "--list is for a flat folder, not for class folders: omit --layout folders "
                        "or --list");
        }
        check_split(options, path);
        return open_list(path, options.list, options, notes);
    }
    for (const std::string_view name : own_list_names)
        if (auto dataset = open_own_list(path, name, options, notes)) {
            check_split(options, path);
            return std::move(*dataset);
        }
    if (options.layout == Layout::automatic) {
        if (auto dataset = layouts::open_layout(path, options, notes)) return std::move(*dataset);
        const auto files = options.split.empty() ? std::vector<fs::path>()
                                                 : parquet::parquet_files_of(path, options.split);
        if (!files.empty()) return open_parquet(files, options, notes);
        if (!options.split.empty())
            if (auto saved = open_saved_dataset(path, options, notes)) return std::move(*saved);
    }
    check_split(options, path);
    if (options.layout == Layout::flat) {
        images_alone();
        return open_flat(path, options, notes);
    }
    if (auto dataset = open_image_folder(path, options, notes)) {
        images_alone();
        return std::move(*dataset);
    }
    if (options.layout == Layout::image_folder) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: no class folder with an image in it; --layout flat reads the images "
                        "of one folder, and --list FILE gives their labels",
                        path.string()));
    }
    if (list_folder(path).images == 0) {
        if (auto saved = open_saved_dataset(path, options, notes)) return std::move(*saved);
        const auto files = parquet::parquet_files_of(path);
        if (!files.empty()) return open_parquet(files, options, notes);
        const webdataset::TarFiles tars = webdataset::tar_files_of(path);
        if (!tars.files.empty()) {
            check_options(options, path, ArchiveKind::tar, "a folder of tars");
            return open_tars(tars, options, notes);
        }
        const std::vector<fs::path> zips = zip_files_of(path);
        if (!zips.empty()) {
            check_options(options, path, ArchiveKind::zip,
                          "a folder of zip files: labels are the names of the folders in them");
            return open_zips(zips, options, notes);
        }
        const std::vector<fs::path> arrays = array_files_of(path);
        if (!arrays.empty()) return open_arrays(arrays, options, notes);
    }
    images_alone();
    if (options.layout == Layout::automatic) layouts::refuse_images_of_layout(path);
    return open_flat(path, options, notes);
}

ArchiveKind kind_of_archive(const fs::path& file) {
    if (parquet::has_parquet_extension(file)) return ArchiveKind::parquet;
    if (webdataset::has_tar_extension(file)) return ArchiveKind::tar;
    if (has_zip_extension(file)) return ArchiveKind::zip;
    return is_array_file(file) ? ArchiveKind::arrays : ArchiveKind::none;
}

/// Opens archives of one kind.
Dataset open_archives(const std::vector<fs::path>& files, const DatasetOptions& options,
                      std::vector<std::string>& notes) {
    const fs::path& first = files.front();
    const ArchiveKind kind = kind_of_archive(first);
    const std::string_view is = kind == ArchiveKind::parquet ? "a Parquet file"
                                : kind == ArchiveKind::tar   ? "a tar"
                                : kind == ArchiveKind::arrays
                                    ? "a file of arrays"
                                    : "a zip file: labels are the names of the folders in it";
    check_layout(options, first, is);
    check_options(options, first, kind, is);
    switch (kind) {
        case ArchiveKind::tar:
            return open_tars(webdataset::TarFiles{files, {}, {}, {}}, options, notes);
        case ArchiveKind::zip:
            return open_zips(files, options, notes);
        case ArchiveKind::arrays:
            return open_arrays(files, options, notes);
        default:
            return open_parquet(files, options, notes);
    }
}

/// Opens files given by a range in braces.
Dataset open_range(const fs::path& range, const DatasetOptions& options,
                   std::vector<std::string>& notes) {
    std::vector<fs::path> files;
    for (std::string& name : expand_braces(range.string())) {
        fs::path file = std::move(name);
        if (kind_of_archive(file) == ArchiveKind::none) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("no such folder or list: {}. Braces are for files that end in "
                                    ".parquet, .tar or .zip, or that contain arrays of images",
                                    range.string()));
        }
        if (!is_url(file) && !is_there(file)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("no such file: {} (one of {})", file.string(), range.string()));
        }
        if (!files.empty() && kind_of_archive(files.front()) != kind_of_archive(file)) {
            throw Error(ErrorCode::bad_input, fmt::format("{} and {} are different kinds of files",
                                                          files.front().string(), file.string()));
        }
        files.push_back(std::move(file));
    }
    return open_archives(files, options, notes);
}

/// Recognizes archives by their names, because a URL cannot be listed.
Dataset open_url(const fs::path& url, const DatasetOptions& options,
                 std::vector<std::string>& notes) {
    remote::check_url(url.native());
    if (has_braces(url.string())) return open_range(url, options, notes);
    if (kind_of_archive(url) == ArchiveKind::none) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: at URLs, only archives can be read (.tar, .parquet, .zip), several "
                        "with a range in braces: '{}/val-{{000..063}}.tar'",
                        shown_url(url.string()),
                        shown_url(url.has_filename() ? url.string() : url.parent_path().string())));
    }
    return open_archives({url}, options, notes);
}

/// For a file that may be an animation, the image is the first frame.
void note_animations(const Dataset& dataset, std::vector<std::string>& notes) {
    const StringColumn& names = dataset.paths.size() == 0 ? dataset.ids : dataset.paths;
    std::size_t gifs = 0;
    for (std::size_t i = 0; i < names.size(); ++i) gifs += lower_extension(names[i]) == ".gif";
    if (gifs > 0)
        notes.push_back(fmt::format("{}: only the first frame of an animation is used",
                                    how_many(gifs, "GIF image")));
}

}  // namespace

std::string dataset_name_of(const fs::path& path) {
    const fs::path whole = absolute_path(path);
    if (is_url(whole) && !has_braces(whole.filename().string())) return whole.stem().string();
    if (const std::string name = whole.filename().string(); has_braces(name) && !is_there(whole)) {
        // "validation-{00000..00013}-of-00014.parquet"
        std::string begin = name.substr(0, name.find('{'));
        begin.erase(begin.find_last_not_of("-_. ") + 1);
        return begin.empty() ? whole.parent_path().filename().string() : begin;
    }
    if (!whole.has_filename()) return whole.parent_path().filename().string();
    std::error_code ignored;
    if (!fs::is_regular_file(whole, ignored)) return whole.filename().string();
    const fs::path stem = whole.stem();  // "x.tar" of "x.tar.gz"
    return (lower_extension(stem.string()) == ".tar" ? stem.stem() : stem).string();
}

std::string name_of_array(const std::string& name, const fs::path& path,
                          const std::string& image_column) {
    const std::string ending = lower_extension(path.string());
    const bool named =
        !image_column.empty() && (ending == ".npz" || ending == ".h5" || ending == ".hdf5");
    if (!named) return name;
    std::string column = image_column;
    std::ranges::replace(column, '/', '-');  // the array is in a group
    return name + "-" + column;
}

std::vector<std::string> dataset_names_of(const std::vector<fs::path>& paths) {
    struct Named {
        fs::path whole;
        fs::path rest;  // folders that are not yet part of the name
        std::string name;
    };
    std::vector<Named> all;
    for (const fs::path& path : paths) {
        fs::path whole = absolute_path(path);
        if (!whole.has_filename()) whole = whole.parent_path();
        all.push_back({whole, whole.parent_path(), dataset_name_of(path)});
    }
    for (bool changed = true; changed;) {
        struct Folders {
            const Named* first = nullptr;
            bool several = false;
        };
        std::unordered_map<std::string, Folders> named;
        for (const Named& one : all) {
            Folders& folders = named[one.name];
            if (folders.first == nullptr) folders.first = &one;
            folders.several = folders.several || folders.first->whole != one.whole;
        }
        std::vector<std::size_t> longer;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (named[all[i].name].several && all[i].rest.has_filename()) longer.push_back(i);
        }
        for (const std::size_t i : longer) {
            all[i].name = all[i].rest.filename().string() + "_" + all[i].name;
            all[i].rest = all[i].rest.parent_path();
        }
        changed = !longer.empty();
    }
    std::vector<std::string> names;
    for (Named& one : all) names.push_back(std::move(one.name));
    return names;
}

Dataset open_dataset(const fs::path& path, const DatasetOptions& options,
                     std::vector<std::string>* notes) {
    std::vector<std::string> unheard;
    std::vector<std::string>& heard = notes != nullptr ? *notes : unheard;
    if (is_url(path)) {
        Dataset dataset = open_url(path, options, heard);
        dataset.name = options.name.empty() ? dataset_name_of(path) : options.name;
        return dataset;
    }
    const fs::file_status status = status_of(path);
    if (!fs::exists(status) && has_braces(path.string())) {
        Dataset dataset = open_range(path, options, heard);
        dataset.name = options.name.empty() ? dataset_name_of(path) : options.name;
        return dataset;
    }
    if (!fs::exists(status) && path.native().starts_with("pipe:")) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: Assay runs no command to read images; pass the URL itself",
                                shortened(path.string(), 200)));
    }
    if (!fs::exists(status))
        throw Error(ErrorCode::bad_input, fmt::format("no such folder or list: {}", path.string()));
    Dataset dataset;
    if (fs::is_directory(status)) {
        dataset = open_folder(path, options, heard);
    } else if (kind_of_archive(path) != ArchiveKind::none) {
        dataset = open_archives({path}, options, heard);
    } else {
        if (!options.list.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} is already a list, and --list is for a folder: omit --list",
                                    path.string()));
        }
        check_layout(options, path, "a list of images");
        const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
        dataset = open_list(folder, path, options, heard);
    }
    note_animations(dataset, heard);
    dataset.name = options.name.empty()
                       ? name_of_array(dataset_name_of(path), path, options.image_column)
                       : options.name;
    return dataset;
}

}  // namespace assay
