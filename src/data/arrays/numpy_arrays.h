// Random access to NumPy arrays in .npy files and in entries of .npz files, and to arrays in HDF5
// files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "containers/hdf5.h"
#include "containers/npy_stream.h"
#include "containers/zip.h"
#include "data/arrays/array_data.h"

namespace assay::arrays {

/// An array whose header is known.
class NumpyArray {
public:
    /// Opens a whole file. Throws bad_input if it is no .npy file.
    static NumpyArray of_file(const std::filesystem::path& file);
    /// Opens an entry of an .npz. An entry that cannot be read has a problem().
    static NumpyArray of_entry(std::shared_ptr<const ByteSource> archive, ZipEntry entry);
    /// An array of an HDF5 file.
    static NumpyArray of_hdf5(Hdf5Array array);

    const std::string& name() const noexcept { return name_; }
    /// The reason why it cannot be read, or "" if it can.
    const std::string& problem() const noexcept { return problem_; }
    const std::vector<std::uint64_t>& shape() const noexcept { return header_.view.shape; }
    bool holds_texts() const noexcept { return header_.text.width > 0; }
    /// True if it has three or four dimensions and does not look like labels.
    bool may_be_images() const;
    /// True if the shape is N, N x 1, or N x 1 x 1 x 1 (PCam).
    bool may_be_labels() const;
    /// Describes the array: "x_train (60000, 28, 28) |u1".
    std::string described() const;

    /// Throws bad_input for a type other than uint8, a shape that cannot be images or is ambiguous,
    /// Fortran order, damage.
    PixelArray images() const;
    /// The labels of `images` images. Throws bad_input for a shape other than N or N x 1, a number
    /// that is not an integer, damage. Also throws it if the number of labels differs from that of
    /// the images.
    ArrayLabels labels(std::uint64_t images) const;
    /// The elements of an array of texts.
    std::vector<std::string> texts() const;

private:
    void take_header(const std::vector<std::byte>& bytes);
    /// The whole array, checked against its shape.
    std::shared_ptr<const ByteSource> open() const;
    /// Loads the file or entry into memory. Used only for labels.
    std::vector<std::byte> whole() const;

    std::string name_, problem_;
    std::shared_ptr<const ByteSource> source_;  ///< of the file, or of the archive
    bool in_archive_ = false;
    ZipEntry entry_;
    ArrayHeader header_;
};

}  // namespace assay::arrays
