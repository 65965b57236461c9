// The samples of a tar archive, as WebDataset has them: members that follow one another and share a
// key. https://github.com/webdataset/webdataset
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/byte_source.h"
#include "containers/tar_reader.h"

namespace assay::webdataset {

/// What of a sample is its label.
struct LabelRule {
    /// "": the member .cls, or else the field `label`, `cls`, `target` or `class` of .json. Else
    /// the member of this suffix, or the field of .json.
    std::string name;
};

struct Sample {
    std::string key;
    std::string image;  ///< the member's name
    std::uint64_t offset = 0, size = 0;
    /// A number or a text, as it stands there; "": none.
    std::string label;
    std::string label_place;  ///< the member's name
};

struct Samples {
    std::vector<Sample> samples;
    std::uint64_t without_image = 0;
    std::string first_without;   ///< its key
    std::uint64_t left_out = 0;  ///< members that are no files: links, sparse files, ...
    bool has_end_mark = true;
    /// Images such as a.seg.png beside the sample's a.jpg, which is the one; of an archive at a URL
    /// counted when its index is made.
    std::uint64_t beside = 0;
    std::string first_beside{};  ///< its name
};

/// "a/b.left.JPG" is the key "a/b" and the suffix "left.jpg"; nothing without a dot behind the last
/// slash, nor for what begins and ends with "__".
struct KeyAndSuffix {
    std::string_view key;
    std::string suffix;
};
std::optional<KeyAndSuffix> key_and_suffix(std::string_view name);

/// Reads the headers of an archive, and the labels beside its images where `labels`. Throws
/// bad_input, naming member or byte: a damaged archive, a sample with two images of which not just
/// one has a suffix without a dot, a label that is no text, a key that comes again. Stops after
/// `limit` samples with an image (0: all).
Samples read_samples(const ByteSource& source, const LabelRule& rule, bool labels,
                     std::uint64_t limit);

}  // namespace assay::webdataset
