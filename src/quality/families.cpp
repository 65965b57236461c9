#include "quality/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/error.h"
#include "core/text.h"
#include "quality/table_values.h"

namespace assay::quality {

std::size_t tag_place(const QualityTable& table, const std::string& tag) {
    if (const auto place = find_tag(table.tags, tag)) return *place;
    throw Error(ErrorCode::usage, no_tag(table, shortened(tag)));
}

Families families_of(const QualityTable& table, const std::vector<std::size_t>& models,
                     const std::string& tag) {
    const std::size_t place = tag.empty() ? table.tags.size() : tag_place(table, tag);
    Families families;
    std::map<std::string, std::size_t> known;
    for (const std::size_t m : models) {
        const std::string value =
            place < table.tags.size() ? loose_name(table.models[m].tags[place]) : std::string();
        if (value.empty()) {
            families.of.push_back(families.count++);
            continue;
        }
        const auto [at, fresh] = known.emplace(value, families.count);
        families.count += fresh ? 1 : 0;
        families.of.push_back(at->second);
    }
    return families;
}

}  // namespace assay::quality
