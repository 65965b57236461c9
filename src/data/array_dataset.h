// Data sets whose images are parts of arrays: .npy and .npz files of NumPy, HDF5 files,
// idx files of MNIST, batches of CIFAR, .mat files of SVHN.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// Of the files of CIFAR-10-C and CIFAR-100-C, which hold five severities one after the other.
inline constexpr std::size_t images_per_severity = 10'000;

/// Whether a file is such a one: by its name, and, of names without an extension, by its first
/// bytes.
bool is_array_file(const std::filesystem::path& file);

/// Whether its name says that it holds the labels of others: labels.npy, y_test.npy.
bool is_label_file(const std::filesystem::path& file);

/// Those of a folder, or of its folder `raw`, that hold images of one data set: one file, or all
/// data_batch_N of CIFAR-10 if there is no test_batch. None: there are no such files. Throws
/// bad_input: several, with what to type.
std::vector<std::filesystem::path> array_files_of(const std::filesystem::path& folder);

/// The images of these files, in this order; the files must lie in one folder. An id is
/// "<file>/<number>", of an .npz or HDF5 "<file>/<array>/<number>". Throws bad_input.
Dataset open_arrays(const std::vector<std::filesystem::path>& files, const DatasetOptions& options,
                    std::vector<std::string>& notes);

/// The images of arrays in files of `folder` by the names in their ids ("<file>",
/// "<file>/<array>").
std::shared_ptr<const ImageArchive> open_array_images(const std::filesystem::path& folder,
                                                      const std::set<std::string>& arrays);

}  // namespace assay
