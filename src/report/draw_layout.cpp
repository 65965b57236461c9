#include "report/draw_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "report/draw_ranges.h"
#include "report/draw_text.h"

namespace assay {
namespace {

constexpr double points_per_mm = 72 / 25.4;
constexpr double column_of_a_paper = 85, two_columns = 178;

/// All lengths that depend on the font size.
struct Lengths {
    double font;
    double edge() const { return 0.5 * font; }       // space around the sheet
    double line() const { return 1.5 * font; }       // of text
    double tick_room() const { return 0.7 * font; }  // space between an axis and its texts
    double gap() const { return 2.2 * font; }        // between panels
};

bool has_cells(const Plot& plot) {
    return plot.kind == Plot::Kind::cells;
}

bool has_negative_cells(const Plot& plot) {
    return has_cells(plot) &&
           std::any_of(plot.series.begin(), plot.series.end(), [](const Series& series) {
               return std::any_of(series.points.begin(), series.points.end(),
                                  [](const Point& p) { return p.y.value.value_or(0) < 0; });
           });
}

/// The smallest width of a cell relative to the font size, for three digits.
constexpr double cell_letters = 1.9;

bool are_shared(std::span<const Plot> plots) {
    return std::all_of(plots.begin(), plots.end(), [&](const Plot& plot) {
        const Plot& first = plots.front();
        if (has_cells(plot)) return false;
        return plot.x_title == first.x_title && plot.y_title == first.y_title &&
               plot.x_unit == first.x_unit && plot.equal == first.equal &&
               categories_of(plot).empty() == categories_of(first).empty();
    });
}

double widest(const std::vector<std::string>& texts, double size, const TextMeasure& measure) {
    double most = 0;
    for (const std::string& text : texts) most = std::max(most, measure(text, size));
    return most;
}

/// Uses as many as fit next to one another with space between them.
AxisTicks ticks_across(const AxisRange& range, double width, double font,
                       const TextMeasure& measure) {
    for (std::size_t most = 8; most > 2; --most) {
        AxisTicks ticks = ticks_of(range, most);
        const double needed = (widest(ticks.texts, font, measure) + 1.2 * font);
        if (needed * static_cast<double>(ticks.at.size()) <= width) return ticks;
    }
    return ticks_of(range, 2);
}

void check_counts(std::span<const Plot> plots, std::size_t series) {
    if (plots.empty()) throw Error(ErrorCode::usage, "no plot to draw");
    if (plots.size() > most_plots) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} plots; the limit is {}: select some with --model or --dataset",
                                plots.size(), most_plots));
    }
    if (series > most_series) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} series; the limit is {}: select some with --model or --top",
                                series, most_series));
    }
    for (const Plot& plot : plots) {
        const std::size_t names = categories_of(plot).size();
        if (names > most_categories) {
            throw Error(
                ErrorCode::usage,
                fmt::format(
                    "{} rows in one plot; the limit is {}: select some with --model or --top",
                    names, most_categories));
        }
        if (has_cells(plot) && plot.series.size() > most_categories + 1) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} columns in one plot; at most {} can be read: choose with "
                                    "--top",
                                    plot.series.size(), most_categories));
        }
    }
}

class Sheet {
public:
    Sheet(std::span<const Plot> plots, const DrawOptions& options, const TextMeasure& measure)
        : plots_(plots), options_(options), measure_(measure), length_{options.font} {
        sheet_.font = options.font;
        for (const Plot& plot : plots) {
            if (has_cells(plot)) continue;  // a series is a column, which has its name below it
            for (const Series& series : plot.series) {
                auto& names = sheet_.series;
                if (std::find(names.begin(), names.end(), series.name) == names.end())
                    names.push_back(series.name);
            }
        }
        check_counts(plots, sheet_.series.size());
        shared_ = are_shared(plots);
        ranges_ = ranges_of(plots);
    }

    PlotSheet made() {
        choose_columns();
        const double legend_top = length_.edge();
        const double legend = lay_out_legend(sheet_, plots_, length_.edge(), legend_top,
                                             sheet_.width - 2 * length_.edge(), measure_) +
                              cell_scale_height(legend_top);
        for (const Plot& plot : plots_) add_panel(plot);
        place_frames(legend_top + legend);
        add_titles();
        return std::move(sheet_);
    }

private:
    /// The smallest width of a panel. Cells need space for their numbers, and names to their left.
    double least_width() const {
        double least = 13 * options_.font;
        for (const Plot& plot : plots_) {
            if (!has_cells(plot)) continue;
            const double columns = static_cast<double>(plot.series.size());
            least = std::max(least, (cell_letters * columns + 9) * options_.font);
        }
        return least;
    }

    /// The text at the beginning of the color scale is to the left of the panels.
    double cell_scale_height(double top) {
        if (std::none_of(plots_.begin(), plots_.end(), has_cells)) return 0;
        const double font = options_.font, left = length_.edge() + 1.5 * font;
        const double width = std::min(8 * font, 0.3 * sheet_.width);
        sheet_.cell_scale = Box2d{left, top + 0.25 * font, left + width, top + 1.05 * font};
        // Of a confusion matrix, a cell is a part of its row.
        const bool of_rows = std::all_of(plots_.begin(), plots_.end(), [](const Plot& plot) {
            return !has_cells(plot) || plot.y_title.starts_with("true class");
        });
        sheet_.cell_scale_end = of_rows ? "100 % of the true class" : "1";
        sheet_.cell_scale_signed = std::any_of(plots_.begin(), plots_.end(), has_negative_cells);
        return length_.line();
    }

