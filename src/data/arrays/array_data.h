// What a file with arrays of images holds: the images, their labels and the names of the classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/arrays/array_images.h"

namespace assay::arrays {

/// What the user asked for. "": by the usual names.
struct ArrayWishes {
    std::string image_column{};    ///< the array with the images, of files that hold several
    std::string label_column{};    ///< the array with the labels; "none": no labels are looked for
    std::filesystem::path list{};  ///< a file with the labels
};

/// A label for each image, as they stand in the file: numbers or texts. Neither: no labels.
struct ArrayLabels {
    std::vector<std::int64_t> numbers{};
    std::vector<std::string> texts{};
    std::string from{};  ///< "`y_test`", "labels.npy"; of no labels why there are none

    std::size_t size() const { return numbers.size() + texts.size(); }
};

struct ArrayData {
    std::string name{};  ///< "mnist.npz/x_test": images are called NAME/<number>
    PixelArray images{};
    ArrayLabels labels{};
    std::vector<std::string> class_names{};
    std::string taken{};  ///< what was taken for the images, for people
};

/// The kinds of files that are read.
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

/// By the name, and, of files without an extension, by the first bytes.
ArrayFileKind array_file_kind(const std::filesystem::path& file);

/// Reads all but the images. Throws bad_input, naming file and array: nothing that can be images,
/// several readings (the message says what to type), labels of another number than the images,
/// damaged; usage: a wish that such a file cannot fulfil.
ArrayData read_array_file(const std::filesystem::path& file, const ArrayWishes& wishes);

// One for each kind.
ArrayData read_npy(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_npz(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_hdf5_images(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_idx(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_pickled_batch(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_binary_batch(const std::filesystem::path& file, const ArrayWishes& wishes);
ArrayData read_mat(const std::filesystem::path& file, const ArrayWishes& wishes);

/// Whether a name says that an idx, .npy or HDF5 file holds labels.
bool is_file_of_labels(const std::filesystem::path& file);

/// What a name says of an array: "x_test" and "test_images" are images of `test`, "test_labels" and
/// "y_test" its labels.
struct ArrayName {
    enum class Role : std::uint8_t { unknown, images, labels, class_names };
    Role role = Role::unknown;
    std::string rest{};
};
ArrayName array_name(std::string_view name);

/// Throws bad_input: labels of another number than the images. `from`: where they are.
void check_label_count(std::string_view from, std::uint64_t labels, std::uint64_t images);

}  // namespace assay::arrays
