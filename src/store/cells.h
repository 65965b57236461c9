// Numbers and lists in the cells of tables, as Python's tools print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/store/score_kind.h"

namespace assay::store {

/// The number of a class: "7", and "7.0", as pandas writes whole numbers beside empty cells. No
/// blanks around it.
std::optional<std::int64_t> class_number(std::string_view cell);

/// A number; an empty cell is NaN (as pandas writes it). Too large is infinity, too small 0.
/// Nothing: not a number.
std::optional<float> parse_score(std::string_view cell);

/// True for "[...]" and "(...)".
bool is_list(std::string_view cell);
/// The members of a list, without brackets and quotes, separated by blanks, commas or line ends.
/// Throws bad_input for a list that NumPy shortened with "...".
void parse_list(std::string_view cell, std::vector<std::string_view>& members);

/// What a column's name says about its numbers ("prob", "logits", "log_prob_3"); nothing for
/// "score" and the like.
std::optional<ScoreKind> kind_from_name(std::string_view name);

/// `label` may be the image's or the predicted class's, `truth` is the image's, `predicted` is not.
enum class Role { id, index, label, truth, predicted, score, other };
/// What a column or key is for, by its name in any case.
Role role_of(std::string_view name);
/// The same of the many names that tables of labels have ("species", "Image File"), which are less
/// clear beside scores.
Role wide_role_of(std::string_view name);

}  // namespace assay::store
