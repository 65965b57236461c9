// The samples of a tar archive in WebDataset's form: consecutive members that share a key.
// https://github.com/webdataset/webdataset
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

/// Determines the label of a sample.
struct LabelRule {
    /// "" means the member .cls, or else the field `label`, `cls`, `target` or `class` of .json.
    /// Any other name is the suffix of a member or a field of .json.
    std::string name;
};

struct Sample {
    std::string key;
    std::string image;  ///< name of the image's member
    std::uint64_t offset = 0, size = 0;
    /// A number or a text, unchanged; "" if there is none.
    std::string label;
    std::string label_place;  ///< name of the label's member
};

struct Samples {
    std::vector<Sample> samples;
    std::uint64_t without_image = 0;
    std::string first_without;   ///< its key
    std::uint64_t left_out = 0;  ///< members that are no files: links, sparse files, ...
    bool has_end_mark = true;
    /// Images such as a.seg.png next to the sample's image a.jpg. For an archive at a URL, they are
    /// counted when its index is made.
    std::uint64_t beside = 0;
    std::string first_beside{};  ///< its name
};

/// "a/b.left.JPG" has the key "a/b" and the suffix "left.jpg". Nothing for a name that has no dot
/// after the last slash, or begins and ends with "__".
struct KeyAndSuffix {
    std::string_view key;
    std::string suffix;
};
std::optional<KeyAndSuffix> key_and_suffix(std::string_view name);

/// Reads the headers of an archive and, with `labels`, the labels of its images. Throws bad_input,
/// naming member or byte: a damaged archive, a label that is no text, or a repeated key.
/// Also throws it for a sample with two images, unless exactly one suffix has no dot. Stops after
/// `limit` samples with an image (0 reads all).
Samples read_samples(const ByteSource& source, const LabelRule& rule, bool labels,
                     std::uint64_t limit);

}  // namespace assay::webdataset
