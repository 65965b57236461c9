// The set of valid classes of each image. Most sets have one member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/held_array.h"

namespace assay {

class Dataset;

/// The ascending set of valid classes of each item, in CSR arrays. An empty set means "no valid
/// label". Metrics skip and count such items. Memory: 8 bytes per item and 4 per label.
class LabelSets {
public:
    LabelSets() { offsets_.push_back(0); }
    /// Item i has the classes [offsets[i], offsets[i + 1]). Throws bad_input unless the offsets
    /// ascend from 0 to the number of classes, and the classes of each item ascend and are not
    /// negative.
    LabelSets(HeldArray<std::uint64_t> offsets, HeldArray<std::int32_t> classes);
    /// Appends the next item's set: sorted, duplicates dropped. Classes must be >= 0.
    void append(std::span<const std::int32_t> classes);
    /// Makes sets from one label per item; -1 gives the empty set.
    static LabelSets from_single(std::span<const std::int32_t> labels);

    std::size_t size() const noexcept { return offsets_.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t item) const {
        return {labels_.data() + offsets_[item], labels_.data() + offsets_[item + 1]};
    }
    bool contains(std::size_t item, std::int32_t c) const;
    std::size_t labels() const noexcept { return labels_.size(); }
    std::span<const std::uint64_t> offsets() const noexcept { return offsets_.span(); }
    std::span<const std::int32_t> classes() const noexcept { return labels_.span(); }
    /// True when every set has at most one member.
    bool is_single() const noexcept;
    std::string fingerprint() const;
    bool operator==(const LabelSets&) const = default;

private:
    HeldArray<std::uint64_t> offsets_;
    HeldArray<std::int32_t> labels_;
};

/// Counts how well a file of labels matches the items of a data set.
struct LabelMatch {
    std::uint64_t unnamed = 0;  ///< items that are not in the file
    std::uint64_t others = 0;   ///< rows of the file that name no item
    std::uint64_t rows = 0;     ///< rows of the file
    std::string first_other;
};
/// A text for people: "3 of 50 images are not named in real.json; they count as without labels".
/// Or: "7 of 57 rows of real.json name images that are not here". Returns "" if everything matches.
std::string describe(const LabelMatch& match, std::uint64_t images,
                     const std::filesystem::path& labels);

/// Reads label sets for the items of a data set, in its order. The file has one of these formats.
///   A JSON list of N lists (ReaL's real.json). N is the size of the data set. If every item's file
///       is named ILSVRC2012_val_%08d.*, N may be 50,000, and items are then found by that number.
///   A JSON object from file to label or list. Keys match an item's id or file name, with or
///       without the extension of images.
///   A table with a column of images (path, filename, image_id, id, ...) and one of labels (label,
///       class, target, ...; labels: several, separated by blanks). A table without a column of
///       labels has a column of 0 and 1 per class. The names are in docs/formats.md. A list as
///       Python prints it ("[3, 9]") is several labels.
///   A text list with one label per line (N lines).
///   A .npy of N x C 0/1 (u8, bool, i32, i64, f32, f64), or N integers.
///
/// Labels may be class numbers, ids or unique names of `classes`. Throws bad_input naming the file,
/// row and value: wrong length, unknown class, number out of range, or an item that repeats. Throws
/// bad_input, too, if no name is an item. A file that names its items may omit some, which then
/// have the empty set, and may name images outside the data set. `match` counts both.
LabelSets read_label_sets(const std::filesystem::path& path, const Dataset& dataset,
                          const ClassList& classes, LabelMatch* match = nullptr);

}  // namespace assay
