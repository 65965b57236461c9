// Reads the labels inside a file of scores.
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

/// Throws usage because the labels are -1 and 1, which is ambiguous.
[[noreturn]] void ask_what_minus_one_is(const std::string& where, std::uint64_t count,
                                        std::uint64_t rows, const ClassList& classes);

/// Throws usage because `--minus-one class` is given, but the labels are not -1 and 1 with two
/// classes.
[[noreturn]] void refuse_minus_one_class(const std::string& where, const ClassList& classes);

void note_minus_one_class(const std::string& where, const ClassList& classes,
                          std::vector<std::string>& notes);

/// True if the names are sorted by bytes or ignoring case.
bool are_sorted(const std::vector<std::string>& names);

/// Throws usage because labels are numbers while the columns are not sorted. `where` is the place
/// of the labels, and `first` describes one label.
[[noreturn]] void refuse_numbers_of_columns(const std::string& where, const std::string& first,
                                            const ClassList& classes);

/// Reads a set of at most one class per row, from `source.truth`. `columns_order_classes` means
/// that only the order of the file's columns defines class numbers. Throws usage, with the
/// necessary option, if a label is not a class. Also throws it if labels are numbers while the
/// columns have names that are not sorted.
LabelSets own_labels(const ScoreSource& source, std::optional<MinusOne> minus_one,
                     const ClassList& classes, bool columns_order_classes,
                     std::vector<std::string>& notes);

}  // namespace assay::store
