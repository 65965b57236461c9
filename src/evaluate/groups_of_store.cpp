#include "evaluate/groups_of_store.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "core/text.h"
#include "data/attributes.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/group_hits.h"

namespace assay::evaluate {
namespace {

std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        names.emplace_back(trimmed(std::string_view(text).substr(begin, comma - begin)));
        begin = comma + 1;
    }
    return names;
}

/// Repeated attributes would count each of their groups twice.
void check_columns_differ(const std::vector<std::string>& by) {
    std::map<std::vector<std::string>, std::string> seen;
    for (const std::string& text : by) {
        std::vector<std::string> names = names_in(text);
        std::ranges::sort(names);
        const auto [at, first] = seen.try_emplace(std::move(names), text);
        if (first) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("--by {} --by {} make the same groups: remove one of them",
                                at->second, text));
    }
}

/// The elements at these rows; all elements without rows.
template <class T>
void keep_rows(std::vector<T>& values, std::span<const std::uint64_t> rows) {
    if (rows.empty()) return;
    std::vector<T> kept;
    kept.reserve(rows.size());
    for (const std::uint64_t row : rows) kept.push_back(values[static_cast<std::size_t>(row)]);
    values = std::move(kept);
}

std::vector<std::uint8_t> top1_hits(const ScoredSet& set) {
    std::vector<std::uint8_t> hits(set.records.size());
    for (std::size_t i = 0; i < hits.size(); ++i)
        hits[i] = set.targets[i] < 0 ? 2 : set.records[i].rank == 0 ? 1 : 0;
    return hits;
}

/// The number of images that count and are in a group that `chosen` accepts.
template <class Chosen>
std::uint64_t images_in(const GroupedHits& hits, Chosen&& chosen) {
    std::uint64_t images = 0;
    for (std::size_t i = 0; i < hits.hit.size(); ++i) {
        const bool inside = std::ranges::any_of(hits.columns, [&](const auto& column) {
            return column.of[i] != AttributeGroups::none &&
                   chosen(static_cast<std::size_t>(column.of[i]));
        });
        images += hits.hit[i] != 2 && inside ? 1 : 0;
    }
    return images;
}

/// One entry per attribute of `by`, in that order.
std::vector<WithoutValue> without_value(const Dataset& dataset, const std::vector<std::string>& by,
                                        const std::vector<std::uint8_t>& hits,
                                        std::span<const std::uint64_t> rows) {
    std::vector<WithoutValue> found;
    std::set<std::string> seen;
    for (const std::string& text : by) {
        for (std::string& name : names_in(text)) {
            if (!seen.insert(name).second) continue;
            const StringColumn& values = attribute_named(dataset, name).values;
            std::uint64_t images = 0;
            for (std::size_t i = 0; i < hits.size(); ++i) {
                const std::size_t row = rows.empty() ? i : static_cast<std::size_t>(rows[i]);
                images += hits[i] != 2 && values[row].empty() ? 1 : 0;
            }
            if (images > 0) found.push_back({std::move(name), images});
        }
    }
    return found;
}

/// Copies a measurement without its value, for other images.
Measurement plain_of(const Measurement& whole) {
    Measurement plain = whole;
    static_cast<Estimate&>(plain) = {};
    plain.unit = Unit::proportion;
    plain.left_out = 0;
    return plain;
}

/// `of` has one entry per group, in their order.
CountedByGroup counted(const NamedGroups& groups, std::span<const HitsOfGroup> of,
                       const Measurement& whole, bool clusters) {
    CountedByGroup result;
    result.metric = whole.key.metric;
    result.without = static_cast<std::uint64_t>(std::ranges::count_if(
                         groups.hits.hit, [](std::uint8_t hit) { return hit != 2; })) -
                     images_in(groups.hits, [](std::size_t) { return true; });
    result.in_candidates = images_in(groups.hits, [&](std::size_t g) { return of[g].candidate; });
    const Measurement plain = plain_of(whole);
    for (std::size_t g = 0; g < groups.names.size(); ++g) {
        const HitsOfGroup& own = of[g];
        CountedByGroup::Group& group = result.groups.emplace_back();
        group.name = groups.names[g];
        group.correct = own.hits;
        if (clusters) group.clusters = own.clusters;
        group.accuracy = plain;
        group.accuracy.key.subgroup = group.name;
        group.accuracy.n = own.images;
        if (own.images == 0) {
            group.accuracy.undefined = "no item of this group counts";
        } else {
            group.accuracy.value = static_cast<double>(own.hits) / static_cast<double>(own.images);
        }
        group.accuracy.interval = own.interval;
        if (!own.candidate) group.accuracy.note = "no interval: " + too_small_text(clusters);
        ++(own.candidate ? result.candidates : result.too_small);
    }
    return result;
}

