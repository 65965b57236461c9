// What the columns and numbers of a table may be, in csv and json alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/quality/table.h"

namespace assay::quality {

inline constexpr std::size_t most_table_models = 100'000;
inline constexpr std::size_t most_table_tags = 256;
inline constexpr std::string_view name_column = "model";
inline constexpr std::string_view hash_column = "model_hash";
inline constexpr std::string_view note_column = "model_note";

/// What a column of csv holds beside names and tags.
enum class CellPart { value, error, n, definition, note, undefined };
struct ColumnMeaning {
    Dimension dimension;
    CellPart part;
};
/// None: a tag.
std::optional<ColumnMeaning> meaning_of(std::string_view column);
/// The name under which it is written: "accuracy_se".
std::string column_of(const ColumnMeaning& meaning);

/// Why a number cannot be that, with what is allowed; "" where it can.
std::string fault_of_value(Dimension dimension, double value);
std::string fault_of_error(Dimension dimension, double error);
bool is_image_count(double number);

/// The place of a tag (case, blanks, '-' and '_' do not matter).
std::optional<std::size_t> find_tag(const std::vector<std::string>& tags, std::string_view tag);
/// Adds a tag. Throws bad_input where the table has one of that name, or 256 of them.
void add_tag(QualityTable& table, std::string_view tag);

/// assay.quality/1; `source` is named in messages. For parse_quality_table().
QualityTable parse_quality_json(std::string_view text, const std::string& source);

}  // namespace assay::quality
