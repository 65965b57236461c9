#include "evaluate/gap/gap_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/statistics.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/gap/gap_result.h"
#include "evaluate/gap/leave_outs.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/score_set.h"
#include "evaluate/statements/lowest.h"
#include "evaluate/truth.h"
#include "store/same_models.h"

namespace assay {
namespace {

using GroupsOfModels = std::map<std::string, std::vector<evaluate::CountedByGroup>>;

/// Groups of different data sets are not compared, so their counts are sufficient.
std::vector<evaluate::CountedByGroup> counts_in(const PredictionStore& store, ScoreOptions options,
                                                Comm& comm, const ProgressCallback& progress) {
    const RowReader reader(store, options.map);
    Truth truth;
    agree(comm, [&] { truth = truth_for(store, options); });
    evaluate::check_attributes(store.dataset(), options);
    const ScoredSet set = score_set(reader, truth, options, {}, "", comm, Keep::items, progress);
    evaluate::NamedGroups groups = evaluate::named_groups(store.dataset(), options);
    return evaluate::counts_of_groups(groups, set, store.dataset(), options);
}

GroupsOfModels groups_on(const GapSide& side, const GapReport& report,
                         const std::vector<std::string>& by, Comm& comm,
                         const ProgressCallback& progress) {
    ScoreOptions options;
    options.labels = side.sets;
    options.unnamed = side.unnamed;
    options.by = by;
    options.threads = report.options.threads;
    options.resampling.level = report.options.level;
    options.metrics = {parse_metric("top1"), parse_metric("real")};
    GroupsOfModels groups;
    for (const auto& folder : side.stores) {
        const PredictionStore store = PredictionStore::open(folder);
        const std::string& model = store.spec().model_name;
        if (std::ranges::find(report.models, model, &GapModel::name) == report.models.end())
            continue;
        groups[model] = with_note("reading the groups of " + side.name,
                                  [&] { return counts_in(store, options, comm, progress); });
    }
    return groups;
}

bool is_large(const GapOfGroup& group) {
    return std::ranges::all_of(group.accuracy,
                               [](const Estimate& e) { return e.n >= fewest_group_images; });
}

using Group = evaluate::CountedByGroup::Group;

/// A group on both data sets.
using Sides = std::array<const Group*, 2>;

/// Of a group that is large enough.
Interval gap_interval(const Sides& group, double level) {
    std::array<Estimate, 2> ends = {group[0]->accuracy, group[1]->accuracy};
    for (std::size_t set = 0; set < 2; ++set)
        ends[set].interval = wilson(group[set]->correct, ends[set].n, level);
    return unpaired_difference(ends[0], ends[1]);
}

/// `pairs`: the groups of `out` on both data sets, in the same order.
void add_largest(GapByGroup& out, const std::vector<Sides>& pairs, const GapOptions& options) {
    const double alpha = 1 - options.level,
                 low_level = 1 - alpha / static_cast<double>(out.candidates),
                 z = normal_quantile(0.5 + options.level / 2);
    out.largest.unit = Unit::proportion;
    if (out.candidates == 0) {
        out.largest.undefined = fmt::format("all groups have {}", evaluate::too_small_text(false));
        return;
    }
    std::vector<double> losses, errors;
    double low = -1, high = -1, weighted = 0, images = 0;
    for (std::size_t g = 0; g < pairs.size(); ++g) {
        const GapOfGroup& group = out.groups[g];
        if (!is_large(group)) continue;
        const Interval own = gap_interval(pairs[g], options.level);
        const double gap = *group.gap.value;
        losses.push_back(-gap);
        errors.push_back((own.high - own.low) / (2 * z));
        low = std::max(low, gap_interval(pairs[g], low_level).low);
        high = std::max(high, own.high);
        weighted += gap * static_cast<double>(group.gap.n);
        images += static_cast<double>(group.gap.n);
        if (out.observed && gap <= *out.observed) continue;
        out.observed = gap;
        out.observed_group = group.name;
    }
    // The largest gap is not below their mean, which has no bias of choice.
    const double value =
        std::max(*out.observed + statements::bias_of_lowest(losses, errors, options.seed),
                 weighted / images);
    out.largest.n = static_cast<std::uint64_t>(images);
    out.largest.value = std::clamp(value, low, high);
    out.largest.interval = {low, high, options.level, "largest.newcombe.unpaired"};
    out.largest.note =
        fmt::format("largest observed: {:+.4g} points in {}; {} group{}", 100 * *out.observed,
                    out.observed_group, out.candidates, out.candidates == 1 ? "" : "s");
    if (out.too_small > 0)
        out.largest.note += fmt::format("; {} more have {} and cannot have the largest",
                                        out.too_small, evaluate::too_small_text(false));
}

/// The groups of one metric of a model on both data sets.
GapByGroup joined_groups(const std::string& model, const evaluate::CountedByGroup& first,
                         const evaluate::CountedByGroup& second, const GapOptions& options) {
    GapByGroup out;
    out.model = model;
    out.metric = first.metric;
    out.without = {first.without, second.without};
    out.without_value = {first.without_value, second.without_value};
    std::map<std::string, const Group*> others;
    for (const Group& group : second.groups) others.emplace(group.name, &group);
    std::vector<Sides> pairs;
    for (const Group& group : first.groups) {
        const auto other = others.find(group.name);
        if (other == others.end()) {
            out.only_here[0].push_back(group.name);
            continue;
        }
        pairs.push_back({&group, other->second});
        out.groups.push_back(
            {group.name, {Estimate(group.accuracy), Estimate(other->second->accuracy)}, {}});
        others.erase(other);
    }
    for (const Group& group : second.groups) {
        if (others.contains(group.name)) out.only_here[1].push_back(group.name);
    }
    out.candidates = static_cast<std::size_t>(std::ranges::count_if(out.groups, is_large));
    out.too_small = out.groups.size() - out.candidates;
    const double together =
        std::pow(options.level, 1 / std::max(1.0, static_cast<double>(out.candidates)));
    for (std::size_t g = 0; g < pairs.size(); ++g) {
        GapOfGroup& group = out.groups[g];
        group.gap.unit = Unit::proportion;
        group.gap.n = group.accuracy[0].n + group.accuracy[1].n;
        if (group.accuracy[0].n == 0 || group.accuracy[1].n == 0) {
            group.gap.undefined = "no item of this group counts";
            continue;
        }
        group.gap.value = *group.accuracy[0].value - *group.accuracy[1].value;
        if (!is_large(group)) {
            group.gap.note = "no interval: " + evaluate::too_small_text(false);
            continue;
        }
        Interval interval = gap_interval(pairs[g], together);
        interval.level = options.level;
        interval.method += ".sidak";
        group.gap.interval = std::move(interval);
    }
    add_largest(out, pairs, options);
    return out;
}

}  // namespace

std::vector<GapByGroup> gap_by_group(const GapReport& report, const std::array<GapSide, 2>& sides,
                                     const std::vector<std::string>& by, Comm& comm,
                                     const ProgressCallback& progress) {
    const GroupsOfModels first = groups_on(sides[0], report, by, comm, progress),
                         second = groups_on(sides[1], report, by, comm, progress);
    // With one label per image, ReaL is top-1.
    const bool several = sides[0].sets || sides[1].sets ||
                         std::ranges::any_of(report.sets, [](const GapDataSet& set) {
                             return set.only_valid || set.single + set.none < set.images;
                         });
    std::vector<GapByGroup> out;
    for (const GapModel& model : report.models) {
        const auto a = first.find(model.name), b = second.find(model.name);
        if (a == first.end() || b == second.end()) continue;
        for (std::size_t k = 0; k < std::min(a->second.size(), b->second.size()); ++k) {
            if (a->second[k].metric == "real" && !several) continue;
            out.push_back(joined_groups(model.name, a->second[k], b->second[k], report.options));
            out.back().by = by;
        }
    }
    if (!out.empty() && out.front().groups.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("--by {}: {} and {} have no group in common; {} has {}; {} has {}",
                                fmt::join(by, " --by "), sides[0].name, sides[1].name,
                                sides[0].name, store::names_text(out.front().only_here[0]),
                                sides[1].name, store::names_text(out.front().only_here[1])));
    return out;
}

std::vector<Table> gap_tables::groups(const GapReport& report, bool all) {
    using Show = Column::Show;
    constexpr std::size_t models_shown = 5, groups_shown = 30;
    std::vector<Table> tables;
    for (const std::string_view metric : {"top1", "real"}) {
        Table table;
        const std::string &v1 = report.sets[0].name, &v2 = report.sets[1].name;
        table.columns = {{"classifier", false},
                         {"group", false},
                         {"n"},
                         {v1 + " %", true, Show::value},
                         {"n"},
                         {v2 + " %", true, Show::value},
                         {.name = "gap", .show = Show::value, .sign = true},
                         {"interval", true, Show::interval}};
        std::size_t models = 0;
        bool largest = false;
        const GapByGroup* last = nullptr;
        for (const GapByGroup& one : report.groups) {
            if (one.metric != metric) continue;
            if (++models > models_shown && !all) continue;
            if (last != nullptr) table.rule();
            last = &one;
            largest = largest || one.largest.value;
            if (one.largest.value)
                table.add({one.model, "largest gap", Cell(), Cell(), Cell(), Cell(), one.largest,
                           one.largest});
            for (std::size_t g = 0; g < one.groups.size() && (all || g < groups_shown); ++g) {
                const GapOfGroup& group = one.groups[g];
                std::vector<Cell> cells{one.model, group.name};
                for (const Estimate& e : group.accuracy) {
                    cells.emplace_back(Count{e.n});
                    cells.push_back(e.value ? Cell(e) : Cell());
                }
                cells.push_back(group.gap.value ? Cell(group.gap) : Cell());
                cells.push_back(group.gap.interval ? Cell(group.gap) : Cell());
                table.add(std::move(cells));
            }
        }
        if (last == nullptr) continue;
        table.title = fmt::format("{} by {}", metric, evaluate::by_text(last->by));
        if (models > models_shown && !all)
            table.notes.push_back(
                fmt::format("{} of {} classifiers; --all shows every one", models_shown, models));
        if (last->groups.size() > groups_shown && !all)
            table.notes.push_back(fmt::format("{} of {} groups; --all shows every one",
                                              groups_shown, last->groups.size()));
        for (std::size_t set = 0; set < 2; ++set) {
            if (!last->only_here[set].empty())
                table.notes.push_back(fmt::format("groups only in {}: {}", report.sets[set].name,
                                                  store::names_text(last->only_here[set])));
        }
        for (std::size_t set = 0; set < 2; ++set) {
            if (!last->without_value[set].empty())
                table.notes.push_back(fmt::format(
                    "{}: {}", report.sets[set].name,
                    evaluate::without_value_note(last->without_value[set], last->without[set])));
        }
        if (last->too_small > 0)
            table.notes.push_back("groups without an interval have " +
                                  evaluate::too_small_text(false));
        table.notes.emplace_back("the intervals of all groups of a classifier hold together");
        if (largest)
            table.notes.emplace_back(
                "largest gap: of the group that loses most, whichever it is; corrected for the "
                "bias "
                "of choosing it");
        tables.push_back(std::move(table));
    }
    return tables;
}

ResultType result_type(ResultOf<GapOfGroup>) {
    static constexpr auto rows = describe_result<GapOfGroup>(
        {.name = "GapOfGroup"}, {
                                    part<&GapOfGroup::name>({.help = "`sex=f,camera=2`"}),
                                    part<&GapOfGroup::accuracy>({.keys = gap_set_keys}),
                                    part<&GapOfGroup::gap>({.help = "First minus second"}),
                                });
    return rows;
}

ResultType result_type(ResultOf<GapByGroup>) {
    static constexpr auto rows = describe_result<GapByGroup>(
        {.name = "GapByGroup",
         .help = "One accuracy of a model on both data sets, by groups of images"},
        {
            part<&GapByGroup::by>({.help = "The attributes of each `--by`"}),
            part<&GapByGroup::model>({}),
            part<&GapByGroup::metric>({.help = "`top1` or `real`"}),
            part<&GapByGroup::largest>(
                {.help = "The largest true gap of any group; its value is corrected for the choice "
                         "of the largest"}),
            part<&GapByGroup::observed>({.help = "The largest observed gap"}),
            part<&GapByGroup::observed_group>({.help = "The group that has it"}),
            part<&GapByGroup::candidates>({.help = "Groups that are large enough"}),
            part<&GapByGroup::groups>(
                {.help = "Those that both data sets have; the intervals of all gaps hold "
                         "together"}),
            part<&GapByGroup::only_here>(
                {.help = "Groups that the other data set lacks", .keys = gap_set_keys}),
            part<&GapByGroup::too_small>({.help = "Groups without an interval"}),
            part<&GapByGroup::without>(
                {.help = "Images that count and are in no group", .keys = gap_set_keys}),
            part<&GapByGroup::without_value>(
                {.help = "Number of images without a value, by attribute", .keys = gap_set_keys}),
        });
    return rows;
}

}  // namespace assay
