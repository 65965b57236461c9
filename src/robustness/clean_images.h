// The clean image that each corrupted one was made of.
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

    /// Of each image of `corrupted` the clean one, or no_image: by its id, else by its id without
    /// extension, to which the clean one's may have been left ("a.jpg.png"); where that finds none
    /// in all the data set, by the names of the files, which alone say too little where the same
    /// name is in many folders. A clean image that two are equally like belongs to neither. Clean
    /// images whose ids differ in the extension alone ("0.jpg" and "0.png") are found where all of
    /// them are there by their whole ids: a copy in another format has the id of one and may be of
    /// the other.
    std::vector<std::size_t> of(const Dataset& corrupted) const;

    struct ByImage {
        std::vector<RowOutcome> outcomes;  ///< by clean image; none: not known
        /// Images whose label is another than that of their clean image: they are not known.
        std::uint64_t relabelled = 0;
        /// Clean images that one of `corrupted` may be of, but as well of another whose id differs
        /// in the extension alone.
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

    /// Images whose ids are one without extension.
    struct Alike {
        std::vector<std::size_t> images;
        std::vector<std::string> stems;  ///< of what a copy may be called: theirs, and their ids
    };

    ClassList classes_;
    std::vector<std::int32_t> labels_;
    std::vector<Alike> alike_;
    Index by_id_, by_stem_, by_name_;
};

}  // namespace assay::robustness
