#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "containers/at_place.h"
#include "containers/plain_pickle.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "core/url.h"
#include "data/arrays/array_data.h"

namespace assay::arrays {
namespace {

namespace fs = std::filesystem;

/// True if it is "data_batch_1" or "test_batch" of CIFAR-10, or "train" or "test" of CIFAR-100.
bool is_name_of_batch(std::string_view stem) {
    return stem == "train" || stem == "test" || stem == "test_batch" ||
           (stem.starts_with("data_batch_") && stem.size() == 12);
}

bool holds_pickle(const fs::path& file) {
    const std::string begin = read_start(file, 2);
    return begins_as_pickle(std::as_bytes(std::span(begin)));
}

}  // namespace

ArrayFileKind array_file_kind(const fs::path& file) {
    if (is_url(file)) return ArrayFileKind::none;
    const std::string name = file.filename().string();
    const std::string extension = lower_extension(name);
    if (extension == ".npy") return ArrayFileKind::npy;
    if (extension == ".npz") return ArrayFileKind::npz;
    if (extension == ".h5" || extension == ".hdf5") return ArrayFileKind::hdf5;
    if (extension == ".mat") return ArrayFileKind::mat;
    const std::string_view bare = extension == ".gz" ? without_extension(name) : name;
    if (bare.ends_with("-ubyte") && bare.find("idx") != std::string_view::npos)
        return ArrayFileKind::idx;
    if (extension == ".bin" && is_name_of_batch(without_extension(name)))
        return ArrayFileKind::binary_batch;
    const bool may_be_pickle = extension.empty() || extension == ".pkl" || extension == ".pickle";
    if (may_be_pickle && fs::is_regular_file(status_of(file)) && holds_pickle(file))
        return ArrayFileKind::pickled_batch;
    return ArrayFileKind::none;
}

ArrayData read_array_file(const fs::path& file, const ArrayWishes& wishes) {
    return at_place([&] { return file.string(); },
                    [&] {
                        switch (array_file_kind(file)) {
                            case ArrayFileKind::npy:
                                return read_npy(file, wishes);
                            case ArrayFileKind::npz:
                                return read_npz(file, wishes);
                            case ArrayFileKind::hdf5:
                                return read_hdf5_images(file, wishes);
                            case ArrayFileKind::idx:
                                return read_idx(file, wishes);
                            case ArrayFileKind::pickled_batch:
                                return read_pickled_batch(file, wishes);
                            case ArrayFileKind::binary_batch:
                                return read_binary_batch(file, wishes);
                            case ArrayFileKind::mat:
                                return read_mat(file, wishes);
                            case ArrayFileKind::none:
                                break;
                        }
                        refuse("this type of file cannot contain arrays of images");
                    });
}

ArrayName array_name(std::string_view name) {
    constexpr std::array<std::string_view, 8> images = {"images", "image", "imgs",   "img",
                                                        "x",      "data",  "pixels", "inputs"};
    constexpr std::array<std::string_view, 7> labels = {"labels", "label", "y",      "targets",
                                                        "target", "gt",    "classes"};
    const auto is_in = [](const auto& words, std::string_view word) {
        return std::ranges::find(words, word) != words.end();
    };
    std::vector<std::string> words;
    std::string word;
    for (const char c : std::string(name) + "_") {
        const bool between = c == '_' || c == '-' || c == ' ' || c == '.';
        if (!between) word += lower(c);
        if (between && !word.empty()) words.push_back(std::exchange(word, {}));
    }
    ArrayName found;
    if (words.size() > 1 && words.back() == "names") {
        found.role = ArrayName::Role::class_names;
        return found;
    }
    for (const std::string& one : words) {
        if (found.role == ArrayName::Role::unknown && is_in(images, one)) {
            found.role = ArrayName::Role::images;
        } else if (found.role == ArrayName::Role::unknown && is_in(labels, one)) {
            found.role = ArrayName::Role::labels;
        } else {
            found.rest += (found.rest.empty() ? "" : " ") + one;
        }
    }
    return found;
}

bool is_file_of_labels(const fs::path& file) {
    const std::string name = file.filename().string();
    const ArrayFileKind kind = array_file_kind(file);
    if (kind == ArrayFileKind::idx)
        return name.find("labels") != std::string::npos || name.find("idx1") != std::string::npos;
    return (kind == ArrayFileKind::npy || kind == ArrayFileKind::hdf5) &&
           array_name(without_extension(name)).role == ArrayName::Role::labels;
}

void check_label_count(std::string_view from, std::uint64_t labels, std::uint64_t images) {
    if (labels == images) return;
    refuse(fmt::format(
        "{} has {}, but there are {}; --label-column none reads the images without labels", from,
        how_many(labels, "label"), how_many(images, "image")));
}

}  // namespace assay::arrays
