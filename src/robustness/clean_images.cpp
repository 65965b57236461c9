#include "robustness/clean_images.h"

#include <algorithm>
#include <unordered_set>

#include "core/text.h"

namespace assay::robustness {
namespace {

std::string_view stem_of_file(std::string_view id) {
    return base_name(without_extension(id));
}

}  // namespace

CleanImages::CleanImages(const Dataset& dataset) : classes_(dataset.classes) {
    std::unordered_map<std::string, std::vector<std::size_t>> stems;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::string_view stem = without_extension(dataset.ids[i]);
        labels_.push_back(dataset.single_label(i));
        add(by_id_, dataset.ids[i], i);
        add(by_stem_, stem, i);
        add(by_name_, stem_of_file(dataset.ids[i]), i);
        if (by_stem_.at(std::string(stem)) == no_image) stems[std::string(stem)].push_back(i);
    }
    // The first image of each stem was added before others with the same stem were known.
    for (std::size_t i = 0; i < dataset.size() && !stems.empty(); ++i) {
        const auto at = stems.find(std::string(without_extension(dataset.ids[i])));
        if (at == stems.end() || at->second.front() <= i) continue;
        at->second.insert(at->second.begin(), i);
    }
    for (auto& [stem, images] : stems) {
        Alike alike = {std::move(images), {stem}};
        for (const std::size_t image : alike.images) alike.stems.emplace_back(dataset.ids[image]);
        alike_.push_back(std::move(alike));
    }
}

std::vector<std::size_t> CleanImages::of(const Dataset& corrupted) const {
    std::vector<std::size_t> found(corrupted.size(), no_image);
    std::vector<std::uint8_t> taken(size(), 0);
    const auto whole = [](std::string_view id) { return id; };
    const auto stem = [](std::string_view id) { return without_extension(id); };
    bool any = match(corrupted, by_id_, whole, found, taken);
    any = match(corrupted, by_id_, stem, found, taken) || any;  // a.jpg as a.jpg.png
    drop_ambiguous(found);
    any = match(corrupted, by_stem_, stem, found, taken) || any;
    if (!any) match(corrupted, by_name_, stem_of_file, found, taken);
    return found;
}

CleanImages::ByImage CleanImages::by_image(const Dataset& corrupted,
                                           const std::vector<RowOutcome>& outcomes) const {
    ByImage out;
    out.outcomes.assign(size(), RowOutcome::none);
    // Different class lists may be different names for the columns of the same classifier.
    const auto places = places_in(classes_, corrupted.classes);
    const std::vector<std::size_t> images = of(corrupted);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (images[i] == no_image) continue;
        std::int32_t label = corrupted.single_label(i);
        if (label >= 0 && places) label = places->at(static_cast<std::size_t>(label));
        const std::int32_t before = labels_[images[i]];
        if (label >= 0 && before >= 0 && label != before) {
            ++out.relabelled;
        } else {
            out.outcomes[images[i]] = outcomes[i];
        }
    }
    out.ambiguous = ambiguous_in(corrupted, images);
    return out;
}

std::uint64_t CleanImages::ambiguous_in(const Dataset& corrupted,
                                        const std::vector<std::size_t>& found) const {
    if (alike_.empty()) return 0;
    std::unordered_set<std::string_view> stems;
    for (std::size_t i = 0; i < corrupted.size(); ++i)
        stems.insert(without_extension(corrupted.ids[i]));
    std::vector<std::uint8_t> there(size(), 0);
    for (const std::size_t image : found) {
        if (image != no_image) there[image] = 1;
    }
    std::uint64_t lacking = 0;
    for (const Alike& alike : alike_) {
        // If no copy has their name, the images are only missing.
        if (std::none_of(alike.stems.begin(), alike.stems.end(),
                         [&](const std::string& stem) { return stems.count(stem) > 0; }))
            continue;
        for (const std::size_t image : alike.images) lacking += there[image] == 0 ? 1 : 0;
    }
    return lacking;
}

void CleanImages::add(Index& index, std::string_view key, std::size_t image) {
    const auto [at, fresh] = index.emplace(key, image);
    if (!fresh) at->second = no_image;
}

/// Returns true if a copy was found.
template <typename Key>
bool CleanImages::match(const Dataset& corrupted, const Index& index, Key&& key,
                        std::vector<std::size_t>& found, std::vector<std::uint8_t>& taken) {
    std::unordered_map<std::size_t, std::size_t> now;  // item by clean image
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] != no_image) continue;
        const auto at = index.find(std::string(key(corrupted.ids[i])));
        if (at == index.end() || at->second == no_image || taken[at->second] != 0) continue;
        const auto [other, fresh] = now.emplace(at->second, i);
        if (!fresh) other->second = no_image;
    }
    for (const auto& [image, item] : now) {
        taken[image] = 1;
        if (item != no_image) found[item] = image;
    }
    return !now.empty();
}

/// This runs after the comparison of whole ids. Images that differ only in the extension are kept
/// only if all of them exist.
void CleanImages::drop_ambiguous(std::vector<std::size_t>& found) const {
    if (alike_.empty()) return;
    std::unordered_map<std::size_t, std::size_t> item_of;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] != no_image) item_of.emplace(found[i], i);
    }
    for (const Alike& alike : alike_) {
        const bool all =
            std::all_of(alike.images.begin(), alike.images.end(),
                        [&](std::size_t image) { return item_of.find(image) != item_of.end(); });
        if (all) continue;
        for (const std::size_t image : alike.images) {
            const auto at = item_of.find(image);
            if (at != item_of.end()) found[at->second] = no_image;
        }
    }
}

}  // namespace assay::robustness
