// The rows of a data set that have arrived, in any order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "assay/metric/metric.h"
#include "core/byte_fields.h"

namespace assay {

/// One bit per row, in stretches of group_stretch rows; a complete stretch needs only some bytes.
class SeenRows {
public:
    /// None of the rows may be in the set yet, and each must appear once.
    void add(std::span<const std::uint64_t> rows);
    void merge(const SeenRows& other);
    std::uint64_t count() const noexcept { return count_; }
    /// One more than the greatest row, or 0.
    std::uint64_t end() const noexcept { return end_; }
    /// A row that is in both, if there is one.
    std::optional<std::uint64_t> common(const SeenRows& other) const;
    /// A row that appears twice among `rows`, or that `seen` (which may be null) already has.
    static std::optional<std::uint64_t> twice(std::span<const std::uint64_t> rows,
                                              const SeenRows* seen);

    void write(FieldWriter& out) const;
    /// Throws bad_input.
    void read(FieldReader& in);

private:
    using Bits = std::array<std::uint64_t, group_stretch / 64>;
    struct Stretch {
        std::optional<Bits> bits = Bits{};  // no value if all rows of the stretch have arrived
    };
    void set(std::uint64_t row);
    void close(Stretch& stretch);

    std::map<std::uint64_t, Stretch> stretches_;
    std::uint64_t count_ = 0, end_ = 0;
};

}  // namespace assay
