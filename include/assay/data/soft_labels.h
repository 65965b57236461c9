// Labels that are distributions: how probable each class is for an image, as the votes of many
// people say it (CIFAR-10H).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// item -> probabilities of classes that sum to 1, in CSR arrays. Classes of probability 0 are not
/// kept. An item may have none: it has no soft label. Memory: 8 bytes an item and 16 a class that
/// is kept.
class SoftLabels {
public:
    struct Entry {
        std::int32_t cls = -1;
        double probability = 0;  ///< above 0
        bool operator==(const Entry&) const = default;
    };

    /// Appends the next item's label: weights of classes 0, 1, ..., finite and not negative, which
    /// are divided by their sum. Only zeros, or nothing: the item has none.
    void append(std::span<const double> weights);
    /// The labels of these items, in this order. `no_item` has none.
    SoftLabels of_items(std::span<const std::uint64_t> items) const;
    static constexpr std::uint64_t no_item = ~std::uint64_t{0};

    std::size_t size() const noexcept { return offsets_.size() - 1; }
    /// Ascending classes.
    std::span<const Entry> operator[](std::size_t item) const {
        return std::span(entries_).subspan(offsets_.at(item),
                                           offsets_.at(item + 1) - offsets_[item]);
    }
    /// 0 of a class that is not kept.
    double probability(std::size_t item, std::int32_t cls) const;
    /// The greatest probability of the item; 0: it has no label.
    double greatest(std::size_t item) const;
    /// One more than the greatest class.
    std::size_t classes() const noexcept { return classes_; }
    /// Items that have a label.
    std::uint64_t labelled() const;
    bool operator==(const SoftLabels&) const = default;

private:
    std::vector<std::size_t> offsets_ = {0};
    std::vector<Entry> entries_;
    std::size_t classes_ = 0;
};

}  // namespace assay
