#include "evaluate/inspect/duplicates.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "core/joined_sets.h"
#include "data/class_text.h"
#include "evaluate/inspect/near_pairs.h"

namespace assay::inspect {
namespace {

/// Both data sets as one sequence of images: first those of the data set, then those of the other.
class BothImages {
public:
    BothImages(const Dataset& dataset, const Dataset* other, ImageHashes own, ImageHashes others)
        : dataset_(dataset), other_(other), hashes_(std::move(own)) {
        hashes_.file.insert(hashes_.file.end(), others.file.begin(), others.file.end());
        hashes_.look.insert(hashes_.look.end(), others.look.begin(), others.look.end());
    }

    std::size_t size() const { return hashes_.look.size(); }
    std::size_t own() const { return dataset_.size(); }
    bool is_own(std::uint32_t i) const { return i < dataset_.size(); }
    std::uint64_t file(std::uint32_t i) const { return hashes_.file[i]; }
    std::uint64_t look(std::uint32_t i) const { return hashes_.look[i]; }
    InspectedImage shown(std::uint32_t i) const {
        return is_own(i)
                   ? inspected_image(dataset_, i)
                   : inspected_image(*other_, i - static_cast<std::uint32_t>(dataset_.size()));
    }
    std::span<const std::int32_t> labels(std::uint32_t i) const { return labels_of(dataset_, i); }
    int distance(std::uint32_t i, std::uint32_t j) const {
        return std::popcount(look(i) ^ look(j));
    }
    void forget_files() { hashes_.file = std::vector<std::uint64_t>(); }

private:
    const Dataset& dataset_;
    const Dataset* other_;
    ImageHashes hashes_;
};

/// Calls visit(first, end) for each range of `order` with equal keys.
template <class Key, class Visit>
void for_each_run(const std::vector<std::uint32_t>& order, Key&& key, Visit&& visit) {
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first + 1;
        while (end < order.size() && key(order[end]) == key(order[first])) ++end;
        visit(first, end);
        first = end;
    }
}

template <class Key>
void sort_by(std::vector<std::uint32_t>& order, Key&& key) {
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(key(a), a) < std::tuple(key(b), b);
    });
}

/// Compares labels of the data set's images, in their order. An image without labels differs from
/// no other.
bool labels_differ(const BothImages& images, std::span<const std::uint32_t> members) {
    std::span<const std::int32_t> known;
    for (const std::uint32_t i : members) {
        const auto labels = images.labels(i);
        if (labels.empty()) continue;
        if (!known.empty() && !std::ranges::equal(known, labels)) return true;
        known = labels;
    }
    return false;
}

/// Counts groups and keeps the first ones; those with different labels come first.
class GroupCount {
public:
    GroupCount(const BothImages& images, std::size_t examples)
        : images_(images), examples_(examples) {}

    /// Members ascend.
    void add(std::span<const std::uint32_t> members) {
        ++counted_.groups;
        counted_.images += members.size();
        const bool differ = labels_differ(images_, members);
        counted_.groups_of_other_labels += differ;
        const std::pair place(!differ, members.front());
        if (kept_.size() == examples_ && (kept_.empty() || place > kept_.rbegin()->first)) return;
        DuplicateGroup group{.images = members.size(), .labels_differ = differ, .members = {}};
        for (const std::uint32_t i : members) {
            group.bits = std::max(group.bits, images_.distance(members.front(), i));
            if (group.members.size() < std::max<std::size_t>(examples_, 2))
                group.members.push_back(images_.shown(i));
        }
        kept_.emplace(place, std::move(group));
        if (kept_.size() > examples_) kept_.erase(std::prev(kept_.end()));
    }
    Duplicates result() {
        for (auto& [place, group] : kept_) counted_.examples.push_back(std::move(group));
        return std::move(counted_);
    }

private:
    const BothImages& images_;
    std::size_t examples_;
    Duplicates counted_;
    std::map<std::pair<bool, std::uint32_t>, DuplicateGroup> kept_;
};

/// Counts images that are also in the other data set, and keeps the first ones.
class SharedCount {
public:
    SharedCount(const BothImages& images, std::size_t examples)
        : images_(images), examples_(examples) {}

    void add(std::uint32_t own, std::uint32_t other) {
        ++count_;
        kept_.emplace(own, other);
        if (kept_.size() > examples_) kept_.erase(std::prev(kept_.end()));
    }
    std::uint64_t count() const { return count_; }
    std::vector<SharedImage> examples() const {
        std::vector<SharedImage> out;
        for (const auto& [own, other] : kept_)
            out.push_back({images_.shown(own), images_.shown(other), images_.distance(own, other)});
        return out;
    }

private:
    const BothImages& images_;
    std::size_t examples_;
    std::uint64_t count_ = 0;
    std::map<std::uint32_t, std::uint32_t> kept_;
};

/// The first image of each distinct file; those of the data set come first.
struct Files {
    std::vector<std::uint32_t> first;
    std::vector<bool> shared;  ///< per image of the data set: whether the other one also has its
                               ///< file
};

