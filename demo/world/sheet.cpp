#include "demo/world/sets.h"
#include "image/lettering.h"

namespace assay {

using namespace world;

namespace {

constexpr int cell = 76, gap = 4, label_width = 96, head = 62, foot = 10;
constexpr Colour ground{0.985F, 0.98F, 0.965F}, ink{0.16F, 0.17F, 0.22F},
    faint{0.45F, 0.46F, 0.52F};

struct Row {
    std::string_view set, second_line;
};
constexpr std::array<Row, 12> sheet_rows = {{{"train", "to learn from"},
                                             {"v1", "test"},
                                             {"v2", "re-collected"},
                                             {"cue-conflict", "two classes"},
                                             {"sketch", "pencil"},
                                             {"edges", "lines"},
                                             {"silhouette", "outline"},
                                             {"retextured", "other surface"},
                                             {"rendition", "other styles"},
                                             {"original", "own place"},
                                             {"mixed-same", "similar place"},
                                             {"mixed-rand", "foreign place"}}};

void draw_text(Canvas& canvas, int x, int y, std::string_view text, Colour colour, int scale = 1) {
    for_each_dot(text, [&](int column, int row) {
        for (int dy = 0; dy < scale; ++dy) {
            for (int dx = 0; dx < scale; ++dx) {
                const int px = x + column * scale + dx, py = y + row * scale + dy;
                if (px >= 0 && py >= 0 && px < canvas.width && py < canvas.height)
                    canvas.at(px, py) = colour;
            }
        }
    });
}

int text_width(std::string_view text, int scale = 1) {
    return static_cast<int>(text.size()) * letter_columns * scale;
}

/// Copies an image into the canvas, clipped to the available space.
void paste(Canvas& canvas, const Image& image, int x0, int y0) {
    const std::uint8_t* in = image.pixels.data();
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x, in += 4) {
            if (x0 + x >= canvas.width || y0 + y >= canvas.height) continue;
            const auto share = [](std::uint8_t v) { return static_cast<float>(v) / 255; };
            canvas.at(x0 + x, y0 + y) = {share(in[0]), share(in[1]), share(in[2])};
        }
    }
}

/// The image of a class that a row shows. For photographs, the first image that is neither very
/// easy nor very hard.
std::size_t number_for(const Plan& plan, const SetRow& set, int cls, std::size_t row) {
    const auto c = static_cast<std::size_t>(cls);
    if (set.name == "cue-conflict") return c * (class_count - 1) + (c * 7 + 3) % (class_count - 1);
    if (set.name == "train" || set.name == "v1" || set.name == "v2") {
        const bool hard = set.name == "v2";
        for (std::size_t n = c; n < count_of(set, plan.spec.size); n += class_count) {
            const Recipe recipe = set.recipe(plan, n);
            const bool typical = recipe.place_class == cls &&
                                 recipe.scene.things[0].texture == classes()[c].texture &&
                                 recipe.scene.covers.empty();
            if ((typical || hard) && recipe.difficulty > (hard ? 0.3 : 0.02) &&
                recipe.difficulty < (hard ? 0.8 : 0.4)) {
                return n;
            }
        }
        return c;
    }
    const bool paired = set.name == "original" || set.name.starts_with("mixed");
    return paired ? c : c + class_count * (row % 2);
}

}  // namespace

Image contact_sheet(const WorldSpec& spec) {
    Plan plan{.spec = spec, .replicated = {}};
    plan.spec.side = cell;
    plan.spec.multi_side = cell;
    replicate(plan);
    const int width = label_width + class_count * (cell + gap) + gap;
    const int strips = 2;
    const int height =
        head + (static_cast<int>(sheet_rows.size()) + strips) * (cell + gap) + 3 * gap + foot;
    Canvas canvas;
    canvas.reset(width, height, ground);
    draw_text(canvas, gap * 3, 12, "demo data set:", ink, 2);
    draw_text(canvas, gap * 3 + text_width("demo data set: ", 2), 12,
              "20 classes, each with a shape, a surface and a place", faint, 2);
    for (int cls = 0; cls < class_count; ++cls) {
        const std::string_view id = classes()[static_cast<std::size_t>(cls)].id;
        const int x = label_width + cls * (cell + gap) + (cell - text_width(id)) / 2;
        draw_text(canvas, x, head - 15, id, ink);
    }
    Painter painter;
    Image image;
    int y = head;
    const auto caption = [&](std::string_view first, std::string_view second) {
        draw_text(canvas, gap * 2, y + cell / 2 - 12, first, ink);
        draw_text(canvas, gap * 2, y + cell / 2 + 1, second, faint);
    };
    for (std::size_t r = 0; r < sheet_rows.size(); ++r) {
        caption(sheet_rows[r].set, sheet_rows[r].second_line);
        const SetRow& set = set_row(sheet_rows[r].set);
        for (int cls = 0; cls < class_count; ++cls) {
            painter.paint(set.recipe(plan, number_for(plan, set, cls, r)).scene, image);
            paste(canvas, image, label_width + cls * (cell + gap), y);
        }
        y += cell + gap;
    }
    for (const Row& strip : {Row{"multi", "several things"}, Row{"unlabelled", "and copies"}}) {
        caption(strip.set, strip.second_line);
        int x = label_width;
        for (std::size_t i = 0;; ++i) {
            painter.paint(set_row(strip.set).recipe(plan, i).scene, image);
            if (x + image.width > width - gap) break;
            paste(canvas, image, x, y);
            x += image.width + gap;
        }
        y += cell + gap;
    }
    Image out;
    to_image(canvas, out);
    return out;
}

}  // namespace assay
