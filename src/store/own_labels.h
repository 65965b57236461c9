// The labels that a file of scores holds itself, next to the scores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/label_sets.h"
#include "assay/store/import.h"
#include "store/score_source.h"

namespace assay::store {

/// Throws usage: the labels are -1 and 1, which may mean two things.
[[noreturn]] void ask_what_minus_one_is(const std::string& where, std::uint64_t count,
                                        std::uint64_t rows, const ClassList& classes);

/// Throws usage: `--minus-one class` is given, and the labels are not -1 and 1 of two classes.
[[noreturn]] void refuse_minus_one_class(const std::string& where, const ClassList& classes);

void note_minus_one_class(const std::string& where, const ClassList& classes,
                          std::vector<std::string>& notes);

/// By bytes, or without regard to case.
bool are_sorted(const std::vector<std::string>& names);

/// Throws usage: labels that are numbers, of columns that are not sorted. `where`: the labels;
/// `first`: one of them, in words.
[[noreturn]] void refuse_numbers_of_columns(const std::string& where, const std::string& first,
                                            const ClassList& classes);

/// A set of at most one class per row, from `source.truth`. `columns_order_classes`: only the order
/// of the file's columns says which class has which number. Throws usage, with the option to type:
/// a label is no class; numbers are labels of named columns that are not sorted.
LabelSets own_labels(const ScoreSource& source, std::optional<MinusOne> minus_one,
                     const ClassList& classes, bool columns_order_classes,
                     std::vector<std::string>& notes);

}  // namespace assay::store
