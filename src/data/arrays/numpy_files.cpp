// Finds images, labels and class names among the arrays in .npy, .npz and HDF5 files.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "containers/at_place.h"
#include "containers/source_file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/arrays/numpy_arrays.h"

namespace assay::arrays {
namespace {

namespace fs = std::filesystem;
using Role = ArrayName::Role;

std::string shown_arrays(const std::vector<NumpyArray>& arrays) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < arrays.size() && i < most; ++i)
        text += (i > 0 ? ", " : "") + arrays[i].described();
    return arrays.size() > most ? text + ", ..." : text;
}

std::vector<NumpyArray> arrays_of_npz(const fs::path& file) {
    const auto archive = std::make_shared<const SourceFile>(file);
    std::vector<ZipEntry> entries;
    read_zip_directory(*archive, [&](ZipEntry entry) {
        constexpr std::size_t most_arrays = 4096;
        if (entries.size() == most_arrays)
            refuse(fmt::format("it has more than {} entries", most_arrays));
        entries.push_back(std::move(entry));
    });
    check_zip_overlap(entries, archive->size());
    std::vector<NumpyArray> arrays;
    for (ZipEntry& entry : entries) {
        if (lower_extension(entry.name) != ".npy") continue;
        const std::string_view name = without_extension(entry.name);
        if (std::ranges::find(arrays, name, &NumpyArray::name) != arrays.end())
            refuse(fmt::format("two of its arrays are named `{}`", shortened(name)));
        arrays.push_back(NumpyArray::of_entry(archive, std::move(entry)));
    }
    if (arrays.empty()) refuse("it holds no arrays (entries that end in .npy)");
    return arrays;
}

std::vector<NumpyArray> arrays_of_hdf5(const fs::path& file) {
    std::vector<NumpyArray> arrays;
    for (Hdf5Array& array : read_hdf5(std::make_shared<const SourceFile>(file)))
        arrays.push_back(NumpyArray::of_hdf5(std::move(array)));
    if (arrays.empty()) refuse("it holds no arrays");
    return arrays;
}

const NumpyArray& array_called(const std::vector<NumpyArray>& arrays, const std::string& name,
                               std::string_view option) {
    const auto found = std::ranges::find(arrays, name, &NumpyArray::name);
    if (found == arrays.end())
        refuse(fmt::format("it holds no array `{}` ({}); it holds {}", shortened(name), option,
                           shown_arrays(arrays)));
    return *found;
}

const NumpyArray& choose_images(const std::vector<NumpyArray>& arrays, const std::string& wanted) {
    if (!wanted.empty()) return array_called(arrays, wanted, "--image-column");
    std::vector<const NumpyArray*> possible;
    for (const NumpyArray& array : arrays) {
        // An unreadable array may contain the images, and its problem is then the error.
        const bool unread =
            !array.problem().empty() && array_name(array.name()).role == Role::images;
        if (array.may_be_images() || unread) possible.push_back(&array);
    }
    if (possible.empty())
        refuse(
            fmt::format("it holds no images (N x H x W, N x H x W x 3 or N x 3 x H x W). It holds "
                        "{}",
                        shown_arrays(arrays)));
    if (possible.size() > 1) {
        std::string names;
        for (const NumpyArray* array : possible)
            names += (names.empty() ? "" : "  or  ") + ("--image-column " + array->name());
        refuse(fmt::format("it holds several arrays of images: add {}", names));
    }
    return *possible.front();
}

/// The arrays with names of labels. If some belong to `rest`, returns only those.
std::vector<const NumpyArray*> label_candidates(const std::vector<NumpyArray>& arrays,
                                                const NumpyArray& images) {
    const std::string rest = array_name(images.name()).rest;
    std::vector<const NumpyArray*> same, others;
    std::size_t images_there = 0;
    for (const NumpyArray& array : arrays) {
        images_there += array.may_be_images() ? 1 : 0;
        const ArrayName name = array_name(array.name());
        if (name.role != Role::labels || &array == &images) continue;
        (name.rest == rest ? same : others).push_back(&array);
    }
    // Labels of another split do not belong to these images.
    return same.empty() && images_there == 1 ? others : same;
}

ArrayLabels labels_in(const std::vector<NumpyArray>& arrays, const NumpyArray& images,
                      std::uint64_t count, const std::string& wanted) {
    if (wanted == "none") return {{}, {}, "none (--label-column)"};
    if (!wanted.empty()) return array_called(arrays, wanted, "--label-column").labels(count);
    std::vector<const NumpyArray*> possible = label_candidates(arrays, images);
    // numpy.savez(file, x, y) gives arrays these names.
    if (possible.empty() && arrays.size() == 2 && images.name() == "arr_0" &&
        arrays[1].name() == "arr_1" && arrays[1].may_be_labels())
        possible.push_back(&arrays[1]);
    if (possible.empty())
        return {{},
                {},
                fmt::format("none (it holds {}; --label-column names one)", shown_arrays(arrays))};
    if (possible.size() > 1) {
        std::string names;
        for (const NumpyArray* array : possible)
            names += (names.empty() ? "" : "  or  ") + ("--label-column " + array->name());
        refuse(fmt::format("it holds several arrays that may be the labels: add {}", names));
    }
    return possible.front()->labels(count);
}

