// Searches slices: counts all slices, and selects and confirms them by tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::slices {

/// A slice and the other images have at least this number of images in each half.
inline constexpr std::uint64_t fewest_slice_images = 20;
/// For a slice and its rest, in both halves.
inline constexpr std::uint64_t fewest_judged_images = 4 * fewest_slice_images;

/// A division of the images of a data set.
struct Facet {
    static constexpr std::int32_t none = -1;
    std::string by{};
    std::string kind{};
    std::vector<std::string> values{};
    std::vector<std::int32_t> of{};  ///< the value of each item, or none
    /// Facets of one source are two views of the source, and make no pairs.
    std::size_t source = 0;
    /// The label decides the value: `label` itself, or a superclass. Makes no pairs with the
    /// predicted class, because these are correct or incorrect by definition.
    bool of_label = false;
};
/// The sources of `label` and `predicted`. Attributes follow them.
inline constexpr std::size_t label_source = 0, predicted_source = 1, first_free_source = 2;

struct Counts {
    std::uint64_t hits = 0, images = 0;
    Counts operator-(const Counts& part) const { return {hits - part.hits, images - part.images}; }
};

/// Fisher's exact test, one-sided.
class LowerTest {
public:
    /// The test for up to `most` images. Memory: 8 bytes per image.
    explicit LowerTest(std::uint64_t most);
    /// The chance of as few hits as in `part`, or fewer, if it were drawn from `whole` at random. 1
    /// if its proportion of hits is not lower than that of the others.
    double operator()(const Counts& part, const Counts& whole) const;

private:
    double choose(std::uint64_t n, std::uint64_t k) const;
    std::vector<double> log_factorial_;
};

/// The images that count, as places.
struct JudgedRows {
    std::vector<std::uint64_t> rows;
    std::vector<std::uint8_t> code;  ///< of each: 2 * half + hit
    /// Of each; empty: images are independent. Otherwise all images of the first half come first,
    /// and those of one cluster, which is in one half, follow one another.
    std::vector<std::uint32_t> cluster{};
};

struct ConfirmedSlice {
    /// Facet and value, for one or two facets.
    std::vector<std::pair<std::size_t, std::int32_t>> conditions;
    std::array<Counts, 2> own;  ///< by half
    double screened = 1, p = 1;
};
struct Confirmed {
    std::array<Counts, 2> all;
    std::uint64_t tested = 0, selected = 0;
    std::uint64_t few_clusters = 0;      ///< slices with enough images, but not enough clusters
    std::vector<bool> used;              ///< by facet: a tested slice has a value of it
    bool tested_pairs = false;           ///< a tested slice has two values
    std::vector<ConfirmedSlice> slices;  ///< the smallest p first
};

/// Cost: images times pairs of facets, and a test for each large slice. With clusters, also a pass
/// over the images of a value for each slice whose p is at most 0.1 without them. The same bits for
/// any number of threads. Throws interrupted.
Confirmed search_slices(std::span<const Facet* const> facets, const JudgedRows& judged,
                        double level, int threads);

}  // namespace assay::slices
