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
    /// Little-endian numbers, as stored: views of the file's bytes, or of `unpacked`.
    std::vector<std::span<const std::byte>> storages;
    /// Every tensor fits its storage. `weights` has parameters and persistent buffers; `constants`
    /// has other buffers and constants.
    std::map<std::string, StoredTensor> weights, constants;
    /// Entries that exist but cannot be read, with the reason.
    std::map<std::string, std::string> unreadable;
    std::list<std::vector<std::byte>> unpacked;  ///< entries that were compressed
    std::uint64_t file_bytes = 0, storage_bytes = 0;
};

/// Reads an archive. `bytes` must outlive the package. Throws bad_input: not such an archive (with
/// a guess of what it is), or a missing, truncated or damaged entry. Also throws it for a tensor
/// beyond its storage, a package of compiled code without a graph, and several models.
Package read_package(std::span<const std::byte> bytes);

/// Checks the checksums of any PyTorch archive, including TorchScript, whose reader does not.
/// Throws bad_input for the first damaged entry, and if it is no zip file. Accepts an archive
/// without checksums.
void check_checksums(std::span<const std::byte> archive);

}  // namespace assay::pt2
