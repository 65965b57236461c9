// The contents of a file with arrays of images: the images, their labels and the names of the
// classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/arrays/array_images.h"

namespace assay::arrays {

/// The user's choice of arrays. "" selects an array with a usual name.
struct ArrayWishes {
    std::string image_column{};    ///< the array with the images, for files with several arrays
    std::string label_column{};    ///< the array with the labels; "none" ignores labels
    std::filesystem::path list{};  ///< a file with the labels
};

/// One label per image, as in the file: numbers or texts. Both lists are empty if there are no
/// labels.
struct ArrayLabels {
    std::vector<std::int64_t> numbers{};
    std::vector<std::string> texts{};
    std::string from{};  ///< where the labels are ("`y_test`", "labels.npy"), or why there are none

    std::size_t size() const { return numbers.size() + texts.size(); }
};

struct ArrayData {
    std::string name{};  ///< "mnist.npz/x_test": the ids of its images are NAME/<number>
    PixelArray images{};
    ArrayLabels labels{};
    std::vector<std::string> class_names{};
    std::string taken{};  ///< the choice of the array of images, for people
};

/// The supported kinds of files.
enum class ArrayFileKind : std::uint8_t {
    none,
    npy,
    npz,
    hdf5,
    idx,
    pickled_batch,
    binary_batch,
    mat
};

/// Judged by the name, or for files without an extension by the first bytes.
ArrayFileKind array_file_kind(const std::filesystem::path& file);

/// Reads everything except the images. Throws bad_input, naming file and array: no array of images,
/// several candidates (the message says what to type), damage. Also throws it if the number of
/// labels differs from that of the images. Throws usage for a choice that such a file cannot
/// fulfil.
ArrayData read_array_file(const std::filesystem::path& file, const ArrayWishes& wishes);

// One reader for each kind.
ArrayData read_npy(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_npz(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_hdf5_images(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_idx(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_pickled_batch(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_binary_batch(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_mat(const std::filesystem::path& file, const ArrayWishes& wishes);

/// True if the name says that an idx, .npy or HDF5 file contains labels.
bool is_file_of_labels(const std::filesystem::path& file);

/// The meaning of an array's name: "x_test" and "test_images" are images of `test`, and
/// "test_labels" and "y_test" its labels.
struct ArrayName {
    enum class Role : std::uint8_t { unknown, images, labels, class_names };
    Role role = Role::unknown;
    std::string rest{};
};
ArrayName array_name(std::string_view name);

/// Throws bad_input if the number of labels differs from the number of images. `from` says where
/// the labels are.
void check_label_count(std::string_view from, std::uint64_t labels, std::uint64_t images);

}  // namespace assay::arrays
