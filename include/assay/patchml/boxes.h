// Object boxes from annotation files, and the pool of patches that are cut out of their images.
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
    automatic,  ///< folder or .xml: voc; .json: coco; .csv: solution if it has a PredictionString,
                ///< else csv
    voc,        ///< PASCAL-VOC XML as in ILSVRC CLS-LOC: a single XML, or a folder (including
                ///< subfolders) with one XML per image
    solution,   ///< LOC_*_solution.csv: ImageId,PredictionString with one or more "n01440764 xmin
                ///< ymin xmax ymax"
    coco,       ///< COCO instances: images, annotations with bbox [x, y, width, height], categories
    csv,        ///< columns image, xmin, ymin, xmax, ymax, class
};

/// The pixels that the corners xmin..xmax of an annotation include (the same for ymin..ymax).
enum class Corners {
    inclusive0,  ///< xmin to xmax, both inside the box, counting pixels from 0: ILSVRC's convention
                 ///< (0 to width - 1)
    inclusive1,  ///< the same counted from 1: the PASCAL VOC development kit
    edges,  ///< xmax is the first column after the box, as in PIL's crop((xmin, ymin, xmax, ymax))
            ///< cuts
};

/// These functions throw usage with the known names.
BoxFormat box_format_named(std::string_view);
Corners corners_named(std::string_view);
std::string_view name_of(BoxFormat);
std::string_view name_of(Corners);

/// Sizes in pixels; 0 x 0 if not known.
struct ImageSize {
    std::int32_t width = 0, height = 0;
    bool operator==(const ImageSize&) const = default;
};

/// The reason why a box is not in the pool.
enum class BoxFault {
    damaged_annotation,  ///< its file or row cannot be read; one entry for the whole file or row
    bad_number,          ///< a corner is missing, no number, not finite or beyond 10^9
    reversed,            ///< xmax < xmin or ymax < ymin (COCO: a negative side)
    empty,               ///< no width or no height
    outside,             ///< no pixel of it is inside the image
    too_small,           ///< a side is shorter than the minimum
    crowd,               ///< COCO's iscrowd: a region of many objects
    unknown_class,
    no_single_label,  ///< whole images: without a label, or with several
    missing_image,
    ambiguous_image,   ///< several images have the name in the annotation
    unreadable_image,  ///< the image exists but cannot be decoded
    other_size,  ///< the annotation is for an image of another size, such as the original of a
                 ///< resized copy, so its corners are elsewhere
    difficult,   ///< VOC's difficult, if these are excluded
    truncated,   ///< VOC's truncated, likewise
    duplicate,   ///< the same pixels of the same image with the same class again, if these are
                 ///< excluded
};
inline constexpr std::size_t box_fault_count = 16;
std::string_view name_of(BoxFault);

/// A box that was excluded, and why.
struct RejectedBox {
    BoxFault fault{};
    std::string where;   ///< "val/x.xml object 2", "boxes.csv line 7", "instances.json annotation
                         ///< 12" (all from 1)
    std::string image;   ///< the annotation's name for it
    std::string cls;     ///< likewise
    std::string detail;  ///< the values met
};

/// One line for messages: "reversed: boxes.csv line 7: image a.jpg, class cat: 9 0 3 5".
std::string describe(const RejectedBox&);

/// The content of annotation files, before any image or class list is read.
struct BoxList {
    BoxFormat format = BoxFormat::csv;
    Corners corners = Corners::inclusive0;
    struct Row {
        std::uint32_t image;   ///< index into `images`
        std::uint32_t cls;     ///< index into `classes`
        std::uint32_t source;  ///< index into `sources`
        std::uint32_t place;   ///< number of the object, line or annotation, from 1
        /// as written, but COCO's sides are converted to corners
        std::array<double, 4> corners;
        bool difficult = false, truncated = false;  ///< as marked in VOC
    };
    std::vector<Row> rows;
    StringColumn sources;
    StringColumn images;        ///< names as written, with or without extension; may repeat
    StringColumn alternatives;  ///< one per image: another path to try ("" for none): the XML's own
                                ///< place in its folder
    std::vector<ImageSize> sizes;      ///< one per image, from the annotations; or empty
    std::vector<std::string> classes;  ///< distinct texts, in the order met
    std::vector<RejectedBox> rejected;
    std::uint64_t files = 0;
    std::uint64_t without_boxes = 0;  ///< images that are listed without a box
};

