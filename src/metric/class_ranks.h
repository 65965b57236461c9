// Ranks of the scores of each class among those of its positive items, from which areas under
// curves are computed (class_curves.h).
//
// A class with k distinct scores among its positives has 2k + 1 slots. Slot 0 is for scores below
// all of them, slot 1 for those equal to the lowest, slot 2 for those between the lowest two, ...
// Two kinds of pass over the rows count the items in each slot, or add a number of the slot to each
// item. No column is sorted or kept; scores are compared as 64-bit keys (ordered_rows.h), by
// guided_search.h. Memory: about 120 bytes per positive, and 8 per item if sums are requested.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metric/guided_search.h"
#include "metric/ordered_rows.h"

namespace assay {

/// The positive items of each class: those of class c are [first[c], first[c + 1]).
struct ClassPositives {
    std::vector<std::uint64_t> first;
    std::vector<std::uint64_t> item;  ///< ascending within each class
    std::uint32_t classes() const { return static_cast<std::uint32_t>(first.size() - 1); }
    std::uint64_t of(std::uint32_t c) const { return first[c + std::size_t{1}] - first[c]; }
};

/// The positives' own keys, in the order of ClassPositives::item, for classes in [begin, end);
/// zeros for other classes.
std::vector<double> positive_keys(const OrderedRows& rows, const ClassPositives& positives,
                                  int threads, std::uint32_t begin, std::uint32_t end);

class ClassRanks {
public:
    /// `keys` are the keys of positive_keys() for all classes.
    ClassRanks(const ClassPositives& positives, std::span<const double> keys);

    std::uint32_t classes() const { return static_cast<std::uint32_t>(first_.size() - 1); }
    /// Distinct keys of a class's positives, ascending, and the number of positives with each key.
    std::span<const double> values(std::uint32_t c) const {
        return std::span(values_).subspan(first_[c], first_[c + std::size_t{1}] - first_[c]);
    }
    std::span<const std::uint64_t> members(std::uint32_t c) const {
        return std::span(members_).subspan(first_[c], first_[c + std::size_t{1}] - first_[c]);
    }
    /// Slots of class c are [first_slot(c), first_slot(c + 1)).
    std::size_t first_slot(std::uint32_t c) const { return 2 * first_[c] + c; }
    std::size_t slots() const { return first_slot(classes()); }
    /// The slot, in its class, of the positive at this place of ClassPositives::item.
    std::size_t slot_of_positive(std::size_t place) const { return 2 * value_of_[place] + 1; }

    /// Numbers of items per slot, for the classes [begin, end); zeros elsewhere.
    std::vector<std::int64_t> count(const OrderedRows& rows, int threads, std::uint32_t begin,
                                    std::uint32_t end) const;
    /// For each item, the sum over the classes [begin, end) of `by_slot` at the slot of its score.
    std::vector<std::int64_t> sum(const OrderedRows& rows, std::span<const std::int64_t> by_slot,
                                  int threads, std::uint32_t begin, std::uint32_t end) const;

private:
    std::vector<std::size_t> first_;  // by class: an index in the distinct values
    std::vector<double> values_;
    std::vector<GuidedSearch> searches_;  // by class: searches of its values
    std::vector<std::uint64_t> members_;
    std::vector<std::uint32_t> value_of_;  // by place: the index in its class's values
};

}  // namespace assay
