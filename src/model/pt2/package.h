// A .pt2 file: torch.export's archive, in the layout of PyTorch 2.6 or that of 2.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/pt2/program.h"
#include "model/pt2/tensors.h"

namespace assay::pt2 {

struct Package {
    Program program;
    /// Little endian, as stored: views into the file's bytes, or into `unpacked`.
    std::vector<std::span<const std::byte>> storages;
    /// Every tensor lies in its storage. Parameters and persistent buffers; then the other buffers
    /// and constants.
    std::map<std::string, StoredTensor> weights, constants;
    /// Entries by these names are there and cannot be read: why.
    std::map<std::string, std::string> unreadable;
    std::list<std::vector<std::byte>> unpacked;  ///< entries that were compressed
    std::uint64_t file_bytes = 0, storage_bytes = 0;
};

/// Reads an archive. `bytes` must outlive the package. Throws bad_input: not such an archive (with
/// what it seems to be), an entry missing, cut off or damaged, a tensor beyond its storage, a
/// package of compiled code without a graph, several models.
Package read_package(std::span<const std::byte> bytes);

/// Compares the checksums of any archive of PyTorch, also of TorchScript, whose reader does not.
/// Throws bad_input for the first entry that is damaged, and for what is no zip file. An archive
/// that was written without checksums passes.
void check_checksums(std::span<const std::byte> archive);

}  // namespace assay::pt2
