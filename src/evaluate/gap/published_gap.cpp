// The gaps of published results.
#include <algorithm>
#include <cmath>

#include "assay/evaluate/gap.h"
#include "core/statistics.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/leave_outs.h"

namespace assay {
namespace {

constexpr std::string_view not_there = "the table has no such column";
constexpr std::string_view no_images = "no interval: a table of results holds no images";

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

// Top-1 is a proportion of so many images: its interval follows.
void add_intervals(GapPair& p, const std::array<std::optional<std::uint64_t>, 2>& images,
                   double level) {
    std::array<Estimate*, 2> sides{&p.first, &p.second};
    std::array<Estimate, 2> counted;
    for (std::size_t set = 0; set < 2; ++set) {
        if (!images[set] || *images[set] == 0 || !sides[set]->value) continue;
        const double n = static_cast<double>(*images[set]);
        const auto hits = static_cast<std::uint64_t>(std::llround(*sides[set]->value * n));
        counted[set].value = static_cast<double>(hits) / n;
        counted[set].interval = wilson(hits, *images[set], level);
        Estimate& side = *sides[set];
        side.n = *images[set];
        side.interval = counted[set].interval;
        // The published value is rounded: the interval must hold it all the same.
        side.interval->low = std::min(side.interval->low, *side.value);
        side.interval->high = std::max(side.interval->high, *side.value);
        side.note.clear();
    }
    if (!counted[0].value || !counted[1].value) return;
    p.gap.n = p.absolute.n = *images[0] + *images[1];
    p.gap.interval = unpaired_difference(counted[0], counted[1]);
    p.absolute.interval = absolute_interval(*p.gap.interval);
    p.gap.note.clear();
    p.absolute.note.clear();
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
            "no interval: a table of results holds no images: how the models differ from one "
            "another says nothing about the images";
    }
    return mean;
}

GapDecomposition no_decomposition() {
    GapDecomposition d;
    for (Estimate* v : {&d.composition, &d.within, &d.unmatched, &d.explained})
        v->undefined = "a table of results does not tell top-1 by labels per image";
    return d;
}

}  // namespace

GapReport gap_of_table(const GapTable& table, const std::array<std::string, 2>& names,
                       const GapOptions& options,
                       const std::array<std::optional<std::uint64_t>, 2>& images) {
    GapReport report;
    report.source = "table";
    report.options = options;
    report.subgroups = table.subgroups;
    for (std::size_t set = 0; set < 2; ++set) {
        report.sets[set].name = names[set];
        report.sets[set].single = images[set].value_or(0);
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
        add_intervals(model.metrics[0], images, options.level);
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
    for (GapOrder& order : report.orders) order.kendall.note = order.spearman.note = no_images;
    return report;
}

}  // namespace assay
