#include <algorithm>
#include <map>

#include "report/draw_panel.h"
#include "report/draw_ranges.h"
#include "report/draw_text.h"

namespace assay {
namespace {

bool overlap(const Box2d& a, const Box2d& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

class Marks {
public:
    Marks(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark)
        : canvas_(canvas),
          sheet_(sheet),
          panel_(panel),
          plot_(*panel.plot),
          theme_(theme_of(dark)),
          unit_(value_unit(*panel.plot)),
          radius_(0.26 * sheet.font),
          dark_(dark) {
        for (std::size_t i = 0; i < panel.categories.size(); ++i) rows_[panel.categories[i]] = i;
        std::size_t points = 0;
        for (const Series& series : plot_.series) points += series.points.size();
        if (points > 60) radius_ *= 0.8;
        if (points > 200) opacity_ = 0.6;
    }

    void draw() {
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            const Series& series = plot_.series[i];
            style_ = style_of(sheet_.series_of(series.name), dark_);
            row_ = i;
            if (series.joined || (plot_.kind == Plot::Kind::line && rows_.empty())) join(series);
            if (series.joined) continue;
            for (const Point& point : series.points) one(point);
        }
        label_points();
    }

private:
    std::optional<Place> place_of(const Point& point) const {
        if (!point.y.value || !is_drawable(*point.y.value)) return std::nullopt;
        const double value = shown_value(*point.y.value, unit_);
        if (rows_.empty()) {
            const auto* x = std::get_if<double>(&point.x);
            if (x == nullptr || !is_drawable(*x)) return std::nullopt;
            return Place{panel_.across.at(shown_value(*x, plot_.x_unit)), panel_.up.at(value)};
        }
        const auto row = row_centre(point);
        if (!row) return std::nullopt;
        return Place{panel_.across.at(value), *row};
    }

    /// Series of one category are below one another.
    std::optional<double> row_centre(const Point& point) const {
        const auto* name = std::get_if<std::string>(&point.x);
        const auto found = name == nullptr ? rows_.end() : rows_.find(*name);
        if (found == rows_.end()) return std::nullopt;
        const double n = static_cast<double>(plot_.series.size());
        return panel_.row_centre(found->second) +
               (static_cast<double>(row_) - (n - 1) / 2) * band();
    }

    /// The height of one series within a row.
    double band() const {
        return 0.8 * panel_.row_height() / static_cast<double>(plot_.series.size());
    }

    double across(double value) const { return panel_.across.at(shown_value(value, unit_)); }

    void one(const Point& point) {
        const auto place = place_of(point);
        if (!place) return undefined(point);
        const auto [x, y] = *place;
        const Stroke whisker{.colour = style_.colour, .width = 0.8, .opacity = opacity_};
        if (plot_.kind == Plot::Kind::bars && !rows_.empty()) {
            const double zero = across(0), half = 0.42 * band();
            canvas_.fill({std::min(zero, x), y - half, std::max(zero, x), y + half}, style_.colour,
                         0.85);
            if (const auto& i = point.y.interval; i && drawable(*i)) {
                canvas_.line({{across(i->low), y}, {across(i->high), y}},
                             {.colour = theme_.text, .width = 0.8});
            }
            return;
        }
        interval(point, *place, whisker);
        if (plot_.kind == Plot::Kind::boxes && point.quartiles && drawable(*point.quartiles) &&
            !rows_.empty()) {
            const double half = 0.36 * band();
            const Box2d box{across(point.quartiles->low), y - half, across(point.quartiles->high),
                            y + half};
            canvas_.fill(box, theme_.paper);
            canvas_.fill(box, style_.colour, 0.25);
            canvas_.outline(box, {.colour = style_.colour, .width = 0.8});
            canvas_.line({{x, y - half}, {x, y + half}}, {.colour = style_.colour, .width = 1.6});
            return;
        }
        canvas_.mark(style_.mark, *place, radius_, style_.colour, opacity_);
    }

    static bool drawable(const Interval& interval) {
        return is_drawable(interval.low) && is_drawable(interval.high);
    }

    void interval(const Point& point, const Place& place, const Stroke& stroke) {
        const auto [x, y] = place;
        if (const auto& i = point.y.interval; i && drawable(*i)) {
            if (rows_.empty()) {
                canvas_.line({{x, panel_.up.at(shown_value(i->low, unit_))},
                              {x, panel_.up.at(shown_value(i->high, unit_))}},
                             stroke);
            } else {
                canvas_.line({{across(i->low), y}, {across(i->high), y}}, stroke);
            }
        }
        if (const auto& i = point.x_interval; i && drawable(*i) && rows_.empty()) {
            canvas_.line({{panel_.across.at(shown_value(i->low, plot_.x_unit)), y},
                          {panel_.across.at(shown_value(i->high, plot_.x_unit)), y}},
                         stroke);
        }
    }

    /// A row without a value must not look like a skipped row.
    void undefined(const Point& point) {
        const auto row = row_centre(point);
        if (!row || !has_a_value(plot_)) return;
        const double size = std::min(0.85 * sheet_.font, 0.9 * band());
        canvas_.text("undefined", {panel_.frame.left + 0.5 * size, *row}, size, theme_.faint);
    }

    /// Lines are interrupted if there is no value.
    void join(const Series& series) {
        std::vector<Place> run;
        const auto flush = [&] {
            if (run.size() > 1) canvas_.line(run, {.colour = style_.colour, .width = 1.1});
            run.clear();
        };
        canvas_.clip(panel_.frame);
        for (const Point& point : series.points) {
            if (const auto place = place_of(point)) {
                run.push_back(*place);
            } else {
                flush();
            }
        }
        flush();
        canvas_.unclip();
    }

    /// The area that a mark and its whiskers cover, and its middle.
    struct Covered {
        Place centre;
        Box2d whole;
        std::string label;
    };

    Covered covered_by(const Point& point, const Place& place) const {
        const auto [x, y] = place;
        Covered covered{.centre = place,
                        .whole = {x - radius_, y - radius_, x + radius_, y + radius_},
                        .label = point.label};
        Box2d& box = covered.whole;
        if (const auto& i = point.y.interval; i && drawable(*i)) {
            box.top = std::min(box.top, panel_.up.at(shown_value(i->high, unit_)));
            box.bottom = std::max(box.bottom, panel_.up.at(shown_value(i->low, unit_)));
        }
        if (const auto& i = point.x_interval; i && drawable(*i)) {
            box.left = std::min(box.left, panel_.across.at(shown_value(i->low, plot_.x_unit)));
            box.right = std::max(box.right, panel_.across.at(shown_value(i->high, plot_.x_unit)));
        }
        return covered;
    }

    /// Labels are placed next to their marks, if no text overlaps another one or a mark.
    void label_points() {
        if (!rows_.empty()) return;
        std::vector<Covered> labelled;
        std::vector<Box2d> taken;
        for (const Series& series : plot_.series) {
            if (series.joined) continue;
            for (const Point& point : series.points) {
                const auto place = place_of(point);
                if (!place) continue;
                Covered covered = covered_by(point, *place);
                const auto [x, y] = *place;
                const Box2d& box = covered.whole;
                taken.push_back({box.left, y - radius_, box.right, y + radius_});
                taken.push_back({x - radius_, box.top, x + radius_, box.bottom});
                if (!point.label.empty()) labelled.push_back(std::move(covered));
            }
        }
        constexpr std::size_t most_labels = 40;
        if (labelled.size() > most_labels) return;
        for (const Covered& covered : labelled) label(covered, taken);
    }

    /// Uses the first free place of some candidates. If there is none, the label is not drawn.
    void label(const Covered& covered, std::vector<Box2d>& taken) {
        const double size = 0.85 * sheet_.font, half = 0.5 * size, away = 0.3 * size;
        const std::string text = canvas_.fitted(plot_text(covered.label), size, 12 * sheet_.font);
        const double width = canvas_.text_width(text, size);
        const auto [x, y] = covered.centre;
        const Box2d& mark = covered.whole;
        const double near = radius_ + away;
        const Place starts[] = {{mark.right + away, y},
                                {mark.left - away - width, y},
                                {x + near, y + near + 0.3 * size},
                                {x - near - width, y - near - 0.3 * size},
                                {x + near, y - near - 0.3 * size},
                                {x - near - width, y + near + 0.3 * size},
                                {x - width / 2, mark.top - away - half},
                                {x - width / 2, mark.bottom + away + half}};
        const Box2d& f = panel_.frame;
        for (const auto& [left, middle] : starts) {
            const Box2d box{left, middle - half, left + width, middle + half};
            const bool inside = box.left >= f.left && box.right <= f.right && box.top >= f.top &&
                                box.bottom <= f.bottom;
            if (!inside || std::any_of(taken.begin(), taken.end(),
                                       [&](const Box2d& other) { return overlap(box, other); }))
                continue;
            canvas_.text(text, {left, middle}, size, theme_.text);
            taken.push_back(box);
            return;
        }
    }

    Canvas& canvas_;
    const PlotSheet& sheet_;
    const PlotPanel& panel_;
    const Plot& plot_;
    Theme theme_;
    Unit unit_;
    double radius_, opacity_ = 1;
    bool dark_;
    SeriesStyle style_;
    std::size_t row_ = 0;
    std::map<std::string, std::size_t> rows_;
};

}  // namespace

void draw_marks(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark) {
    Marks(canvas, sheet, panel, dark).draw();
}

}  // namespace assay
