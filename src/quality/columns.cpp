#include "assay/quality/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/finite_number.h"
#include "core/text.h"
#include "quality/scored_columns.h"
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

constexpr std::string_view low_words[] = {
    "gmac",    "gmacs",  "mac",    "macs",       "flop", "flops", "gflops", "memory",
    "latency", "time",   "second", "seconds",    "ms",   "ece",   "ace",    "nll",
    "brier",   "err",    "error",  "errors",     "loss", "fpr",   "fpr95",  "size",
    "energy",  "power",  "cost",   "price",      "mb",   "gb",    "mib",    "gib",
    "watts",   "joules", "params", "parameters", "mce",  "risk",  "aurc",   "emissions",
};
constexpr std::string_view high_words[] = {
    "accuracy", "acc",    "top1",      "top5",       "auroc", "auc",        "aupr",
    "f1",       "recall", "precision", "real",       "asma",  "throughput", "fps",
    "robust",   "kappa",  "mcc",       "robustness", "map",   "correct",
};
/// Changes and spreads of a metric: the direction of the metric says nothing about them.
constexpr std::string_view unsure_words[] = {
    "drop",      "drops",    "gap",     "gaps",        "std",      "sd",      "stdev",
    "deviation", "variance", "var",     "degradation", "decrease", "decline", "reduction",
    "increase",  "change",   "changes", "difference",  "diff",     "delta",   "spread",
    "range",     "rank",     "se",      "stderr",      "ci",
};

}  // namespace

std::vector<std::string> columns_of_numbers(const QualityTable& table,
                                            std::span<const std::size_t> models) {
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
    return names;
}

std::optional<bool> better_when_high(std::string_view column) {
    bool low = false, high = false, unsure = false;
    const std::string name = loose_name(column);
    for_each_part(name, " ", [&](std::string_view word) {
        low = low || std::ranges::find(low_words, word) != std::end(low_words);
        high = high || std::ranges::find(high_words, word) != std::end(high_words);
        unsure = unsure || std::ranges::find(unsure_words, word) != std::end(unsure_words);
    });
    if (low == high || unsure) return std::nullopt;
    return high;
}

std::string listed_columns(const QualityTable& table, std::span<const std::size_t> models) {
    const std::vector<std::string> names = columns_of_numbers(table, models);
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

namespace {

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
        const std::string near = nearest_name(name, columns_of_numbers(table, models));
        throw Error(ErrorCode::usage,
                    fmt::format("{} has no column `{}`{}; its columns of numbers are: {}",
                                table.source, shortened(name),
                                near.empty() ? "" : fmt::format(" (did you mean `{}`?)", near),
                                listed_columns(table, models)));
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
                                    table.source, listed_columns(table, models)));
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