/// The accuracy minus that of the column's other images. `accuracy` is the group's.
Measurement difference_of(const HitsOfGroup& own, const Measurement& accuracy,
                          const Measurement& whole, bool clusters) {
    Measurement difference = plain_of(accuracy);
    difference.n = own.images;
    difference.key.metric = fmt::format("difference({})", whole.key.metric);
    difference.key.definition = whole.key.definition + ".other_groups";
    if (own.difference) {
        difference.value = own.difference;
        difference.interval = own.difference_interval;
    } else if (!own.candidate) {
        difference.undefined = too_small_text(clusters);
    } else if (own.others > 0) {
        difference.undefined = "the others have " + too_small_text(clusters);
    } else {
        difference.undefined = "no other group to compare with";
    }
    return difference;
}

/// `counts` is counted() of `found`.
AccuracyByGroup result_of(CountedByGroup counts, const LowestOfGroups& found,
                          const Measurement& whole, const ScoreOptions& options) {
    const bool clusters = !options.cluster.empty();
    AccuracyByGroup result;
    result.by = options.by;
    result.metric = std::move(counts.metric);
    result.candidates = counts.candidates;
    result.too_small = counts.too_small;
    result.without = counts.without;
    result.without_value = std::move(counts.without_value);
    for (std::size_t g = 0; g < counts.groups.size(); ++g) {
        CountedByGroup::Group& own = counts.groups[g];
        Measurement difference = difference_of(found.groups[g], own.accuracy, whole, clusters);
        result.groups.push_back({std::move(own.name), own.correct, own.clusters,
                                 std::move(own.accuracy), std::move(difference)});
    }
    Measurement& worst = result.worst;
    worst = plain_of(whole);
    worst.n = counts.in_candidates;
    worst.key.metric = fmt::format("worst({})", whole.key.metric);
    worst.key.definition = whole.key.definition + ".worst_group";
    worst.key.parameters["by"] = fmt::format("{}", fmt::join(options.by, ";"));
    if (!found.lowest) {
        worst.undefined = fmt::format("all groups have {}", too_small_text(clusters));
        return result;
    }
    const GroupAccuracy& lowest = result.groups[*found.lowest];
    result.observed = lowest.accuracy.value;
    result.observed_group = lowest.name;
    worst.value = found.value;
    worst.interval = found.interval;
    worst.note = fmt::format("lowest observed: {:.4g} % in {}; {} group{}", 100 * *result.observed,
                             lowest.name, result.candidates, result.candidates == 1 ? "" : "s");
    if (result.too_small > 0)
        worst.note += fmt::format("; {} more have {} and cannot be the worst", result.too_small,
                                  too_small_text(clusters));
    return result;
}

/// Calls `visit` with the measurements of top1 and real. `groups` then has the hits for it.
template <class Visit>
void for_each_accuracy(NamedGroups& groups, const ScoredSet& set, Visit&& visit) {
    bool any = false;
    for (std::size_t i = 0; i < set.requests.size(); ++i) {
        if (!has_groups(set.requests[i])) continue;
        any = true;
        groups.hits.hit = hits_of_images(set.requests[i], set);
        visit(set.report.measurements[i]);
    }
    if (!any)
        throw Error(ErrorCode::usage,
                    "--by shows top1 and real by group, and neither is measured: add top1 to "
                    "--metrics");
}

}  // namespace