Files find_equal_files(BothImages& images, const InspectOptions& options, InspectResult& result) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < images.size(); ++i) {
        if (images.file(i) != 0) order.push_back(i);
    }
    const auto file = [&](std::uint32_t i) { return images.file(i); };
    sort_by(order, file);
    Files files{.first = {}, .shared = std::vector<bool>(images.own())};
    GroupCount groups(images, options.examples);
    SharedCount same(images, options.examples);
    for_each_run(order, file, [&](std::size_t first, std::size_t end) {
        std::size_t own = first;
        while (own < end && images.is_own(order[own])) ++own;
        const std::span members(order.data() + first, own - first);
        if (members.size() > 1) groups.add(members);
        if (!members.empty()) files.first.push_back(members.front());
        if (own == end) return;
        files.first.push_back(order[own]);
        for (const std::uint32_t i : members) {
            files.shared[i] = true;
            same.add(i, order[own]);
        }
    });
    images.forget_files();
    result.same_files = groups.result();
    if (result.against) {
        result.against->same = same.count();
        result.against->same_examples = same.examples();
    }
    return files;
}

/// Images with the same hash: a part of `order`, with those of the data set first.
struct Look {
    std::span<const std::uint32_t> own, others;
};

/// The distinct hashes, each with its images.
class Looks {
public:
    Looks(const BothImages& images, std::vector<std::uint32_t> order) : order_(std::move(order)) {
        std::erase_if(order_, [&](std::uint32_t i) { return images.look(i) == 0; });
        const auto look = [&](std::uint32_t i) { return images.look(i); };
        sort_by(order_, look);
        begins_.reserve(order_.size());
        hashes_.reserve(order_.size());
        for_each_run(order_, look, [&](std::size_t first, std::size_t) {
            begins_.push_back(static_cast<std::uint32_t>(first));
            hashes_.push_back(look(order_[first]));
        });
        own_ = static_cast<std::uint32_t>(images.own());
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size()); }
    std::span<const std::uint64_t> hashes() const { return hashes_; }
    Look operator[](std::uint32_t k) const {
        const std::size_t end = k + 1 < begins_.size() ? begins_[k + 1] : order_.size();
        const auto all = std::span(order_).subspan(begins_[k], end - begins_[k]);
        const auto own =
            static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), own_) - all.begin());
        return {all.first(own), all.subspan(own)};
    }

private:
    std::vector<std::uint32_t> order_, begins_;
    std::vector<std::uint64_t> hashes_;
    std::uint32_t own_ = 0;
};

/// The groups of images of the data set, from the merged pairs.
Duplicates near_groups(const BothImages& images, const Looks& looks, JoinedSets& sets,
                       std::size_t examples) {
    std::vector<std::uint32_t> sizes(looks.size());
    for (std::uint32_t k = 0; k < looks.size(); ++k)
        sizes[sets.of(k)] += static_cast<std::uint32_t>(looks[k].own.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> members;  // pairs of the set and the image
    for (std::uint32_t k = 0; k < looks.size(); ++k) {
        if (sizes[sets.of(k)] < 2) continue;
        for (const std::uint32_t i : looks[k].own) members.emplace_back(sets.of(k), i);
    }
    std::sort(members.begin(), members.end());
    GroupCount groups(images, examples);
    std::vector<std::uint32_t> group;
    for (std::size_t m = 0; m < members.size(); ++m) {
        group.push_back(members[m].second);
        if (m + 1 < members.size() && members[m + 1].first == members[m].first) continue;
        groups.add(group);
        group.clear();
    }
    return groups.result();
}

void find_near(const BothImages& images, Files files, const InspectOptions& options,
               InspectResult& result) {
    const Looks looks(images, std::move(files.first));
    JoinedSets sets(looks.size());
    /// The distance in bits and the nearest image of the other data set, by index of the hash.
    std::map<std::uint32_t, std::pair<int, std::uint32_t>> nearest;
    const auto offer = [&](std::uint32_t own, std::uint32_t other, int bits) {
        if (looks[own].own.empty() || looks[other].others.empty()) return;
        const std::pair found(bits, looks[other].others.front());
        const auto [entry, fresh] = nearest.emplace(own, found);
        if (!fresh) entry->second = std::min(entry->second, found);
    };
    for (std::uint32_t k = 0; k < looks.size(); ++k) offer(k, k, 0);
    for_each_near_pair(looks.hashes(), options.near,
                       [&](std::uint32_t i, std::uint32_t j, int bits) {
                           if (!looks[i].own.empty() && !looks[j].own.empty()) sets.join(i, j);
                           offer(i, j, bits);
                           offer(j, i, bits);
                       });
    result.near_duplicates = near_groups(images, looks, sets, options.examples);
    if (!result.against) return;
    SharedCount near(images, options.examples);
    for (const auto& [own, found] : nearest) {
        for (const std::uint32_t i : looks[own].own) {
            if (!files.shared[i]) near.add(i, found.second);
        }
    }
    result.against->near = near.count();
    result.against->near_examples = near.examples();
}

}  // namespace

std::span<const std::int32_t> labels_of(const Dataset& dataset, std::uint32_t item) {
    return item < dataset.labels.size() ? dataset.labels[item] : std::span<const std::int32_t>();
}

InspectedImage inspected_image(const Dataset& dataset, std::uint32_t item) {
    InspectedImage image{.id = std::string(dataset.ids[item]), .labels = {}};
    for (const std::int32_t c : labels_of(dataset, item))
        image.labels.push_back(class_text(dataset.classes, c));
    return image;
}

void find_duplicates(const Dataset& dataset, ImageHashes hashes, const Dataset* other,
                     ImageHashes others, const InspectOptions& options, InspectResult& result) {
    BothImages images(dataset, other, std::move(hashes), std::move(others));
    Files files = find_equal_files(images, options, result);
    find_near(images, std::move(files), options, result);
}

}  // namespace assay::inspect
