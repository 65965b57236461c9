#include "few_labels/strata.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/refuse.h"

namespace assay::few_labels {
namespace {

constexpr std::size_t bins = std::size_t{1} << 16;

std::size_t bin_of(double mean_consensus) {
    return static_cast<std::size_t>(
        std::clamp(mean_consensus * static_cast<double>(bins), 0.0, static_cast<double>(bins - 1)));
}

/// The number of the `wanted` strata that are for unanimous images.
std::array<std::size_t, 2> shared_out(const std::array<double, 2>& totals,
                                      const std::array<std::uint64_t, 2>& images,
                                      std::size_t wanted) {
    if (images[0] == 0) return {0, wanted};
    if (images[1] == 0) return {wanted, 0};
    const double share = totals[0] / (totals[0] + totals[1]);
    const auto unanimous =
        static_cast<std::size_t>(std::clamp(std::floor(static_cast<double>(wanted) * share + 0.5),
                                            1.0, static_cast<double>(wanted - 1)));
    return {unanimous, wanted - unanimous};
}

/// The stratum, from 0, of an element of size `size` that ends at `running` of `total` sizes.
std::uint8_t cut(double running, double size, double total, std::size_t strata) {
    const double at = (running - size / 2) / total * static_cast<double>(strata);
    return static_cast<std::uint8_t>(std::min(at, static_cast<double>(strata) - 1e-9));
}

std::uint64_t splitmix64(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

}  // namespace

double SizeMeasure::root(const ImageFacts& image) const {
    double v = mean_unsure > 0 ? image.unsure / mean_unsure : 1;
    if (of_apart > 0 && mean_apart > 0)
        v = (1 - of_apart) * v + of_apart * image.apart / mean_apart;
    return std::sqrt(v);
}

double SizeMeasure::operator()(const ImageFacts& image) const {
    return (1 - floor) * (mean_root > 0 ? root(image) / mean_root : 1) + floor;
}

SizeMeasure size_measure(Purpose purpose, std::size_t classifiers) {
    SizeMeasure out;
    if (purpose == Purpose::accuracies) out.of_apart = 0;
    if (purpose == Purpose::differences) {
        out.of_apart = 1;
        out.floor = 0.25;
    }
    if (classifiers == 1) out.of_apart = 0;
    return out;
}

std::size_t strata_for(std::uint64_t labels) {
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(labels / 12, 2, 10));
}

struct Strata::Part {
    struct Entry {
        double key;
        std::uint64_t row;
        double size;
    };
    std::vector<Entry> entries;
    std::vector<double> size_of_bin = std::vector<double>(bins, 0);
    std::vector<std::uint64_t> images_of_bin = std::vector<std::uint64_t>(bins, 0);
    double total = 0;
    std::uint64_t images = 0;
};

Strata::Strata(const Pool& pool, Purpose purpose, std::size_t wanted, int threads,
               const ProgressCallback& progress, std::uint64_t sorted,
               std::vector<std::uint64_t> settled)
    : measure_(size_measure(purpose, pool.founders())), settled_(std::move(settled)) {
    double unsure = 0, apart = 0, roots = 0;
    pool.for_each_round(threads, progress, "predictions",
                        [&](std::uint64_t first, std::span<const ImageFacts> facts) {
                            for (std::size_t i = 0; i < facts.size(); ++i) {
                                if (!takes(first + i, facts[i])) continue;
                                ++drawable_;
                                unsure += facts[i].unsure;
                                apart += facts[i].apart;
                            }
                        });
    if (drawable_ < 2)
        refuse(settled_.empty()
                   ? fmt::format("{} images have scores of every classifier; at least 2 are needed",
                                 drawable_)
                   : fmt::format("known answers settle all but {} of the {} images; at least 2 "
                                 "others are needed",
                                 drawable_, pool_size()));
    const auto all = static_cast<double>(drawable_);
    measure_.mean_unsure = unsure / all;
    measure_.mean_apart = apart / all;
    pool.for_each_round(threads, progress, "sizes",
                        [&](std::uint64_t first, std::span<const ImageFacts> facts) {
                            for (std::size_t i = 0; i < facts.size(); ++i)
                                if (takes(first + i, facts[i])) roots += measure_.root(facts[i]);
                        });
    measure_.mean_root = roots / all;

    const bool exact = drawable_ <= sorted;
    std::array<Part, 2> parts;
    pool.for_each_round(threads, progress, "strata",
                        [&](std::uint64_t first, std::span<const ImageFacts> facts) {
                            for (std::size_t i = 0; i < facts.size(); ++i) {
                                const ImageFacts& image = facts[i];
                                if (!takes(first + i, image)) continue;
                                const double size = measure_(image);
                                Part& part = parts[image.contested ? 1 : 0];
                                part.total += size;
                                ++part.images;
                                if (exact) {
                                    part.entries.push_back({image.mean_consensus, first + i, size});
                                    continue;
                                }
                                const std::size_t bin = bin_of(image.mean_consensus);
                                part.size_of_bin[bin] += size;
                                ++part.images_of_bin[bin];
                            }
                        });
    const auto strata =
        shared_out({parts[0].total, parts[1].total}, {parts[0].images, parts[1].images}, wanted);
    images_.assign(wanted, 0);
    totals_.assign(wanted, 0);
    if (exact) of_row_.assign(pool.rows(), outside);
    std::size_t start = 0;
    for (std::size_t p = 0; p < 2; ++p) {
        Part& part = parts[p];
        if (part.images == 0) continue;
        if (exact) {
            std::ranges::sort(part.entries, [](const Part::Entry& a, const Part::Entry& b) {
                return a.key != b.key ? a.key < b.key : a.row < b.row;
            });
            part.total = 0;  // summed in the order of the division into strata
            for (const Part::Entry& one : part.entries) part.total += one.size;
            double running = 0;
            for (const Part::Entry& one : part.entries) {
                running += one.size;
                const std::size_t h = start + cut(running, one.size, part.total, strata[p]);
                of_row_[one.row] = static_cast<std::uint8_t>(h);
                ++images_[h];
                totals_[h] += one.size;
            }
        } else {
            part.total = std::accumulate(part.size_of_bin.begin(), part.size_of_bin.end(), 0.0);
            of_bin_[p].assign(bins, outside);
            double running = 0;
            for (std::size_t b = 0; b < bins; ++b) {
                running += part.size_of_bin[b];
                const std::size_t h =
                    start + cut(running, part.size_of_bin[b], part.total, strata[p]);
                of_bin_[p][b] = static_cast<std::uint8_t>(h);
                images_[h] += part.images_of_bin[b];
                totals_[h] += part.size_of_bin[b];
            }
        }
        start += strata[p];
    }
    contested_.assign(wanted, false);
    for (std::size_t h = strata[0]; h < wanted; ++h) contested_[h] = true;
    std::vector<std::uint8_t> final_of(wanted);
    join_small(final_of);
    for (auto* table : {&of_row_, &of_bin_[0], &of_bin_[1]})
        for (std::uint8_t& h : *table)
            if (h != outside) h = final_of[h];
}

void Strata::join_small(std::vector<std::uint8_t>& final_of) {
    std::iota(final_of.begin(), final_of.end(), std::uint8_t{0});
    const auto remove = [&](std::size_t from, std::size_t to) {
        images_[to] += images_[from];
        totals_[to] += totals_[from];
        contested_[to] = contested_[to] || contested_[from];
        for (std::uint8_t& h : final_of) {
            if (h == from) h = static_cast<std::uint8_t>(to);
            if (h > from) --h;
        }
        const auto at = static_cast<std::ptrdiff_t>(from);
        images_.erase(images_.begin() + at);
        totals_.erase(totals_.begin() + at);
        contested_.erase(contested_.begin() + at);
    };
    // Removes empty strata first, because they contain no image.
    for (std::size_t h = images_.size(); h-- > 0;) {
        if (images_[h] > 0 || images_.size() == 1) continue;
        const bool kept = contested_[h == 0 ? 1 : h - 1];
        const std::size_t to = h == 0 ? 1 : h - 1;
        remove(h, to);
        contested_[h == 0 ? 0 : to] = kept;
    }
    while (images_.size() > 1) {
        const auto least = std::ranges::min_element(images_);
        if (*least >= 2) return;
        const auto h = static_cast<std::size_t>(least - images_.begin());
        remove(h, h == 0 ? 1 : h - 1);
    }
}

bool Strata::takes(std::uint64_t row, const ImageFacts& image) const {
    return image.in_pool && !std::ranges::binary_search(settled_, row);
}

std::uint8_t Strata::of(std::uint64_t row, const ImageFacts& image) const {
    if (!takes(row, image)) return outside;
    if (!of_row_.empty()) return of_row_[row];
    return of_bin_[image.contested ? 1 : 0][bin_of(image.mean_consensus)];
}

std::vector<std::uint64_t> allocate(std::span<const double> totals,
                                    std::span<const std::uint64_t> images, std::uint64_t labels) {
    std::vector<std::uint64_t> out(images.size());
    std::uint64_t given = 0, all = 0;
    for (std::size_t h = 0; h < out.size(); ++h) {
        out[h] = std::min<std::uint64_t>(2, images[h]);
        given += out[h];
        all += images[h];
    }
    for (labels = std::min(labels, all); given < labels; ++given) {
        std::size_t best = out.size();
        double most = -1;
        for (std::size_t h = 0; h < out.size(); ++h) {
            const double ratio = totals[h] / (static_cast<double>(out[h]) + 0.5);
            if (out[h] >= images[h] || ratio <= most) continue;
            best = h;
            most = ratio;
        }
        ++out[best];
    }
    return out;
}

std::uint64_t draw_key(std::uint64_t seed, std::uint64_t row) {
    return splitmix64(splitmix64(seed) ^ row);
}

}  // namespace assay::few_labels
