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

    /// Outcomes of the images of `corrupted` by clean image; none: not known. `relabelled` counts
    /// the images whose label is another than that of their clean image: they are not known.
    std::vector<RowOutcome> by_image(const Dataset& corrupted,
                                     const std::vector<RowOutcome>& outcomes,
                                     std::uint64_t& relabelled) const;

    /// Clean images that `corrupted` lacks because another one's id differs in the extension alone.
    std::uint64_t ambiguous_in(const Dataset& corrupted) const;

private:
    using Index = std::unordered_map<std::string, std::size_t>;

    static void add(Index& index, std::string_view key, std::size_t image);
    template <typename Key>
    static bool match(const Dataset& corrupted, const Index& index, Key&& key,
                      std::vector<std::size_t>& found, std::vector<std::uint8_t>& taken);
    void drop_ambiguous(std::vector<std::size_t>& found) const;

    ClassList classes_;
    std::vector<std::int32_t> labels_;
    std::vector<std::vector<std::size_t>> alike_;  ///< images whose ids are one without extension
    Index by_id_, by_stem_, by_name_;
};

}  // namespace assay::robustness