bool has_groups(const MetricRequest& request) {
    if (request.facts->name == "real") return true;
    const auto k = request.parameters.find("k");
    return request.facts->name == "topk" && k != request.parameters.end() && k->second == "1";
}

void check_attributes(const Dataset& dataset, const ScoreOptions& options) {
    check_columns_differ(options.by);
    for (const std::string& text : options.by) {
        with_note("reading --by " + text, [&] {
            for (const std::string& name : names_in(text)) attribute_named(dataset, name);
        });
    }
}

void check_group_names(const std::vector<std::string>& by) {
    for (const std::string& names : by) {
        if (names.empty() || names.starts_with(',') || names.ends_with(',') ||
            names.find(",,") != std::string::npos)
            throw Error(ErrorCode::usage,
                        fmt::format("--by `{}`: a name is missing; write `--by sex` or `--by "
                                    "sex,camera`",
                                    names));
    }
}

NamedGroups named_groups(const Dataset& dataset, const ScoreOptions& options,
                         std::span<const std::uint64_t> rows) {
    NamedGroups groups;
    for (const std::string& text : options.by) {
        AttributeGroups column = with_note("reading --by " + text, [&] {
            return groups_by(dataset, names_in(text), most_groups);
        });
        if (column.names.empty() && dataset.size() > 0)
            throw Error(ErrorCode::usage,
                        fmt::format("no image has a value of `{}`: remove --by {}", text, text));
        const auto first = static_cast<std::int32_t>(groups.hits.groups);
        for (std::int32_t& g : column.of) g += g == AttributeGroups::none ? 0 : first;
        groups.hits.columns.push_back({std::move(column.of), first, column.names.size()});
        groups.hits.groups += column.names.size();
        for (std::string& name : column.names) groups.names.push_back(std::move(name));
    }
    if (groups.hits.groups > most_groups) {
        throw Error(ErrorCode::usage,
                    fmt::format("--by {} makes {} groups; at most {} are allowed",
                                fmt::join(options.by, " --by "), groups.hits.groups, most_groups));
    }
    if (!options.cluster.empty()) {
        Clusters clusters = clusters_by(dataset, options.cluster);
        groups.hits.cluster = std::move(clusters.of);
        groups.hits.clusters = clusters.count;
        keep_rows(groups.hits.cluster, rows);
    }
    for (GroupedHits::Column& column : groups.hits.columns) keep_rows(column.of, rows);
    return groups;
}

std::vector<std::uint8_t> hits_of_images(const MetricRequest& request, const ScoredSet& set) {
    return request.facts->name == "real" ? set.correct : top1_hits(set);
}

std::vector<CountedByGroup> counts_of_groups(NamedGroups& groups, const ScoredSet& set,
                                             const Dataset& dataset, const ScoreOptions& options,
                                             std::span<const std::uint64_t> rows) {
    std::vector<CountedByGroup> results;
    for_each_accuracy(groups, set, [&](const Measurement& whole) {
        const std::vector<HitsOfGroup> of = hits_by_group(groups.hits, options.resampling.level);
        results.push_back(counted(groups, of, whole, !options.cluster.empty()));
        results.back().without_value = without_value(dataset, options.by, groups.hits.hit, rows);
    });
    return results;
}

std::vector<AccuracyByGroup> accuracy_by_group(const ScoredSet& set, const Dataset& dataset,
                                               const ScoreOptions& options,
                                               std::span<const std::uint64_t> rows) {
    NamedGroups groups = named_groups(dataset, options, rows);
    std::vector<AccuracyByGroup> results;
    for_each_accuracy(groups, set, [&](const Measurement& whole) {
        const LowestOfGroups found =
            lowest_of_groups(groups.hits, options.resampling.level, options.resampling.seed);
        CountedByGroup counts = counted(groups, found.groups, whole, !options.cluster.empty());
        counts.without_value = without_value(dataset, options.by, groups.hits.hit, rows);
        results.push_back(result_of(std::move(counts), found, whole, options));
    });
    return results;
}

