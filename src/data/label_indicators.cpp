#include "data/label_indicators.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/text.h"

namespace assay {
namespace {

struct ClassColumn {
    std::size_t column;
    std::int32_t label;
};

/// "class_7" gives ("class_", 7).
std::pair<std::string_view, std::uint64_t> split_number(std::string_view name) {
    name = trimmed(name);
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t digits = last == std::string_view::npos ? 0 : last + 1;
    std::uint64_t number = UINT64_MAX;
    if (!parse_number(name.substr(digits), number)) number = UINT64_MAX;
    return {name.substr(0, digits), number};
}

/// Columns called after classes; or, where none is, as many as there are classes with one beginning
/// and their numbers.
std::vector<ClassColumn> class_columns(const CsvReader& reader, std::optional<std::size_t> file,
                                       const ClassList& classes) {
    std::vector<ClassColumn> columns;
    std::map<std::string_view, std::vector<ClassColumn>> series;
    for (std::size_t c = 0; c < reader.columns().size(); ++c) {
        if (c == file) continue;
        const std::string_view name = reader.columns()[c];
        if (const auto found = classes.find(trimmed(name))) columns.push_back({c, *found});
        const auto [prefix, number] = split_number(name);
        if (number < classes.size())
            series[prefix].push_back({c, static_cast<std::int32_t>(number)});
    }
    if (!columns.empty()) return columns;
    for (const auto& [prefix, numbered] : series) {
        if (numbered.size() == classes.size()) return numbered;
    }
    return {};
}

bool is_set(const CsvReader& reader, std::size_t column) {
    const std::string text = loose_name(trimmed(reader[column]));
    if (text.empty() || text == "0" || text == "0.0" || text == "false") return false;
    if (text == "1" || text == "1.0" || text == "true") return true;
    throw reader.error(fmt::format("column {} is `{}`; a table of labels holds 0 and 1",
                                   reader.columns()[column], shortened(reader[column])));
}

}  // namespace

std::optional<NamedRows> parse_indicators(std::string_view text, const ClassList& classes,
                                          const std::string& source) {
    CsvReader reader(text, source);
    if (reader.find_column({"label", "labels", "PredictionString"})) return std::nullopt;
    const auto file =
        reader.find_column({"id", "path", "image", "filename", "file", "file_name", "image_path",
                            "imagename", "image_id", "ImageId", "img", "filepath"});
    const std::vector<ClassColumn> columns = class_columns(reader, file, classes);
    if (columns.size() < 2) return std::nullopt;
    std::vector<std::string_view> owner(classes.size());
    for (const ClassColumn& one : columns) {
        std::string_view& first = owner[static_cast<std::size_t>(one.label)];
        if (!first.empty()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: the columns `{}` and `{}` are both the class {}", source,
                                    first, reader.columns()[one.column],
                                    classes.id(static_cast<std::size_t>(one.label))));
        }
        first = reader.columns()[one.column];
    }
    NamedRows rows;
    std::vector<std::int32_t> set;
    while (reader.next()) {
        set.clear();
        for (const ClassColumn& one : columns) {
            if (is_set(reader, one.column)) set.push_back(one.label);
        }
        rows.rows.append(set);
        if (file) rows.keys.append(reader[*file]);
    }
    return rows;
}

}  // namespace assay
