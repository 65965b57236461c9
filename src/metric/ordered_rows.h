// 64-bit keys by rows and columns, which order the items of a data set for each class.
#pragma once

#include <cstdint>

namespace assay {

/// Keys increase with the class's log-odds (or its stored score) over the items; they have no other
/// meaning. Equal keys are ties. Several threads call this.
class OrderedRows {
public:
    virtual ~OrderedRows() = default;
    virtual std::uint64_t items() const = 0;
    virtual std::uint32_t classes() const = 0;
    /// Returns true if the item is included.
    virtual bool counts(std::uint64_t item) const = 0;
    /// The number of classes that are read at a time: few, unless reading part of a row costs as
    /// much as reading all of it.
    virtual std::uint32_t slice() const { return 128; }
    /// The keys of the classes [begin, end) for an item that counts(). No key is NaN.
    virtual void read(std::uint64_t item, std::uint32_t begin, std::uint32_t end,
                      double* out) const = 0;
    /// Announces that the same keys will be read soon.
    virtual void prefetch(std::uint64_t, std::uint32_t, std::uint32_t) const {}
};

}  // namespace assay
