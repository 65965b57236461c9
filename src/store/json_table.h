// Converts scores by class name in JSON to a table with a column for each class.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/score_source.h"

namespace assay::store {

struct NamedScores;

/// Collects rows and reads them as read_csv() reads a table. Memory: the text of the table.
///
/// A row is {"cat": 0.9, "dog": 0.1}, optionally with an id and a label. It may also be the list
/// that transformers' pipeline gives for an image, [{"label": "cat", "score": 0.9}, ...]. Or it is
/// an object with either of these under "scores", "predictions", ...
class JsonTable {
public:
    /// `rows` is the word for them in messages ("lines").
    JsonTable(const SourceOptions& options, std::string_view rows)
        : options_(options), rows_(rows) {}

    /// The first row decides. Returns false if the rows are not such a table. If they are the best
    /// scores of an image by name, `row` becomes {"label": [...], "score": [...]}. Throws bad_input
    /// or usage for keys that differ from those of the first row.
    bool take(nlohmann::json& row, std::optional<std::string> id);
    /// The rows are moved out of this object.
    bool is_one() const noexcept { return is_one_.value_or(false); }
    ScoreSource finish(const std::string& name) const;

private:
    void begin(const NamedScores& scores, bool with_id);
    void add(const NamedScores& scores, std::optional<std::string> id);

    const SourceOptions& options_;
    std::string_view rows_;
    std::optional<bool> is_one_;        ///< no value if there was no row
    std::vector<std::string> columns_;  ///< with `with_id_`, the first is `id`
    bool with_id_ = false;
    bool classes_alone_ = false;
    std::vector<std::string> classes_;
    std::string text_;
};

}  // namespace assay::store
