// Which rows of a data set have come, in any order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "assay/metric/metric.h"
#include "core/byte_fields.h"

namespace assay {

/// A bit for each row, in stretches of group_stretch rows; some bytes for a stretch that is whole.
class SeenRows {
public:
    /// None of them is there yet, and each comes once.
    void add(std::span<const std::uint64_t> rows);
    void merge(const SeenRows& other);
    std::uint64_t count() const noexcept { return count_; }
    /// One more than the greatest; 0: none.
    std::uint64_t end() const noexcept { return end_; }
    /// A row that is in both; none: there is no such row.
    std::optional<std::uint64_t> common(const SeenRows& other) const;
    /// A row that comes twice among `rows`, or that `seen` (null: nothing) has already.
    static std::optional<std::uint64_t> twice(std::span<const std::uint64_t> rows,
                                              const SeenRows* seen);

    void write(FieldWriter& out) const;
    /// Throws bad_input.
    void read(FieldReader& in);

private:
    using Bits = std::array<std::uint64_t, group_stretch / 64>;
    struct Stretch {
        std::optional<Bits> bits = Bits{};  // none: all of its rows are there
    };
    void set(std::uint64_t row);
    void close(Stretch& stretch);

    std::map<std::uint64_t, Stretch> stretches_;
    std::uint64_t count_ = 0, end_ = 0;
};

}  // namespace assay
