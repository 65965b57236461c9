#include "annotation/implied_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "assay/data/hierarchy.h"
#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

/// WordNet ids of ImageNet classes that name the same thing: the two maillots, missile and
/// projectile.
constexpr std::array<std::pair<const char*, const char*>, 2> imagenet_synonyms = {
    {{"n03710637", "n03710721"}, {"n03773504", "n04008634"}}};

/// The numbers of synonyms that are both among the classes.
std::vector<std::pair<std::int32_t, std::int32_t>> synonyms_among(const ClassList& classes) {
    std::vector<std::pair<std::int32_t, std::int32_t>> out;
    for (const auto& [one, other] : imagenet_synonyms) {
        const auto first = classes.find(one), second = classes.find(other);
        if (first && second)
            out.emplace_back(static_cast<std::int32_t>(*first), static_cast<std::int32_t>(*second));
    }
    return out;
}

void add_unique(std::vector<std::int32_t>& to, std::int32_t cls) {
    const auto at = std::ranges::lower_bound(to, cls);
    if (at == to.end() || *at != cls) to.insert(at, cls);
}

}  // namespace

std::vector<std::vector<std::int32_t>> implied_classes(const std::string& hierarchy,
                                                       const ClassList& classes) {
    const Hierarchy tree = hierarchy_named(hierarchy);
    const std::vector<std::uint32_t> nodes = tree.nodes_of(classes);
    std::unordered_map<std::uint32_t, std::int32_t> class_of;
    for (std::size_t c = 0; c < nodes.size(); ++c)
        class_of.emplace(nodes[c], static_cast<std::int32_t>(c));
    std::vector<std::vector<std::int32_t>> out(classes.size());
    for (std::size_t c = 0; c < nodes.size(); ++c) {
        std::vector<std::uint32_t> way = {nodes[c]};
        for (std::size_t at = 0; at < way.size(); ++at) {
            for (const std::uint32_t parent : tree.parents(way[at])) {
                if (std::ranges::find(way, parent) != way.end()) continue;
                way.push_back(parent);
                if (const auto found = class_of.find(parent); found != class_of.end())
                    add_unique(out[c], found->second);
            }
        }
    }
    for (const auto& [one, other] : synonyms_among(classes)) {
        const auto a = static_cast<std::size_t>(one), b = static_cast<std::size_t>(other);
        for (const std::int32_t cls : std::vector(out[a])) add_unique(out[b], cls);
        for (const std::int32_t cls : std::vector(out[b])) add_unique(out[a], cls);
        add_unique(out[a], other);
        add_unique(out[b], one);
    }
    if (std::ranges::all_of(out, [](const auto& above) { return above.empty(); })) {
        throw Error(ErrorCode::usage,
                    fmt::format("none of the {} classes is above another in the hierarchy {}: no "
                                "label follows from another; omit --hierarchy",
                                classes.size(), shortened(hierarchy)));
    }
    return out;
}

void merge_synonyms(const ClassList& classes, std::vector<std::int64_t>& numbers) {
    for (const auto& [one, other] : synonyms_among(classes))
        std::ranges::replace(numbers, std::int64_t{other}, std::int64_t{one});
}

ImpliedLabels add_implied_labels(const std::vector<std::vector<std::int32_t>>& implied,
                                 const Votes& votes, const Dataset& dataset,
                                 const ClassList& classes, BuiltLabelSets& built) {
    ImpliedLabels out;
    LabelSets sets;
    std::vector<std::vector<std::int32_t>> added(built.sets.size());
    for (std::size_t item = 0; item < built.sets.size(); ++item) {
        const auto kept = built.sets[item];
        std::vector<std::int32_t> set(kept.begin(), kept.end());
        if (built.annotated[item] != 0) {
            for (const std::int32_t cls : kept) {
                for (const std::int32_t above : implied[static_cast<std::size_t>(cls)])
                    if (!built.sets.contains(item, above)) add_unique(added[item], above);
            }
        }
        set.insert(set.end(), added[item].begin(), added[item].end());
        out.labels += added[item].size();
        sets.append(set);
    }
    // Naming one class of an image does not deny the classes above it.
    for (std::size_t q = 0; q < votes.questions() && !votes.which_class; ++q) {
        if (built.item_of_question[q] < 0 || votes.of(q).empty()) continue;
        const auto item = static_cast<std::size_t>(built.item_of_question[q]);
        if (!std::ranges::binary_search(added[item], built.class_of_question[q])) continue;
        ++out.contradictions;
        if (out.examples.size() < 3)
            out.examples.push_back(fmt::format(
                "{} of {}", classes.id(static_cast<std::size_t>(built.class_of_question[q])),
                shortened(dataset.ids[item])));
    }
    built.kept += out.labels;
    built.sets = std::move(sets);
    return out;
}

}  // namespace assay
