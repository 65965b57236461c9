#include "report/draw_tree.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.h"
#include "report/draw_page.h"
#include "report/draw_text.h"

namespace assay {
namespace {

constexpr double points_of_mm = 72 / 25.4, one_column_mm = 85, both_columns_mm = 178;
// Relative to the font size.
constexpr double tree_label_size = 0.85, tree_legend_line = 1.5, tree_sample_gap = 0.5;

/// A node, or the place where an edge passes a layer between its ends.
struct TreeItem {
    double left = 0, right = 0;  ///< space on both sides of x
    double x = 0;
    std::vector<std::size_t> upper{}, lower{};  ///< neighbours in the layers above and below
};

/// Moves the items of a layer as close as possible to their wanted places, in least squares, with
/// enough space between neighbours (pool adjacent violators; Barlow et al. 1972).
void move_apart(std::vector<TreeItem>& items, const std::vector<std::size_t>& layer,
                const std::vector<double>& wanted, double gap) {
    struct Block {
        double sum = 0;
        std::size_t count = 0;
        double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<double> offset(layer.size(), 0);
    for (std::size_t i = 1; i < layer.size(); ++i)
        offset[i] = offset[i - 1] + items[layer[i - 1]].right + gap + items[layer[i]].left;
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < layer.size(); ++i) {
        blocks.push_back({wanted[i] - offset[i], 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
            blocks[blocks.size() - 2].sum += blocks.back().sum;
            blocks[blocks.size() - 2].count += blocks.back().count;
            blocks.pop_back();
        }
    }
    std::size_t i = 0;
    for (const Block& block : blocks)
        for (std::size_t n = 0; n < block.count; ++n, ++i)
            items[layer[i]].x = block.mean() + offset[i];
}

class TreeLayout {
public:
    TreeLayout(const DistanceTree& tree, const DrawOptions& options, const TextMeasure& measure)
        : tree_(tree), options_(options), measure_(measure), font_(options.font) {
        sheet_.font = font_;
        for (const DistanceTreeEdge& edge : tree.edges)
            if (!edge.ways.empty()) stroke_ = std::max(stroke_, path_width(0, edge.ways.size()));
        find_layers();
        find_items();
        sort_layers();
    }

    TreeSheet made() {
        const double most = options_.width > 0 ? options_.width : both_columns_mm;
        const double room = most * points_of_mm - 2 * edge();
        double longest = 18 * font_;
        while (place_items(longest) > room) {
            // Without a width, the figure is wider than two columns if names would otherwise be
            // unreadable.
            if (options_.width <= 0 && longest < 6 * font_) break;
            longest *= 0.9;
            if (longest < 3 * font_) no_room();
        }
        const double one = (options_.width > 0 ? options_.width : one_column_mm) * points_of_mm;
        sheet_.width = std::max(one, right_ - left_ + 2 * edge());
        set_legend();
        set_boxes();
        return std::move(sheet_);
    }

private:
    double edge() const { return 0.8 * font_; }
    double box_height() const { return 1.9 * font_; }
    double strip() const { return std::max(1.6 * font_, font_ + stroke_ + 1); }  // of labels
    double gap() const { return 1.2 * font_; }
    double label_gap() const { return std::max(0.4 * font_, stroke_ / 2 + 1); }

    [[noreturn]] void no_room() const {
        throw Error(ErrorCode::usage,
                    fmt::format("the figure has no room for {} boxes with letters of {} points: "
                                "make it larger, or draw fewer pairs",
                                tree_.nodes.size(), font_));
    }

    void find_layers() {
        layer_.assign(tree_.nodes.size(), 0);
        for (bool moved = true; moved;) {
            moved = false;
            for (const DistanceTreeEdge& one : tree_.edges) {
                if (layer_.at(one.lower) > layer_.at(one.upper)) continue;
                layer_[one.lower] = layer_[one.upper] + 1;
                moved = true;
            }
        }
        const auto deepest = std::max_element(layer_.begin(), layer_.end());
        layers_.resize(deepest == layer_.end() ? 0 : *deepest + 1);
    }

    /// The items of the nodes come first. `steps_` has the items of each edge, downwards.
    void find_items() {
        items_.resize(tree_.nodes.size());
        item_layer_ = layer_;
        for (const DistanceTreeEdge& one : tree_.edges) {
            std::vector<std::size_t> steps = {one.upper};
            for (std::size_t l = layer_[one.upper] + 1; l < layer_[one.lower]; ++l) {
                steps.push_back(items_.size());
                items_.push_back({.left = font_ / 2, .right = font_ / 2});
                item_layer_.push_back(l);
            }
            steps.push_back(one.lower);
            for (std::size_t s = 1; s < steps.size(); ++s) {
                items_[steps[s - 1]].lower.push_back(steps[s]);
                items_[steps[s]].upper.push_back(steps[s - 1]);
            }
            steps_.push_back(std::move(steps));
        }
    }

    /// Depth first, so that the items below one node are beside one another.
    void sort_layers() {
        std::vector<bool> seen(items_.size(), false);
        for (std::size_t start = 0; start < items_.size(); ++start) {
            if (!items_[start].upper.empty()) continue;
            std::vector<std::size_t> open = {start};
            while (!open.empty()) {
                const std::size_t item = open.back();
                open.pop_back();
                if (seen[item]) continue;
                seen[item] = true;
                layers_[item_layer_[item]].push_back(item);
                const std::vector<std::size_t>& lower = items_[item].lower;
                open.insert(open.end(), lower.rbegin(), lower.rend());
            }
        }
    }

    /// Shortens a text of the font's size to this width, and sets its width.
    void fit(TreeText& text, double width) const {
        constexpr std::size_t shortest = std::string_view("…").size();
        while ((text.width = measure_(text.text, font_)) > width && text.text.size() > shortest)
            text.text = one_shorter(text.text);
    }

    /// Returns the width, with names of at most this width.
    double place_items(double longest) {
        sheet_.names.assign(tree_.nodes.size(), {});
        for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
            TreeText& name = sheet_.names[n];
            name.text = plot_text(tree_.nodes[n].text);
            fit(name, longest);
        }
        set_entries();
        for (const std::vector<std::size_t>& layer : layers_)
            move_apart(items_, layer, std::vector<double>(layer.size(), 0), gap());
        constexpr int sweeps = 300;
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            for (std::size_t l = 0; l < layers_.size(); ++l)
                settle(layers_[sweep % 2 == 0 ? l : layers_.size() - 1 - l]);
        }
        left_ = std::numeric_limits<double>::infinity();
        right_ = -left_;
        for (const TreeItem& item : items_) {
            left_ = std::min(left_, item.x - item.left);
            right_ = std::max(right_, item.x + item.right);
        }
        return right_ - left_;
    }

