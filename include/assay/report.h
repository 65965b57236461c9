// What a command has to say, as data: sections of typed tables, plots and text, with notes and
// warnings, beside the result itself in its own schema.
//
// A report is built by the library from a result and handed to a renderer (render()). No renderer
// computes a number, and nothing that builds a report writes one out: cells hold values, and the
// renderer decides on digits, percent signs and column widths.
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

/// Items, images, models: 50,000 for people, 50000 for programs.
struct Count {
    std::uint64_t value = 0;
};
/// A plain number. `digits` after the point for people; negative: as many as it needs. Programs get
/// all.
struct Number {
    double value = 0;
    Unit unit = Unit::number;
    int digits = -1;
    bool sign = false;  ///< people see "+1.2" for what is above 0
    /// Where `digits` is negative: as many as this half of an interval, or spread, deserves; 0: not
    /// known.
    double uncertainty = 0;
};
struct PValue {
    double value = 1;
};
/// A proportion in [0, 1] drawn as a bar of `width` characters; nothing for programs.
struct Bar {
    double value = 0;
    int width = 12;
};

/// std::monostate: there is nothing to say ("" for all).
using Cell = std::variant<std::monostate, std::string, Count, Number, Estimate, PValue, bool, Bar>;

struct Column {
    /// How a cell that holds an Estimate is shown; other cells do not look at it.
    enum class Show {
        value,               ///< 76.13
        value_and_half,      ///< 76.13 ±0.37
        interval,            ///< 75.76 – 76.50
        value_and_interval,  ///< 76.13 (75.76 – 76.50)
        every_part,  ///< programs: value, low and high in columns of their own: name, name_low,
                     ///< name_high
    };
    std::string name;
    bool numbers = true;  ///< aligned to the right
    Show show = Show::value;
    bool sign = false;  ///< differences: "+1.2"
};

struct Table {
    std::string title;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>>
        rows;  ///< may be shorter than the columns; an empty row is a line between groups
    std::vector<std::string> notes;  ///< whole sentences below the table

    /// Throws internal for more cells than columns.
    void add(std::vector<Cell> cells);
    void rule() { rows.emplace_back(); }
};

/// One point of a series; `x` is a number, or the name of a category.
struct Point {
    std::variant<double, std::string> x;
    Estimate y;
    std::string label;
    std::optional<Interval> x_interval;
    std::optional<Interval> quartiles;  ///< of boxes: y is the median, its interval the whiskers;
                                        ///< points without them are outliers
};
struct Series {
    std::string name;
    std::vector<Point> points;
    bool joined = false;  ///< of a scatter: a line through the points, without marks
};
struct Plot {
    /// Cells: a row for each category and a column for each series. The colour is the value, a
    /// proportion, and the text of a cell is the point's label.
    enum class Kind { scatter, line, bars, boxes, cells };
    Kind kind = Kind::scatter;
    std::string title, x_title, y_title;
    std::vector<Series> series;
    Unit x_unit = Unit::number;
    bool equal = false;  ///< both axes have one range, and y = x is drawn
};

/// Part of a section, in the order in which it is read; a string is a paragraph.
using Block = std::variant<std::string, Table, Plot>;

struct Section {
    std::string title;  ///< "" for the only one
    std::vector<Block> blocks;
    std::vector<Section> sections;
};

/// A value under the name that trackers of experiments keep it by (assay/report/log.h).
struct NamedValue {
    /// From the outside in: {"val", "resnet50", "top1"} is the data set, the model, the metric.
    std::vector<std::string> name;
    Estimate value;
};

/// A condition that a result must meet, and what came of it.
struct GateOutcome {
    std::string gate;             ///< as it was written: "low(top1) >= 0.75"
    std::string model, dataset;   ///< whose value it is about; of a pair: the candidate's
    std::string baseline;         ///< of a pair, else ""
    std::string definition;       ///< of what was measured
    Estimate measured;            ///< all of it, whichever part the gate is about
    std::optional<double> found;  ///< what was held against the bound: the value, or an end of its
                                  ///< interval
    double bound = 0;
    std::string reason;  ///< why nothing was found, which breaks the gate
    bool passed = false;
};

struct Report {
    std::string title;
    std::vector<Section> sections;
    std::vector<NamedValue> values = {};  ///< what was measured, each under a name of its own
    /// People see them as a table after the sections, or before them where a page begins with what
    /// matters (Markdown).
    std::vector<GateOutcome> gates = {};
    /// The result as one flat table, a row for each thing that was measured: what CSV holds. Column
    /// names are those of the JSON, in lower case with underscores. Empty (no columns): the first
    /// table of the sections.
    Table records;
    /// The result in its own schema, documented in docs/formats.md: what JSON holds. Its "schema"
    /// is set.
    nlohmann::json result;
    std::vector<std::string> warnings;
    bool partial = false;  ///< something that should have been in the result is not

    /// Adds the estimates of `records` to `values`: under `group`, the text that its row begins
    /// with, and its column.
    void name_records(const std::string& group);
};

enum class ReportFormat { text, csv, json, markdown, latex };
/// "text", "csv", "json", "md", "latex".
std::string_view name_of(ReportFormat);
/// Throws usage with the known names.
ReportFormat report_format_named(std::string_view name);
const std::vector<std::string>& report_format_names();
/// By a file's ending: .csv, .json, .md, .tex; nothing for any other.
std::optional<ReportFormat> report_format_of(const std::filesystem::path& file);

struct RenderOptions {
    bool colour = false;    ///< text: bold headings, dim rules
    std::size_t width = 0;  ///< text: columns to fold wide tables at; 0: any width
};
/// Ends with a line end. Cost: linear in the report.
std::string render(const Report& report, ReportFormat format, const RenderOptions& options = {});

/// "76.13", "0.01234": with as many digits as half the width of its interval deserves; in percent
/// for proportions.
std::string number_text(double value, double half_width, Unit unit);
/// "< 1e-6", "0.013".
std::string p_value_text(double p);
/// 1234567 -> "1,234,567".
std::string count_text(std::uint64_t n);

}  // namespace assay
