// Reads the tensors of a torch.save file. It supports the few pickle opcodes that such a file
// contains, and never executes anything from the file. It refuses everything but a table of plain
// tensors; the error names what it found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/pt2/tensors.h"

namespace assay::pt2 {

/// A tensor whose storage is still a name ("0": the entry data/0 next to the pickle).
struct PickledTensor {
    StoredTensor tensor;  ///< `storage` is not set, and the bounds are not checked
    std::string storage;
    std::int64_t storage_numbers = 0;
};

/// Reads data.pkl: a dict (or OrderedDict) from names to tensors, parameters or both. `bytes` must
/// hold exactly one pickle of protocol 2 to 4. Memory is bounded by the size of the pickle and by a
/// million values. Throws bad_input: truncated, unknown opcode or global (named), wrong kinds.
std::map<std::string, PickledTensor> read_tensor_pickle(std::span<const std::byte> bytes);

}  // namespace assay::pt2
