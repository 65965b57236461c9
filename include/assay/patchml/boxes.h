// Object boxes as annotation files list them, and the pool of patches that they cut out of their
// images.
//
// In memory a box is a rectangle of whole pixels counted from 0: columns [x, x + width), rows [y, y
// + height).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/progress.h"

namespace assay {

enum class BoxFormat {
    automatic,  ///< folder or .xml: voc; .json: coco; .csv: solution where there is a
                ///< PredictionString, else csv
    voc,       ///< PASCAL-VOC XML as in ILSVRC CLS-LOC: a folder (read to its depths) of one XML an
               ///< image, or one XML
    solution,  ///< LOC_*_solution.csv: ImageId,PredictionString; "n01440764 xmin ymin xmax ymax"
               ///< once or more
    coco,      ///< COCO instances: images, annotations with bbox [x, y, width, height], categories
    csv,       ///< columns image, xmin, ymin, xmax, ymax, class
};

/// Which pixels the corners xmin..xmax of an annotation name (and ymin..ymax alike).
enum class Corners {
    inclusive0,  ///< xmin to xmax, both in the box, pixels counted from 0: what ILSVRC writes (0 to
                 ///< width - 1)
    inclusive1,  ///< the same counted from 1: the PASCAL VOC development kit
    edges,  ///< xmax is the first column behind the box: what PIL's crop((xmin, ymin, xmax, ymax))
            ///< cuts
};

/// Throw usage with the known names.
BoxFormat box_format_named(std::string_view);
Corners corners_named(std::string_view);
std::string_view name_of(BoxFormat);
std::string_view name_of(Corners);

/// Pixels; 0 x 0 where it is not known.
struct ImageSize {
    std::int32_t width = 0, height = 0;
    bool operator==(const ImageSize&) const = default;
};

/// Why a box is not in the pool.
enum class BoxFault {
    damaged_annotation,  ///< its file or row cannot be read; one for the whole file or row
    bad_number,          ///< a corner is missing, no number, not finite or beyond 10^9
    reversed,            ///< xmax < xmin or ymax < ymin (COCO: a negative side)
    empty,               ///< no width or no height
    outside,             ///< no pixel of it lies in the image
    too_small,           ///< a side is shorter than asked for
    crowd,               ///< COCO's iscrowd: a region of many objects
    unknown_class,
    no_single_label,  ///< whole images: without a label, or with several
    missing_image,
    ambiguous_image,   ///< several images have this name
    unreadable_image,  ///< it is there and does not decode
    other_size,  ///< the annotation is of an image of another size, as of the original of a resized
                 ///< copy: its corners are elsewhere
    difficult,   ///< VOC's difficult, where these are to be left out
    truncated,   ///< VOC's truncated, likewise
    duplicate,   ///< the same pixels of the same image with the same class again, likewise
};
inline constexpr std::size_t box_fault_count = 16;
std::string_view name_of(BoxFault);

/// A box that was left out, and why.
struct RejectedBox {
    BoxFault fault{};
    std::string where;   ///< "val/x.xml object 2", "boxes.csv line 7", "instances.json annotation
                         ///< 12" (all from 1)
    std::string image;   ///< as the annotation names it
    std::string cls;     ///< likewise
    std::string detail;  ///< the values met
};

/// One line for people: "reversed: boxes.csv line 7: image a.jpg, class cat: 9 0 3 5".
std::string describe(const RejectedBox&);

/// What annotation files say, before any image or class list was looked at.
struct BoxList {
    BoxFormat format = BoxFormat::csv;
    Corners corners = Corners::inclusive0;
    struct Row {
        std::uint32_t image;                        ///< index into `images`
        std::uint32_t cls;                          ///< index into `classes`
        std::uint32_t source;                       ///< index into `sources`
        std::uint32_t place;                        ///< object, line or annotation, from 1
        std::array<double, 4> corners;              ///< as written; COCO's sides are made corners
        bool difficult = false, truncated = false;  ///< as VOC marks them
    };
    std::vector<Row> rows;
    StringColumn sources;
    StringColumn images;        ///< names as written, with or without extension; may repeat
    StringColumn alternatives;  ///< one per image: where else to look ("": nowhere): the XML's own
                                ///< place in its folder
    std::vector<ImageSize> sizes;      ///< one per image: as the annotations name them; or empty
    std::vector<std::string> classes;  ///< distinct texts, in the order met
    std::vector<RejectedBox> rejected;
    std::uint64_t files = 0;
    std::uint64_t without_boxes = 0;  ///< images that are named and have no box
};

/// Reads annotations. `corners` unset: inclusive0; COCO's are edges whatever is asked. Throws
/// bad_input: no such file, a damaged or foreign file, no box at all; one damaged XML among others
/// is a `rejected` row instead. Bounded: 1 MiB an XML, nested 64 deep, no internal DTD; other files
/// 1 GiB, COCO nested 64 deep. Cost: one pass; memory ~60 bytes per box.
BoxList read_boxes(const std::filesystem::path& path, BoxFormat format = BoxFormat::automatic,
                   std::optional<Corners> corners = std::nullopt);

/// One patch to be: 24 bytes.
struct Patch {
    std::uint32_t image;  ///< index into the pool's images
    std::int32_t cls;
    std::int32_t x, y, width, height;
    bool operator==(const Patch&) const = default;
};

/// Patches of known class, every one inside an image that was decoded once.
struct PatchPool {
    std::filesystem::path root;
    StringColumn images;  ///< below root
    using Size = ImageSize;
    std::vector<Size> sizes;  ///< one per image
    ClassList classes;
    std::vector<Patch> patches;  ///< in the order of the annotations (or items)

