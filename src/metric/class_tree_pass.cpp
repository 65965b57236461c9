// Metrics for classes in a tree: accuracy at each level, and the distance of mistakes.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "assay/metric/given_truth.h"
#include "metric/item_means.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"

namespace assay {
namespace {

constexpr int most_levels = 1000;
constexpr const char* of_mistakes = "mistakes";

class TreePass : public MetricPass {
public:
    KeptItems keeps(const MetricRequest&, bool) const override { return {true, false}; }

    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override {
        const MetricRows& rows = run.again().rows;
        ResampledEstimate none;
        for (std::uint64_t i = 0; i < rows.items(); ++i) none.n += rows.target(i) >= 0 ? 1 : 0;
        if (!rows.given().tree) {
            none.undefined = "no hierarchy of the classes is given: add --hierarchy FILE";
        } else if (none.n == 0) {
            none.undefined = "no item has a single label";
        } else {
            return measure(request, rows, *rows.given().tree, run.sums().resampling().level);
        }
        return none;
    }

protected:
    /// Called if an item has a label.
    virtual ResampledEstimate measure(const MetricRequest& request, const MetricRows& rows,
                                      const ClassTree& tree, double level) const = 0;
    static std::int32_t predicted(const MetricRows& rows, std::uint64_t item) {
        return rows.records()[static_cast<std::size_t>(item)].predicted;
    }
    static ResampledEstimate undefined(std::uint64_t n, std::string why) {
        ResampledEstimate none;
        none.n = n;
        none.undefined = std::move(why);
        return none;
    }
};

class LevelPass final : public TreePass {
public:
    std::vector<MetricRequest> requests_for(const MetricRequest& request,
                                            const GivenTruth& given) const override {
        if (level_of(request) > 0 || !given.tree) return {request};
        std::vector<MetricRequest> list;
        for (const std::uint32_t level : given.tree->telling_levels()) {
            list.push_back(request);
            list.back().set("level", std::to_string(level));
        }
        return list.empty() ? std::vector{request} : list;
    }