    void choose_columns() {
        const double least = least_width();
        const double mm = options_.width > 0 ? options_.width
                          : plots_.size() > 2 || least > column_of_a_paper * points_per_mm
                              ? two_columns
                              : column_of_a_paper;
        sheet_.width = mm * points_per_mm;
        const auto most = static_cast<std::size_t>(std::max(1.0, sheet_.width / least));
        const std::size_t n = plots_.size();
        const std::size_t columns = std::min({n, most, std::size_t{5}});
        rows_ = (n + columns - 1) / columns;
        columns_ = (n + rows_ - 1) / rows_;
    }

    void add_panel(const Plot& plot) {
        PlotPanel panel;
        panel.plot = &plot;
        panel.categories = categories_of(plot);
        const PlotRanges ranges = shared_ ? ranges_ : ranges_of(std::span<const Plot>(&plot, 1));
        panel.across.range = panel.categories.empty() ? ranges.x : ranges.y;
        panel.up.range = ranges.y;
        if (has_cells(plot)) {
            std::vector<std::string> names;
            for (const Series& series : plot.series) names.push_back(plot_text(series.name));
            const double share = sheet_.width / static_cast<double>(columns_);
            const double name = widest(names, options_.font, measure_);
            // Rows have names of the same length.
            const double longest = std::min(name, 0.4 * share);
            const double room = share - longest - 5 * options_.font;
            panel.names_upwards = name * static_cast<double>(names.size()) > 0.9 * room;
            panel.column_room = panel.names_upwards ? longest : options_.font;
        }
        sheet_.panels.push_back(std::move(panel));
    }

    bool rows_are_shared() const {
        return std::all_of(sheet_.panels.begin(), sheet_.panels.end(), [&](const PlotPanel& p) {
            return shared_ && p.categories == sheet_.panels.front().categories;
        });
    }

    /// The space to the left of a panel that has its own names or numbers.
    double room_left(PlotPanel& panel, double frame_height) const {
        const double font = options_.font;
        if (!panel.categories.empty()) {
            std::vector<std::string> names;
            for (const std::string& name : panel.categories) names.push_back(plot_text(name));
            const double share = sheet_.width / static_cast<double>(columns_);
            panel.category_room =
                std::min(widest(names, font, measure_),
                         std::max(0.4 * share, rows_are_shared() ? 0.28 * sheet_.width : 0.0));
            return panel.category_room + length_.tick_room();
        }
        const double most = std::clamp(frame_height / (1.8 * font), 2.0, 8.0);
        panel.up_ticks = ticks_of(panel.up.range, static_cast<std::size_t>(most));
        return widest(panel.up_ticks.texts, font, measure_) + length_.tick_room();
    }

    double natural_height(const PlotPanel& panel, double width) const {
        // Cells are as high as they are wide, if that is enough for a line of text.
        if (has_cells(*panel.plot) && !panel.plot->series.empty())
            return std::max(width / static_cast<double>(panel.plot->series.size()),
                            1.2 * options_.font) *
                   static_cast<double>(panel.categories.size());
        if (panel.categories.empty()) return panel.plot->equal ? width : 0.7 * width;
        const double series =
            static_cast<double>(std::max<std::size_t>(panel.plot->series.size(), 1));
        const double row = options_.font * std::max(1.5, 0.9 * series);
        return row * static_cast<double>(panel.categories.size()) + 0.5 * options_.font;
    }

    bool has_title(const Plot& plot) const {
        return !plot.title.empty() && (options_.title || plots_.size() > 1);
    }

