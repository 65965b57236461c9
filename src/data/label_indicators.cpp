#include "data/label_indicators.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

/// Splits "class_7" into ("class_", 7).
std::pair<std::string_view, std::uint64_t> split_number(std::string_view name) {
    name = trimmed(name);
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t digits = last == std::string_view::npos ? 0 : last + 1;
    std::uint64_t number = UINT64_MAX;
    if (!parse_number(name.substr(digits), number)) number = UINT64_MAX;
    return {name.substr(0, digits), number};
}

/// Throws bad_input if two columns are for the same class.
void refuse_one_class_twice(const TableSample& table, const ClassList& classes,
                            const std::vector<LabelColumns::Flag>& flags) {
    std::map<std::int32_t, std::size_t> column_of;
    for (const LabelColumns::Flag& flag : flags) {
        const std::int32_t label = classes.find(flag.label).value();
        const auto [first, fresh] = column_of.emplace(label, flag.column);
        if (fresh) continue;
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: the columns `{}` and `{}` are both the class {}", table.source,
                                table.names[first->second], table.names[flag.column],
                                classes.id(static_cast<std::size_t>(label))));
    }
}

}  // namespace

std::vector<LabelColumns::Flag> class_columns(const TableSample& table,
                                              std::optional<std::size_t> image,
                                              const ClassList& classes) {
    std::vector<LabelColumns::Flag> flags;
    std::map<std::string_view, std::vector<LabelColumns::Flag>> series;
    for (std::size_t c = 0; table.header && c < table.names.size(); ++c) {
        if (c == image) continue;
        const std::string_view name = trimmed(table.names[c]);
        if (classes.find(name)) flags.push_back({c, std::string(name)});
        const auto [prefix, number] = split_number(name);
        if (number < classes.size()) series[prefix].push_back({c, std::to_string(number)});
    }
    for (const auto& [prefix, numbered] : series) {
        if (flags.empty() && numbered.size() == classes.size()) flags = numbered;
    }
    if (flags.size() > 1) refuse_one_class_twice(table, classes, flags);
    return flags;
}

}  // namespace assay
