// The output of a command as data: sections of typed tables, plots and text, with notes and
// warnings, and the result in its own schema.
//
// The library builds a report from a result and passes it to a renderer (render()). Renderers
// compute no numbers. Builders format none: cells hold values, and the renderer decides on digits,
// percent signs and column widths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/estimate.h"

namespace assay {

/// A number of items, images or models: 50,000 for people, 50000 for programs.
struct Count {
    std::uint64_t value = 0;
};
/// A plain number. `digits` is the number of decimals for people; if it is negative, as many as
/// needed. Programs get all digits.
struct Number {
    double value = 0;
    Unit unit = Unit::number;
    int digits = -1;
    bool sign = false;  ///< people see "+1.2" for a value above 0
    /// Half of an interval, or a spread, which determines the digits if `digits` is negative. 0 if
    /// not known.
    double uncertainty = 0;
};
struct PValue {
    double value = 1;
};
/// A proportion in [0, 1] drawn as a bar of `width` characters. Programs get nothing.
struct Bar {
    double value = 0;
    int width = 12;
};

/// std::monostate is an empty cell ("" in every format).
using Cell = std::variant<std::monostate, std::string, Count, Number, Estimate, PValue, bool, Bar>;

struct Column {
    /// The form of a cell with an Estimate. Other cells ignore this.
    enum class Show {
        value,               ///< 76.13
        value_and_half,      ///< 76.13 ±0.37; both ends if the sides differ
        interval,            ///< 75.76 – 76.50
        value_and_interval,  ///< 76.13 (75.76 – 76.50)
        every_part,  ///< programs get value, low and high in separate columns: name, name_low,
                     ///< name_high
    };
    std::string name;
    bool numbers = true;  ///< right-aligned, as numbers are
    Show show = Show::value;
    bool sign = false;  ///< differences: "+1.2"
};

struct Table {
    std::string title;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>>
        rows;  ///< a row may be shorter than the columns; an empty row draws a line between groups
    std::vector<std::string> notes;  ///< whole sentences below the table

    /// Adds a row. Throws internal for more cells than columns.
    void add(std::vector<Cell> cells);
    void rule() { rows.emplace_back(); }
};

/// One point of a series. `x` is a number or the name of a category.
struct Point {
    std::variant<double, std::string> x;
    Estimate y;
    std::string label;
    std::optional<Interval> x_interval;
    std::optional<Interval> quartiles;  ///< for boxes: y is the median and its interval the
                                        ///< whiskers; points without quartiles are outliers
};
struct Series {
    std::string name;
    std::vector<Point> points;
    bool joined = false;  ///< in a scatter plot: draw a line through the points, without marks
};
struct Plot {
    /// Cells are a grid with a row for each category and a column for each series. The color of a
    /// cell shows its value, a proportion, and its text is the point's label.
    enum class Kind { scatter, line, bars, boxes, cells };
    Kind kind = Kind::scatter;
    std::string title, x_title, y_title;
    std::vector<Series> series;
    Unit x_unit = Unit::number;
    bool equal = false;  ///< both axes share one range, and the line y = x is drawn
};

/// A part of a section, in reading order. A string is a paragraph.
using Block = std::variant<std::string, Table, Plot>;

struct Section {
    std::string title;  ///< "" for a report with only one section
    std::vector<Block> blocks;
    std::vector<Section> sections;
};

/// A value with the name under which experiment trackers record it (assay/report/log.h).
struct NamedValue {
    /// From general to specific: {"val", "resnet50", "top1"} names the data set, the model and the
    /// metric.
    std::vector<std::string> name;
    Estimate value;
};

/// A condition that a result must meet, and whether it did.
struct GateOutcome {
    std::string gate;             ///< the user's text: "low(top1) >= 0.75"
    std::string model, dataset;   ///< the model and data set of the value; for a pair, those of the
                                  ///< candidate
    std::string baseline;         ///< the baseline of a pair, else ""
    std::string definition;       ///< the definition of the measured metric
    Estimate measured;            ///< the complete estimate, even if the gate checks only one end
                                  ///< of it
    std::optional<double> found;  ///< the number compared with the bound: the value, or an end of
                                  ///< its interval
    double bound = 0;
    std::string reason;  ///< reason for a missing number, which fails the gate
    bool passed = false;
};

struct Report {
    std::string title;
    std::vector<Section> sections;
    std::vector<NamedValue> values = {};  ///< the measured values, each under its own name
    /// Readers see a table of them after the sections. In Markdown it comes first, so that such a
    /// page begins with the result.
    std::vector<GateOutcome> gates = {};
    /// The result as one flat table, with one row for each measured thing. CSV contains this table.
    /// Column names are those of the JSON, in lower case with underscores. If it has no columns,
    /// CSV contains the first table of the sections.
    Table records;
    /// The result in its own schema, which docs/formats.md documents. JSON contains this object.
    /// Its "schema" is set.
    nlohmann::json result;
    std::vector<std::string> warnings;
    bool partial = false;  ///< something is missing from the result

    /// Adds the estimates of `records` to `values`. Each name is `group`, then the text at the
    /// start of its row, then its column.
    void name_records(const std::string& group);
};

enum class ReportFormat { text, csv, json, markdown, latex };
/// Returns "text", "csv", "json", "md" or "latex".
std::string_view name_of(ReportFormat);
/// Throws usage, and lists the known names.
ReportFormat report_format_named(std::string_view name);
const std::vector<std::string>& report_format_names();
/// The format for a file's extension: .csv, .json, .md, .tex. Nothing for any other extension.
std::optional<ReportFormat> report_format_of(const std::filesystem::path& file);

struct RenderOptions {
    bool colour = false;    ///< for text: bold headings and dim rules
    std::size_t width = 0;  ///< text: fold tables that are wider than this many columns; 0 allows
                            ///< any width
};
/// The text ends with a newline. Cost: linear in the report.
std::string render(const Report& report, ReportFormat format, const RenderOptions& options = {});

/// Formats "76.13" or "0.01234": half of the interval's width determines the digits. Proportions
/// are in percent.
std::string number_text(double value, double half_width, Unit unit);
/// Formats a p-value: "< 1e-6", "0.013".
std::string p_value_text(double p);
/// Formats 1234567 as "1,234,567".
std::string count_text(std::uint64_t n);

}  // namespace assay
