// Numbers and lists in table cells, as Python tools print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/store/score_kind.h"

namespace assay::store {

/// A class number: "7", or "7.0", as pandas writes integers in a column with empty cells.
/// Surrounding blanks are not allowed.
std::optional<std::int64_t> class_number(std::string_view cell);

/// A number. An empty cell is NaN (as pandas writes it). A number that is too large is infinity,
/// and one that is too small is 0. "45.8%" is 0.458. Returns nothing for other text.
std::optional<float> parse_score(std::string_view cell);
/// True if a percent sign follows the number.
bool has_percent_sign(std::string_view cell);

/// True for "[...]" and "(...)".
bool is_list(std::string_view cell);
/// The members of a list, without brackets and quotes, separated by blanks, commas or newlines.
/// Throws bad_input for a list that NumPy shortened with "...".
void parse_list(std::string_view cell, std::vector<std::string_view>& members);

/// Returns the kind that a column's name implies ("prob", "logits", "log_prob_3"), and nothing for
/// "score" and similar names.
std::optional<ScoreKind> kind_from_name(std::string_view name);

/// `label` may be the image's label or the prediction. `truth` is the image's label, and
/// `predicted` is the prediction.
enum class Role { id, index, label, truth, predicted, score, other };
/// The role of a column or key, by its name in upper or lower case.
Role role_of(std::string_view name);
/// The role for the many names in tables of labels ("species", "Image File"), which are less
/// reliable next to scores.
Role wide_role_of(std::string_view name);

}  // namespace assay::store