    /// Where the edges from above end on a box, with space for their labels, and the box's width.
    void set_entries() {
        sheet_.labels.assign(tree_.edges.size(), {});
        entry_.assign(tree_.edges.size(), 0);
        half_.assign(tree_.nodes.size(), 0);
        std::vector<std::vector<std::size_t>> above(tree_.nodes.size());
        for (std::size_t e = 0; e < tree_.edges.size(); ++e) {
            TreeText& label = sheet_.labels[e];
            label.text = plot_text(tree_.edges[e].label);
            label.width = measure_(label.text, tree_label_size * font_);
            above[tree_.edges[e].lower].push_back(e);
        }
        for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
            double width = sheet_.names[n].width + font_;
            double room = 0;
            for (const std::size_t e : above[n]) room += sheet_.labels[e].width + 2 * label_gap();
            const bool several = above[n].size() > 1;
            if (several) width = std::max(width, room);
            half_[n] = width / 2;
            double at = several ? label_gap() - room / 2 : 0;
            for (const std::size_t e : above[n]) {
                entry_[e] = at;
                at += sheet_.labels[e].width + 2 * label_gap();
            }
            items_[n].left = half_[n];
            items_[n].right = std::max(half_[n], several ? 0 : room);
        }
    }

    /// Moves the items of a layer to the middle of their neighbours.
    void settle(const std::vector<std::size_t>& layer) {
        std::vector<double> wanted;
        for (const std::size_t i : layer) {
            const TreeItem& item = items_[i];
            double sum = 0;
            for (const auto* side : {&item.upper, &item.lower})
                for (const std::size_t other : *side) sum += items_[other].x;
            const std::size_t count = item.upper.size() + item.lower.size();
            wanted.push_back(count == 0 ? item.x : sum / static_cast<double>(count));
        }
        move_apart(items_, layer, wanted, gap());
    }

    void set_legend() {
        sheet_.sample = 2 * font_;
        double y = edge() + tree_legend_line / 2 * font_;
        for (const std::string& way : tree_.ways) {
            TreeText entry{.text = plot_text(way),
                           .place = {edge() + sheet_.sample + tree_sample_gap * font_, y}};
            fit(entry, sheet_.width - entry.place.first - edge());
            sheet_.legend.push_back(std::move(entry));
            y += tree_legend_line * font_;
        }
    }

