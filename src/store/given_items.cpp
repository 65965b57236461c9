#include "store/given_items.h"

#include <fmt/format.h>

#include "core/refuse.h"
#include "core/string_index.h"

namespace assay::store {

void check_given_items(Dataset& dataset) {
    const std::size_t items = dataset.size();
    if (items == 0) refuse("there are no items");
    const auto check = [items](const std::string& what, std::size_t there) {
        if (there != items) refuse(fmt::format("{} {} for {} items", there, what, items));
    };
    const auto text_of = [&](std::uint32_t item) { return dataset.ids[item]; };
    StringIndex<decltype(text_of)> index(items, text_of);
    for (std::uint32_t i = 0; i < items; ++i) {
        if (dataset.ids[i].empty()) refuse(fmt::format("the id of item {} is empty", i));
        if (const auto earlier = index.insert(i)) {
            refuse(fmt::format("items {1} and {2} have the same id `{0}`", dataset.ids[i], *earlier,
                               i));
        }
    }
    if (dataset.labels.size() == 0) {
        for (std::size_t i = 0; i < items; ++i) dataset.labels.append({});
    }
    check("labels", dataset.labels.size());
    if (dataset.paths.size() != 0) check("paths", dataset.paths.size());
    for (const Dataset::Attribute& attribute : dataset.attributes)
        check(fmt::format("values of `{}`", attribute.name), attribute.values.size());
}

}  // namespace assay::store
