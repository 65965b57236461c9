// What a data set holds, before any number is computed: how it was read, its formats and sizes,
// images that cannot be read, duplicates, labels and classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/describe.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

class PredictionStore;

struct InspectOptions {
    /// Two images are near duplicates if at most so many of the 64 bits of their perceptual hashes
    /// differ: 0 to 10.
    int near = 4;
    /// How many images or groups of each finding are listed. All are counted.
    std::size_t examples = 5;
    int threads = 0;  ///< 0: one per core
};

template <>
inline constexpr auto description<InspectOptions> = describe<InspectOptions>({
    field<&InspectOptions::near>(
        {.help = "Images look alike if their perceptual hashes differ in at most this many bits",
         .min = 0,
         .max = 10,
         .unit = "bits"}),
    field<&InspectOptions::examples>({.help = "Number of examples to list for each finding"}),
    field<&InspectOptions::threads>({.help = "Threads; results do not depend on their number",
                                     .min = 0,
                                     .empty = "one per core",
                                     .also = "-j"}),
});

/// A data set that was opened, and what open_dataset() said of it.
struct OpenedDataset {
    Dataset dataset;
    std::vector<std::string> notes = {};
};

/// An image of the data set, with the classes of its labels: "n01440764 (tench)".
struct InspectedImage {
    std::string id;
    std::vector<std::string> labels;
};

/// Images of a kind: a format, colours, or what decoding leaves aside.
struct ImageKind {
    std::string id;  ///< stable: "jpeg", "grey", "exif_turned"
    std::string title;
    std::uint64_t images = 0;
    std::string first;  ///< the id of the first of them
};

/// Pixels of the images that could be decoded. The median is the lower of two.
struct ImageSizes {
    struct Side {
        std::uint32_t least = 0, median = 0, most = 0;
    };
    Side width, height;
    std::uint64_t sizes = 0;  ///< how many there are
    std::uint32_t usual_width = 0, usual_height = 0;
    std::uint64_t usual_images = 0;  ///< of the size that most images have
};

struct UnreadableImage {
    std::string id, why;
};

/// Images that are equal, or look alike.
struct DuplicateGroup {
    std::uint64_t images = 0;
    bool labels_differ = false;
    /// The most bits in which the hash of one differs from that of the first; 0 of equal files.
    int bits = 0;
    std::vector<InspectedImage> members;  ///< the first few, in the order of the data set
};
struct Duplicates {
    std::uint64_t groups = 0;
    std::uint64_t images = 0;  ///< in all groups
    std::uint64_t groups_of_other_labels = 0;
    std::vector<DuplicateGroup> examples;  ///< those with different labels come first
};

/// An image that is in the other data set, too.
struct SharedImage {
    InspectedImage image, other;
    int bits = 0;
};
struct InspectedAgainst {
    std::string name;
    std::uint64_t images = 0, unreadable = 0;
    std::uint64_t same = 0;  ///< images of the data set whose file is there, too
    std::uint64_t near = 0;  ///< further images that look like one there
    std::vector<SharedImage> same_examples, near_examples;
    std::vector<std::string> notes;  ///< how it was read
};

struct ClassCount {
    std::string name;  ///< "n01440764 (tench)"
    std::uint64_t images = 0;
};
struct InspectedLabels {
    std::uint64_t classes = 0, classes_without_images = 0;
    std::vector<std::string> order;           ///< the first classes
    std::vector<ClassCount> fewest, most;     ///< of classes with images
    std::vector<std::string> without_images;  ///< the first such classes
    std::uint64_t images_without = 0, images_with_several = 0;
    std::vector<std::string> first_without;  ///< ids
};

struct InspectResult {
    std::string name;
    /// The prediction store whose records these findings are: without formats, sizes and near
    /// duplicates. "": the images were read.
    std::string store;
    std::uint64_t images = 0, unreadable = 0;
    int near = 0;  ///< the option
    std::vector<std::string> notes;
    std::vector<InspectedImage> samples;
    InspectedLabels labels;
    std::vector<ImageKind> kinds;
    std::optional<ImageSizes> sizes;  ///< none: no image could be decoded
    std::vector<UnreadableImage> unreadable_examples;
    Duplicates same_files;
    /// Of files that differ. Images whose hash is 0 are not compared: those of one colour.
    Duplicates near_duplicates;
    std::optional<InspectedAgainst> against;
};

/// Reads and decodes every image once. The same result for any number of threads. Memory: 16 bytes
/// an image of both data sets while they are read, 32 while duplicates are searched, and one image
/// a thread. Throws usage (a distance out of range), and what ends a run: interrupted, unreachable.
InspectResult inspect_data(const OpenedDataset& data, const OpenedDataset* against = nullptr,
                           const InspectOptions& options = {},
                           const ProgressCallback& callback = {});

/// What a store has recorded of the images that its model saw: what decoding left aside, images
/// that cannot be read, equal files, labels. Reads the records, no image and no score. Nothing
/// where no image is recorded: imports, stores in memory, stores of early builds.
std::optional<InspectResult> inspect_store(const PredictionStore& store, std::size_t examples = 5);

/// One line each of what is left aside and of equal files; none where nothing was found.
/// Unreadable images have warnings of their own.
std::vector<std::string> notes_on_images(const InspectResult& result);

/// Numbers would be incorrect: an image cannot be read, a file has two labels, or a file is in the
/// other data set, too.
bool has_faults(const InspectResult& result);

/// One page. The records are the images of each finding. JSON: assay.inspect/1.
Report report_of(const InspectResult& result);

}  // namespace assay
