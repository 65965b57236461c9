#include "quality/labels.h"

#include <fmt/format.h>

#include <map>

namespace assay::quality {
namespace {

/// "name [tag; tag]"; long tags (titles of papers) are left out.
std::string with_tags(const QualityModel& model) {
    std::string tags;
    for (const std::string& tag : model.tags) {
        if (tag.empty() || tag.size() >= 40) continue;
        if (!tags.empty()) tags += "; ";
        tags += tag;
    }
    return tags.empty() ? model.name : fmt::format("{} [{}]", model.name, tags);
}

}  // namespace

void label_models(QualityTable& table) {
    std::map<std::string, int> names, full;
    for (const QualityModel& model : table.models) {
        ++names[model.name];
        ++full[with_tags(model)];
    }
    std::size_t repeated = 0;
    for (std::size_t i = 0; i < table.models.size(); ++i) {
        QualityModel& model = table.models[i];
        model.label = model.name;
        if (names[model.name] == 1) continue;
        ++repeated;
        model.label = with_tags(model);
        if (full[model.label] > 1) model.label = fmt::format("{} #{}", model.name, i + 1);
    }
    if (repeated > 0) {
        table.notes = {fmt::format(
            "{} of {} rows share a name with another; tags or row numbers tell them apart",
            repeated, table.models.size())};
    }
}

}  // namespace assay::quality
