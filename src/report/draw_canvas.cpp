#include "report/draw_canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <new>
#include <numbers>

#include "assay/error.h"
#include "report/draw_text.h"

// Fontconfig keeps some of what it has read to the end, where the leak sanitizer does not look.
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
constexpr const char* plot_font = "DejaVu Sans";

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
    } catch (...) {  // from C nothing may be thrown through
        return CAIRO_STATUS_NO_MEMORY;
    }
}

/// Surfaces are numbered through the process, and an SVG has that number as an id.
std::string without_surface_numbers(std::string svg) {
    const std::string mark = "id=\"surface";
    for (std::size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at)) {
        at += mark.size();
        const std::size_t end = svg.find('"', at);
        if (end != std::string::npos) svg.erase(at, end - at);
    }
    return svg;
}

void path_of_mark(cairo_t* c, MarkShape shape, double x, double y, double r) {
    const auto polygon = [&](int corners, double size, double turn) {
        for (int i = 0; i < corners; ++i) {
            const double angle = turn + 2 * std::numbers::pi * i / corners;
            cairo_line_to(c, x + size * std::sin(angle), y - size * std::cos(angle));
        }
        cairo_close_path(c);
    };
    const auto bars = [&](double turn) {
        const double arm = 1.25 * r, half = 0.38 * r;
        const double corners[12][2] = {{-half, -arm}, {half, -arm}, {half, -half}, {arm, -half},
                                       {arm, half},   {half, half}, {half, arm},   {-half, arm},
                                       {-half, half}, {-arm, half}, {-arm, -half}, {-half, -half}};
        for (const auto& [u, v] : corners) {
            cairo_line_to(c, x + u * std::cos(turn) - v * std::sin(turn),
                          y + u * std::sin(turn) + v * std::cos(turn));
        }
        cairo_close_path(c);
    };
    constexpr double pi = std::numbers::pi;
    cairo_new_path(c);
    switch (shape) {
        case MarkShape::circle:
            return cairo_arc(c, x, y, r, 0, 2 * pi);
        case MarkShape::square:
            return polygon(4, 1.25 * r, pi / 4);
        case MarkShape::diamond:
            return polygon(4, 1.3 * r, 0);
        case MarkShape::triangle:
            return polygon(3, 1.4 * r, 0);
        case MarkShape::down:
            return polygon(3, 1.4 * r, pi);
        case MarkShape::hexagon:
            return polygon(6, 1.1 * r, 0);
        case MarkShape::plus:
            return bars(0);
        case MarkShape::cross:
            return bars(pi / 4);
    }
}

}  // namespace

struct Canvas::Impl {
    PlotFormat format;
    std::string bytes;
    cairo_surface_t* surface = nullptr;
    cairo_t* context = nullptr;

