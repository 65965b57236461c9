// What orders the items of a data set by each class: 64-bit numbers by rows and columns.
#pragma once

#include <cstdint>

namespace assay {

/// Keys increase with the class's log-odds (or its stored score) over the items; they have no other
/// meaning. Equal ones are ties. Called from several threads.
class OrderedRows {
public:
    virtual ~OrderedRows() = default;
    virtual std::uint64_t items() const = 0;
    virtual std::uint32_t classes() const = 0;
    /// Whether the item enters at all.
    virtual bool counts(std::uint64_t item) const = 0;
    /// How many classes are read at a time: few, unless reading part of a row costs as much as
    /// reading it whole.
    virtual std::uint32_t slice() const { return 128; }
    /// Keys of the classes [begin, end) of an item that counts(); none is NaN.
    virtual void read(std::uint64_t item, std::uint32_t begin, std::uint32_t end,
                      double* out) const = 0;
    /// The same will be read soon.
    virtual void prefetch(std::uint64_t, std::uint32_t, std::uint32_t) const {}
};

}  // namespace assay
