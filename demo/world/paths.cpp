#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "assay/error.h"
#include "demo/world/classes.h"
#include "demo/world/shapes.h"

namespace assay::world {
namespace {

constexpr int curve_points = 7;
constexpr int ellipse_points = 28;

Vec2 place(float x, float y) {
    return {(x - 50) / 50, (y - 50) / 50};
}

class PathReader {
public:
    explicit PathReader(std::string_view text) : text_(text) {}

    std::vector<Contour> read() {
        for (char command = next_command(); command != '\0'; command = next_command()) run(command);
        flush();
        return std::move(done_);
    }

private:
    [[noreturn]] void fail(std::string_view why) const {
        throw Error(ErrorCode::internal, fmt::format("shape path `{}` at {}: {}", text_, at_, why));
    }
    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    char next_command() {
        skip_blanks();
        return at_ < text_.size() ? text_[at_++] : '\0';
    }
    bool number_follows() {
        skip_blanks();
        return at_ < text_.size() &&
               (text_[at_] == '-' || (text_[at_] >= '0' && text_[at_] <= '9'));
    }
    float number() {
        skip_blanks();
        float value = 0;
        const auto [end, problem] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (problem != std::errc{}) fail("a number is missing");
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }
    Vec2 point() {
        const float x = number();
        return place(x, number());
    }

    void flush() {
        if (current_.size() >= 3) add(std::move(current_));
        current_.clear();
    }
    void add(Contour contour) {
        const bool clockwise = doubled_area(contour) > 0;
        if (clockwise == hole_) std::reverse(contour.begin(), contour.end());
        hole_ = false;
        done_.push_back(std::move(contour));
    }

    void curve(int degree) {
        if (current_.empty()) fail("a curve without a beginning");
        const Vec2 a = current_.back(), b = point(), c = point();
        const Vec2 d = degree == 3 ? point() : c;
        for (int k = 1; k <= curve_points; ++k) {
            const float t = static_cast<float>(k) / curve_points, u = 1 - t;
            current_.push_back(degree == 3 ? (u * u * u) * a + (3 * u * u * t) * b +
                                                 (3 * u * t * t) * c + (t * t * t) * d
                                           : (u * u) * a + (2 * u * t) * b + (t * t) * c);
        }
    }
    void ellipse() {
        const float x = number(), y = number(), rx = number(), ry = number();
        const float turn = number_follows() ? number() / 360 : 0;
        const float c = cos_turns(turn), s = sin_turns(turn);
        Contour out;
        for (int k = 0; k < ellipse_points; ++k) {
            const float t = static_cast<float>(k) / ellipse_points;
            const float u = rx * cos_turns(t), v = ry * sin_turns(t);
            out.push_back(place(x + c * u - s * v, y + s * u + c * v));
        }
        add(std::move(out));
    }
    void rectangle() {
        const float x0 = number(), y0 = number(), x1 = number(), y1 = number(), r = number();
        const std::array<Vec2, 4> corners = {
            Vec2{x1 - r, y0 + r}, {x1 - r, y1 - r}, {x0 + r, y1 - r}, {x0 + r, y0 + r}};
        Contour out;
        for (int corner = 0; corner < 4; ++corner) {
            const Vec2 at = corners[static_cast<std::size_t>(corner)];
            for (int k = 0; k <= 3; ++k) {
                const float t =
                    0.25F * (static_cast<float>(corner) - 1 + static_cast<float>(k) / 3);
                out.push_back(place(at.x + r * cos_turns(t), at.y + r * sin_turns(t)));
            }
        }
        add(std::move(out));
    }
    void line() {
        const float width = number() / 50;
        Contour points;
        while (number_follows()) points.push_back(point());
        std::vector<Contour> pieces;
        stroke(points, width, pieces);
        for (Contour& piece : pieces) add(std::move(piece));
    }
    void mirror() {
        flush();
        const std::size_t count = done_.size();
        for (std::size_t i = 0; i < count; ++i) {
            Contour copy = done_[i];
            for (Vec2& p : copy) p.x = -p.x;
            std::reverse(copy.begin(), copy.end());
            done_.push_back(std::move(copy));
        }
    }

    void run(char command) {
        switch (command) {
            case 'M':
                flush();
                current_.push_back(point());
                return;
            case 'L':
                if (current_.empty()) fail("a line without a beginning");
                while (number_follows()) current_.push_back(point());
                return;
            case 'Q':
                return curve(2);
            case 'C':
                return curve(3);
            case 'Z':
                return flush();
            case 'E':
                flush();
                return ellipse();
            case 'R':
                flush();
                return rectangle();
            case 'K':
                flush();
                return line();
            case ';':
                return;
            case 'H':
                flush();
                hole_ = true;
                return;
            case 'X':
                return mirror();
            default:
                fail("unknown command");
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool hole_ = false;
    Contour current_;
    std::vector<Contour> done_;
};

std::vector<Shape> build_shapes() {
    std::vector<Shape> shapes(class_count);
    for (const auto rows : {living_layers(), made_layers()}) {
        for (const LayerRow& row : rows) {
            shapes.at(static_cast<std::size_t>(row.cls))
                .layers.push_back({row.fill, parse_path(row.path)});
        }
    }
    return shapes;
}

}  // namespace

std::vector<Contour> parse_path(std::string_view text) {
    return PathReader(text).read();
}

const Shape& shape_of(int cls) {
    static const std::vector<Shape> shapes = build_shapes();
    return shapes.at(static_cast<std::size_t>(cls));
}

}  // namespace assay::world
