#include "quality/table_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/refuse.h"
#include "core/text.h"

namespace assay::quality {
namespace {

struct PartEnding {
    CellPart part;
    std::string_view written;  ///< suffix after the dimension's name
    std::string_view read;     ///< loose_name() of the suffix
};
constexpr std::array<PartEnding, 6> part_endings{{
    {CellPart::error, "_standard_error", " standard error"},
    {CellPart::error, "_se", " se"},
    {CellPart::n, "_n", " n"},
    {CellPart::definition, "_definition", " definition"},
    {CellPart::note, "_note", " note"},
    {CellPart::undefined, "_undefined", " undefined"},
}};

std::string_view likely_mistake(const DimensionFacts& facts, double value) {
    if (facts.dimension == Dimension::parameters && value > facts.high)
        return "; parameters are in millions";
    if (value > facts.high && value <= 100 * facts.high)
        return "; a percentage? Write 0.76 for 76 %";
    return "";
}

}  // namespace

std::optional<ColumnMeaning> meaning_of(std::string_view column) {
    const std::string name = loose_name(trimmed(column));
    if (const auto d = find_dimension(name)) return ColumnMeaning{*d, CellPart::value};
    for (const PartEnding& ending : part_endings) {
        if (!name.ends_with(ending.read)) continue;
        if (const auto d = find_dimension(name.substr(0, name.size() - ending.read.size())))
            return ColumnMeaning{*d, ending.part};
    }
    return std::nullopt;
}

std::string column_of(const ColumnMeaning& meaning) {
    std::string name(facts_of(meaning.dimension).name);
    // If two names mean the same part, the shorter name comes after the longer one.
    const auto ending =
        std::find_if(part_endings.rbegin(), part_endings.rend(),
                     [&](const PartEnding& known) { return known.part == meaning.part; });
    if (ending != part_endings.rend()) name += ending->written;
    return name;
}

std::string fault_of_value(Dimension dimension, double value) {
    const DimensionFacts& facts = facts_of(dimension);
    if (value >= facts.low && value <= facts.high) return "";
    return fmt::format("{} is {}; it must be between {} and {}{}", facts.name, value, facts.low,
                       facts.high, likely_mistake(facts, value));
}

std::string fault_of_error(Dimension dimension, double error) {
    const DimensionFacts& facts = facts_of(dimension);
    if (error >= 0 && error <= facts.high - facts.low) return "";
    return fmt::format("the standard error of {} is {}; it must be between 0 and {}{}", facts.name,
                       error, facts.high - facts.low, likely_mistake(facts, error));
}

bool is_image_count(double number) {
    return number >= 0 && number <= 1e15 && number == std::floor(number);
}

std::string no_tag(const QualityTable& table, std::string_view tag) {
    return table.tags.empty() ? fmt::format("the table has no tag `{}`, and no other", tag)
                              : fmt::format("the table has no tag `{}`; it has {}", tag,
                                            fmt::join(table.tags, ", "));
}

bool is_absent(std::string_view text) {
    const std::string name = loose_name(text);
    return name.empty() || name == "nan" || name == "na" || name == "n/a" || name == "none" ||
           name == "-" || name == "null";
}

std::optional<std::size_t> find_tag(const std::vector<std::string>& tags, std::string_view tag) {
    const std::string loose = loose_name(tag);
    const auto found =
        std::ranges::find_if(tags, [&](const auto& known) { return loose_name(known) == loose; });
    if (found == tags.end()) return std::nullopt;
    return static_cast<std::size_t>(found - tags.begin());
}

void add_tag(QualityTable& table, std::string_view tag) {
    if (const auto same = find_tag(table.tags, tag)) {
        refuse(fmt::format("{} has two columns for the tag `{}`: `{}` and `{}`", table.source,
                           shortened(loose_name(tag)), shortened(table.tags[*same]),
                           shortened(tag)));
    }
    if (table.tags.size() == most_table_tags)
        refuse(fmt::format("{} has more than {} tags (columns that are not dimensions)",
                           table.source, most_table_tags));
    table.tags.emplace_back(tag);
}

}  // namespace assay::quality
