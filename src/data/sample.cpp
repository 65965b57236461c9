#include "assay/data/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/random.h"
#include "data/dataset_name.h"

namespace assay {
namespace {

/// Returns the class, or -1 for no label, or -2 for several.
std::int32_t stratum_of(const Dataset& dataset, std::size_t item) {
    if (item >= dataset.labels.size() || dataset.labels[item].empty()) return -1;
    return dataset.labels[item].size() == 1 ? dataset.labels[item][0] : -2;
}

/// The number of items from each stratum: floor(n * size / total), plus one for the largest
/// remainders.
std::vector<std::size_t> quotas(const std::vector<std::size_t>& sizes, std::size_t n,
                                std::uint64_t seed) {
    std::uint64_t total = 0;
    for (const std::size_t size : sizes) total += size;
    std::vector<std::size_t> out(sizes.size());
    struct Rest {
        std::uint64_t remainder, draw;
        std::size_t stratum;
    };
    std::vector<Rest> rests;
    std::size_t given = 0;
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        // Both factors are below 2^32, so the product is below 2^64.
        const std::uint64_t share = std::uint64_t{n} * sizes[s];
        out[s] = static_cast<std::size_t>(share / total);
        given += out[s];
        rests.push_back({share % total, RandomStream(seed, "sample.strata", s).next_u64(), s});
    }
    std::ranges::sort(rests, [](const Rest& a, const Rest& b) {
        return a.remainder != b.remainder ? a.remainder > b.remainder : a.draw < b.draw;
    });
    for (std::size_t i = 0; given < n; ++i, ++given) ++out[rests[i].stratum];
    return out;
}

constexpr std::string_view first_sign = "-first", sample_sign = "-sample", seed_sign = "-seed";

/// `name` without `sign` and digits at its end, or the whole name if these are missing.
std::string_view without_count(std::string_view name, std::string_view sign) {
    const std::size_t last = name.find_last_not_of("0123456789");
    if (last == std::string_view::npos || last + 1 == name.size()) return name;
    const std::string_view text = name.substr(0, last + 1);
    return text.size() > sign.size() && text.ends_with(sign)
               ? text.substr(0, text.size() - sign.size())
               : name;
}

}  // namespace

std::string name_of_first(std::string_view dataset, std::size_t images) {
    return fmt::format("{}{}{}", dataset, first_sign, images);
}

std::string name_of_sample(std::string_view dataset, std::size_t images, std::uint64_t seed) {
    std::string name = fmt::format("{}{}{}", dataset, sample_sign, images);
    if (seed != 0) name += fmt::format("{}{}", seed_sign, seed);
    return name;
}

std::string_view name_of_whole(std::string_view name) {
    if (const std::string_view first = without_count(name, first_sign); first != name) return first;
    const std::string_view sample = without_count(name, seed_sign);
    const std::string_view whole = without_count(sample, sample_sign);
    return whole != sample ? whole : name;
}

Dataset take_items(const Dataset& dataset, std::span<const std::uint32_t> items) {
    Dataset out;
    out.name = dataset.name;
    out.root = dataset.root;
    out.archive = dataset.archive;
    out.classes = dataset.classes;
    for (const Dataset::Attribute& attribute : dataset.attributes)
        out.attributes.push_back({attribute.name, {}});
    for (const std::uint32_t item : items) {
        out.ids.append(dataset.ids[item]);
        if (dataset.paths.size() > 0) out.paths.append(dataset.paths[item]);
        out.labels.append(item < dataset.labels.size() ? dataset.labels[item]
                                                       : std::span<const std::int32_t>{});
        for (std::size_t a = 0; a < out.attributes.size(); ++a)
            out.attributes[a].values.append(dataset.attributes[a].values[item]);
    }
    return out;
}

Dataset stratified_sample(const Dataset& dataset, std::size_t n, std::uint64_t seed) {
    if (n == 0) throw Error(ErrorCode::usage, "the sample has 0 images; allowed: 1 or more");
    if (n >= dataset.size()) return dataset;
    std::map<std::int32_t, std::vector<std::uint32_t>> strata;
    for (std::uint32_t item = 0; item < dataset.size(); ++item)
        strata[stratum_of(dataset, item)].push_back(item);
    std::vector<std::size_t> sizes;
    for (const auto& [stratum, items] : strata) sizes.push_back(items.size());
    const std::vector<std::size_t> wanted = quotas(sizes, n, seed);

    std::vector<std::uint32_t> chosen;
    std::size_t s = 0;
    for (const auto& [stratum, items] : strata) {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
        for (const std::uint32_t item : items)
            keyed.emplace_back(RandomStream(seed, "sample.items", item).next_u64(), item);
        const auto end = keyed.begin() + static_cast<std::ptrdiff_t>(wanted[s++]);
        std::partial_sort(keyed.begin(), end, keyed.end());
        for (auto one = keyed.begin(); one != end; ++one) chosen.push_back(one->second);
    }
    std::ranges::sort(chosen);
    return take_items(dataset, chosen);
}

}  // namespace assay
