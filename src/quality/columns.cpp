#include "assay/quality/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/finite_number.h"
#include "core/text.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

/// Tables of changes write "+13".
std::optional<double> signed_number(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    return finite_number(text);
}

std::optional<double> number_of_tag(const QualityTable& table, std::size_t tag,
                                    const QualityModel& model) {
    const std::string_view text = trimmed(model.tags[tag]);
    if (is_absent(text)) return std::nullopt;
    const std::optional<double> value = signed_number(text);
    if (!value) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: column `{}` of {} is `{}`, which is not a number; write a "
                                "number such as 12.5, or leave it empty",
                                table.source, table.tags[tag], model.label, shortened(text)));
    }
    return value;
}

/// For the message: the tags whose texts are numbers or no value, at least one of them a number.
std::string columns_of_numbers(const QualityTable& table, std::span<const std::size_t> models) {
    std::vector<std::string> names;
    for (std::size_t tag = 0; tag < table.tags.size(); ++tag) {
        bool any = false;
        const bool numbers = std::ranges::all_of(models, [&](std::size_t m) {
            const std::string_view text = trimmed(table.models[m].tags[tag]);
            if (is_absent(text)) return true;
            any = true;
            return signed_number(text).has_value();
        });
        if (any && numbers) names.push_back(table.tags[tag]);
    }
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

QualityColumn tag_column(const QualityTable& table, const std::string& name,
                         std::span<const std::size_t> models) {
    const auto tag = find_tag(table.tags, name);
    if (!tag) {
        if (find_dimension(name)) {
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` is one of the nine dimensions, which are compared "
                                    "without --column: omit it",
                                    shortened(name)));
        }
        throw Error(ErrorCode::usage,
                    fmt::format("{} has no column `{}`; its columns of numbers are: {}",
                                table.source, shortened(name), columns_of_numbers(table, models)));
    }
    QualityColumn column{{table.tags[*tag], table.tags[*tag], std::nullopt}, {}};
    column.values.resize(table.models.size());
    for (const std::size_t m : models)
        column.values[m] = number_of_tag(table, *tag, table.models[m]);
    return column;
}

}  // namespace

std::vector<QualityColumn> quality_columns(const QualityTable& table,
                                           const std::vector<std::string>& more,
                                           std::span<const std::size_t> models) {
    std::vector<QualityColumn> columns;
    bool any = false;
    for (const DimensionFacts& facts : dimension_facts()) {
        QualityColumn column{{std::string(facts.name), std::string(facts.title), facts.dimension},
                             {}};
        column.values.resize(table.models.size());
        for (const std::size_t m : models) {
            column.values[m] = table.models[m].cell(facts.dimension).value;
            any = any || column.values[m].has_value();
        }
        columns.push_back(std::move(column));
    }
    if (!any) {
        columns.clear();
        if (more.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} has no value of a quality dimension (accuracy, "
                                    "c_robustness, ...): name columns of numbers with --column; it "
                                    "has: {}",
                                    table.source, columns_of_numbers(table, models)));
        }
    }
    for (const std::string& name : more) {
        QualityColumn column = tag_column(table, name, models);
        for (const QualityColumn& other : columns) {
            if (other.name.name == column.name.name)
                throw Error(ErrorCode::usage,
                            fmt::format("--column {} is given twice", shortened(name)));
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

}  // namespace assay::quality
