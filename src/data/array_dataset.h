// Opens data sets whose images are parts of arrays. The files are .npy and .npz files of NumPy,
// HDF5 files, idx files of MNIST, batches of CIFAR, or .mat files of SVHN.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The images per severity in the files of CIFAR-10-C and CIFAR-100-C, which have five in sequence.
inline constexpr std::size_t images_per_severity = 10'000;

/// True if a file is of one of these kinds, judged by its name, or without an extension by its
/// first bytes.
bool is_array_file(const std::filesystem::path& file);

/// True if the name says that a file has labels for another file: labels.npy, y_test.npy.
bool is_label_file(const std::filesystem::path& file);

/// The files in a folder, or in its folder `raw`, with the images of one data set. This is one
/// file, or all data_batch_N of CIFAR-10 if there is no test_batch. Empty if there are no such
/// files. Throws bad_input if there are several data sets, with the command to type.
std::vector<std::filesystem::path> array_files_of(const std::filesystem::path& folder);

/// The images of these files, in this order. The files must be in one folder. An id is
/// "<file>/<number>", or "<file>/<array>/<number>" for an .npz or HDF5. Throws bad_input.
Dataset open_arrays(const std::vector<std::filesystem::path>& files, const DatasetOptions& options,
                    std::vector<std::string>& notes);

/// The images of arrays in files of `folder`, by the names in their ids ("<file>",
/// "<file>/<array>").
std::shared_ptr<const ImageArchive> open_array_images(const std::filesystem::path& folder,
                                                      const std::set<std::string>& arrays);

}  // namespace assay