    std::uint64_t read = 0;     ///< boxes met: patches and rejected ones
    std::uint64_t clipped = 0;  ///< patches that reached out of their image
    /// Patches that were clipped by exactly one pixel at the right or at the bottom: when these are
    /// many, the corners are probably counted otherwise.
    std::uint64_t clipped_by_one = 0;
    /// Patches of the same pixels and class as an earlier one, and of the same pixels with another
    /// class; with the first such pair for people, "" where there is none.
    std::uint64_t duplicates = 0, conflicts = 0;
    std::string first_duplicate, first_conflict;
    std::vector<RejectedBox> rejected;
    std::array<std::uint64_t, box_fault_count> rejected_by_fault() const;
    /// Patches of each class.
    std::vector<std::uint64_t> class_counts() const;
    /// Over classes, images, sizes and patches; not over the root.
    std::string fingerprint() const;
};

struct PoolOptions {
    ClassList classes{};          ///< empty: see make_pool
    std::int32_t min_side = 1;    ///< pixels, after clipping
    bool skip_difficult = false;  ///< leave out what VOC marks so
    bool skip_truncated = false;
    bool skip_duplicates = false;  ///< leave out all but the first of the same pixels and class
    int threads = 0;               ///< 0: one per core
    ProgressCallback progress{};   ///< counts images in the step "reading"
};

/// Finds each box's image below `root`, its class, decodes every image that is named once (so that
/// the size is the true one and damaged images are known before anything is made) and clips the box
/// to it. Corners between pixels take every pixel that they touch. Where the annotations name the
/// image's size, it must be that.
///
/// An image is found by its path below root, else by its file name alone where only one image has
/// it; extensions may be left out. Classes, when none are given: ImageNet's where some class text
/// is one of its WordNet ids; else numbers 0 to the largest where all are numbers; else the texts
/// in byte order.
///
/// Patches come in the order of the list, for any number of threads. Throws bad_input: no patch is
/// left, no folder; interrupted. `notes` receives what was assumed.
PatchPool make_pool(const BoxList& list, const std::filesystem::path& root,
                    const PoolOptions& options, std::vector<std::string>* notes = nullptr);

/// Each image of a labelled data set as one patch. options.classes is not used.
PatchPool make_pool(const Dataset& dataset, const PoolOptions& options);

/// Columns fault, where, image, class, detail.
std::string rejected_csv(const std::vector<RejectedBox>& rejected);

}  // namespace assay
