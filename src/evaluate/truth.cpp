#include "evaluate/truth.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/report.h"
#include "data/attributes.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/read_given.h"
#include "metric/item_groups.h"
#include "store/same_data.h"

namespace assay {
namespace {

// Labels are over the model's classes, or over the map's targets if the data set was made for them
// (16 folders).
bool is_over_targets(const Dataset& dataset, const ClassMap* map) {
    return map != nullptr && store::same_class_ids(dataset.classes, map->targets);
}

// Label sets of the store's items as classes of the predictions.
LabelSets predicted_classes(const LabelSets& labels, const PredictionStore& store,
                            const ClassMap* map) {
    const Dataset& dataset = store.dataset();
    if (labels.size() != store.rows()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} label sets for {} items", labels.size(), store.rows()));
    }
    const bool over_targets = is_over_targets(dataset, map);
    const std::size_t range = over_targets ? map->targets.size() : store.classes();
    const bool as_they_are = map == nullptr || over_targets;
    LabelSets result;
    std::vector<std::int32_t> mapped;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        mapped.clear();
        for (const std::int32_t label : labels[i]) {
            if (static_cast<std::size_t>(label) >= range) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format(
                        "label {} of item {} (`{}`) is outside the {} classes of the scores{}",
                        label, i, dataset.ids[i], range,
                        map == nullptr ? "; a data set with other classes needs a class map "
                                         "(--class-map; `assay list maps`)"
                                       : ""));
            }
            if (as_they_are) continue;
            const std::int32_t target = map->target_of[static_cast<std::size_t>(label)];
            if (target >= 0) mapped.push_back(target);
        }
        if (!as_they_are) result.append(mapped);
    }
    return as_they_are ? labels : result;
}

// The predicted class that a cue names: a class of the data set, or a target of the map itself. -1
// means a class that the map excludes; no value means that it is not a class.
std::optional<std::int32_t> class_named(std::string_view name, const Dataset& dataset,
                                        const ClassMap* map) {
    if (map != nullptr && !is_numbered(map->targets)) {
        const auto& ids = map->targets.ids();
        const auto found = std::find(ids.begin(), ids.end(), name);
        if (found != ids.end()) return static_cast<std::int32_t>(found - ids.begin());
    }
    const auto c = dataset.classes.find(name);
    if (!c || map == nullptr || is_over_targets(dataset, map)) return c;
    const auto index = static_cast<std::size_t>(*c);
    return index < map->target_of.size() ? map->target_of[index] : -1;
}

void add_cues(Truth& truth, const Dataset& dataset, const ClassMap* map) {
    const Dataset::Attribute *shape = find_attribute(dataset, "shape"),
                             *texture = find_attribute(dataset, "texture");
    truth.cues_named = has_cues(dataset);
    if (!truth.cues_named) {
        truth.no_cues = Shape{}.no_cues;
        return;
    }
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        Cues& cues = truth.cues.emplace_back();
        for (const auto& [attribute, cue] :
             {std::pair{shape, &cues.shape}, std::pair{texture, &cues.texture}}) {
            const std::string_view name = attribute->values[i];
            if (name.empty()) continue;
            const auto c = class_named(name, dataset, map);
            if (!c) {
                truth.cues.clear();
                truth.no_cues = fmt::format("`{}` of item `{}` is `{}`, which is not a class",
                                            attribute->name, dataset.ids[i], name);
                return;
            }
            *cue = *c;
        }
    }
}

void add_clusters(Truth& truth, const Dataset& dataset, const std::string& attribute) {
    evaluate::Clusters clusters = evaluate::clusters_by(dataset, attribute);
    const std::vector<std::uint8_t> groups = groups_of_items(clusters.count);
    truth.group.resize(clusters.of.size());
    for (std::size_t i = 0; i < clusters.of.size(); ++i) truth.group[i] = groups[clusters.of[i]];
    truth.cluster = std::move(clusters.of);
    truth.clustered = true;
}

}  // namespace

bool only_valid_stands_in(const LabelSets& own, const LabelSets& sets) {
    const bool single = own.labels() > 0 && own.is_single();
    return !single && sets.labels() > 0;
}

std::string sliver_text(std::uint64_t single, std::uint64_t labelled, const std::string& set) {
    return fmt::format("{} of {} labelled images{} {} a single label, less than {:g} %",
                       count_text(single), count_text(labelled), set.empty() ? "" : " of " + set,
                       single == 1 ? "has" : "have", 100 * sliver);
}

LabelCoverage coverage_of(const OnlyMembers& targets, const LabelSets& sets) {
    LabelCoverage coverage;
    for (std::size_t i = 0; i < targets.size(); ++i) coverage.add(targets[i], sets[i]);
    return coverage;
}

bool has_cues(const Dataset& dataset) {
    return find_attribute(dataset, "shape") != nullptr &&
           find_attribute(dataset, "texture") != nullptr;
}

Truth truth_for(const PredictionStore& store, const ScoreOptions& options) {
    const ClassMap* const map = options.map ? &*options.map : nullptr;
    const LabelSets& own = store.dataset().labels;
    Truth truth;
    truth.labels = predicted_classes(options.labels ? *options.labels : own, store, map);
    truth.only_valid = only_valid_stands_in(own, truth.labels);
    truth.targets = OnlyMembers(
        options.labels && !truth.only_valid ? predicted_classes(own, store, map) : truth.labels);
    add_cues(truth, store.dataset(), map);
    check_given_truth(options.given, store.rows(),
                      map != nullptr ? map->targets.size() : store.classes());
    truth.given = options.given;
    if (!options.cluster.empty()) add_clusters(truth, store.dataset(), options.cluster);
    return truth;
}

}  // namespace assay
