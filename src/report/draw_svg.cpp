#include <fmt/format.h>

#include <utility>

#include "core/text.h"
#include "report/draw_canvas.h"
#include "report/letter_widths.h"
#include "report/markup.h"

namespace assay {
namespace {

std::string hex(const Colour& colour) {
    const auto byte = [](double part) { return static_cast<int>(255 * part + 0.5); };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.red), byte(colour.green),
                       byte(colour.blue));
}

/// Writes numbers in hundredths of a point, without trailing zeros.
std::string number(double value) {
    std::string text = fmt::format("{:.2f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return without_sign_of_zero(std::move(text));
}

std::string opacity_of(const char* what, double opacity) {
    return opacity < 1 ? fmt::format(" {}-opacity=\"{}\"", what, number(opacity)) : "";
}

std::string rectangle(const Box2d& box) {
    return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(box.left),
                       number(box.top), number(box.width()), number(box.height()));
}

std::string points_of(const std::vector<Place>& places) {
    std::string out;
    for (const auto& [x, y] : places)
        out += fmt::format("{}{},{}", out.empty() ? "" : " ", number(x), number(y));
    return out;
}

std::string pen(const Stroke& stroke) {
    std::string out =
        fmt::format(" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}",
                    hex(stroke.colour), number(stroke.width), opacity_of("stroke", stroke.opacity));
    if (stroke.dashed)
        out += fmt::format(" stroke-dasharray=\"{} {}\"", number(3 * stroke.width),
                           number(2.5 * stroke.width));
    return out + "/>\n";
}

class SvgCanvas final : public Canvas {
public:
    SvgCanvas(double width, double height)
        : bytes_(fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" "
                             "height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
                             "font-family=\"{2}, Verdana, sans-serif\">\n",
                             number(width), number(height), plot_font)) {}

    void fill(const Box2d& box, const Colour& colour, double opacity) override {
        bytes_ += fmt::format("{} fill=\"{}\"{}/>\n", rectangle(box), hex(colour),
                              opacity_of("fill", opacity));
    }

    void outline(const Box2d& box, const Stroke& stroke) override {
        bytes_ += rectangle(box) + pen(stroke);
    }

    void line(const std::vector<Place>& places, const Stroke& stroke) override {
        bytes_ += fmt::format("<polyline points=\"{}\"", points_of(places)) + pen(stroke);
    }

    void mark(MarkShape shape, Place centre, double radius, const Colour& colour,
              double opacity) override {
        const std::string place =
            shape == MarkShape::circle
                ? fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", number(centre.first),
                              number(centre.second), number(radius))
                : fmt::format("<polygon points=\"{}\"",
                              points_of(corners_of(shape, centre, radius)));
        bytes_ +=
            fmt::format("{} fill=\"{}\"{}/>\n", place, hex(colour), opacity_of("fill", opacity));
    }

    void text(const std::string& text, Place place, double size, const Colour& colour,
              TextAlign align, bool upwards) override {
        if (text.empty()) return;
        const char* const anchor = align == TextAlign::start    ? ""
                                   : align == TextAlign::middle ? " text-anchor=\"middle\""
                                                                : " text-anchor=\"end\"";
        // If the viewer uses another font, the text gets the width that the layout assumed.
        bytes_ += fmt::format(
            "<text transform=\"translate({} {}){}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{} "
            "textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" "
            "xml:space=\"preserve\">{}</text>\n",
            number(place.first), number(place.second), upwards ? " rotate(-90)" : "",
            number(half_of_letters * size), number(size), hex(colour), anchor,
            number(text_width(text, size)), markup_text(text));
    }

    double text_width(const std::string& text, double size) override {
        return letters_width(text, size);
    }

    void clip(const Box2d& box) override {
        const int id = ++clips_;
        bytes_ += fmt::format(
            "<clipPath id=\"clip{0}\">{1}/></clipPath>\n<g clip-path=\"url(#clip{0})\">\n", id,
            rectangle(box));
    }

    void unclip() override { bytes_ += "</g>\n"; }

    std::string finish() override { return std::move(bytes_) + "</svg>\n"; }

private:
    std::string bytes_;
    int clips_ = 0;
};

}  // namespace

std::unique_ptr<Canvas> svg_canvas(double width, double height) {
    return std::make_unique<SvgCanvas>(width, height);
}

}  // namespace assay
