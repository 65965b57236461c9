// Scores by the names of their classes in JSON, as a table: a column for each class.
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
/// Rows are {"cat": 0.9, "dog": 0.1}, perhaps beside an id and a label; the list that transformers'
/// pipeline gives for an image, [{"label": "cat", "score": 0.9}, ...]; and an object that holds
/// either under "scores", "predictions", ...
class JsonTable {
public:
    /// `rows`: what a message calls them ("lines").
    JsonTable(const SourceOptions& options, std::string_view rows)
        : options_(options), rows_(rows) {}

    /// The first row decides. False: the rows are no such table; of scores by name, the best ones
    /// of an image, `row` is then {"label": [...], "score": [...]}. Throws bad_input, usage: other
    /// keys than the first row has.
    bool take(nlohmann::json& row, std::optional<std::string> id);
    /// Rows are taken.
    bool is_one() const noexcept { return is_one_.value_or(false); }
    ScoreSource finish(const std::string& name) const;

private:
    void begin(const NamedScores& scores, bool with_id);
    void add(const NamedScores& scores, std::optional<std::string> id);

    const SourceOptions& options_;
    std::string_view rows_;
    std::optional<bool> is_one_;        ///< none: no row was there
    std::vector<std::string> columns_;  ///< the first is `id` where `with_id_`
    bool with_id_ = false;
    bool classes_alone_ = false;
    std::vector<std::string> classes_;
    std::string text_;
};

}  // namespace assay::store
