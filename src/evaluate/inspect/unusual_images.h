// Counts images whose pixels or size are unusual, and keeps the most extreme of each kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/evaluate/inspect.h"
#include "evaluate/inspect/pixel_measures.h"

namespace assay::inspect {

/// The words for a kind.
struct UnusualWords {
    UnusualImages::Kind kind;
    std::string_view one, many;  ///< "1 image is dark", "3 images are dark"
    std::string_view measure;    ///< what the value is
};
/// The word of words_of().
std::string unusual_id(UnusualImages::Kind kind);
const UnusualWords& words_for(UnusualImages::Kind kind);
/// "0.32", "76,800": a value of a kind for people.
std::string value_text(UnusualImages::Kind kind, double value);
/// "99th percentile of the luma below 0.32".
std::string rule_text(const UnusualImages& unusual);

/// The number of images of each size: width, height.
using SizeCounts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// The result does not depend on the order of the images. Memory: `examples` images of
/// each kind.
class UnusualTally {
public:
    /// Keeps the `examples` most extreme images of each kind.
    explicit UnusualTally(std::size_t examples) : examples_(examples) {}

    void add(std::uint32_t item, int width, int height, const PixelMeasures& measures);
    /// Each kind, with its limits. `sizes` are those of all images that were added.
    std::vector<UnusualImages> result(const Dataset& dataset, const SizeCounts& sizes) const;

private:
    /// The value and the image, the most extreme first.
    using Kept = std::set<std::pair<double, std::uint32_t>>;
    struct Counted {
        std::uint64_t images = 0;
        Kept kept = {};
    };
    void keep(Kept& kept, double key, std::uint32_t item) const;
    UnusualImages odd_sizes(const Dataset& dataset, const SizeCounts& sizes) const;

    std::size_t examples_;
    std::array<Counted, 5> counted_{};
    Kept fewest_pixels_, most_pixels_;  ///< the keys of the latter are negative
};

}  // namespace assay::inspect
