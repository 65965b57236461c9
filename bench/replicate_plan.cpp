// Checks whether studies of the size that a pilot plans have intervals of the requested width.
//
//     bench_replicate_plan [WORLD [PILOTS [STUDIES [WIDTH [CAP [THREADS]]]]]]
//
// WORLD: `curves`, the first world of replicate_worlds.h with its twelve curves, or `beta`, the
// world of `assay replicate simulate` with five classifiers, whose curves are smooth. 50 pilots of
// 1,000 images a set (100 classes), 40 annotators. Each plans the images for an interval WIDTH (3)
// points wide. One study (STUDIES) of that size, at most CAP (100,000) images a set, is drawn and
// adjusted, ten images a class as in the pilot. The resulting width is that of the median
// classifier, as a mean over the studies. The sizes and widths of all pilots give the size that is
// really needed, by a line through their logarithms.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/replication/adjust.h"
#include "assay/replication/plan.h"
#include "assay/replication/simulation.h"
#include "core/line.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "replicate_worlds.h"

namespace {

using namespace assay;
using namespace assay::replication;

constexpr std::size_t pilot_images = 1000, images_per_class = 10;
constexpr std::uint64_t pilot_seed = 51000, study_seed = 52000;

struct Run {
    Estimate images;
    double size = 0;   ///< size of the simulated studies
    double width = 0;  ///< width that the studies had
    bool capped = false;
};

double median_of(std::vector<double> x) {
    std::ranges::sort(x);
    return quantile_sorted(x, .5);
}

double median_width(const Study& study) {
    AdjustOptions options;
    options.moments = options.naive = false;
    options.jackknife.clear();
    options.threads = 1;
    const AdjustReport report = adjust(study, options);
    std::vector<double> widths;
    for (const Estimate& a : report.methods.front().adjusted) widths.push_back(2 * half_width(a));
    return median_of(std::move(widths));
}

/// A study with this number of classes and this seed.
using Draw = std::function<Study(std::uint64_t seed, std::size_t classes)>;

Draw drawer_of(const std::string& name) {
    if (name == "beta") {
        return [](std::uint64_t seed, std::size_t classes) {
            SimulationOptions options;
            options.classes = static_cast<std::uint32_t>(classes);
            options.images_per_class = images_per_class;
            options.classifiers = 5;
            options.annotators = 40;
            options.seed = seed;
            options.threads = 1;
            return study_of(simulate(options));
        };
    }
    const auto drawer = std::make_shared<const worlds::Drawer>(worlds::all().front());
    return [drawer](std::uint64_t seed, std::size_t classes) {
        return drawer->draw(seed, classes * images_per_class, classes);
    };
}

Run run_pilot(const Draw& draw, std::size_t pilot, int studies, double width, double cap) {
    PlanOptions options;
    options.width = width;
    options.annotators = {40};
    options.threads = 1;
    Run run;
    run.images =
        plan(draw(pilot_seed + pilot, pilot_images / images_per_class), options).rows[0].images;
    const double planned = run.images.value.value_or(2 * cap);
    run.capped = planned > cap;
    const auto classes =
        static_cast<std::size_t>(std::ceil(std::min(planned, cap) / images_per_class));
    run.size = static_cast<double>(classes * images_per_class);
    for (int s = 0; s < studies; ++s) {
        const auto seed =
            study_seed + pilot * static_cast<std::size_t>(studies) + static_cast<std::size_t>(s);
        run.width += median_width(draw(seed, classes)) / studies;
    }
    return run;
}

}  // namespace

int main(int count, char** arguments) {
    const auto number = [&](int i, double otherwise) {
        return count > i ? std::atof(arguments[i]) : otherwise;
    };
    const auto pilots = static_cast<std::size_t>(number(2, 50));
    const int studies = static_cast<int>(number(3, 1)), threads = static_cast<int>(number(6, 1));
    const double width = number(4, 3) / 100, cap = number(5, 100000);
    const Draw draw = drawer_of(count > 1 ? arguments[1] : "curves");
    std::vector<Run> runs(pilots);
    parallel_blocks(pilots, threads,
                    [&](std::size_t p) { runs[p] = run_pilot(draw, p, studies, width, cap); });
    std::vector<double> log_size, log_width, planned, ratio;
    for (const Run& run : runs) {
        log_size.push_back(std::log(run.size));
        log_width.push_back(std::log(run.width));
        planned.push_back(run.images.value.value_or(1e9));
        ratio.push_back(run.width / width);
    }
    const FittedLine line = least_squares_line(log_size, log_width);
    const double needed = std::exp((std::log(width) - line.intercept) / line.slope);
    std::size_t held = 0, close = 0, capped = 0, narrow = 0;
    std::vector<double> uncapped;
    for (std::size_t p = 0; p < pilots; ++p) {
        const Run& run = runs[p];
        const auto& interval = run.images.interval;
        const bool holds = interval && interval->low <= needed && needed <= interval->high;
        fmt::print(
            "pilot {:2}: planned {:9.0f} ({:.0f} to {:.0f}){}; {:6.0f} images got {:.2f} "
            "points\n",
            p, planned[p], interval ? interval->low : 0, interval ? interval->high : 0,
            holds ? "" : " misses", run.size, 100 * run.width);
        held += holds ? 1 : 0;
        capped += run.capped ? 1 : 0;
        narrow += ratio[p] <= 1 ? 1 : 0;
        if (run.capped) continue;
        uncapped.push_back(ratio[p]);
        close += std::abs(std::log(ratio[p])) <= std::log(1.25) ? 1 : 0;
    }
    std::ranges::sort(planned);
    std::ranges::sort(uncapped);
    fmt::print("needed: {:.0f} images (width falls as images^{:.2f})\n", needed, line.slope);
    fmt::print("planned: {:.0f} to {:.0f}, quartiles {:.0f}, {:.0f}, {:.0f}\n", planned.front(),
               planned.back(), quantile_sorted(planned, .25), quantile_sorted(planned, .5),
               quantile_sorted(planned, .75));
    fmt::print("{} of {} planned intervals hold the needed size\n", held, pilots);
    fmt::print("{} of {} studies are as narrow as asked for (at the cap: {} pilots)\n", narrow,
               pilots, capped);
    if (!uncapped.empty()) {
        fmt::print(
            "without those at the cap: width got / asked for: {:.2f} to {:.2f}, quartiles "
            "{:.2f}, {:.2f}, {:.2f}; {} of {} within a factor of 1.25\n",
            uncapped.front(), uncapped.back(), quantile_sorted(uncapped, .25),
            quantile_sorted(uncapped, .5), quantile_sorted(uncapped, .75), close, uncapped.size());
    }
    return 0;
}
