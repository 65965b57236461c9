// A table of classifiers and their nine quality dimensions, as a csv file that people keep for
// years. The 326 published classifiers are in the same form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/quality/dimension.h"

namespace assay {
struct Table;
}

namespace assay::quality {

/// The dependence of a cell's error on the images of one data set, by group of images. The groups
/// are those of group_places(), at most group_count. Cells of models and dimensions that were
/// measured on the same images have correlated errors.
struct ErrorShare {
    std::string data;           ///< identity of the images: StoreSpec::dataset_id
    std::vector<double> parts;  ///< by group

    bool operator==(const ErrorShare&) const = default;
};

struct QualityCell {
    std::optional<double> value;  ///< no value: not measured
    std::optional<double> standard_error;
    std::uint64_t n = 0;     ///< number of images; 0 means not known
    std::string definition;  ///< "" means that of the published table
    std::string note;
    /// The squares of the parts add up to the square of standard_error. Empty means not known; the
    /// cell is then treated as independent of all others.
    std::vector<ErrorShare> shares = {};
    std::string undefined = "";  ///< reason for a missing value, if known

    bool operator==(const QualityCell&) const = default;
};

struct QualityModel {
    std::string name;
    std::string file_hash = "";  ///< hash of the model's file, if known: names may be equal by
                                 ///< chance
    /// The name in tables and messages. If others have the same name, it is "name [tag; tag]", or
    /// as a last resort "name #7" with the row's number from 1.
    std::string label;
    std::vector<std::string> tags;  ///< one text per tag of the table
    PerDimension<QualityCell> cells;
    std::string note;

    const QualityCell& cell(Dimension d) const { return cells[static_cast<std::size_t>(d)]; }
};

struct QualityTable {
    std::string source;  ///< the file's name, for messages
    std::vector<std::string>
        tags;  ///< names of columns that are not dimensions: "architecture", "training"
    std::vector<QualityModel> models;
    std::vector<std::string> notes;  ///< notes for people on what was read and assumed
    bool published = false;          ///< these are published_models()
};

/// Whether a csv needs a column of one of the nine dimensions.
enum class TableColumns { dimensions, any };

/// Reads csv or json ("assay.quality/1", docs/formats.md), depending on the content of the file.
/// Columns of csv: `model` (or `name`), `model_hash`, `model_note`, and one per dimension
/// (find_dimension() knows its name). A dimension D may also have D_se or D_standard_error, D_n,
/// D_definition, D_note, D_undefined. Every other column is a tag. Empty, "nan" or "NA" means not
/// measured. csv contains no shares. At most 100,000 models, 2^28 bytes. Throws bad_input with
/// file, line (of json: model, dimension and key), value and what is allowed. Faults are no column
/// of names or of dimensions, a dimension or tag twice, a negative standard error, a row without a
/// name. Another fault is a number outside its range; percentages and single parameters are named
/// as such. In json, faults are also a newer version, unknown keys of a model or cell, and other
/// types. So are shares whose squares do not add up to that of the standard error.
QualityTable read_quality_table(const std::filesystem::path& file,
                                TableColumns columns = TableColumns::dimensions);
/// Parses the same from text; `source` is the file's name in messages.
QualityTable parse_quality_table(std::string_view text, const std::string& source,
                                 TableColumns columns = TableColumns::dimensions);

/// Schema "assay.quality/1", which parse_quality_table() reads back exactly. The reader ignores
/// keys that a report adds to a cell ("unit", "interval"), a model ("parts", "notes") or the table.
/// Throws bad_input for a text that is not UTF-8.
nlohmann::json to_json(const QualityTable& table);
/// The same JSON as text.
std::string write_quality_json(const QualityTable& table);
/// The columns that parse_quality_table() reads; parts of dimensions are included if some model has
/// them. It keeps everything exactly, except the shares.
std::string write_quality_csv(const QualityTable& table);
/// The same columns as a table of texts: the records of a report.
Table quality_records(const QualityTable& table);

/// The 326 classifiers of the paper, in its order, with notes on cells that are known to be faulty.
/// If nothing else is known, the sizes of the paper's test sets imply the standard errors
/// (assumed_error()).
const QualityTable& published_models();

/// The standard error of a value of the published table, with the other cells of the same row
/// unchanged. It follows only from the number of the value's images. If the table does not
/// determine it, it is the paper's models' mean contribution to QUBA's standard error. Parameters
/// have none.
std::optional<double> assumed_error(const QualityModel& model, Dimension dimension);

/// The models that match every selector, as places in table.models. A selector is TAG=VALUE or
/// model=VALUE with * for anything (case and '_' do not matter), or rows=1,5,7-9. Rows count from 1
/// and keep that order, which comparisons of pairs follow. Throws usage for another form, a tag or
/// row that the table lacks, and if no model matches.
std::vector<std::size_t> select_models(const QualityTable& table,
                                       const std::vector<std::string>& selectors);
/// The same, but a row that rows= names twice appears twice, as lists of pairs require.
std::vector<std::size_t> select_listed(const QualityTable& table,
                                       const std::vector<std::string>& selectors);
/// Each model once, at its first place.
std::vector<std::size_t> distinct_models(const std::vector<std::size_t>& models);

}  // namespace assay::quality
