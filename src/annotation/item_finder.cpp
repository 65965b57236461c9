#include "annotation/item_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/text.h"

namespace assay {

std::string_view ItemFinder::PathOf::operator()(std::uint32_t i) const {
    const bool there = dataset->paths.size() > 0 && !dataset->paths[i].empty();
    return there ? dataset->paths[i] : dataset->ids[i];
}

std::string_view ItemFinder::FileOf::operator()(std::uint32_t i) const {
    return base_name(PathOf{dataset}(i));
}

ItemFinder::ItemFinder(const Dataset& dataset)
    : ids_(dataset.size(), {&dataset}),
      paths_(dataset.size(), {&dataset}),
      files_(dataset.size(), {&dataset}),
      shared_(dataset.size(), 0) {
    for (std::uint32_t i = 0; i < dataset.size(); ++i) {
        ids_.insert(i);
        paths_.insert(i);
        if (const auto earlier = files_.insert(i)) shared_[*earlier] = 1;
    }
}

ItemFinder::Found ItemFinder::find(std::string_view name) const {
    if (const auto at = ids_.find(name)) return {*at, false};
    if (const auto at = paths_.find(name)) return {*at, false};
    // Finds the item of an address, which has an unknown prefix before the image's own path.
    std::optional<Found> found;
    for_each_end(name, [&](std::string_view end) {
        const auto file = end.find('/') == std::string_view::npos ? files_.find(end) : std::nullopt;
        if (file && shared_[*file] != 0) {  // several items have this file name
            found = {-1, true};
        } else if (const auto id = ids_.find(end)) {
            found = {*id, false};
        } else if (const auto path = paths_.find(end)) {
            found = {*path, false};
        }
        return found.has_value();
    });
    if (found) return *found;
    const auto at = files_.find(base_name(name));
    if (!at) return {};
    return shared_[*at] != 0 ? Found{-1, true} : Found{*at, false};
}

std::size_t item_named(const Dataset& dataset, std::string_view name) {
    const ItemFinder finder(dataset);
    if (const auto found = finder.find(name); found.item >= 0)
        return static_cast<std::size_t>(found.item);
    std::vector<std::size_t> behind_slash, any;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        bool ends = false, whole = false;
        for (const StringColumn* column : {&dataset.ids, &dataset.paths}) {
            if (column->size() == 0) continue;
            for (const std::string_view text : {(*column)[i], without_extension((*column)[i])}) {
                if (name.empty() || !text.ends_with(name)) continue;
                ends = true;
                whole = whole || text.size() == name.size() ||
                        text[text.size() - name.size() - 1] == '/';
            }
        }
        if (ends) any.push_back(i);
        if (whole) behind_slash.push_back(i);
    }
    const auto& candidates = behind_slash.empty() ? any : behind_slash;
    if (candidates.size() == 1) return candidates[0];
    if (candidates.size() > 1) {
        std::string list;
        for (std::size_t n = 0; n < std::min<std::size_t>(5, candidates.size()); ++n)
            list += fmt::format("{}`{}`", n == 0 ? "" : ", ", dataset.ids[candidates[n]]);
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` is a suffix of {} items: {}{}", shortened(name),
                                candidates.size(), list, candidates.size() > 5 ? ", ..." : ""));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(dataset.size(), 100'000); ++i) {
        names.emplace_back(dataset.ids[i]);
        if (base_name(dataset.ids[i]) != dataset.ids[i])
            names.emplace_back(base_name(dataset.ids[i]));
    }
    throw Error(ErrorCode::usage,
                fmt::format("no item `{}` among the {} of {}{}", shortened(name), dataset.size(),
                            dataset.name, suggest(shortened(name), names)));
}

}  // namespace assay
