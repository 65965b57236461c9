// Undoes the filters that HDF5 applied to the chunks of a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::hdf5 {

class Filters {
public:
    Filters() = default;
    /// Reads the filters from a message. Throws bad_input, with the name of an unsupported filter.
    explicit Filters(std::span<const std::byte> message);

    bool any() const noexcept { return !filters_.empty(); }
    /// Restores a chunk of `size` bytes. `left_out` has a bit for each filter that was not applied.
    /// Throws bad_input: damaged, or another size.
    std::vector<std::byte> undo(std::vector<std::byte> chunk, std::uint32_t left_out,
                                std::size_t size, std::size_t element_bytes) const;

private:
    enum class Filter : std::uint16_t { deflate = 1, shuffle = 2, fletcher32 = 3, lzf = 32000 };
    std::vector<Filter> filters_;
};

}  // namespace assay::hdf5
