// Inspects a data set before any metric is computed: how it was read, its formats and
// sizes, unreadable images, duplicates, labels and classes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/describe.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

class PredictionStore;

struct InspectOptions {
    /// Two images are near duplicates if at most this many of the 64 bits of their perceptual
    /// hashes differ: 0 to 10.
    int near = 4;
    /// The number of images or groups that are listed per finding. All are counted.
    std::size_t examples = 5;
    int threads = 0;  ///< 0 means one thread per core
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

/// An open data set, and the notes of open_dataset().
struct OpenedDataset {
    Dataset dataset;
    std::vector<std::string> notes = {};
};

/// An image of the data set, with the classes of its labels: "n01440764 (tench)".
struct InspectedImage {
    std::string id;
    std::vector<std::string> labels;
};

/// Images of one kind: a format, a color mode, or something that decoding ignores.
struct ImageKind {
    std::string id;  ///< stable: "jpeg", "grey", "exif_turned"
    std::string title;
    std::uint64_t images = 0;
    std::string first;  ///< the id of the first image
};

/// Pixel sizes of the images that could be decoded. The median is the lower of two.
struct ImageSizes {
    struct Side {
        std::uint32_t least = 0, median = 0, most = 0;
    };
    Side width, height;
    std::uint64_t sizes = 0;  ///< number of distinct sizes
    std::uint32_t usual_width = 0, usual_height = 0;
    std::uint64_t usual_images = 0;  ///< images with the most frequent size
};

struct UnreadableImage {
    std::string id, why;
};

/// An image, and the value that makes it unusual.
struct UnusualImage {
    InspectedImage image;
    double value = 0;
};
/// Images whose pixels or size are unusual in one way. Values and limits are described in
/// docs/inspect.md, with their sources.
struct UnusualImages {
    enum class Kind {
        dark,             ///< by the 99th percentile of the luma, 0 to 1
        nearly_white,     ///< by the 5th percentile of the luma, 0 to 1
        blurred,          ///< by the variance of the Laplacian over the variance of the luma
        low_information,  ///< by the entropy of the luma in bits; not if dark or nearly white
        long_and_narrow,  ///< by the shorter side over the longer side
        odd_size,         ///< by the number of pixels, far from the quartiles of the data set
    };
    Kind kind = Kind::dark;
    std::uint64_t images = 0;
    std::optional<double> below, above;  ///< images with values beyond these limits are unusual
    std::vector<UnusualImage> examples;  ///< the most extreme first; ties in order of the data set
};

constexpr auto words_of(UnusualImages::Kind) {
    using Kind = UnusualImages::Kind;
    using Row = std::pair<Kind, std::string_view>;
    return std::array{Row{Kind::dark, "dark"},
                      Row{Kind::nearly_white, "nearly_white"},
                      Row{Kind::blurred, "blurred"},
                      Row{Kind::low_information, "low_information"},
                      Row{Kind::long_and_narrow, "long_and_narrow"},
                      Row{Kind::odd_size, "odd_size"}};
}

/// Images that are equal or look alike.
struct DuplicateGroup {
    std::uint64_t images = 0;
    bool labels_differ = false;
    /// The largest number of hash bits in which an image differs from the first; 0 for equal files.
    int bits = 0;
    std::vector<InspectedImage> members;  ///< the first few images, in the order of the data set
};
struct Duplicates {
    std::uint64_t groups = 0;
    std::uint64_t images = 0;  ///< number of images in all groups
    std::uint64_t groups_of_other_labels = 0;
    std::vector<DuplicateGroup> examples;  ///< groups with different labels come first
};

/// An image that is also in the other data set.
struct SharedImage {
    InspectedImage image, other;
    int bits = 0;
};
struct InspectedAgainst {
    std::string name;
    std::uint64_t images = 0, unreadable = 0;
    std::uint64_t same = 0;  ///< images of the data set whose file is also in the other one
    std::uint64_t near = 0;  ///< further images that look like an image in the other one
    std::vector<SharedImage> same_examples, near_examples;
    std::vector<std::string> notes;  ///< notes on how it was read
};

struct ClassCount {
    std::string name;  ///< "n01440764 (tench)"
    std::uint64_t images = 0;
};
struct InspectedLabels {
    std::uint64_t classes = 0, classes_without_images = 0;
    std::vector<std::string> order;           ///< the first classes
    std::vector<ClassCount> fewest, most;     ///< among classes with images
    std::vector<std::string> without_images;  ///< the first classes without images
    std::uint64_t images_without = 0, images_with_several = 0;
    std::vector<std::string> first_without;  ///< ids
};

/// An order of the classes that occurs in practice.
struct ClassOrder {
    std::string name;                      ///< "as given", "classes sorted by id"
    std::vector<std::string> first;        ///< the first classes; "none" for an output without one
    std::optional<std::uint64_t> correct;  ///< of the images compared; nothing without scores
    /// Exact McNemar test of being better than the given order, Holm-adjusted over the other
    /// orders. Nothing without scores, and for the given order.
    std::optional<double> p;
};
/// Which order of the classes the scores fit.
struct ClassOrders {
    enum class Verdict {
        given,    ///< the given order is better than chance, and no other is significantly better
        other,    ///< another order is significantly better: numbers would be incorrect
        none,     ///< the scores separate the classes, but no known order fits
        unclear,  ///< nothing can be concluded, for the reason in `text`
    };
    Verdict verdict = Verdict::unclear;
    std::string text;          ///< one sentence
    std::string advice;        ///< the recommended action, or ""
    std::uint64_t images = 0;  ///< labelled images whose scores were compared; 0 without scores
    /// Permutation test (999 shuffles of the labels) of the given order being better than chance,
    /// by the sum of reciprocal ranks.
    std::optional<double> chance_p;
    /// The given one first, then the better one if the verdict is `other`. The rest is sorted by
    /// the number of correct images.
    std::vector<ClassOrder> orders;
};

constexpr auto words_of(ClassOrders::Verdict) {
    // Another enumeration of this namespace is called Verdict.
    using Is = ClassOrders::Verdict;
    using Row = std::pair<Is, std::string_view>;
    return std::array{Row{Is::given, "given"}, Row{Is::other, "other"}, Row{Is::none, "none"},
                      Row{Is::unclear, "unclear"}};
}

struct InspectResult {
    std::string name;
    /// The prediction store whose records gave these findings; they then lack formats, sizes and
    /// near duplicates. "" means that the images were read.
    std::string store;
    /// False if nothing is known about the images, because the store has no record of them.
    bool images_known = true;
    std::uint64_t images = 0, unreadable = 0;
    int near = 0;  ///< the option
    std::vector<std::string> notes;
    std::vector<InspectedImage> samples;
    InspectedLabels labels;
    std::vector<ImageKind> kinds;
    std::optional<ImageSizes> sizes;  ///< undefined for stores, and if no image was decoded
    std::vector<UnreadableImage> unreadable_examples;
    std::vector<UnusualImages>
        unusual;  ///< each kind; none for stores, and if no image was decoded
    Duplicates same_files;
    /// Only among files that differ. Images of a single color (hash 0) are not
    /// compared.
    Duplicates near_duplicates;
    std::optional<InspectedAgainst> against;
    /// Nothing for images with fewer than two classes, and for inspect_store().
    std::optional<ClassOrders> class_orders;
};

/// Reads and decodes every image once. The result is the same for any number of threads. Memory: 16
/// bytes per image of both data sets during reading, 32 during the search for duplicates, and one
/// image per thread. Throws usage (a distance out of range), and errors that end a run:
/// interrupted, unreachable.
InspectResult inspect_data(const OpenedDataset& data, const OpenedDataset* against = nullptr,
                           const InspectOptions& options = {},
                           const ProgressCallback& callback = {});

/// Returns what a store has recorded about the images that its model saw: what decoding ignored,
/// unreadable images, equal files, labels. It reads only the records, no images and no scores.
/// Returns nothing if no image is recorded: imports, stores in memory, stores of early builds.
std::optional<InspectResult> inspect_store(const PredictionStore& store, std::size_t examples = 5);

/// inspect_store(), or only the labels and classes if no image is recorded, and the order of the
/// classes that the scores fit. Compares up to 1,000 labelled images, drawn by a fixed seed, so the
/// result is the same for any number of threads. Memory: their scores (fewer images are compared
/// if these need more than 256 MiB), and 8 MB. Throws bad_input (a damaged store) and interrupted.
InspectResult inspect_predictions(const PredictionStore& store, std::size_t examples = 5);

/// One line each about what decoding ignored and about equal files; empty if nothing was found.
/// Unreadable images have their own warnings.
std::vector<std::string> notes_on_images(const InspectResult& result);

/// Returns true if numbers would be incorrect. They are if an image cannot be read, a file has two
/// labels, or a file is also in the other data set. They are, too, if the scores fit another order
/// of the classes, or separate the classes but fit no known order.
bool has_faults(const InspectResult& result);

/// The report has one page. Its records are the images of each finding. JSON: assay.inspect/1.
Report report_of(const InspectResult& result);

}  // namespace assay