    Impl(PlotFormat wanted, double width, double height, int dpi) : format(wanted) {
        try {
            open(width, height, dpi);
        } catch (...) {
            close();
            throw;
        }
    }
    ~Impl() { close(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void close() {
        cairo_destroy(context);
        // Unfinished vector files are finished here, into bytes that are still there.
        cairo_surface_destroy(surface);
        context = nullptr;
        surface = nullptr;
    }

    void open(double width, double height, int dpi) {
        const double scale = dpi / points_per_inch;
        switch (format) {
            case PlotFormat::svg:
                surface = cairo_svg_surface_create_for_stream(append_bytes, &bytes, width, height);
                break;
            case PlotFormat::pdf:
                surface = cairo_pdf_surface_create_for_stream(append_bytes, &bytes, width, height);
                // Without these it writes the time of day.
                for (const auto date :
                     {CAIRO_PDF_METADATA_CREATE_DATE, CAIRO_PDF_METADATA_MOD_DATE})
                    cairo_pdf_surface_set_metadata(surface, date, "2000-01-01T00:00:00Z");
                break;
            case PlotFormat::png:
                surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                     static_cast<int>(std::lround(width * scale)),
                                                     static_cast<int>(std::lround(height * scale)));
                break;
        }
        check_cairo(cairo_surface_status(surface));
        context = cairo_create(surface);
        check_cairo(cairo_status(context));
        if (format == PlotFormat::png) cairo_scale(context, scale, scale);
        cairo_select_font_face(context, plot_font, CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
        // Letters are as wide on a page as on a screen, so that all formats are laid out alike.
        cairo_font_options_t* options = cairo_font_options_create();
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
        cairo_set_font_options(context, options);
        cairo_font_options_destroy(options);
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
        check_cairo(cairo_status(context));
    }

    void use(const Colour& colour, double opacity) const {
        if (opacity < 1) {
            cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, opacity);
        } else {
            cairo_set_source_rgb(context, colour.red, colour.green, colour.blue);
        }
    }

    void stroke(const Stroke& stroke) const {
        use(stroke.colour, stroke.opacity);
        cairo_set_line_width(context, stroke.width);
        const double dashes[] = {3 * stroke.width, 2.5 * stroke.width};
        cairo_set_dash(context, dashes, stroke.dashed ? 2 : 0, 0);
        cairo_stroke(context);
    }
};

Canvas::Canvas(PlotFormat format, double width, double height, int dpi)
    : impl_(std::make_unique<Impl>(format, width, height, dpi)) {}
Canvas::~Canvas() = default;

void Canvas::fill(const Box2d& box, const Colour& colour, double opacity) {
    cairo_rectangle(impl_->context, box.left, box.top, box.width(), box.height());
    impl_->use(colour, opacity);
    cairo_fill(impl_->context);
}

void Canvas::outline(const Box2d& box, const Stroke& stroke) {
    cairo_rectangle(impl_->context, box.left, box.top, box.width(), box.height());
    impl_->stroke(stroke);
}

void Canvas::line(const std::vector<Place>& places, const Stroke& stroke) {
    cairo_new_path(impl_->context);
    for (const auto& [x, y] : places) cairo_line_to(impl_->context, x, y);
    impl_->stroke(stroke);
}

void Canvas::mark(MarkShape shape, Place centre, double radius, const Colour& colour,
                  double opacity) {
    path_of_mark(impl_->context, shape, centre.first, centre.second, radius);
    impl_->use(colour, opacity);
    cairo_fill(impl_->context);
}

void Canvas::text(const std::string& text, Place place, double size, const Colour& colour,
                  TextAlign align, bool upwards) {
    cairo_t* c = impl_->context;
    const double width = text_width(text, size);
    const double before = align == TextAlign::start ? 0 : align == TextAlign::middle ? 0.5 : 1;
    constexpr double half_of_letters = 0.36;  // of DejaVu: a capital is 0.73 high
    impl_->use(colour, 1);
    cairo_save(c);
    cairo_translate(c, place.first, place.second);
    if (upwards) cairo_rotate(c, -std::numbers::pi / 2);
    cairo_move_to(c, -before * width, half_of_letters * size);
    cairo_show_text(c, text.c_str());
    cairo_restore(c);
}

double Canvas::text_width(const std::string& text, double size) {
    cairo_set_font_size(impl_->context, size);
    cairo_text_extents_t extents;
    cairo_text_extents(impl_->context, text.c_str(), &extents);
    check_cairo(cairo_status(impl_->context));
    return extents.x_advance;
}

std::string Canvas::fitted(std::string text, double size, double width) {
    while (text_width(text, size) > width) {
        std::string shorter = one_shorter(text);
        if (shorter.size() >= text.size() && shorter == one_shorter(shorter)) return shorter;
        text = std::move(shorter);
    }
    return text;
}

void Canvas::clip(const Box2d& box) {
    cairo_save(impl_->context);
    cairo_rectangle(impl_->context, box.left, box.top, box.width(), box.height());
    cairo_clip(impl_->context);
}

void Canvas::unclip() {
    cairo_restore(impl_->context);
}

std::string Canvas::finish() {
    check_cairo(cairo_status(impl_->context));
    if (impl_->format == PlotFormat::png) {
        cairo_surface_flush(impl_->surface);
        check_cairo(cairo_surface_write_to_png_stream(impl_->surface, append_bytes, &impl_->bytes));
        return std::move(impl_->bytes);
    }
    cairo_show_page(impl_->context);
    cairo_surface_finish(impl_->surface);
    check_cairo(cairo_surface_status(impl_->surface));
    return impl_->format == PlotFormat::svg ? without_surface_numbers(std::move(impl_->bytes))
                                            : std::move(impl_->bytes);
}

}  // namespace assay
