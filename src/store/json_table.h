// Scores by the names of their classes in JSON, as a table: a column for each class.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/score_source.h"

namespace assay::store {

/// What an image's scores by name become: {"id": ..., "label": ..., "cat": 0.9, "dog": 0.1}.
struct NamedScores {
    nlohmann::json row;
    bool classes_alone = false;  ///< the file says that these are classes: nothing else is between
};

/// Of {"cat": 0.9, "dog": 0.1}, perhaps beside an id and a label; of a list that transformers'
/// pipeline gives for an image, [{"label": "cat", "score": 0.9}, ...]; and of an object that holds
/// either under "scores", "predictions", ... Nothing where `row` is something else.
std::optional<NamedScores> named_scores(const nlohmann::json& row);

/// Fewer classes than the list of `options` has: the best ones of each image.
bool is_best_few(const NamedScores& scores, const SourceOptions& options);
/// Of scores by name, in either form, the row {"label": [...], "score": [...]}; every other row as
/// it is.
nlohmann::json row_of_best(nlohmann::json row);

/// Collects rows and reads them as read_csv() reads a table. Memory: the text of the table.
class JsonTable {
public:
    explicit JsonTable(const SourceOptions& options) : options_(options) {}

    /// Throws bad_input, usage: other keys than the first row has.
    void add(const NamedScores& scores, std::optional<std::string> id);
    ScoreSource finish(const std::string& name) const;

private:
    void begin(const NamedScores& scores, bool with_id);

    const SourceOptions& options_;
    std::vector<std::string> columns_;  ///< the first is `id` where `with_id_`
    bool with_id_ = false;
    bool classes_alone_ = false;
    std::vector<std::string> classes_;
    std::string text_;
};

}  // namespace assay::store
