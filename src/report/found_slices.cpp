#include "report/found_slices.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "slices/search.h"

namespace assay {
namespace {

using slices::FoundSlice;
using slices::SlicedModel;
using slices::SliceOptions;
using slices::SliceResult;

/// The names of the report in place of those in the store.
void rename(SliceResult& result, const std::string& dataset, const std::string& model) {
    for (slices::SliceFacet& facet : result.facets) facet.dataset = dataset;
    for (SlicedModel& one : result.models) {
        one.dataset = dataset;
        one.model = model;
        for (FoundSlice& slice : one.found) {
            slice.dataset = dataset;
            slice.model = model;
        }
    }
}

void add_result(SliceResult one, SliceResult& all) {
    if (all.models.empty()) {
        all = std::move(one);
        return;
    }
    for (SlicedModel& model : one.models) all.models.push_back(std::move(model));
    // Stores of one group may differ in their attributes.
    for (slices::SliceFacet& facet : one.facets) {
        const bool is_known = std::ranges::any_of(all.facets, [&](const auto& other) {
            return other.by == facet.by && other.kind == facet.kind;
        });
        if (!is_known) all.facets.push_back(std::move(facet));
    }
    all.not_scored += one.not_scored;
    for (const auto& [from, to] :
         {std::pair(&one.notes, &all.notes), std::pair(&one.warnings, &all.warnings)}) {
        for (std::string& text : *from)
            if (std::ranges::find(*to, text) == to->end()) to->push_back(std::move(text));
    }
}

}  // namespace

void add_sliced_models(const nlohmann::json& result, NamedModels& models) {
    if (!result.is_object() || result.value("schema", "") != "assay.slices/1") return;
    const auto list = result.find("models");
    if (list == result.end() || !list->is_array()) return;
    const auto text_of = [](const nlohmann::json& model, const char* key) {
        const auto found = model.find(key);
        return found != model.end() && found->is_string() ? found->get<std::string>() : "";
    };
    for (const nlohmann::json& model : *list)
        if (model.is_object()) models.emplace(text_of(model, "dataset"), text_of(model, "model"));
}

std::optional<SliceResult> slices_of_group(const StoreGroup& group, const BestOfGroup& best,
                                           const ReportOptions& options, const NamedModels& known,
                                           Said& said) {
    const MeasureOptions& measure = options.measure;
    if (options.sliced_models == 0 || options.slices == 0) return std::nullopt;
    if (!measure.class_map.empty() || measure.soft_labels) {
        said.leave_out(fmt::format(
            "Slices of {} are not searched: {}.", group.dataset,
            measure.soft_labels ? "labels are probabilities" : "--class-map maps its classes"));
        return std::nullopt;
    }
    if (group.stores.front().rows < slices::fewest_judged_images) {
        said.leave_out(fmt::format("Slices of {} are not searched: they need {} images.",
                                   group.dataset, slices::fewest_judged_images));
        return std::nullopt;
    }
    SliceOptions how;
    how.without_images = true;
    how.label_sets = measure.label_sets;
    how.cluster = measure.cluster;
    how.level = measure.resampling.level;
    how.threads = options.threads;
    SliceResult all;
    std::uint64_t most = 0;
    const std::size_t models = std::min(best.order.size(), options.sliced_models);
    for (std::size_t i = 0; i < models; ++i) {
        const ReportStore& store = group.stores[best.order[i]];
        if (known.contains({group.dataset, store.model})) continue;
        how.stores = {store.folder};
        try {
            SliceResult one = find_slices(how);
            rename(one, group.dataset, store.model);
            for (SlicedModel& model : one.models) {
                most = std::max<std::uint64_t>(most, model.found.size());
                if (model.found.size() > options.slices) model.found.resize(options.slices);
            }
            add_result(std::move(one), all);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            said.leave_out(fmt::format("Slices of {} on {} are not searched: {}.", store.model,
                                       group.dataset, error.message()));
        }
    }
    const bool some_are_missing =
        std::any_of(best.order.begin() + static_cast<std::ptrdiff_t>(models), best.order.end(),
                    [&](std::size_t place) {
                        return !known.contains({group.dataset, group.stores[place].model});
                    });
    if (some_are_missing)
        said.leave_out(fmt::format("Slices are those of {} of {} models on {}, the best first.",
                                   count_text(models), count_text(best.order.size()),
                                   group.dataset));
    if (most > options.slices)
        said.leave_out(fmt::format(
            "Each model on {} has at most {} slices here; one has {}. `assay slices` has all.",
            group.dataset, count_text(options.slices), count_text(most)));
    if (all.models.empty()) return std::nullopt;
    return all;
}

}  // namespace assay
