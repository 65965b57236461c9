#include "annotation/true_sets/asked_images.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace assay::true_sets {
namespace {

/// The first coordinate has priority over all others.
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
        // Cells without an image were merged already.
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
        if (nearest == places.size()) break;  // it is the only cell
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

Agreement agreement_of(std::span<const std::vector<std::int32_t>> best) {
    Agreement out{};
    const auto pairs = static_cast<double>(best.size() * (best.size() - 1)) / 2;
    if (pairs == 0) return out;
    for (std::size_t depth = 1; depth <= out.size(); ++depth) {
        double shared = 0;
        for (std::size_t a = 0; a < best.size(); ++a) {
            const auto mine = std::span(best[a]).first(std::min(depth, best[a].size()));
            for (std::size_t b = 0; b < a; ++b) {
                const auto other = std::span(best[b]).first(std::min(depth, best[b].size()));
                shared += static_cast<double>(std::ranges::count_if(mine, [&](std::int32_t c) {
                    return std::ranges::find(other, c) != other.end();
                }));
            }
        }
        out[depth - 1] = std::llround(shared / pairs);
    }
    return out;
}

std::vector<std::uint32_t> cells_of(const AskedImages& images,
                                    std::span<const Agreement> agreement) {
    std::map<std::vector<std::int64_t>, std::uint32_t> numbers;
    std::vector<std::vector<std::int64_t>> of_image;
    for (std::size_t i = 0; i < images.images(); ++i) {
        auto& place = of_image.emplace_back();
        place.push_back(static_cast<std::int64_t>(images.asked(i)));
        place.insert(place.end(), agreement[i].begin(), agreement[i].end());
        numbers.emplace(place, 0);
    }
    std::vector<std::vector<std::int64_t>> places;
    for (auto& [place, number] : numbers) {
        number = static_cast<std::uint32_t>(places.size());
        places.push_back(place);
    }
    std::vector<std::uint32_t> cell;
    for (const auto& place : of_image) cell.push_back(numbers.at(place));
    merge_small_cells(cell, std::move(places));
    return cell;
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
