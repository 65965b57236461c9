#include "assay/quality/table.h"

#include <fmt/format.h>

#include <optional>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/text.h"
#include "quality/model_labels.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

double number_in(const CsvReader& csv, std::size_t column, std::string_view text) {
    const std::optional<double> value = finite_number(text);
    if (!value) {
        throw csv.error(fmt::format("column `{}`: `{}` is not a number",
                                    shortened(csv.columns()[column]), shortened(text)));
    }
    return *value;
}

class Rows {
public:
    Rows(std::string_view text, const std::string& source, TableColumns columns)
        : csv_(text, source) {
        table_.source = source;
        const auto name = csv_.find_column({"model", "name", "models", "classifier"});
        if (!name) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has no column `model`; its columns are {}", source,
                                    fmt::join(csv_.columns(), ", ")));
        }
        name_ = *name;
        hash_ = csv_.find_column({hash_column});
        note_ = csv_.find_column({note_column});
        for (std::size_t c = 0; c < csv_.columns().size(); ++c) {
            if (c == name_ || c == hash_ || c == note_) continue;
            if (const auto meaning = meaning_of(csv_.columns()[c])) {
                take(*meaning, c);
            } else {
                add_tag(table_, trimmed(csv_.columns()[c]));
                tags_.push_back(c);
            }
        }
        if (!any_value_ && columns == TableColumns::dimensions) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has no column of a quality dimension (accuracy, "
                                    "c_robustness, ...); its columns are {}",
                                    source, fmt::join(csv_.columns(), ", ")));
        }
    }

    QualityTable read() {
        while (csv_.next()) {
            if (table_.models.size() == most_table_models)
                throw csv_.error(fmt::format("more than {} models", most_table_models));
            table_.models.push_back(row());
        }
        if (table_.models.empty())
            throw Error(ErrorCode::bad_input, table_.source + " has no row with a model");
        label_models(table_);
        return std::move(table_);
    }

private:
    void take(const ColumnMeaning& meaning, std::size_t column) {
        for (const auto& [c, other] : columns_) {
            if (other.dimension == meaning.dimension && other.part == meaning.part) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{} has two columns of {}: `{}` and `{}`", table_.source,
                                        facts_of(meaning.dimension).name, csv_.columns()[c],
                                        csv_.columns()[column]));
            }
        }
        columns_.emplace_back(column, meaning);
        any_value_ = any_value_ || meaning.part == CellPart::value;
    }

    QualityModel row() {
        QualityModel model;
        model.name = trimmed(csv_[name_]);
        if (model.name.empty()) throw csv_.error("a row without a model's name");
        if (hash_) model.file_hash = trimmed(csv_[*hash_]);
        if (note_) model.note = trimmed(csv_[*note_]);
        for (const std::size_t c : tags_) model.tags.emplace_back(trimmed(csv_[c]));
        for (const auto& [column, meaning] : columns_) {
            const std::string_view text = trimmed(csv_[column]);
            QualityCell& cell = model.cells[static_cast<std::size_t>(meaning.dimension)];
            switch (meaning.part) {
                case CellPart::definition:
                    cell.definition = text;
                    continue;
                case CellPart::note:
                    cell.note = text;
                    continue;
                case CellPart::undefined:
                    cell.undefined = text;
                    continue;
                default:
                    break;
            }
            if (is_absent(text)) continue;
            const double number = number_in(csv_, column, text);
            if (meaning.part == CellPart::n) {
                if (!is_image_count(number)) {
                    throw csv_.error(fmt::format("column `{}`: `{}` is not a number of images",
                                                 csv_.columns()[column], text));
                }
                cell.n = static_cast<std::uint64_t>(number);
                continue;
            }
            const bool value = meaning.part == CellPart::value;
            const std::string fault = value ? fault_of_value(meaning.dimension, number)
                                            : fault_of_error(meaning.dimension, number);
            if (!fault.empty()) throw csv_.error(fault);
            (value ? cell.value : cell.standard_error) = number;
        }
        for (const DimensionFacts& facts : dimension_facts()) {
            const QualityCell& cell = model.cell(facts.dimension);
            if (cell.value && !cell.undefined.empty()) {
                throw csv_.error(
                    fmt::format("{} is {}, but `{}` says that there is none; remove one of them",
                                facts.name, *cell.value, shortened(cell.undefined)));
            }
        }
        return model;
    }

    CsvReader csv_;
    QualityTable table_;
    std::size_t name_ = 0;
    std::optional<std::size_t> hash_, note_;
    std::vector<std::size_t> tags_;
    std::vector<std::pair<std::size_t, ColumnMeaning>> columns_;
    bool any_value_ = false;
};

}  // namespace

QualityTable parse_quality_table(std::string_view text, const std::string& source,
                                 TableColumns columns) {
    std::string_view start = text;
    if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
    start = trimmed(start.substr(0, 4096));
    // No column has such a name.
    if (start.starts_with('{') || lower_extension(source) == ".json")
        return parse_quality_json(text, source);
    return Rows(text, source, columns).read();
}

QualityTable read_quality_table(const std::filesystem::path& file, TableColumns columns) {
    return parse_quality_table(read_text(file, std::uint64_t{1} << 28), file.string(), columns);
}

}  // namespace assay::quality
