#include "assay/quality/table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "assay/error.h"
#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "quality/labels.h"

namespace assay::quality {
namespace {

constexpr std::size_t most_models = 100'000;

enum class Part { value, error, n, definition, note };

/// What a column holds: a part of a dimension.
struct Meaning {
    Dimension dimension;
    Part part;
};

std::optional<Meaning> meaning_of(std::string_view column) {
    const std::string name = loose_name(trimmed(column));
    if (const auto d = find_dimension(name)) return Meaning{*d, Part::value};
    struct Ending {
        std::string_view text;
        Part part;
    };
    constexpr Ending endings[] = {{" standard error", Part::error},
                                  {" se", Part::error},
                                  {" n", Part::n},
                                  {" definition", Part::definition},
                                  {" note", Part::note}};
    for (const Ending& ending : endings) {
        if (!name.ends_with(ending.text)) continue;
        if (const auto d = find_dimension(name.substr(0, name.size() - ending.text.size())))
            return Meaning{*d, ending.part};
    }
    return std::nullopt;
}

bool is_absent(std::string_view text) {
    const std::string name = loose_name(text);
    return name.empty() || name == "nan" || name == "na" || name == "n/a" || name == "none" ||
           name == "-" || name == "null";
}

double number_in(const CsvReader& csv, std::size_t column, std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || stop != end || !std::isfinite(value)) {
        throw csv.error(fmt::format("column `{}`: `{}` is no number",
                                    shortened(csv.columns()[column]), shortened(text)));
    }
    return value;
}

std::string_view likely_mistake(const DimensionFacts& facts, double value) {
    if (facts.dimension == Dimension::parameters && value > facts.high)
        return "; parameters are in millions";
    if (value > facts.high && value <= 100 * facts.high)
        return "; a percentage? Write 0.76 for 76 %";
    return "";
}

class Rows {
public:
    Rows(std::string_view text, const std::string& source) : csv_(text, source) {
        table_.source = source;
        const auto name = csv_.find_column({"model", "name", "models", "classifier"});
        if (!name) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has no column `model`; its columns are {}", source,
                                    fmt::join(csv_.columns(), ", ")));
        }
        name_ = *name;
        for (std::size_t c = 0; c < csv_.columns().size(); ++c) {
            if (c == name_) continue;
            if (const auto meaning = meaning_of(csv_.columns()[c])) {
                take(*meaning, c);
            } else {
                table_.tags.push_back(csv_.columns()[c]);
                tags_.push_back(c);
            }
        }
        if (!any_value_) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has no column of a quality dimension (accuracy, "
                                    "c_robustness, ...); its columns are {}",
                                    source, fmt::join(csv_.columns(), ", ")));
        }
    }

    QualityTable read() {
        while (csv_.next()) {
            if (table_.models.size() == most_models)
                throw csv_.error(fmt::format("more than {} models", most_models));
            table_.models.push_back(row());
        }
        if (table_.models.empty())
            throw Error(ErrorCode::bad_input, table_.source + " has no row of a model");
        label_models(table_);
        return std::move(table_);
    }

private:
    void take(const Meaning& meaning, std::size_t column) {
        for (const auto& [c, other] : columns_) {
            if (other.dimension == meaning.dimension && other.part == meaning.part) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{} has two columns of {}: `{}` and `{}`", table_.source,
                                        facts_of(meaning.dimension).name, csv_.columns()[c],
                                        csv_.columns()[column]));
            }
        }
        columns_.emplace_back(column, meaning);
        any_value_ = any_value_ || meaning.part == Part::value;
    }

    QualityModel row() {
        QualityModel model;
        model.name = trimmed(csv_[name_]);
        if (model.name.empty()) throw csv_.error("a row without a model's name");
        for (const std::size_t c : tags_) model.tags.emplace_back(trimmed(csv_[c]));
        for (const auto& [column, meaning] : columns_) {
            const std::string_view text = trimmed(csv_[column]);
            QualityCell& cell = model.cells[static_cast<std::size_t>(meaning.dimension)];
            if (meaning.part == Part::definition) cell.definition = text;
            if (meaning.part == Part::note) cell.note = text;
            if (meaning.part == Part::definition || meaning.part == Part::note || is_absent(text))
                continue;
            const double number = number_in(csv_, column, text);
            if (meaning.part == Part::value) cell.value = checked(meaning.dimension, number);
            if (meaning.part == Part::error) {
                const DimensionFacts& facts = facts_of(meaning.dimension);
                if (number < 0 || number > facts.high - facts.low) {
                    throw csv_.error(fmt::format(
                        "the standard error of {} is {}; it lies between 0 and {}{}", facts.name,
                        number, facts.high - facts.low, likely_mistake(facts, number)));
                }
                cell.standard_error = number;
            }
            if (meaning.part == Part::n) {
                if (number < 0 || number > 1e15 || number != std::floor(number)) {
                    throw csv_.error(fmt::format("column `{}`: `{}` is no number of images",
                                                 csv_.columns()[column], text));
                }
                cell.n = static_cast<std::uint64_t>(number);
            }
        }
        return model;
    }

    double checked(Dimension dimension, double value) const {
        const DimensionFacts& facts = facts_of(dimension);
        if (value >= facts.low && value <= facts.high) return value;
        throw csv_.error(fmt::format("{} is {}; it lies between {} and {}{}", facts.name, value,
                                     facts.low, facts.high, likely_mistake(facts, value)));
    }

    CsvReader csv_;
    QualityTable table_;
    std::size_t name_ = 0;
    std::vector<std::size_t> tags_;
    std::vector<std::pair<std::size_t, Meaning>> columns_;
    bool any_value_ = false;
};

}  // namespace

QualityTable parse_quality_table(std::string_view text, const std::string& source) {
    return Rows(text, source).read();
}

QualityTable read_quality_table(const std::filesystem::path& file) {
    return parse_quality_table(read_text(file, std::uint64_t{1} << 28), file.string());
}

}  // namespace assay::quality