/// The class names in an array of texts named class_names, label_names, ...
std::vector<std::string> class_names_in(const std::vector<NumpyArray>& arrays) {
    for (const NumpyArray& array : arrays) {
        if (array.problem().empty() && array.holds_texts() && array.shape().size() == 1 &&
            array_name(array.name()).role == Role::class_names)
            return array.texts();
    }
    return {};
}

/// The file of the same kind next to `images` with their labels; empty if there is none.
fs::path labels_beside(const fs::path& images) {
    const std::string rest = array_name(without_extension(images.filename().string())).rest;
    std::vector<fs::path> same, of_all;
    const fs::path folder = images.has_parent_path() ? images.parent_path() : fs::path(".");
    for (const fs::path& file : entries_of(folder)) {
        if (!is_file_of_labels(file) || array_file_kind(file) != array_file_kind(images)) continue;
        const std::string others = array_name(without_extension(file.filename().string())).rest;
        if (others == rest) {
            same.push_back(file);
        } else if (others.empty()) {
            of_all.push_back(file);
        }
    }
    const std::vector<fs::path>& possible = same.empty() ? of_all : same;
    if (possible.size() > 1)
        refuse(fmt::format("{} and {} may hold its labels: add --list FILE", possible[0].string(),
                           possible[1].string()));
    return possible.empty() ? fs::path() : possible.front();
}

/// Reads labels from a file that contains only labels.
ArrayLabels labels_of_hdf5(const fs::path& file, std::uint64_t count) {
    std::vector<NumpyArray> arrays = arrays_of_hdf5(file);
    std::erase_if(arrays, [](const NumpyArray& array) {
        return array.problem().empty() && !array.may_be_labels();
    });
    if (arrays.size() != 1)
        refuse(
            fmt::format("{} arrays may be the labels; save the right one with numpy.save and pass "
                        "that file with --list",
                        arrays.size()));
    return arrays.front().labels(count);
}

/// Reads labels from an .npy or an HDF5 file.
ArrayLabels labels_in_file(const fs::path& file, std::uint64_t count) {
    return at_place([&] { return file.string(); },
                    [&] {
                        return array_file_kind(file) == ArrayFileKind::hdf5
                                   ? labels_of_hdf5(file, count)
                                   : NumpyArray::of_file(file).labels(count);
                    });
}

/// The arrays that were chosen from a file.
ArrayData chosen_arrays(const fs::path& file, const std::vector<NumpyArray>& arrays,
                        const ArrayWishes& wishes) {
    const NumpyArray& images = choose_images(arrays, wishes.image_column);
    ArrayData data;
    data.name = file.filename().string() + "/" + images.name();
    data.images =
        at_place([&] { return "`" + images.name() + "`"; }, [&] { return images.images(); });
    if (wishes.list.empty())
        data.labels = labels_in(arrays, images, data.images.count, wishes.label_column);
    data.class_names = class_names_in(arrays);
    data.taken = fmt::format("`{}`", images.name());
    return data;
}

}  // namespace

ArrayData read_npz(const fs::path& file, const ArrayWishes& wishes) {
    if (!wishes.list.empty())
        throw Error(ErrorCode::usage,
                    "--list is for folders and .npy files; an .npz holds its "
                    "labels: --label-column names the array");
    return chosen_arrays(file, arrays_of_npz(file), wishes);
}

ArrayData read_hdf5_images(const fs::path& file, const ArrayWishes& wishes) {
    if (!wishes.list.empty() && !wishes.label_column.empty())
        throw Error(ErrorCode::usage,
                    "--label-column names an array of this file, but --list names another file "
                    "with labels: omit one of them");
    ArrayData data = chosen_arrays(file, arrays_of_hdf5(file), wishes);
    if (data.labels.size() > 0 || !wishes.label_column.empty()) return data;
    const fs::path labels = wishes.list.empty() ? labels_beside(file) : wishes.list;
    if (!labels.empty()) {
        data.labels = labels_in_file(labels, data.images.count);
        data.labels.from += " of " + labels.filename().string();
    }
    return data;
}

ArrayData read_npy(const fs::path& file, const ArrayWishes& wishes) {
    if (!wishes.image_column.empty())
        throw Error(
            ErrorCode::usage,
            "--image-column is for files with several arrays; an .npy file has one: omit it");
    const bool unlabelled = wishes.label_column == "none";
    if (!wishes.label_column.empty() && !unlabelled)
        throw Error(ErrorCode::usage,
                    "--label-column is for files with several arrays; for an .npy file, pass the "
                    "labels with --list FILE");
    const NumpyArray array = NumpyArray::of_file(file);
    ArrayData data;
    data.name = file.filename().string();
    data.images = array.images();
    data.taken = fmt::format("`{}`", data.name);
    data.labels.from = unlabelled
                           ? "none (--label-column)"
                           : "none (no labels.npy or y_... next to the file; --list FILE names it)";
    const fs::path labels = unlabelled            ? fs::path()
                            : wishes.list.empty() ? labels_beside(file)
                                                  : wishes.list;
    if (!labels.empty()) data.labels = labels_in_file(labels, data.images.count);
    return data;
}

}  // namespace assay::arrays