std::vector<Measurement> with_groups(const std::vector<Measurement>& measurements,
                                     const std::vector<AccuracyByGroup>& groups) {
    std::vector<Measurement> all = measurements;
    for (const AccuracyByGroup& result : groups) {
        all.push_back(result.worst);
        for (const GroupAccuracy& group : result.groups) all.push_back(group.accuracy);
        for (const GroupAccuracy& group : result.groups) all.push_back(group.difference);
    }
    return all;
}

std::string too_small_text(bool clusters) {
    return clusters ? fmt::format("fewer than {} images or {} clusters", fewest_group_images,
                                  fewest_group_clusters)
                    : fmt::format("fewer than {} images", fewest_group_images);
}

Clusters clusters_by(const Dataset& dataset, const std::string& attribute) {
    const StringColumn& column = with_note(
        "reading --cluster " + attribute, [&]() -> const auto& {
            return attribute_named(dataset, attribute).values;
        });
    Clusters clusters;
    clusters.of.resize(dataset.size());
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    for (std::size_t i = 0; i < clusters.of.size(); ++i) {
        const auto next = static_cast<std::uint32_t>(clusters.count);
        if (column[i].empty()) {
            clusters.of[i] = next;
            ++clusters.count;
            ++clusters.without;
            continue;
        }
        const auto [at, first] = numbers.try_emplace(column[i], next);
        clusters.of[i] = at->second;
        clusters.count += first ? 1 : 0;
    }
    return clusters;
}

std::string cluster_note(const Dataset& dataset, const std::string& attribute) {
    const Clusters clusters = clusters_by(dataset, attribute);
    std::string note = fmt::format("intervals treat {} clusters of images by `{}` as independent",
                                   count_text(clusters.count), attribute);
    if (clusters.without > 0)
        note += fmt::format("; {} of them are single images that have no value",
                            count_text(clusters.without));
    return note;
}

}  // namespace assay::evaluate

namespace assay {

ResultType result_type(ResultOf<GroupAccuracy>) {
    static constexpr auto rows = describe_result<GroupAccuracy>(
        {.name = "GroupAccuracy"},
        {
            part<&GroupAccuracy::name>({.help = "`sex=f,camera=2`"}),
            part<&GroupAccuracy::correct>({}),
            part<&GroupAccuracy::clusters>({.help = "With `--cluster`", .omitted = true}),
            part<&GroupAccuracy::accuracy>(
                {.help = "Without an interval if the group is too small"}),
            part<&GroupAccuracy::difference>(
                {.help = "Less the accuracy of all other images with a value of the same "
                         "attributes; the intervals of all groups hold together"}),
        });
    return rows;
}

ResultType result_type(ResultOf<WithoutValue>) {
    static constexpr auto rows = describe_result<WithoutValue>(
        {.name = "WithoutValue", .help = "Images that count and lack a value"},
        {part<&WithoutValue::attribute>({}), part<&WithoutValue::images>({})});
    return rows;
}

ResultType result_type(ResultOf<AccuracyByGroup>) {
    static constexpr auto rows = describe_result<AccuracyByGroup>(
        {.name = "AccuracyByGroup", .help = "One accuracy of a store by groups of images"},
        {
            part<&AccuracyByGroup::by>({.help = "The attributes of each `--by`"}),
            part<&AccuracyByGroup::metric>({.help = "`top1` or `real`"}),
            part<&AccuracyByGroup::worst>(
                {.help = "The lowest true accuracy; its value is corrected for the choice of the "
                         "lowest"}),
            part<&AccuracyByGroup::observed>({.help = "The lowest observed accuracy"}),
            part<&AccuracyByGroup::observed_group>({.help = "The group that has it"}),
            part<&AccuracyByGroup::candidates>({.help = "Groups that are large enough"}),
            part<&AccuracyByGroup::too_small>({.help = "Groups that are not, and cannot be the "
                                                       "worst"}),
            part<&AccuracyByGroup::without>({.help = "Images that count and are in no group"}),
            part<&AccuracyByGroup::without_value>(
                {.help = "Number of images without a value, by attribute"}),
            part<&AccuracyByGroup::groups>({}),
        });
    return rows;
}

nlohmann::json to_json(const AccuracyByGroup& result) {
    return json_of(result);
}

}  // namespace assay
