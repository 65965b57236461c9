#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <numbers>

#include "assay/error.h"
#include "report/draw_canvas.h"

// Fontconfig keeps some of its data until exit, in places that the leak sanitizer does not check.
#ifdef __has_feature
#define ASSAY_LEAKS_ARE_LOOKED_FOR __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define ASSAY_LEAKS_ARE_LOOKED_FOR 1
#else
#define ASSAY_LEAKS_ARE_LOOKED_FOR 0
#endif
#if ASSAY_LEAKS_ARE_LOOKED_FOR
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libfontconfig";
}
#endif

namespace assay {
namespace {

constexpr double points_per_inch = 72;

void check_cairo(cairo_status_t status) {
    if (status == CAIRO_STATUS_SUCCESS) return;
    if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
    throw Error(ErrorCode::internal,
                fmt::format("drawing a plot: {}", cairo_status_to_string(status)));
}

cairo_status_t append_bytes(void* text, const unsigned char* data, unsigned int length) {
    try {
        static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), length);
        return CAIRO_STATUS_SUCCESS;
    } catch (...) {  // no exception may pass through C code
        return CAIRO_STATUS_NO_MEMORY;
    }
}

/// Surfaces are numbered across the process, and an SVG uses that number as an id.
std::string without_surface_numbers(std::string svg) {
    const std::string mark = "id=\"surface";
    for (std::size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at)) {
        at += mark.size();
        const std::size_t end = svg.find('"', at);
        if (end != std::string::npos) svg.erase(at, end - at);
    }
    return svg;
}

void path_of_mark(cairo_t* c, MarkShape shape, Place centre, double r) {
    cairo_new_path(c);
    if (shape == MarkShape::circle)
        return cairo_arc(c, centre.first, centre.second, r, 0, 2 * std::numbers::pi);
    for (const auto& [x, y] : corners_of(shape, centre, r)) cairo_line_to(c, x, y);
    cairo_close_path(c);
}

class CairoCanvas final : public Canvas {
public:
    CairoCanvas(PlotFormat format, double width, double height, int dpi) : format_(format) {
        try {
            open(width, height, dpi);
        } catch (...) {
            close();
            throw;
        }
    }
    ~CairoCanvas() override { close(); }
    CairoCanvas(const CairoCanvas&) = delete;
    CairoCanvas& operator=(const CairoCanvas&) = delete;

    void fill(const Box2d& box, const Colour& colour, double opacity) override {
        cairo_rectangle(context_, box.left, box.top, box.width(), box.height());
        use(colour, opacity);
        cairo_fill(context_);
    }

    void outline(const Box2d& box, const Stroke& stroke) override {
        cairo_rectangle(context_, box.left, box.top, box.width(), box.height());
        draw_path(stroke);
    }

    void line(const std::vector<Place>& places, const Stroke& stroke) override {
        cairo_new_path(context_);
        for (const auto& [x, y] : places) cairo_line_to(context_, x, y);
        draw_path(stroke);
    }

    void mark(MarkShape shape, Place centre, double radius, const Colour& colour,
              double opacity) override {
        path_of_mark(context_, shape, centre, radius);
        use(colour, opacity);
        cairo_fill(context_);
    }

    void text(const std::string& text, Place place, double size, const Colour& colour,
              TextAlign align, bool upwards) override {
        cairo_t* c = context_;
        const double width = text_width(text, size);
        const double before = align == TextAlign::start ? 0 : align == TextAlign::middle ? 0.5 : 1;
        use(colour, 1);
        cairo_save(c);
        cairo_translate(c, place.first, place.second);
        if (upwards) cairo_rotate(c, -std::numbers::pi / 2);
        cairo_move_to(c, -before * width, half_of_letters * size);
        cairo_show_text(c, text.c_str());
        cairo_restore(c);
    }

    double text_width(const std::string& text, double size) override {
        cairo_set_font_size(context_, size);
        cairo_text_extents_t extents;
        cairo_text_extents(context_, text.c_str(), &extents);
        check_cairo(cairo_status(context_));
        return extents.x_advance;
    }

    void clip(const Box2d& box) override {
        cairo_save(context_);
        cairo_rectangle(context_, box.left, box.top, box.width(), box.height());
        cairo_clip(context_);
    }

    void unclip() override { cairo_restore(context_); }

    std::string finish() override {
        check_cairo(cairo_status(context_));
        if (format_ == PlotFormat::png) {
            cairo_surface_flush(surface_);
            check_cairo(cairo_surface_write_to_png_stream(surface_, append_bytes, &bytes_));
            return std::move(bytes_);
        }
        cairo_show_page(context_);
        cairo_surface_finish(surface_);
        check_cairo(cairo_surface_status(surface_));
        return format_ == PlotFormat::svg ? without_surface_numbers(std::move(bytes_))
                                          : std::move(bytes_);
    }

private:
    void close() {
        cairo_destroy(context_);
        // Unfinished vector files are finished here, into a buffer that still exists.
        cairo_surface_destroy(surface_);
        context_ = nullptr;
        surface_ = nullptr;
    }

    void open(double width, double height, int dpi) {
        const double scale = dpi / points_per_inch;
        switch (format_) {
            case PlotFormat::svg:
                surface_ =
                    cairo_svg_surface_create_for_stream(append_bytes, &bytes_, width, height);
                break;
            case PlotFormat::pdf:
                surface_ =
                    cairo_pdf_surface_create_for_stream(append_bytes, &bytes_, width, height);
                // Without these, the library writes the current time.
                for (const auto date :
                     {CAIRO_PDF_METADATA_CREATE_DATE, CAIRO_PDF_METADATA_MOD_DATE})
                    cairo_pdf_surface_set_metadata(surface_, date, "2000-01-01T00:00:00Z");
                break;
            case PlotFormat::png:
                surface_ = cairo_image_surface_create(
                    CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(width * scale)),
                    static_cast<int>(std::lround(height * scale)));
                break;
        }
        check_cairo(cairo_surface_status(surface_));
        context_ = cairo_create(surface_);
        check_cairo(cairo_status(context_));
        if (format_ == PlotFormat::png) cairo_scale(context_, scale, scale);
        cairo_select_font_face(context_, plot_font, CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        // Letters have the same width on a page as on a screen, so that all formats have the same
        // layout.
        cairo_font_options_t* options = cairo_font_options_create();
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
        cairo_set_font_options(context_, options);
        cairo_font_options_destroy(options);
        cairo_set_line_join(context_, CAIRO_LINE_JOIN_ROUND);
        check_cairo(cairo_status(context_));
    }

    void use(const Colour& colour, double opacity) const {
        if (opacity < 1) {
            cairo_set_source_rgba(context_, colour.red, colour.green, colour.blue, opacity);
        } else {
            cairo_set_source_rgb(context_, colour.red, colour.green, colour.blue);
        }
    }

    void draw_path(const Stroke& stroke) const {
        use(stroke.colour, stroke.opacity);
        cairo_set_line_width(context_, stroke.width);
        const double dashes[] = {3 * stroke.width, 2.5 * stroke.width};
        cairo_set_dash(context_, dashes, stroke.dashed ? 2 : 0, 0);
        cairo_stroke(context_);
    }

    PlotFormat format_;
    std::string bytes_;
    cairo_surface_t* surface_ = nullptr;
    cairo_t* context_ = nullptr;
};

}  // namespace

std::unique_ptr<Canvas> cairo_canvas(PlotFormat format, double width, double height, int dpi) {
    return std::make_unique<CairoCanvas>(format, width, height, dpi);
}

}  // namespace assay