/// Reads annotations. `corners` defaults to inclusive0; COCO always uses edges. Throws bad_input
/// for a file that is missing, damaged or of another kind, and if there is no box. A damaged XML
/// among others becomes a `rejected` row. Limits: 1 MiB per XML, 1 GiB per other file, nesting 64
/// deep in XML and COCO, no internal DTD. Cost: one pass; memory ~60 bytes per box.
BoxList read_boxes(const std::filesystem::path& path, BoxFormat format = BoxFormat::automatic,
                   std::optional<Corners> corners = std::nullopt);

/// A box that will become a patch: 24 bytes.
struct Patch {
    std::uint32_t image;  ///< index into the pool's images
    std::int32_t cls;
    std::int32_t x, y, width, height;
    bool operator==(const Patch&) const = default;
};

/// Patches with a known class, each inside an image that was decoded once.
struct PatchPool {
    std::filesystem::path root;
    StringColumn images;  ///< below root
    using Size = ImageSize;
    std::vector<Size> sizes;  ///< one size per image
    ClassList classes;
    std::vector<Patch> patches;  ///< in the order of the annotations (or items)

    std::uint64_t read = 0;     ///< boxes found: patches and rejected ones
    std::uint64_t clipped = 0;  ///< patches that exceeded their image
    /// Patches clipped by exactly one pixel at the right or bottom. If there are many, the corners
    /// probably follow another convention.
    std::uint64_t clipped_by_one = 0;
    /// The number of patches of each
    /// class.
    std::uint64_t duplicates = 0, conflicts = 0;
    std::string first_duplicate, first_conflict;
    std::vector<RejectedBox> rejected;
    std::array<std::uint64_t, box_fault_count> rejected_by_fault() const;
    /// Patches of each class.
    std::vector<std::uint64_t> class_counts() const;
    /// A hash of classes, images, sizes and patches, but not of the root.
    std::string fingerprint() const;
};

struct PoolOptions {
    ClassList classes{};          ///< if empty, see make_pool
    std::int32_t min_side = 1;    ///< pixels, after clipping
    bool skip_difficult = false;  ///< exclude boxes marked so in VOC
    bool skip_truncated = false;
    bool skip_duplicates = false;  ///< exclude all but the first box with the same pixels and class
    int threads = 0;               ///< 0 means one thread per core
    ProgressCallback progress{};   ///< counts images in the step "reading"
};

/// Finds each box's image below `root` and its class, and clips the box to the image. Decodes every
/// listed image once, to get its true size, and to find damaged images before anything is made.
/// Corners between pixels include every pixel that they touch. If the annotations give the image's
/// size, it must match.
///
/// An image is found by its path below root, else by its file name if only one image has it.
/// Extensions may be omitted. The default classes are ImageNet's if a class text is one of its
/// WordNet ids. Otherwise they are numbers 0 to the largest if all texts are numbers, else the
/// texts in byte order.
///
/// Patches come in the order of the list, for any number of threads. Throws bad_input if there is
/// no folder or no patch is left; interrupted. `notes` receives the assumptions.
PatchPool make_pool(const BoxList& list, const std::filesystem::path& root,
                    const PoolOptions& options, std::vector<std::string>* notes = nullptr);

/// Makes each image of a labeled data set a patch. options.classes is ignored.
PatchPool make_pool(const Dataset& dataset, const PoolOptions& options);

/// A table with the columns fault, where, image, class, detail.
std::string rejected_csv(const std::vector<RejectedBox>& rejected);

}  // namespace assay
