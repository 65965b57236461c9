#include <algorithm>

#include "report/draw_layout.h"
#include "report/draw_text.h"

namespace assay {
namespace {

/// The style of the series with this name, as determined by the first one.
void describe_sample(LegendItem& item, std::span<const Plot> plots, const std::string& name) {
    for (const Plot& plot : plots) {
        for (const Series& series : plot.series) {
            if (series.name != name) continue;
            item.joined = series.joined || plot.kind == Plot::Kind::line;
            item.marked = !series.joined;
            return;
        }
    }
}

}  // namespace

double lay_out_legend(PlotSheet& sheet, std::span<const Plot> plots, double left, double top,
                      double width, const TextMeasure& measure) {
    const double font = sheet.font, line = 1.5 * font;
    const std::size_t named = static_cast<std::size_t>(std::count_if(
        sheet.series.begin(), sheet.series.end(), [](const auto& name) { return !name.empty(); }));
    if (sheet.series.size() < 2 || named == 0) return 0;
    double x = left, y = top + line / 2;
    for (std::size_t i = 0; i < sheet.series.size(); ++i) {
        if (sheet.series[i].empty()) continue;
        LegendItem item;
        item.series = i;
        describe_sample(item, plots, sheet.series[i]);
        item.sample = item.joined ? 2 * font : font;
        const double room = width - item.sample - font;
        item.text = plot_text(sheet.series[i]);
        while (item.text != "…" && measure(item.text, font) > room)
            item.text = one_shorter(item.text);
        const double whole = item.sample + 0.4 * font + measure(item.text, font);
        if (x > left && x + whole > left + width) {
            x = left;
            y += line;
        }
        item.place = {x, y};
        x += whole + 1.2 * font;
        sheet.legend.push_back(std::move(item));
    }
    return y + line / 2 - top + 0.4 * font;
}

}  // namespace assay
