// The allowed columns and numbers of a table, for both csv and json.
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

/// The kinds of csv columns other than names and tags.
enum class CellPart { value, error, n, definition, note, undefined };
struct ColumnMeaning {
    Dimension dimension;
    CellPart part;
};
/// Returns no value for a tag.
std::optional<ColumnMeaning> meaning_of(std::string_view column);
/// The name of the column in files: "accuracy_se".
std::string column_of(const ColumnMeaning& meaning);

/// The reason why the number is not allowed, with the allowed range. "" if it is allowed.
std::string fault_of_value(Dimension dimension, double value);
std::string fault_of_error(Dimension dimension, double error);
bool is_image_count(double number);

/// True for "", "nan", "NA", "none", "-" and "null".
bool is_absent(std::string_view text);

/// The index of a tag (case, blanks, '-' and '_' do not matter).
std::optional<std::size_t> find_tag(const std::vector<std::string>& tags, std::string_view tag);
/// The message that a table lacks a tag.
std::string no_tag(const QualityTable& table, std::string_view tag);
/// Adds a tag. Throws bad_input if the table has one with that name, or 256 of them.
void add_tag(QualityTable& table, std::string_view tag);

/// Parses assay.quality/1 for parse_quality_table(); `source` is named in messages.
QualityTable parse_quality_json(std::string_view text, const std::string& source);

}  // namespace assay::quality
