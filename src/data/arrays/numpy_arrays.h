// Arrays of NumPy in .npy files and in the entries of .npz files, and those of HDF5 files, read at
// their places.
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
    /// A whole file. Throws bad_input: no .npy file.
    static NumpyArray of_file(const std::filesystem::path& file);
    /// An entry of an .npz. One that cannot be read has a problem().
    static NumpyArray of_entry(std::shared_ptr<const ByteSource> archive, ZipEntry entry);
    /// An array of an HDF5 file.
    static NumpyArray of_hdf5(Hdf5Array array);

    const std::string& name() const noexcept { return name_; }
    /// Why it cannot be read; "": it can be.
    const std::string& problem() const noexcept { return problem_; }
    const std::vector<std::uint64_t>& shape() const noexcept { return header_.view.shape; }
    bool holds_texts() const noexcept { return header_.text.width > 0; }
    /// Three or four dimensions that are not labels.
    bool may_be_images() const;
    /// N, N x 1, or N x 1 x 1 x 1 (PCam).
    bool may_be_labels() const;
    /// "x_train (60000, 28, 28) |u1"
    std::string described() const;

    /// Throws bad_input: another type than uint8, a shape that is none of images or that can be
    /// read in two ways, Fortran order; damaged.
    PixelArray images() const;
    /// Those of `images` images. Throws bad_input: another shape than N or N x 1, labels of another
    /// number than the images, a number that is not whole; damaged.
    ArrayLabels labels(std::uint64_t images) const;
    /// The elements of an array of texts.
    std::vector<std::string> texts() const;

private:
    void take_header(const std::vector<std::byte>& bytes);
    /// All of the array, checked against its shape.
    std::shared_ptr<const ByteSource> open() const;
    /// The file or entry in memory: of labels alone.
    std::vector<std::byte> whole() const;

    std::string name_, problem_;
    std::shared_ptr<const ByteSource> source_;  ///< of the file, or of the archive
    bool in_archive_ = false;
    ZipEntry entry_;
    ArrayHeader header_;
};

}  // namespace assay::arrays
