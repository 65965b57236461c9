// Writes the columns of an exported item as a line of text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Receives the columns of an item, always in the same order. Each value is a number, a text, or
/// nothing if it is not known.
class LineFields {
public:
    virtual ~LineFields() = default;
    virtual void text(const std::string& name, std::string_view value) = 0;
    virtual void whole(const std::string& name, std::int64_t value) = 0;
    virtual void real(const std::string& name, double value) = 0;
    virtual void single(const std::string& name, float value) = 0;
    virtual void flag(const std::string& name, bool value) = 0;
    virtual void absent(const std::string& name) = 0;
    virtual void end() = 0;
    /// The columns with an item's labels and their names. As text, one label is a number, and
    /// several are numbers separated by a blank.
    virtual void labels(std::span<const std::int32_t> labels,
                        const std::vector<std::string>& names);
    /// All scores of the item; empty if it has no scores. Lines do not have this column.
    virtual void scores(std::span<const float>) {}
};

/// Writes lines of csv.
std::unique_ptr<LineFields> csv_fields(std::string& out);
/// The names of the columns: the first line of the csv.
std::unique_ptr<LineFields> csv_names(std::string& out);
/// Writes a JSON object on each line, with the keys in the order of the columns.
std::unique_ptr<LineFields> json_fields(std::string& out);

}  // namespace assay
