// Arrays in HDF5 files, as h5py, Keras and MATLAB write them by default. Assay reads the format
// itself, because a file may be hostile. It reads superblocks 0 to 3, groups of symbol tables and
// of compact links, and numbers and texts. Data may be in one piece or in chunks (deflate, shuffle,
// Fletcher-32). HDF5 File Format Specification, version 3.0 (support.hdfgroup.org).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "containers/byte_source.h"

namespace assay {

struct Hdf5Array {
    std::string name;     ///< "predictions", "val/scores"
    std::string problem;  ///< reason why it cannot be read, or ""
    /// The array as a little-endian .npy file in C order. Elements are read from the file on
    /// demand. Unpacked chunks are cached, at most three rows of them. Null if there is a problem.
    std::shared_ptr<const ByteSource> npy;
};

/// All data sets of a file, in the order of its groups. Throws bad_input: no HDF5 file, truncated,
/// damaged, links that are stored in another way. A data set with an unsupported type or storage
/// has a problem. Memory: 24 bytes per chunk, and all texts of any length.
std::vector<Hdf5Array> read_hdf5(const std::shared_ptr<const ByteSource>& file);

}  // namespace assay
