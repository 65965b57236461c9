#include "data/table_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "containers/arrow/arrow_csv.h"
#include "containers/at_place.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/parquet/file_names.h"
#include "data/parquet/parquet_table.h"

namespace assay {
namespace {

/// Converts JSON lines, each an object, to csv.
class LinesAsCsv {
public:
    LinesAsCsv(std::string_view text, std::string source)
        : text_(text), source_(std::move(source)) {}

    TableText write() {
        each_object([&](const nlohmann::json& object, std::size_t) {
            for (const auto& [name, value] : object.items())
                (value.is_structured() ? lists_ : names_).add(name);
        });
        std::vector<std::string>& columns = names_.in_order;
        std::erase_if(columns,
                      [&](const std::string& name) { return lists_.known.contains(name); });
        if (columns.empty()) refuse(source_ + ": no line has a text or a number");
        TableText table;
        table.added_lines = 1;
        CsvWriter csv(table.text);
        csv.row(columns);
        std::size_t written = 0;
        each_object([&](const nlohmann::json& object, std::size_t number) {
            table.text.append(number - written - 1, '\n');  // keeps empty lines
            written = number;
            for (const std::string& name : columns) {
                const auto value = object.find(name);
                csv.field(value == object.end() ? "" : cell_of(*value));
            }
            csv.end_row();
        });
        for (const std::string& name : lists_.in_order) {
            table.left_out += fmt::format("{}{} (a list or an object)",
                                          table.left_out.empty() ? "" : ", ", shortened(name));
        }
        return table;
    }

private:
    struct Keys {
        std::vector<std::string> in_order{};
        std::unordered_set<std::string> known{};

        void add(const std::string& name) {
            constexpr std::size_t most_names = 10'000;
            if (known.contains(name)) return;
            if (in_order.size() == most_names)
                refuse(fmt::format("the lines have more than {} keys", most_names));
            known.insert(name);
            in_order.push_back(name);
        }
    };

    static std::string cell_of(const nlohmann::json& value) {
        if (value.is_null()) return "";
        if (value.is_string()) return value.get<std::string>();
        if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
        return value.dump();
    }

    /// Calls visit(object, number of its line) for each line.
    template <class Visit>
    void each_object(Visit&& visit) const {
        constexpr int deepest = 16;
        for_each_line(text_, [&](std::string_view line, std::size_t number) {
            if (trimmed(line).empty()) return;
            at_place([&] { return fmt::format("{} line {}", source_, number); },
                     [&] {
                         const nlohmann::json object = parse_json_line(line, deepest);
                         if (!object.is_object())
                             refuse("the line is not an object {\"file_name\": ...}");
                         visit(object, number);
                     });
        });
    }

    std::string_view text_;
    std::string source_;
    Keys names_, lists_;
};

TableText read_arrow_table(const std::filesystem::path& path, std::uint64_t most_bytes) {
    return at_place([&] { return path.filename().string(); },
                    [&] {
                        TableText table;
                        table.added_lines = 1;  // rows count from 1
                        const MappedFile file(path);
                        const auto left_out =
                            arrow::write_csv(file.bytes(), [&](std::string_view piece) {
                                if (piece.size() > most_bytes - table.text.size())
                                    refuse(fmt::format("more than {} bytes of text", most_bytes));
                                table.text += piece;
                            });
                        table.left_out = fmt::format("{}", fmt::join(left_out, ", "));
                        return table;
                    });
}

}  // namespace

bool has_table_extension(const std::filesystem::path& path) {
    const std::string extension = lower_extension(path.string());
    return extension == ".csv" || extension == ".tsv" || extension == ".jsonl" ||
           parquet::has_parquet_extension(path) || arrow::has_table_ending(extension);
}

TableText read_table_text(const std::filesystem::path& path, std::uint64_t most_bytes) {
    if (parquet::has_parquet_extension(path)) return parquet::read_table(path, most_bytes);
    if (arrow::has_table_ending(lower_extension(path.string())))
        return read_arrow_table(path, most_bytes);
    std::string text = read_text(path, most_bytes);
    if (lower_extension(path.string()) != ".jsonl") return {std::move(text), {}, 0};
    return LinesAsCsv(text, path.filename().string()).write();
}

}  // namespace assay
