#include "demo/world/coverage.h"

namespace assay::world {

PixelBox cut(PixelBox a, PixelBox b) {
    return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

PixelBox hull(PixelBox a, PixelBox b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

float doubled_area(std::span<const Vec2> contour) {
    float sum = 0;
    for (std::size_t i = 0; i < contour.size(); ++i) {
        const Vec2 a = contour[i], b = contour[(i + 1) % contour.size()];
        sum += a.x * b.y - b.x * a.y;
    }
    return sum;
}

void Coverage::begin(int width, int height) {
    width_ = width;
    height_ = height;
    y0_ = height;
    y1_ = 0;
    x0_ = static_cast<float>(width);
    x1_ = 0;
    area_.assign(static_cast<std::size_t>(width + 2) * static_cast<std::size_t>(height), 0.0F);
}

void Coverage::add(std::span<const Vec2> contour) {
    for (std::size_t i = 0; i < contour.size(); ++i)
        add_edge(contour[i], contour[(i + 1) % contour.size()]);
}

namespace {

/// A row holds the change of coverage from a pixel to the next one to its right. An edge that
/// crosses the row in [xa, xb], both within the row, changes it by the height `d`. The position of
/// the edge in the pixels determines the distribution of the change. (The accumulation buffer of
/// font renderers: Levien, "Inside the fastest font renderer in the world", 2016.)
void add_piece(float* row, float xa, float xb, float d) {
    const int ia = static_cast<int>(xa), ib = static_cast<int>(xb);
    if (ib <= ia) {  // within one pixel
        const float away = 0.5F * (xa + xb) - static_cast<float>(ia);
        row[ia] += d * (1 - away);
        row[ia + 1] += d * away;
        return;
    }
    const float per = 1 / (xb - xa);
    const float head = 1 - (xa - static_cast<float>(ia));
    const float tail = xb - static_cast<float>(ib);
    // The area to the right of the edge within each pixel, summed from the left. `row` receives the
    // differences.
    float covered = 0.5F * per * head * head;
    row[ia] += d * covered;
    for (int x = ia + 1; x < ib; ++x) {
        const float reach = static_cast<float>(x + 1) - xa;
        const float now = per * (reach - 0.5F);
        row[x] += d * (now - covered);
        covered = now;
    }
    // The edge ends after `tail` of the last pixel. The rest of that pixel is completely to its
    // right.
    const float in_last = tail * per * (static_cast<float>(ib) - xa + 0.5F * tail) + 1 - tail;
    row[ib] += d * (in_last - covered);
    row[ib + 1] += d * (1 - in_last);
}

}  // namespace

void Coverage::add_edge(Vec2 a, Vec2 b) {
    if (a.y == b.y) return;
    float sign = 1;
    if (a.y > b.y) {
        std::swap(a, b);
        sign = -1;
    }
    const auto bottom = static_cast<float>(height_), right = static_cast<float>(width_);
    if (b.y <= 0 || a.y >= bottom) return;
    const float slope = (b.x - a.x) / (b.y - a.y);
    const int first = std::max(0, floor_int(a.y));
    const int last = std::min(height_ - 1, floor_int(b.y));
    y0_ = std::min(y0_, first);
    y1_ = std::max(y1_, last + 1);
    x0_ = std::min(x0_, std::min(a.x, b.x));
    x1_ = std::max(x1_, std::max(a.x, b.x));
    for (int y = first; y <= last; ++y) {
        const float top = std::max(static_cast<float>(y), a.y),
                    low = std::min(static_cast<float>(y + 1), b.y);
        if (low <= top) continue;
        const float d = sign * (low - top);
        float xa = a.x + (top - a.y) * slope, xb = a.x + (low - a.y) * slope;
        if (xa > xb) std::swap(xa, xb);
        float* row = &area_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_ + 2)];
        // A part of an edge outside the image counts as a vertical edge of the same height at the
        // border.
        const auto height_below = [&](float x) {
            return xb <= x ? d : xa >= x ? 0.0F : d * (x - xa) / (xb - xa);
        };
        const float left_part = height_below(0), inner_part = height_below(right) - left_part;
        row[0] += left_part;
        row[width_] += d - left_part - inner_part;
        if (inner_part != 0)
            add_piece(row, std::clamp(xa, 0.0F, right), std::clamp(xb, 0.0F, right), inner_part);
    }
}

PixelBox Coverage::touched() const {
    if (y0_ >= y1_) return {};
    const int left = std::clamp(floor_int(x0_), 0, width_),
              right = std::clamp(floor_int(x1_) + 1, 0, width_);
    return {left, y0_, right, y1_};
}

void Coverage::finish(Mask& out) {
    const PixelBox box = touched();
    for (int y = box.y0; y < box.y1; ++y) {
        const float* row =
            &area_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_ + 2)];
        float* to = &out.value[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_)];
        float sum = 0;
        for (int x = 0; x < box.x0; ++x) sum += row[x];
        for (int x = box.x0; x < box.x1; ++x) {
            sum += row[x];
            const float covered = std::min(std::fabs(sum), 1.0F);
            to[x] = covered < 1e-4F ? 0.0F : covered;
        }
    }
}

void stroke(std::span<const Vec2> line, float width, std::vector<Contour>& out) {
    const float r = 0.5F * width;
    constexpr int half = 5;  // number of points on each round end
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const Vec2 a = line[i], b = line[i + 1], d = b - a;
        const float l = length(d);
        const Vec2 along = l > 0 ? (1 / l) * d : Vec2{1, 0}, across{-along.y, along.x};
        Contour c;
        for (int k = 0; k <= half; ++k) {
            const float t = 0.5F * static_cast<float>(k) / half;
            c.push_back(b + r * (sin_turns(t) * along + (-cos_turns(t)) * across));
        }
        for (int k = 0; k <= half; ++k) {
            const float t = 0.5F * static_cast<float>(k) / half;
            c.push_back(a + r * ((-sin_turns(t)) * along + cos_turns(t) * across));
        }
        out.push_back(std::move(c));
    }
}

}  // namespace assay::world
