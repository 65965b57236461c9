// Soft labels: the probability of each class for an image, for example from many people's votes
// (CIFAR-10H).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Probabilities of classes for each item, which sum to 1, in CSR arrays. Classes with 0 are not
/// stored. An item without any has no label. Memory: 8 bytes per item and 16 per stored class.
class SoftLabels {
public:
    struct Entry {
        std::int32_t cls = -1;
        double probability = 0;  ///< above 0
        bool operator==(const Entry&) const = default;
    };

    /// Appends the next item's label: weights of classes 0, 1, ..., finite and not negative. They
    /// are divided by their sum. If all are zero, or there are none, the item has no label.
    void append(std::span<const double> weights);
    /// The labels of these items, in this order. `no_item` gets no label.
    SoftLabels of_items(std::span<const std::uint64_t> items) const;
    static constexpr std::uint64_t no_item = ~std::uint64_t{0};

    std::size_t size() const noexcept { return offsets_.size() - 1; }
    /// Ascending classes.
    std::span<const Entry> operator[](std::size_t item) const {
        return std::span(entries_).subspan(offsets_.at(item),
                                           offsets_.at(item + 1) - offsets_[item]);
    }
    /// Returns 0 for a class that is not stored.
    double probability(std::size_t item, std::int32_t cls) const;
    /// The greatest probability of the item; 0 if it has no label.
    double greatest(std::size_t item) const;
    /// The greatest class number plus one.
    std::size_t classes() const noexcept { return classes_; }
    /// The number of items with a label.
    std::uint64_t labelled() const;
    bool operator==(const SoftLabels&) const = default;

private:
    std::vector<std::size_t> offsets_ = {0};
    std::vector<Entry> entries_;
    std::size_t classes_ = 0;
};

}  // namespace assay
