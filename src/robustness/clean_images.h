// Finds the clean image of each corrupted one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assay/data/dataset.h"
#include "store/outcomes.h"

namespace assay::robustness {

inline constexpr std::size_t no_image = std::numeric_limits<std::size_t>::max();

class CleanImages {
public:
    explicit CleanImages(const Dataset& dataset);

    std::size_t size() const { return labels_.size(); }

    /// For each image of `corrupted`, the clean image or no_image. It is found by its id, otherwise
    /// by its id without extension, in which the clean image's extension may remain ("a.jpg.png").
    /// If that finds no image in the whole data set, file names are compared. File names are not
    /// enough if the same name is in many folders. If two images match a clean image equally well,
    /// it belongs to neither. Clean images whose ids differ only in the extension ("0.jpg" and
    /// "0.png") are found only if all of them exist with their whole ids. The reason is that a copy
    /// in another format has the id of one and may belong to the other.
    std::vector<std::size_t> of(const Dataset& corrupted) const;

    struct ByImage {
        std::vector<RowOutcome> outcomes;  ///< by clean image; none means not known
        /// Images whose label differs from that of their clean image. They count as not known.
        std::uint64_t relabelled = 0;
        /// Clean images whose match in `corrupted` may also belong to another clean image whose id
        /// differs only in the extension.
        std::uint64_t ambiguous = 0;
    };
    ByImage by_image(const Dataset& corrupted, const std::vector<RowOutcome>& outcomes) const;

private:
    using Index = std::unordered_map<std::string, std::size_t>;

    static void add(Index& index, std::string_view key, std::size_t image);
    template <typename Key>
    static bool match(const Dataset& corrupted, const Index& index, Key&& key,
                      std::vector<std::size_t>& found, std::vector<std::uint8_t>& taken);
    void drop_ambiguous(std::vector<std::size_t>& found) const;
    std::uint64_t ambiguous_in(const Dataset& corrupted,
                               const std::vector<std::size_t>& found) const;

    /// Images whose ids are the same without extension.
    struct Alike {
        std::vector<std::size_t> images;
        std::vector<std::string> stems;  ///< possible names of a copy: the images' names and ids
    };

    ClassList classes_;
    std::vector<std::int32_t> labels_;
    std::vector<Alike> alike_;
    Index by_id_, by_stem_, by_name_;
};

}  // namespace assay::robustness