    void set_boxes() {
        const double legend = tree_legend_line * font_ * static_cast<double>(tree_.ways.size());
        const double top = edge() + legend + (legend > 0 ? 0.6 * font_ : 0);
        const double layers = static_cast<double>(layers_.size());
        double between = 2 * font_ + strip();
        if (options_.height > 0 && layers > 1)
            between = (options_.height * points_of_mm - top - edge() - layers * box_height()) /
                      (layers - 1);
        const double natural =
            top + edge() + layers * box_height() + std::max(0.0, layers - 1) * between;
        sheet_.height = options_.height > 0 ? options_.height * points_of_mm : natural;
        if (between < strip() + 0.4 * font_ || natural > sheet_.height + 1e-6) no_room();

        const double shift = (sheet_.width - (right_ - left_)) / 2 - left_;
        const auto top_of = [&](std::size_t item) {
            return top + static_cast<double>(item_layer_[item]) * (box_height() + between);
        };
        for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
            const double x = items_[n].x + shift, y = top_of(n);
            sheet_.boxes.push_back({x - half_[n], y, x + half_[n], y + box_height()});
            TreeText& name = sheet_.names[n];
            name.place = {x - name.width / 2, y + box_height() / 2};
        }
        for (std::size_t e = 0; e < tree_.edges.size(); ++e) {
            const std::vector<std::size_t>& steps = steps_[e];
            std::vector<Place> line = {
                {items_[steps.front()].x + shift, top_of(steps.front()) + box_height()}};
            for (std::size_t s = 1; s < steps.size(); ++s) {
                const bool last = s + 1 == steps.size();
                const double x = items_[steps[s]].x + shift + (last ? entry_[e] : 0);
                line.push_back({x, top_of(steps[s]) - strip()});
                line.push_back({x, top_of(steps[s]) + (last ? 0 : box_height())});
            }
            const auto [x, y] = line.back();
            sheet_.labels[e].place = {x + label_gap(), y - strip() / 2};
            sheet_.lines.push_back(std::move(line));
        }
    }

    const DistanceTree& tree_;
    const DrawOptions& options_;
    const TextMeasure& measure_;
    double font_;
    double stroke_ = 0;  // of the widest line
    TreeSheet sheet_;
    std::vector<std::size_t> layer_, item_layer_;
    std::vector<std::vector<std::size_t>> layers_, steps_;
    std::vector<TreeItem> items_;
    std::vector<double> entry_, half_;
    double left_ = 0, right_ = 0;
};

void draw_tree(Canvas& canvas, const DistanceTree& tree, const TreeSheet& sheet, bool dark) {
    const Theme theme = theme_of(dark);
    const auto colour_of = [&](std::size_t way) { return style_of(way, dark).colour; };
    for (std::size_t e = 0; e < tree.edges.size(); ++e) {
        const DistanceTreeEdge& edge = tree.edges[e];
        if (edge.ways.empty())
            canvas.line(sheet.lines[e],
                        {.colour = theme.axis, .width = 0.6, .dashed = edge.dashed});
        for (std::size_t p = 0; p < edge.ways.size(); ++p)
            canvas.line(sheet.lines[e], {.colour = colour_of(edge.ways[p]),
                                         .width = path_width(p, edge.ways.size())});
    }
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        const DistanceTreeNode& node = tree.nodes[n];
        const Box2d& box = sheet.boxes[n];
        canvas.fill(box, theme.paper);
        if (node.end) canvas.fill(box, colour_of(node.ways.front()), 0.2);
        if (node.ways.empty()) canvas.outline(box, {.colour = theme.axis, .width = 0.6});
        for (std::size_t p = 0; p < node.ways.size(); ++p)
            canvas.outline(box, {.colour = colour_of(node.ways[p]),
                                 .width = path_width(p, node.ways.size()) * 0.7});
        canvas.text(sheet.names[n].text, sheet.names[n].place, sheet.font,
                    node.ways.empty() ? theme.faint : theme.text);
    }
    for (std::size_t e = 0; e < tree.edges.size(); ++e)
        canvas.text(sheet.labels[e].text, sheet.labels[e].place, tree_label_size * sheet.font,
                    tree.edges[e].ways.empty() ? theme.faint : theme.text);
    for (std::size_t s = 0; s < sheet.legend.size(); ++s) {
        const auto [x, y] = sheet.legend[s].place;
        const double start = x - tree_sample_gap * sheet.font - sheet.sample;
        canvas.line({{start, y}, {start + sheet.sample, y}},
                    {.colour = colour_of(s), .width = 1.6});
        canvas.text(sheet.legend[s].text, sheet.legend[s].place, sheet.font, theme.text);
    }
}

}  // namespace

double path_width(std::size_t path, std::size_t paths) {
    return 1.6 + 2.2 * static_cast<double>(paths - 1 - path);
}

TreeSheet lay_out_tree(const DistanceTree& tree, const DrawOptions& options,
                       const TextMeasure& measure) {
    return TreeLayout(tree, options, measure).made();
}

std::string draw(const DistanceTree& tree, PlotFormat format, const DrawOptions& options) {
    check(options);
    const TreeSheet sheet = lay_out_tree(tree, options, text_ruler(options));
    const std::unique_ptr<Canvas> page = open_page(format, sheet.width, sheet.height, options);
    draw_tree(*page, tree, sheet, options.dark);
    return page->finish();
}

}  // namespace assay
