#include "assay/report/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/error.h"
#include "core/text.h"
#include "report/draw_canvas.h"
#include "report/draw_layout.h"
#include "report/draw_page.h"
#include "report/draw_panel.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> plot_format_names = {"svg", "pdf", "png"};

void draw_legend(Canvas& canvas, const PlotSheet& sheet, bool dark) {
    const Theme theme = theme_of(dark);
    for (const LegendItem& item : sheet.legend) {
        const auto [x, y] = item.place;
        const SeriesStyle style = style_of(item.series, dark);
        if (item.joined) {
            canvas.line({{x, y}, {x + item.sample, y}}, {.colour = style.colour, .width = 1.1});
        }
        if (item.marked)
            canvas.mark(style.mark, {x + item.sample / 2, y}, 0.28 * sheet.font, style.colour);
        canvas.text(item.text, {x + item.sample + 0.4 * sheet.font, y}, sheet.font, theme.text);
    }
}

void check_pixels(double width, double height, const DrawOptions& options) {
    constexpr double most_pixels = 1e8;
    const double scale = options.dpi / 72.0;
    const double pixels = width * scale * height * scale;
    constexpr double longest = 30'000;
    const double side = std::max(width, height) * scale;
    if (pixels <= most_pixels && side <= longest) return;
    const std::string found =
        pixels > most_pixels
            ? fmt::format("{:.0f} million pixels; the limit is {:.0f}", pixels / 1e6,
                          most_pixels / 1e6)
            : fmt::format("a side of {:.0f} pixels; the limit is {:.0f}", side, longest);
    // Some commands have no --dpi.
    const bool lower = options.dpi > DrawOptions{}.dpi;
    throw Error(ErrorCode::usage, fmt::format("the PNG would have {}: {}use .pdf or .svg", found,
                                              lower ? "lower --dpi, or " : ""));
}

}  // namespace

TextMeasure text_ruler(const DrawOptions& options) {
    const std::shared_ptr<Canvas> ruler = open_canvas(PlotFormat::svg, 1, 1, options.dpi);
    return [ruler](const std::string& text, double size) { return ruler->text_width(text, size); };
}

std::unique_ptr<Canvas> open_page(PlotFormat format, double width, double height,
                                  const DrawOptions& options) {
    if (format == PlotFormat::png) check_pixels(width, height, options);
    std::unique_ptr<Canvas> page = open_canvas(format, width, height, options.dpi);
    // Extends beyond the edges, because pixels are whole.
    page->fill({-1, -1, width + 1, height + 1}, theme_of(options.dark).paper);
    return page;
}

std::string_view name_of(PlotFormat format) {
    return plot_format_names[static_cast<std::size_t>(format)];
}

PlotFormat plot_format_named(std::string_view name) {
    const auto* const found = std::find(plot_format_names.begin(), plot_format_names.end(), name);
    if (found != plot_format_names.end())
        return static_cast<PlotFormat>(found - plot_format_names.begin());
    throw Error(ErrorCode::usage,
                fmt::format("unknown format of plots `{}`; known: svg, pdf, png", shortened(name)));
}

std::optional<PlotFormat> plot_format_of(const std::filesystem::path& file) {
    const std::string ending = lower_extension(file.string());
    for (const std::string_view name : plot_format_names) {
        if (ending == fmt::format(".{}", name)) return plot_format_named(name);
    }
    return std::nullopt;
}

void check(const DrawOptions& options) {
    if (const std::string fault = fault_in(options); !fault.empty())
        throw Error(ErrorCode::usage, fault);
}

std::string draw(std::span<const Plot> plots, PlotFormat format, const DrawOptions& options) {
    check(options);
    const PlotSheet sheet = lay_out(plots, options, text_ruler(options));
    const std::unique_ptr<Canvas> page = open_page(format, sheet.width, sheet.height, options);
    Canvas& canvas = *page;
    const Theme theme = theme_of(options.dark);
    for (const PlotPanel& panel : sheet.panels) draw_panel(canvas, sheet, panel, options.dark);
    for (const SheetText& text : sheet.texts) {
        canvas.text(canvas.fitted(text.text, sheet.font, text.room), text.place, sheet.font,
                    theme.text, text.align, text.upwards);
    }
    draw_legend(canvas, sheet, options.dark);
    draw_cell_scale(canvas, sheet, options.dark);
    return canvas.finish();
}

std::string draw(const Plot& plot, PlotFormat format, const DrawOptions& options) {
    return draw(std::span<const Plot>(&plot, 1), format, options);
}

}  // namespace assay
