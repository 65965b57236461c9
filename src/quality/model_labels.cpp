#include "quality/model_labels.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "core/text.h"

namespace assay::quality {
namespace {

/// Makes "name [tag; tag]" with the tags in which models of that name differ.
std::string with_tags(const QualityModel& model, const std::vector<bool>& differ) {
    std::string tags;
    for (std::size_t t = 0; t < model.tags.size(); ++t) {
        if (!differ[t] || model.tags[t].empty()) continue;
        if (!tags.empty()) tags += "; ";
        tags += shortened(model.tags[t], 40);
    }
    return tags.empty() ? model.name : fmt::format("{} [{}]", model.name, tags);
}

}  // namespace

void label_models(QualityTable& table) {
    std::map<std::string, std::vector<std::size_t>> named;
    for (std::size_t i = 0; i < table.models.size(); ++i) named[table.models[i].name].push_back(i);
    std::size_t repeated = 0;
    for (const auto& [name, models] : named) {
        std::vector<bool> differ(table.tags.size(), false);
        for (const std::size_t i : models) {
            for (std::size_t t = 0; t < differ.size(); ++t) {
                differ[t] =
                    differ[t] || table.models[i].tags[t] != table.models[models.front()].tags[t];
            }
        }
        std::map<std::string, int> labels;
        for (const std::size_t i : models) ++labels[with_tags(table.models[i], differ)];
        for (const std::size_t i : models) {
            std::string& label = table.models[i].label;
            label = models.size() == 1 ? name : with_tags(table.models[i], differ);
            if (labels.at(with_tags(table.models[i], differ)) > 1)
                label = fmt::format("{} #{}", name, i + 1);
        }
        repeated += models.size() == 1 ? 0 : models.size();
    }
    if (repeated > 0) {
        table.notes = {
            fmt::format("{} of {} share a name with another; tags or row numbers distinguish them",
                        repeated, how_many(table.models.size(), "row"))};
    }
}

}  // namespace assay::quality
