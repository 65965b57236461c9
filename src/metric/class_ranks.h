// Where the scores of each class stand among those of its positive items: what areas under curves
// are made of (class_curves.h).
//
// A class with k distinct scores among its positives has 2k + 1 slots: below them all, at the
// first, between the first and the second, ... Two kinds of pass over the rows count the items in
// each slot, or add a number of the slot to each item. No column is sorted or kept; scores are
// compared as 64-bit keys (ordered_rows.h), by guided_search.h. Memory: some 120 bytes a positive,
// and 8 an item, where they are asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metric/guided_search.h"
#include "metric/ordered_rows.h"

namespace assay {

/// Items of which a class is true: those of class c are [first[c], first[c + 1]).
struct ClassPositives {
    std::vector<std::uint64_t> first;
    std::vector<std::uint64_t> item;  ///< ascending in each class
    std::uint32_t classes() const { return static_cast<std::uint32_t>(first.size() - 1); }
    std::uint64_t of(std::uint32_t c) const { return first[c + std::size_t{1}] - first[c]; }
};

/// The positives' own keys, in the order of ClassPositives::item, for classes in [begin, end);
/// zeros for others.
std::vector<double> positive_keys(const OrderedRows& rows, const ClassPositives& positives,
                                  int threads, std::uint32_t begin, std::uint32_t end);

class ClassRanks {
public:
    /// `keys` as positive_keys() gives them, of all classes.
    ClassRanks(const ClassPositives& positives, std::span<const double> keys);

    std::uint32_t classes() const { return static_cast<std::uint32_t>(first_.size() - 1); }
    /// Distinct keys of a class's positives, ascending, and how many positives have each.
    std::span<const double> values(std::uint32_t c) const {
        return std::span(values_).subspan(first_[c], first_[c + std::size_t{1}] - first_[c]);
    }
    std::span<const std::uint64_t> members(std::uint32_t c) const {
        return std::span(members_).subspan(first_[c], first_[c + std::size_t{1}] - first_[c]);
    }
    /// Slots of class c are [first_slot(c), first_slot(c + 1)).
    std::size_t first_slot(std::uint32_t c) const { return 2 * first_[c] + c; }
    std::size_t slots() const { return first_slot(classes()); }
    /// Of the positive at this place of ClassPositives::item, among the slots of its class.
    std::size_t slot_of_positive(std::size_t place) const { return 2 * value_of_[place] + 1; }

    /// Items by slot, for the classes [begin, end); zeros elsewhere.
    std::vector<std::int64_t> count(const OrderedRows& rows, int threads, std::uint32_t begin,
                                    std::uint32_t end) const;
    /// For each item, the sum over the classes [begin, end) of `by_slot` where its score stands.
    std::vector<std::int64_t> sum(const OrderedRows& rows, std::span<const std::int64_t> by_slot,
                                  int threads, std::uint32_t begin, std::uint32_t end) const;

private:
    std::vector<std::size_t> first_;  // by class, among the distinct values
    std::vector<double> values_;
    std::vector<GuidedSearch> searches_;  // by class, among its values
    std::vector<std::uint64_t> members_;
    std::vector<std::uint32_t> value_of_;  // by place: which of its class's values
};

}  // namespace assay
