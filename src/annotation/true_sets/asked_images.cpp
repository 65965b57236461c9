#include "annotation/true_sets/asked_images.h"

#include <algorithm>

namespace assay::true_sets {
namespace {

/// The first coordinate counts before all others.
std::int64_t distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    constexpr std::int64_t first = 1'000'000;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]) * (i == 0 ? first : 1);
    return sum;
}

}  // namespace

void merge_small_cells(std::vector<std::uint32_t>& cell,
                       std::vector<std::vector<std::int64_t>> places, std::size_t smallest) {
    std::vector<std::uint32_t> into(places.size());
    std::vector<std::size_t> images(places.size());
    for (std::uint32_t z = 0; z < into.size(); ++z) into[z] = z;
    for (const std::uint32_t z : cell) ++images[z];
    for (;;) {
        // Cells without an image are those that were merged already.
        std::size_t small = places.size();
        for (std::size_t z = 0; z < places.size(); ++z) {
            if (images[z] > 0 && images[z] < smallest &&
                (small == places.size() || images[z] < images[small]))
                small = z;
        }
        if (small == places.size()) break;
        std::size_t nearest = places.size();
        for (std::size_t z = 0; z < places.size(); ++z) {
            if (z == small || images[z] == 0) continue;
            if (nearest == places.size() ||
                distance(places[small], places[z]) < distance(places[small], places[nearest]))
                nearest = z;
        }
        if (nearest == places.size()) break;  // the only cell
        images[nearest] += images[small];
        images[small] = 0;
        for (std::uint32_t& z : into) {
            if (z == small) z = static_cast<std::uint32_t>(nearest);
        }
    }
    std::vector<std::uint32_t> number(places.size());
    std::uint32_t next = 0;
    for (std::size_t z = 0; z < places.size(); ++z) number[z] = images[z] > 0 ? next++ : 0;
    for (std::uint32_t& z : cell) z = number[into[z]];
}

Layout::Layout(const AskedImages& images) {
    const std::size_t models = images.models;
    std::vector<std::uint32_t> levels(models);
    for (std::size_t at = 0; at < images.rank.size(); ++at)
        levels[at % models] =
            std::max<std::uint32_t>(levels[at % models], images.rank[at] + std::uint32_t{1});
    first_level.push_back(0);
    for (const std::uint32_t n : levels) first_level.push_back(first_level.back() + n);
    std::vector<std::uint32_t> most;
    for (std::size_t i = 0; i < images.images(); ++i) {
        if (images.cell[i] >= most.size()) most.resize(images.cell[i] + std::size_t{1});
        most[images.cell[i]] =
            std::max(most[images.cell[i]], static_cast<std::uint32_t>(images.asked(i)));
    }
    first_size.push_back(first_level.back());
    for (const std::uint32_t n : most) first_size.push_back(first_size.back() + n + 1);
    rates = first_size.back();
    size = rates + std::size_t{2} * images.annotators * images.answers;
}

}  // namespace assay::true_sets
