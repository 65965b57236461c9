// Rows of scores or predictions in JSON: an object for each image, or for each of its best entries.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "core/json_reader.h"
#include "store/score_source.h"
#include "store/table_builder.h"

namespace assay::store {

/// Levels of a row: the answers of a language model stand within their settings.
inline constexpr int max_row_depth = 16;

/// Keys are known by role_of(). Errors are bad_input and do not name the row: the reader of the
/// format adds it.
class JsonRows {
public:
    explicit JsonRows(const SourceOptions& options) : builder_(options) {}

    /// An object; or a list of numbers, which is a row of scores without an id. `id`: where the row
    /// is called by its place.
    void add(const nlohmann::json& row, std::optional<std::string> id = {});
    ScoreSource finish();

private:
    void add_object(const JsonReader& row, std::optional<std::string> id);
    void add_scores(const std::optional<std::string>& id, const JsonReader& scores);
    void set_scored(bool scored);

    TableBuilder builder_;
    std::optional<ScoreKind> hint_;
    std::optional<bool> scored_;  ///< the rows have scores, and not a class only
    std::set<std::string> unused_;
};

}  // namespace assay::store
