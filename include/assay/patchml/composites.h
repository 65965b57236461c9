// PatchML: images composed of a known number of objects, from patches of single-label images.
//
// Source: Anzaku et al., "Re-assessing ImageNet: How aligned is its single-label assumption with
// its multi-label nature?", algorithm 1. There is one change that their published counts ask for:
// every (k, p) starts from the full pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "assay/patchml/boxes.h"
#include "assay/progress.h"

namespace assay {

/// A grid: k patches per composite. The longer side of each has p pixels.
struct Grid {
    int k;
    int p;
    bool operator==(const Grid&) const = default;
};

struct CompositeOptions {
    /// The papers' five grids.
    std::vector<Grid> grids = {{2, 256}, {3, 256}, {4, 256}, {6, 170}, {9, 128}};
    int canvas = 512;       ///< F: the height and width of a composite in pixels; at most 8192
    bool distinct = false;  ///< true if each composite has k different classes
    Interpolation interpolation = Interpolation::bicubic;
    std::uint64_t seed = 1;
    std::size_t limit = 0;  ///< make only the first n composites of each grid; 0 means all
    /// 1 to 100: writes JPEG (see encode_jpeg) instead of PNG. Files are a fraction of the size,
    /// but the pixels differ and depend on the JPEG library.
    std::optional<int> jpeg_quality{};
    /// The members below do not affect the output.
    int threads = 0;  ///< 0 means one thread per core
    /// The limit in bytes for cached resized patches that other grids and seeds can use. The first
    /// patches stay in the cache, which is optimal because every grid uses each patch once in
    /// random order.
    std::size_t cache_bytes = std::size_t{256} << 20;
    ProgressCallback progress{};  ///< counts composites in a step named by the folder
};

/// The papers' p for k of 2, 3, 4 (canvas / 2), 6 (canvas / 3) and 9 (canvas / 4). For any other k,
/// the largest p that fits: floor(canvas / ceil(sqrt(k))). k >= 1.
int default_patch_side(int k, int canvas);

/// Throws usage, naming every invalid grid: k or p below 1, k p^2 > F^2, k > floor(F / p)^2, a
/// repeated grid. Also throws usage for a canvas out of range.
void check_grids(const CompositeOptions& options);
/// Calls check_grids. Also throws usage if k exceeds the pool's patches or, with `distinct`, its
/// classes. Throws bad_input if a class id of the pool cannot be written in a list of labels.
void check_composites(const PatchPool& pool, const CompositeOptions& options);

/// The assignment of patches to composites: composite i of the grid uses patches[i * k], ...,
/// patches[i * k + k - 1] in cells 0 to k - 1.
struct CompositePlan {
    Grid grid{};
    std::vector<std::uint32_t> patches;
    std::size_t size() const { return patches.size() / static_cast<std::size_t>(grid.k); }
};

/// Draws patches without replacement while k are left (or until the limit). It uses the draws of
/// RandomStream(seed, "patchml.draw", k * 2^32 + p) in order, each picking one of the remaining
/// patches uniformly.
///
/// With `distinct`, a patch whose class the composite already has is put aside, and another is
/// drawn. Patches put aside return to the pool for the next composite. Drawing ends when the
/// remaining patches have fewer than k classes. Cost: 4 bytes per patch; one draw per patch.
CompositePlan plan_composites(const PatchPool& pool, const Grid& grid,
                              const CompositeOptions& options);

/// The position of a patch on its canvas, in pixels from the top left.
struct Placement {
    int row, column;  ///< row and column of its cell: j / c and j mod c, c = floor(canvas / p)
    int x, y;         ///< position of the patch: its cell's corner plus the offset
    int width, height;
};

/// Places the patches of a composite. The longer side is p, the other round(p * shorter / longer),
/// at least 1. The offset in the cell is uniform in [0, p - width] x [0, p - height]. Composite i
/// uses RandomStream(seed, "patchml.offset", ((k * 2^16 + p) * 2^32 + i)), two draws per cell, x
/// first.
std::vector<Placement> place_patches(const PatchPool& pool, const CompositePlan& plan,
                                     std::size_t i, const CompositeOptions& options);

/// Makes the image, black where there is no patch. Each patch is cut out of its decoded image and
/// resized as Pillow's crop(...).resize(..., filter). Throws bad_input if an image changed since
/// the pool was made.
Image compose(const PatchPool& pool, const CompositePlan& plan, std::size_t i,
              const CompositeOptions& options);

/// The number of composites of one grid by number of distinct labels.
struct GridCounts {
    Grid grid{};
    std::uint64_t composites = 0;
    std::vector<std::uint64_t> by_labels;  ///< [n]: composites with exactly n labels; k + 1 numbers
    std::uint64_t patches_left = 0;        ///< patches of the pool that no composite uses
    std::uint64_t repeats() const;         ///< composites with fewer than k labels
};
GridCounts count_labels(const PatchPool& pool, const CompositePlan& plan);

/// The probability that k patches drawn from `classes` equally frequent classes repeat one: 1 -
/// prod_{j<k} (1 - j/classes).
double repeat_proportion(int k, std::size_t classes);
/// The same for k patches drawn without replacement from a pool with these counts: 1 - e_k(n_1,
/// ..., n_C) / binomial(n, k). The function e_k is the elementary symmetric polynomial. k <= n.
/// Cost: k * C.
double repeat_proportion(int k, std::span<const std::uint64_t> class_counts);

struct CompositeReport {
    std::filesystem::path folder;
    std::uint64_t seed = 0;
    std::vector<GridCounts> grids;
    std::uint64_t composites = 0;
    std::uint64_t found = 0;  ///< composites that an interrupted run made
    bool was_there = false;   ///< a finished data set with the same settings exists, so nothing was
                              ///< done
    std::uint64_t image_bytes = 0;
    std::uint64_t cache_hits = 0;  ///< patches taken from the cache
    std::uint64_t decodes = 0;
};

/// Patches that stay in memory for several data sets from one pool; see
/// CompositeOptions::cache_bytes.
class PatchCache;
std::shared_ptr<PatchCache> make_patch_cache(const PatchPool& pool,
                                             const CompositeOptions& options);

/// Makes the data set in `folder`, which open_dataset can read. Its images are k<k>-p<p>/<i, six
/// digits>.png (or .jpg). Their labels are in labels.csv: path, labels, k, patch_side, label_count.
/// Each patch has a row in manifest.csv: path, k, patch_side, cell, row, column, x, y, width,
/// height, class, image, xmin, ymin, xmax, ymax. The last four are the box as edges in the source
/// image. If boxes were excluded, they are in rejected.csv. The settings are in patchml.json.
///
/// The same pool and settings give the same bytes for any number of threads. They give the same
/// pixels on every machine (PNG compression depends on the library). Images are made in the hidden
/// folder .<name>.partial next to `folder`, which is synced and renamed when complete. After an
/// interruption the same call resumes: it decodes existing images to check that they are complete,
/// and keeps them. Throws usage if `folder`, or the hidden one, was made with other settings
/// (naming them) or is something else; busy; io; interrupted. Memory: about 150 bytes per patch and
/// the cache.
CompositeReport make_composites(const PatchPool& pool, const CompositeOptions& options,
                                const std::filesystem::path& folder,
                                std::shared_ptr<PatchCache> cache = nullptr);

}  // namespace assay