    std::string note(const MetricRequest& request, const PassRun& run) const override {
        const auto& tree = run.again().rows.given().tree;
        if (!tree) return "";
        const std::uint32_t nodes =
            tree->ancestors_at(static_cast<std::uint32_t>(level_of(request)));
        return fmt::format("{} ancestor{} of {} classes", nodes, nodes == 1 ? "" : "s",
                           tree->classes());
    }

protected:
    ResampledEstimate measure(const MetricRequest& request, const MetricRows& rows,
                              const ClassTree& tree, double level) const override {
        const int asked = level_of(request);
        ItemMeanSums sums;
        for (std::uint64_t i = 0; i < rows.items(); ++i) {
            const std::int32_t target = rows.target(i), found = predicted(rows, i);
            if (target < 0) continue;
            const auto at = static_cast<std::uint32_t>(asked);
            const bool same = found >= 0 && tree.ancestor(target, at) == tree.ancestor(found, at);
            sums.add(rows.group_of(i), same ? 1 : 0);
        }
        if (asked == 0)
            return undefined(sums.items(),
                             "no level of the hierarchy is between its root and the "
                             "classes");
        if (std::cmp_greater(asked, tree.deepest()))
            return undefined(sums.items(), fmt::format("the deepest class of the hierarchy is at "
                                                       "level {}",
                                                       tree.deepest()));
        return sums.mean_of_parts(1, true, level);
    }

private:
    static int level_of(const MetricRequest& request) {
        return std::stoi(request.parameters.at("level"));
    }
};

class TreeDistancePass final : public TreePass {
public:
    /// With `height`, the distance is the height of the lowest common ancestor; otherwise it is the
    /// number of edges of the path.
    explicit TreeDistancePass(bool height) : height_(height) {}

protected:
    ResampledEstimate measure(const MetricRequest& request, const MetricRows& rows,
                              const ClassTree& tree, double level) const override {
        const bool mistakes = request.parameters.at("over") == of_mistakes;
        // A hierarchy with one node has one class and no distance.
        const double top = std::max(1U, height_ ? tree.height() : 2 * tree.deepest());
        ItemMeanSums sums;
        std::uint64_t elsewhere = 0;
        for (std::uint64_t i = 0; i < rows.items(); ++i) {
            const std::int32_t target = rows.target(i), found = predicted(rows, i);
            if (target < 0 || (mistakes && found == target)) continue;
            if (found < 0) {
                ++elsewhere;
                continue;
            }
            sums.add(rows.group_of(i), (height_ ? tree.ancestor_height(target, found)
                                                : tree.distance(target, found)) /
                                           top);
        }
        const std::uint64_t n = sums.items() + elsewhere;
        if (elsewhere > 0)
            return undefined(
                n,
                fmt::format("{} predictions are neither classes of the map nor nodes", elsewhere));
        if (n == 0) return undefined(0, "no prediction is a mistake");
        return sums.mean_of_parts(top, false, level);
    }

private:
    const bool height_;
};

std::string level_definition(const Parameters&) {
    return "level_accuracy.from_root";
}
std::string distance_definition(const Parameters& p) {
    return "tree_distance." + p.at("over");
}
std::string ancestor_definition(const Parameters& p) {
    return "ancestor_height." + p.at("over");
}

}  // namespace

namespace rows {

void add_class_tree(MetricTable& table) {
    using enum Needs;
    constexpr std::string_view bertinetto =
        "Bertinetto et al. 2020, Making better mistakes: leveraging class hierarchies with deep "
        "networks";
    const ParameterFacts over{
        "over",
        "all",
        "all: every image, 0 if the prediction is the label; mistakes: only incorrect predictions",
        {"all", of_mistakes}};
    table.push_back(
        {.name = "level_accuracy",
         .title = "Accuracy at a level of the hierarchy",
         .formula = "proportion of images whose predicted class and label have the same ancestor "
                    "at this level, counted from the root. A class that is less deep is its own "
                    "ancestor",
         .parameters = {{"level",
                         "0",
                         "edges below the root; 0: every level with at least two ancestors and "
                         "fewer ancestors than classes",
                         {},
                         0,
                         most_levels}},
         .needs = labels | hierarchy,
         .unit = Unit::proportion,
         .origin = bertinetto,
         .pass = std::make_shared<LevelPass>(),
         .definition = level_definition,
         .by_default = false});
    table.push_back(
        {.name = "ancestor_height",
         .title = "Height of the lowest common ancestor",
         .formula = "mean height of the lowest node above both the predicted class and the label. "
                    "Height is the number of edges down to the deepest class below it; over "
                    "mistakes it is the mistake severity",
         .parameters = {over},
         .needs = labels | hierarchy,
         .higher_is_better = false,
         .low = 0,
         .high = most_levels,
         .origin = bertinetto,
         .pass = std::make_shared<TreeDistancePass>(true),
         .definition = ancestor_definition,
         .by_default = false,
         .variants = {{{"over", "all"}}, {{"over", of_mistakes}}}});
    table.push_back({.name = "tree_distance",
                     .title = "Distance in the hierarchy",
                     .formula = "mean number of edges on the way from the predicted class up to "
                                "the lowest common ancestor and down to the label",
                     .parameters = {over},
                     .needs = labels | hierarchy,
                     .higher_is_better = false,
                     .low = 0,
                     .high = 2.0 * most_levels,
                     .origin = "Rada et al. 1989, Development and application of a metric on "
                               "semantic nets",
                     .pass = std::make_shared<TreeDistancePass>(false),
                     .definition = distance_definition,
                     .by_default = false,
                     .variants = {{{"over", "all"}}, {{"over", of_mistakes}}}});
}

}  // namespace rows
}  // namespace assay
