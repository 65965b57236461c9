// The two tables of boxes: one box per row, and the challenge's solutions with all boxes of an
// image in one cell.
#include <fmt/format.h>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/text.h"
#include "patchml/box_readers.h"

namespace assay {
namespace {

std::uint32_t line_of(const CsvReader& reader) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(reader.line(), UINT32_MAX));
}

/// Removes and returns the next word of `text`; "" at the end.
std::string_view next_word(std::string_view& text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        text = {};
        return {};
    }
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    return word;
}

void read_prediction(std::string_view cell, std::uint32_t line, BoxListBuilder& out) {
    bool any = false;
    for (std::string_view cls = next_word(cell); !cls.empty(); cls = next_word(cell)) {
        any = true;
        std::array<double, 4> corners{};
        std::string problem;
        for (double& corner : corners) {
            const std::string_view word = next_word(cell);
            if (word.empty()) {
                return out.reject(
                    BoxFault::damaged_annotation, "line", line, cls,
                    "the PredictionString ends in the middle of a box (class and four numbers)");
            }
            const auto value = parse_corner(word);
            if (!value && problem.empty())
                problem = fmt::format("`{}` is not a number", shortened(word));
            corner = value.value_or(0);
        }
        if (problem.empty()) {
            out.row(cls, line, corners);
        } else {
            out.reject(BoxFault::bad_number, "line", line, cls, problem);
        }
    }
    out.list().without_boxes += !any;
}

}  // namespace

bool is_solution(std::string_view text, const std::string& source) {
    return CsvReader(text, source).find_column({"PredictionString"}).has_value();
}

void parse_solution(std::string_view text, const std::string& source, BoxListBuilder& out) {
    CsvReader reader(text, source);
    const std::size_t image = reader.column({"ImageId", "image", "path", "filename"});
    const std::size_t boxes = reader.column({"PredictionString"});
    while (reader.next()) {
        if (trimmed(reader[image]).empty()) throw reader.error("no ImageId");
        out.image(trimmed(reader[image]));
        read_prediction(reader[boxes], line_of(reader), out);
    }
}

void parse_box_csv(std::string_view text, const std::string& source, BoxListBuilder& out) {
    CsvReader reader(text, source);
    const std::size_t image =
        reader.column({"image", "path", "filename", "file", "file_name", "picture", "ImageId"});
    const std::size_t cls = reader.column({"class", "label", "wnid", "category", "name"});
    const std::array<std::size_t, 4> columns = {reader.column({"xmin", "x_min", "x1", "left"}),
                                                reader.column({"ymin", "y_min", "y1", "top"}),
                                                reader.column({"xmax", "x_max", "x2", "right"}),
                                                reader.column({"ymax", "y_max", "y2", "bottom"})};
    while (reader.next()) {
        const std::string_view name = trimmed(reader[image]);
        if (name.empty()) throw reader.error(fmt::format("no {}", reader.columns()[image]));
        out.image(name);
        std::array<double, 4> corners{};
        std::string problem;
        for (std::size_t i = 0; i < 4; ++i) {
            const auto value = parse_corner(reader[columns[i]]);
            if (!value && problem.empty()) {
                problem = fmt::format("{} is `{}`", reader.columns()[columns[i]],
                                      shortened(reader[columns[i]]));
            }
            corners[i] = value.value_or(0);
        }
        if (problem.empty()) {
            out.row(trimmed(reader[cls]), line_of(reader), corners);
        } else {
            out.reject(BoxFault::bad_number, "line", line_of(reader), trimmed(reader[cls]),
                       problem);
        }
    }
}

}  // namespace assay
