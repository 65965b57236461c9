// Reads scores or predictions in JSON: an object per image, or per entry of an image.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "core/json_reader.h"
#include "store/score_source.h"
#include "store/table_builder.h"

namespace assay::store {

/// The largest depth of a row. A language model's answers are nested in their settings.
inline constexpr int max_row_depth = 16;

/// role_of() gives the role of a key. Errors are bad_input and do not name the row, because the
/// reader of the format adds it.
class JsonRows {
public:
    explicit JsonRows(const SourceOptions& options) : builder_(options) {}

    /// Adds an object, or a list of numbers, which is a row of scores without an id. Pass `id` if
    /// the row is identified by its position.
    void add(const nlohmann::json& row, std::optional<std::string> id = {});
    ScoreSource finish();

private:
    void add_object(const JsonReader& row, std::optional<std::string> id);
    void add_scores(const std::optional<std::string>& id, const JsonReader& scores);
    void set_scored(bool scored);

    TableBuilder builder_;
    std::optional<ScoreKind> hint_;
    std::optional<bool> scored_;  ///< true if rows have scores and not only a class
    std::set<std::string> unused_;
};

}  // namespace assay::store
