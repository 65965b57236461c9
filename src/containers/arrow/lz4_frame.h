// LZ4's frames, in which Arrow compresses buffers (lz4_Frame_format.md of lz4/lz4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::arrow {

/// Unpacks one frame into `out`. Throws bad_input: damaged, a wrong checksum, a dictionary, or not
/// exactly `out.size()` bytes. Never produces more than that. `place` is the position of `packed`
/// in the file, for messages.
void unpack_lz4_frame(std::span<const std::byte> packed, std::span<std::byte> out,
                      std::uint64_t place);

}  // namespace assay::arrow
