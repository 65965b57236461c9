// Computes the gaps of published results.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "core/statistics.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/leave_outs.h"
#include "evaluate/gap/model_statements.h"
#include "evaluate/statements/models_line.h"

namespace assay {
namespace {

constexpr std::string_view not_there = "the table has no such column";
constexpr std::string_view no_images = "no interval: a table of results holds no images";
constexpr std::array<double, 2> usual_models{.3, .8}, usual_metrics{0, 1};
/// Gives the values if the user does not specify the models' correlation.
constexpr double usual_middle = .6;
/// With fewer models around a curve, the scatter is too uncertain.
constexpr std::size_t fewest_around_a_curve = 20;

Estimate given(Maybe value, bool column) {
    Estimate v;
    v.unit = Unit::proportion;
    v.value = value;
    if (!value) v.undefined = column ? "the table's cell is empty" : std::string(not_there);
    if (value) v.note = no_images;
    return v;
}

GapPair pair_of(const std::array<Maybe, 2>& values, const std::array<bool, 2>& has) {
    GapPair p{given(values[0], has[0]), given(values[1], has[1]), {}, {}};
    Maybe gap, absolute;
    if (values[0] && values[1]) {
        gap = *values[0] - *values[1];
        absolute = std::abs(*gap);
    }
    p.gap = given(gap, true);
    p.absolute = given(absolute, true);
    if (!gap)
        p.gap.undefined = p.absolute.undefined = values[0] ? p.second.undefined : p.first.undefined;
    return p;
}

/// The known facts about the images behind one metric's values on one data set.
struct Known {
    std::uint64_t images = 0;  ///< images of a proportion
    double error = 0;          ///< error; for ASMA, an upper bound
    bool any() const { return images > 0 || error > 0; }
};

Known known_of(const GapImages& images, GapMetric metric) {
    switch (metric) {
        case GapMetric::top1:
            return {images.top1.value_or(0), 0};
        case GapMetric::real:
            return {images.real.value_or(0), 0};
        case GapMetric::asma:
            break;
    }
    if (images.counts.empty()) return {};
    return {0, statements::subgroup_error(images.counts)};
}

std::string unknown_images(GapMetric metric, std::size_t set, const std::string& name) {
    if (metric == GapMetric::asma)
        return fmt::format("the images behind ASMA on {} are unknown (--counts{} N,N,...)", name,
                           set + 1);
    const bool top1 = metric == GapMetric::top1;
    return fmt::format("n of {} on {} is unknown (--n{} {})", top1 ? "top-1" : "ReaL", name,
                       set + 1, top1 ? "N" : "real=N");
}

// The intervals of one model's values and gap.
void add_intervals(GapPair& p, const std::array<Known, 2>& known, double level) {
    std::array<Estimate*, 2> sides{&p.first, &p.second};
    std::array<Estimate, 2> counted;
    for (std::size_t set = 0; set < 2; ++set) {
        Estimate& side = *sides[set];
        if (!known[set].any() || !side.value) continue;
        if (known[set].images == 0) {
            side.interval =
                symmetric_interval(*side.value, known[set].error, level, "normal.bound");
            side.interval->low = std::max(0.0, side.interval->low);
            side.interval->high = std::min(1.0, side.interval->high);
            counted[set] = side;
        } else {
            const double n = static_cast<double>(known[set].images);
            const auto hits = static_cast<std::uint64_t>(std::llround(*side.value * n));
            counted[set].value = static_cast<double>(hits) / n;
            counted[set].interval = wilson(hits, known[set].images, level);
            side.n = known[set].images;
            side.interval = counted[set].interval;
            // The published value is rounded. The interval must still contain it.
            side.interval->low = std::min(side.interval->low, *side.value);
            side.interval->high = std::max(side.interval->high, *side.value);
        }
        side.note.clear();
    }
    if (!counted[0].value || !counted[1].value) return;
    p.gap.n = p.absolute.n = known[0].images + known[1].images;
    p.gap.interval = unpaired_difference(counted[0], counted[1]);
    p.absolute.interval = absolute_interval(*p.gap.interval);
    p.gap.note.clear();
    p.absolute.note.clear();
}

// The smallest correlation that is compatible with the models' scatter around a curve: errors that
// models do not share cannot be larger than this scatter.
double raised(double least, double most, const std::vector<double>& x, const std::vector<double>& y,
              const std::vector<double>& errors_x, const std::vector<double>& errors_y) {
    if (x.size() < fewest_around_a_curve) return least;
    const auto around = statements::around_parabola(x, y);
    if (!around) return least;
    const double n = static_cast<double>(x.size());
    const double own =
        statements::sum_of_products(errors_y, errors_y) / n +
        around->slope * around->slope * statements::sum_of_products(errors_x, errors_x) / n;
    if (!(own > 0)) return least;
    return std::clamp(1 - 1.2 * around->variance / own, least, most);
}

std::array<double, 2> range_of(const std::vector<double>& given,
                               const std::array<double, 2>& usual) {
    if (given.empty()) return usual;
    return {given.front(), given.back()};
}

/// Errors of the report's models, if the images for their values are known.
GapNoise noise_of_table(GapReport& report, const std::array<GapImages, 2>& images) {
    GapNoise noise;
    const GapOptions& options = report.options;
    const auto range = range_of(options.model_correlation, usual_models);
    const double middle =
        options.model_correlation.empty() ? usual_middle : (range[0] + range[1]) / 2;
    noise.model_correlations = {range[0], range[1]};
    const auto metrics = range_of(options.metric_correlation, usual_metrics);
    noise.metric_correlations = {metrics[0], metrics[1]};
    const double z = normal_quantile(.5 + options.level / 2);
    noise.bounds.resize(2);
    noise.middle.emplace();
    noise.upper_bound[static_cast<std::size_t>(GapMetric::asma)] = true;
    bool any = false;
    std::size_t known_metrics = 0;  // metrics known on both data sets
    std::vector<std::string> raised_notes;
    for (const GapMetric metric : gap_metrics) {
        const auto m = static_cast<std::size_t>(metric);
        std::array<std::vector<double>, 2> values, paired;
        for (std::size_t set = 0; set < 2; ++set) {
            const Known known = known_of(images[set], metric);
            if (!known.any())
                noise.unknown[m][set] = unknown_images(metric, set, report.sets[set].name);
            for (const GapModel& model : report.models) {
                const Maybe value = side(model.metrics[m], set).value;
                noise.sizes[m][set].push_back(
                    !value || !known.any() ? 0
                    : known.images > 0
                        ? statements::wilson_error(*value, static_cast<double>(known.images), z)
                        : known.error);
                const GapPair& pair = model.metrics[m];
                if (!pair.gap.value) continue;
                values[set].push_back(*value);
                paired[set].push_back(noise.sizes[m][set].back());
            }
        }
        double least = range[0];
        const bool both = noise.unknown[m][0].empty() && noise.unknown[m][1].empty();
        if (both && metric != GapMetric::asma) {
            least = raised(least, range[1], values[0], values[1], paired[0], paired[1]);
            if (least > range[0])
                raised_notes.push_back(
                    fmt::format("{}: only {:.2f} or more of that range fits, because with less the "
                                "models would scatter more around a curve",
                                name_of(metric), least));
        }
        for (std::size_t set = 0; set < 2; ++set) {
            if (!noise.unknown[m][set].empty()) continue;
            any = true;
            const std::vector<double>& sizes = noise.sizes[m][set];
            noise.bounds[0][m][set] = statements::table_factor(sizes, least);
            noise.bounds[1][m][set] = statements::table_factor(sizes, range[1]);
            (*noise.middle)[m][set] =
                statements::table_factor(sizes, std::clamp(middle, least, range[1]));
        }
        known_metrics += both ? 1 : 0;
    }
    const auto refuse_idle = [](bool given, std::string_view option, std::string_view why) {
        if (given) throw Error(ErrorCode::usage, fmt::format("{} has no effect: {}", option, why));
    };
    constexpr std::string_view unknown =
        "the images behind the table's values are unknown; add `--n1 50000 --n2 10000`";
    refuse_idle(!any && !options.model_correlation.empty(), "--model-correlation", unknown);
    refuse_idle(known_metrics < 2 && !options.metric_correlation.empty(), "--metric-correlation",
                "it needs two metrics whose images are known on both data sets; add `--n1 "
                "top1=50000,real=46837` and the same for V2");
    refuse_idle(known_metrics == 0 && !options.families.empty(), "--families",
                "it needs a metric whose images are known on both data sets; add `--n1 50000 --n2 "
                "10000`");
    if (!any) return noise;
    report.model_correlation = range;
    report.notes.push_back(
        fmt::format("published values: assuming that models' errors on the same images correlate "
                    "with {:g} to {:g}",
                    range[0], range[1]));
    report.notes.insert(report.notes.end(), raised_notes.begin(), raised_notes.end());
    if (known_metrics >= 2) report.metric_correlation = metrics;
    return noise;
}

// The mean over the models that have the value on both data sets, so that the means' difference is
// the mean gap.
GapPair mean_of(const std::vector<const GapPair*>& pairs, bool has) {
    double first = 0, second = 0, absolute = 0;
    std::uint32_t models = 0;
    for (const GapPair* p : pairs) {
        if (!p->gap.value) continue;
        first += *p->first.value;
        second += *p->second.value;
        absolute += *p->absolute.value;
        ++models;
    }
    GapPair mean;
    if (models == 0) {
        mean = pair_of({}, {has, has});
        mean.models = {0, 0, 0};
        return mean;
    }
    const double n = models;
    mean = pair_of({first / n, second / n}, {true, true});
    mean.absolute.value = absolute / n;
    mean.models = {models, models, models};
    for (Estimate* v : {&mean.first, &mean.second, &mean.gap, &mean.absolute}) {
        v->note =
            "no interval: a table of results holds no images, and differences between models do "
            "not "
            "replace them; give their numbers: --n1 N --n2 N";
    }
    return mean;
}

GapDecomposition no_decomposition() {
    GapDecomposition d;
    for (Estimate* v : {&d.composition, &d.within, &d.unmatched, &d.explained})
        v->undefined = "a table of results has no top-1 by labels per image";
    return d;
}

}  // namespace

GapReport gap_of_table(const GapTable& table, const std::array<std::string, 2>& names,
                       const GapOptions& options, const std::array<GapImages, 2>& images) {
    GapReport report;
    report.source = "table";
    report.options = options;
    report.subgroups = table.subgroups;
    for (std::size_t set = 0; set < 2; ++set) {
        report.sets[set].name = names[set];
        report.sets[set].single = images[set].top1.value_or(0);
    }
    std::vector<Maybe> top1;
    std::vector<std::string> models;
    for (const GapTable::Row& row : table.rows) {
        top1.push_back(row.metrics[0][0]);
        models.push_back(row.model);
    }
    for (const std::size_t i : report_order(top1, models)) {
        const GapTable::Row& row = table.rows[i];
        GapModel& model = report.models.emplace_back();
        model.name = row.model;
        for (std::size_t m = 0; m < gap_metrics.size(); ++m)
            model.metrics[m] = pair_of(row.metrics[m], table.has[m]);
        for (const GapMetric metric : gap_metrics)
            add_intervals(model.metrics[static_cast<std::size_t>(metric)],
                          {known_of(images[0], metric), known_of(images[1], metric)},
                          options.level);
        for (std::size_t k = 0; k < table.subgroups.size(); ++k) {
            model.subgroups.push_back({table.subgroups[k], pair_of({}, {}), pair_of({}, {}),
                                       pair_of(row.subgroups[k], {true, true})});
        }
        model.decomposition = no_decomposition();
    }
    const auto mean = [&](auto&& pick, bool has) {
        std::vector<const GapPair*> pairs;
        for (const GapModel& model : report.models) pairs.push_back(&pick(model));
        return mean_of(pairs, has);
    };
    for (std::size_t m = 0; m < gap_metrics.size(); ++m)
        report.average.metrics[m] =
            mean([m](const GapModel& g) -> const GapPair& { return g.metrics[m]; },
                 table.has[m][0] && table.has[m][1]);
    for (std::size_t k = 0; k < table.subgroups.size(); ++k) {
        report.average.subgroups.push_back(
            {table.subgroups[k], pair_of({}, {}), pair_of({}, {}),
             mean([k](const GapModel& g) -> const GapPair& { return g.subgroups[k].agreement; },
                  true)});
    }
    report.average.decomposition = no_decomposition();
    for (std::size_t which = 0; which < table.also.size(); ++which)
        report.also.push_back(also_of_table(table, which, report));
    describe_models(report);
    state_about_models(report, noise_of_table(report, images));
    return report;
}

}  // namespace assay