    void place_frames(double top) {
        const double font = options_.font;
        const bool value_title = std::any_of(plots_.begin(), plots_.end(), [](const Plot& plot) {
            return !plot.y_title.empty() && (has_cells(plot) || categories_of(plot).empty());
        });
        const double title_left = value_title ? length_.line() : 0;
        double below_text = length_.line();
        const double below_title = length_.line();
        const bool titled = std::any_of(plots_.begin(), plots_.end(),
                                        [&](const Plot& plot) { return has_title(plot); });
        const double above = titled ? 1.6 * font : 0.4 * font;
        const double rows = static_cast<double>(rows_), columns = static_cast<double>(columns_);
        for (const PlotPanel& panel : sheet_.panels)
            below_text = std::max(below_text, panel.column_room + length_.tick_room());
        const bool one_left =
            shared_ && (sheet_.panels.front().categories.empty() || rows_are_shared());
        const double between_rows = shared_ ? 0.5 * font : below_text + below_title;
        const double fixed_height = top + rows * above + (rows - 1) * between_rows + below_text +
                                    below_title + length_.edge();
        const double given = options_.height * points_per_mm;
        double height =
            given > 0 ? (given - fixed_height) / rows : 0.6 * (sheet_.width / columns - 4 * font);
        double left = 0;
        for (PlotPanel& panel : sheet_.panels) left = std::max(left, room_left(panel, height));
        const double inner = length_.gap() + (one_left ? 0 : left + (shared_ ? 0 : title_left));
        const double right = length_.edge() + 0.8 * font;  // half of the last tick's text
        const double width =
            (sheet_.width - length_.edge() - title_left - left - (columns - 1) * inner - right) /
            columns;
        if (given <= 0) {
            height = 0;
            for (const PlotPanel& panel : sheet_.panels)
                height = std::max(height, natural_height(panel, width));
        }
        if (width < 3 * font || height < 2 * font) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} by {} mm leaves no room for {} plots with letters of {} "
                                    "points: make the figure larger, or select some with --model",
                                    std::lround(sheet_.width / points_per_mm), options_.height,
                                    plots_.size(), font));
        }
        sheet_.height = fixed_height + rows * height;
        for (std::size_t i = 0; i < sheet_.panels.size(); ++i) {
            PlotPanel& panel = sheet_.panels[i];
            const std::size_t row = i / columns_, column = i % columns_;
            const double x =
                length_.edge() + title_left + left + static_cast<double>(column) * (width + inner);
            const double y =
                top + above + static_cast<double>(row) * (height + above + between_rows);
            panel.frame = {x, y, x + width, y + height};
            panel.up_texts = column == 0 || !one_left;
            panel.across_texts = !shared_ || i + columns_ >= sheet_.panels.size();
            panel.across.from = x;
            panel.across.to = x + width;
            panel.up.from = y + height;
            panel.up.to = y;
            panel.across_ticks = ticks_across(panel.across.range, width, font, measure_);
            if (panel.plot->equal) panel.up_ticks = panel.across_ticks;
        }
    }

    void add_titles() {
        const double font = options_.font;
        Box2d all = sheet_.panels.front().frame;
        for (const PlotPanel& panel : sheet_.panels) {
            all.right = std::max(all.right, panel.frame.right);
            all.bottom = std::max(all.bottom, panel.frame.bottom);
        }
        for (const PlotPanel& panel : sheet_.panels) {
            if (has_title(*panel.plot)) {
                sheet_.texts.push_back({.text = plot_text(panel.plot->title),
                                        .place = {panel.frame.left, panel.frame.top - 0.75 * font},
                                        .align = TextAlign::start,
                                        .room = panel.frame.width() + 0.8 * font});
            }
            if (!shared_) add_axis_titles(panel, panel.frame);
        }
        if (shared_) add_axis_titles(sheet_.panels.front(), all);
    }

    void add_axis_titles(const PlotPanel& panel, const Box2d& box) {
        const Plot& plot = *panel.plot;
        const bool cells = has_cells(plot), rows = !panel.categories.empty() && !cells;
        const Unit unit = value_unit(plot);
        const double x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
        const std::string below = plot_text(rows ? axis_title(plot.y_title, unit)
                                                 : axis_title(plot.x_title, plot.x_unit));
        // The title is centered on the axis if it fits on the sheet.
        const double room = sheet_.width - 2 * length_.edge();
        const double half = std::min(measure_(below, options_.font), room) / 2;
        const double middle =
            std::clamp(x, length_.edge() + half,
                       std::max(sheet_.width - length_.edge() - half, length_.edge() + half));
        sheet_.texts.push_back(
            {.text = below,
             .place = {middle, box.bottom + std::max(2.1 * length_.line() - 0.4 * options_.font,
                                                     panel.column_room + 1.4 * options_.font)},
             .room = room});
        if (rows) return;
        const double away = cells ? panel.category_room + 1.4 * options_.font : 4 * options_.font;
        const double left = shared_ ? length_.edge() + 0.5 * options_.font : box.left - away;
        sheet_.texts.push_back(
            {.text = plot_text(cells ? plot.y_title : axis_title(plot.y_title, unit)),
             .place = {left, y},
             .upwards = true,
             .room = sheet_.height - 2 * length_.edge()});
    }

    std::span<const Plot> plots_;
    const DrawOptions& options_;
    const TextMeasure& measure_;
    Lengths length_;
    PlotSheet sheet_;
    PlotRanges ranges_;
    bool shared_ = true;
    std::size_t rows_ = 1, columns_ = 1;
};

}  // namespace

double PlotPanel::row_height() const {
    return categories.empty() ? 0 : frame.height() / static_cast<double>(categories.size());
}

double PlotPanel::column_width() const {
    return plot->series.empty() ? 0 : frame.width() / static_cast<double>(plot->series.size());
}

double PlotPanel::row_centre(std::size_t category) const {
    return frame.top + (static_cast<double>(category) + 0.5) * row_height();
}

std::size_t PlotSheet::series_of(std::string_view name) const {
    return static_cast<std::size_t>(std::find(series.begin(), series.end(), name) - series.begin());
}

PlotSheet lay_out(std::span<const Plot> plots, const DrawOptions& options,
                  const TextMeasure& measure) {
    return Sheet(plots, options, measure).made();
}

}  // namespace assay
