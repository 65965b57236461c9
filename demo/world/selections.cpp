#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "containers/csv.h"
#include "core/statistics.h"
#include "demo/world/crowd.h"

namespace assay::world {
namespace {

constexpr std::size_t of_each_set = 21, controls = 6;
constexpr double control_rate = 0.02;  ///< "is there a bird?" before an image of a cup

struct Shown {
    std::string path;
    double rate = 0;
    bool control = false;
};

/// The images of a class in a set, in order.
std::vector<Shown> images_of(const Plan& plan, const SetRow& row, int cls) {
    std::vector<Shown> out;
    const std::size_t count = count_of(row, plan.spec.size);
    for (std::size_t i = static_cast<std::size_t>(cls); i < count; i += class_count) {
        const Recipe recipe = row.recipe(plan, i);
        out.push_back({.path = recipe.path, .rate = recipe.rate});
    }
    return out;
}

/// The part of `all` that grid g of n shows.
std::span<const Shown> part(const std::vector<Shown>& all, std::size_t g, std::size_t n) {
    const std::size_t begin = all.size() * g / n, end = all.size() * (g + 1) / n;
    return std::span(all).subspan(begin, end - begin);
}

double chance(const Selector& selector, double rate) {
    if (selector.fixed > 0) return static_cast<double>(selector.fixed);
    const double s = std::clamp(rate, 1e-6, 1 - 1e-6);
    const double sd = static_cast<double>(leniency_sd);
    return normal_cdf(std::sqrt(1 + sd * sd) * normal_quantile(s) +
                      static_cast<double>(selector.leniency));
}

std::string name_of(std::size_t selector) {
    return fmt::format("w{:03}", selector);
}

class Study {
public:
    explicit Study(const Plan& plan) : plan_(plan), selectors_(selectors(plan)) {
        text_.v1 = text_.v2 = "annotator,image,label,selected,batch,control\n";
    }
    SelectionsText run() {
        for (int cls = 0; cls < class_count; ++cls) class_grids(cls);
        return std::move(text_);
    }

private:
    /// An image of another class, which no one should select.
    Shown control(std::string_view set, int cls, const std::vector<Shown>& used, Draw& draw) const {
        const SetRow& row = set_row(set);
        for (;;) {
            const auto i = static_cast<std::size_t>(
                draw.below(static_cast<int>(count_of(row, plan_.spec.size))));
            const Recipe recipe = row.recipe(plan_, i);
            if (recipe.cls == cls ||
                std::binary_search(recipe.labels.begin(), recipe.labels.end(), cls))
                continue;
            const auto same = [&](const Shown& shown) { return shown.path == recipe.path; };
            if (std::none_of(used.begin(), used.end(), same)) {
                return {.path = recipe.path, .rate = control_rate, .control = true};
            }
        }
    }

    void class_grids(int cls) {
        const auto v1 = images_of(plan_, set_row("v1"), cls),
                   v2 = images_of(plan_, set_row("v2"), cls);
        const std::size_t grids = (std::max(v1.size(), v2.size()) + of_each_set - 1) / of_each_set;
        std::vector<Shown> used_first,
            used_second;  // used controls, so that none is repeated for a class
        for (std::size_t g = 0; g < grids; ++g) {
            Draw draw(plan_.spec.seed, "world/grid", static_cast<std::uint64_t>(cls) * 1000 + g);
            std::vector<Shown> first(part(v1, g, grids).begin(), part(v1, g, grids).end());
            std::vector<Shown> second(part(v2, g, grids).begin(), part(v2, g, grids).end());
            for (std::size_t k = 0; k < controls / 2; ++k) {
                first.push_back(control("v1", cls, used_first, draw));
                used_first.push_back(first.back());
                second.push_back(control("v2", cls, used_second, draw));
                used_second.push_back(second.back());
            }
            std::vector<std::size_t> order(selectors_.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            const auto judges = static_cast<std::size_t>(selectors_a_grid(plan_.spec.size));
            for (std::size_t i = 0; i < judges; ++i) {
                const auto other =
                    i + static_cast<std::size_t>(draw.below(static_cast<int>(order.size() - i)));
                std::swap(order[i], order[other]);
                judge(order[i], cls, g, first, text_.v1, draw);
                judge(order[i], cls, g, second, text_.v2, draw);
            }
        }
    }

    void judge(std::size_t selector, int cls, std::size_t grid, const std::vector<Shown>& shown,
               std::string& out, Draw& draw) {
        const std::string_view id = classes()[static_cast<std::size_t>(cls)].id;
        const std::string batch = fmt::format("{}-{}", id, grid);
        CsvWriter csv(out);
        for (const Shown& image : shown) {
            const bool selected = draw.chance(chance(selectors_[selector], image.rate));
            csv.row({name_of(selector), image.path, id, selected ? "1" : "0", batch,
                     image.control ? "1" : "0"});
        }
    }

    const Plan& plan_;
    std::vector<Selector> selectors_;
    SelectionsText text_;
};

}  // namespace

int selectors_a_grid(WorldSize size) {
    return size == WorldSize::full ? 40 : size == WorldSize::small ? 20 : 10;
}

std::vector<Selector> selectors(const Plan& plan) {
    const int count = 3 * selectors_a_grid(plan.spec.size);
    std::vector<Selector> out;
    for (int i = 0; i < count; ++i) {
        // The name of a stream determines its numbers. With another name, every seed would give
        // other draws.
        Draw draw(plan.spec.seed, "world/worker", static_cast<std::uint64_t>(i));
        if (i % 20 == 7) {
            out.push_back({.manner = "idle", .fixed = 0.03F});
        } else if (i % 20 == 17) {
            out.push_back({.manner = "hasty", .fixed = 0.96F});
        } else {
            out.push_back({.manner = "diligent",
                           .leniency = leniency_sd * static_cast<float>(draw.stream().normal())});
        }
    }
    return out;
}

SelectionsText selections_csv(const Plan& plan) {
    return Study(plan).run();
}

std::string selectors_csv(const Plan& plan) {
    std::string out = "selector,manner,leniency,fixed\n";
    const auto all = selectors(plan);
    for (std::size_t i = 0; i < all.size(); ++i) {
        out += fmt::format("{},{},{:.4f},{}\n", name_of(i), all[i].manner, all[i].leniency,
                           all[i].fixed > 0 ? fmt::format("{:.2f}", all[i].fixed) : "");
    }
    return out;
}

std::string matching_csv(const Replication& replication) {
    std::string out = "set,image,class,rate,selected,annotators,taken\n";
    const auto append = [&](std::string_view set, const std::vector<Reading>& readings) {
        for (const Reading& r : readings) {
            out += fmt::format("{},{},{},{:.4f},{},{},{}\n", set, r.number,
                               classes()[r.number % class_count].id, r.rate, r.selected,
                               r.annotators, r.taken ? 1 : 0);
        }
    };
    append("v1", replication.v1);
    append("pool", replication.pool);
    return out;
}

}  // namespace assay::world
