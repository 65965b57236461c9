// Which classes are right for each image: a set, often of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

class Dataset;

/// item -> ascending set of valid classes, in CSR arrays. An empty set means "no valid label": such
/// items are left out by the metrics and counted as left out. Memory: 8 bytes an item and 4 a
/// label.
class LabelSets {
public:
    LabelSets() { offsets_.push_back(0); }
    /// Appends the next item's set: sorted, duplicates dropped. Classes must be >= 0.
    void append(std::span<const std::int32_t> classes);
    /// One label an item; -1 gives the empty set.
    static LabelSets from_single(std::span<const std::int32_t> labels);

    std::size_t size() const noexcept { return offsets_.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t item) const {
        return {labels_.data() + offsets_[item], labels_.data() + offsets_[item + 1]};
    }
    bool contains(std::size_t item, std::int32_t c) const;
    std::size_t labels() const noexcept { return labels_.size(); }
    /// True when every set has at most one member.
    bool is_single() const noexcept;
    std::string fingerprint() const;
    bool operator==(const LabelSets&) const = default;

private:
    std::vector<std::uint64_t> offsets_;
    std::vector<std::int32_t> labels_;
};

/// Reads label sets for the items of a data set, in its order:
///  - JSON list of N lists (ReaL's real.json). N equal to the data set's size, or, where every
///  item's file is named
///    ILSVRC2012_val_%08d.*, N = 50,000 and items are found by that number;
///  - JSON object file -> label or list; keys match an item's id or file name;
///  - csv with columns image|path|id|filename and label|labels: one row a label, or labels
///  separated by blanks;
///  - text list with one label a line (N lines);
///  - .npy of N x C 0/1 (u8, bool, i32, i64, f32, f64), or N integers.
/// Labels may be class numbers, ids or unique names of `classes`. Throws bad_input naming the file,
/// row and value: wrong length, unknown class, number out of range, unknown or duplicate item. A
/// file that says which items it means may leave others out: these get the empty set, and `unnamed`
/// says how many they are.
LabelSets read_label_sets(const std::filesystem::path& path, const Dataset& dataset,
                          const ClassList& classes, std::uint64_t* unnamed = nullptr);

}  // namespace assay
