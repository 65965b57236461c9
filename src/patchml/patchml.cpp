#include "assay/patchml/patchml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/statistics.h"
#include "patchml/seeds.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

CompositeOptions composite_options(const PatchmlOptions& from) {
    CompositeOptions options;
    options.canvas = from.canvas;
    options.distinct = from.distinct;
    options.interpolation = interpolation_named(from.interpolation);
    options.limit = from.limit;
    options.jpeg_quality = from.jpeg_quality;
    if (from.jpeg_quality && (*from.jpeg_quality < 1 || *from.jpeg_quality > 100))
        throw Error(ErrorCode::usage, fmt::format("JPEG quality {}: 1 to 100", *from.jpeg_quality));
    options.threads = from.threads;
    options.cache_bytes = from.cache_mib << 20;
    if (from.p.size() > 1 && from.p.size() != from.k.size()) {
        throw Error(
            ErrorCode::usage,
            fmt::format("--p has {} numbers for {} values of k; pass one for each, or one for all",
                        from.p.size(), from.k.size()));
    }
    options.grids.clear();
    for (std::size_t i = 0; i < from.k.size(); ++i) {
        const int k = from.k[i];
        const int p = from.p.empty() ? (k < 1 ? 1 : default_patch_side(k, from.canvas))
                                     : from.p[from.p.size() == 1 ? 0 : i];
        options.grids.push_back({k, p});
    }
    check_grids(options);
    return options;
}

PatchPool read_pool(const PatchmlOptions& from, const ProgressCallback& progress,
                    std::vector<std::string>& notes) {
    PoolOptions options;
    options.min_side = from.min_side;
    options.skip_difficult = from.skip_difficult;
    options.skip_truncated = from.skip_truncated;
    options.skip_duplicates = from.skip_duplicates;
    options.threads = from.threads;
    options.progress = progress;
    if (!from.classes.empty()) options.classes = read_class_list(from.classes);
    if (!from.whole.empty()) {
        const Dataset dataset =
            open_dataset(from.whole, {.list = from.list, .classes = options.classes}, &notes);
        if (dataset.archive != nullptr) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "{} has its images in archives, but composites need image files: unpack them",
                    from.whole.string()));
        }
        return make_pool(dataset, options);
    }
    std::optional<Corners> corners;
    if (!from.corners.empty()) corners = corners_named(from.corners);
    const BoxList list = read_boxes(from.boxes, box_format_named(from.format), corners);
    notes.push_back(
        fmt::format("boxes: format {}, corners {}; {} boxes of {} files; {} images without a box",
                    name_of(list.format), name_of(list.corners),
                    count_text(list.rows.size() + list.rejected.size()), count_text(list.files),
                    count_text(list.without_boxes)));
    return make_pool(list, from.images, options, &notes);
}

std::size_t classes_in(const std::vector<std::uint64_t>& counts) {
    return static_cast<std::size_t>(
        std::ranges::count_if(counts, [](std::uint64_t n) { return n > 0; }));
}

/// Makes notes on the pool: its size, and what was clipped and excluded.
void describe_pool(const PatchPool& pool, std::vector<std::string>& notes) {
    notes.push_back(fmt::format("{} patches of {} images; {} of {} classes have patches",
                                count_text(pool.patches.size()), count_text(pool.images.size()),
                                count_text(classes_in(pool.class_counts())),
                                count_text(pool.classes.size())));
    if (pool.duplicates > 0) {
        notes.push_back(
            fmt::format("{} boxes appear twice with the same class (--skip-duplicates skips them); "
                        "the first: {}",
                        count_text(pool.duplicates), pool.first_duplicate));
    }
    if (pool.conflicts > 0) {
        notes.push_back(fmt::format(
            "{} boxes appear twice with different classes: these patches have two; the first: {}",
            count_text(pool.conflicts), pool.first_conflict));
    }
    if (pool.clipped > 0) {
        notes.push_back(fmt::format("{} boxes extended beyond their images and were clipped",
                                    count_text(pool.clipped)));
    }
    if (pool.clipped_by_one > 0 && 100 * pool.clipped_by_one >= pool.patches.size()) {
        notes.push_back(fmt::format(
            "{} of them by exactly one pixel at the right or the bottom: try another --corners",
            count_text(pool.clipped_by_one)));
    }
    if (pool.rejected.empty()) return;
    std::string faults;
    const auto by_fault = pool.rejected_by_fault();
    for (std::size_t f = 0; f < by_fault.size(); ++f) {
        if (by_fault[f] == 0) continue;
        faults += fmt::format("{}{} {}", faults.empty() ? "" : ", ", count_text(by_fault[f]),
                              name_of(static_cast<BoxFault>(f)));
    }
    notes.push_back(fmt::format("{} of {} boxes rejected: {}", count_text(pool.rejected.size()),
                                count_text(pool.read), faults));
}

/// At most `most` examples of each fault, fault by fault.
std::vector<std::string> examples_of(const PatchPool& pool, std::size_t most) {
    std::array<std::vector<std::string>, box_fault_count> by_fault;
    for (const RejectedBox& box : pool.rejected) {
        auto& lines = by_fault[static_cast<std::size_t>(box.fault)];
        if (lines.size() < most) lines.push_back(describe(box));
    }
    std::sort(by_fault.begin(), by_fault.end());
    std::vector<std::string> all;
    for (const auto& lines : by_fault) all.insert(all.end(), lines.begin(), lines.end());
    return all;
}

/// Summaries of grids; the expectation for each k is computed once.
class Summaries {
public:
    Summaries(const PatchPool& pool, bool distinct)
        : counts_(pool.class_counts()), classes_(classes_in(counts_)), distinct_(distinct) {}

    GridSummary of(GridCounts counts) {
        GridSummary out;
        const std::uint64_t n = counts.composites;
        out.repeats.unit = Unit::proportion;
        out.repeats.n = n;
        if (n == 0) {
            out.repeats.undefined = "no composite";
        } else {
            const int k = counts.grid.k;
            if (!by_k_.contains(k)) by_k_[k] = distinct_ ? 0.0 : repeat_proportion(k, counts_);
            out.repeats.value = static_cast<double>(counts.repeats()) / static_cast<double>(n);
            out.repeats.interval = wilson(counts.repeats(), n);
            out.expected_pool = by_k_[k];
            out.expected_equal_classes = repeat_proportion(k, classes_);
        }
        out.counts = std::move(counts);
        return out;
    }

private:
    std::vector<std::uint64_t> counts_;
    std::size_t classes_;
    bool distinct_;
    std::map<int, double> by_k_;
};

/// Adds a note if the disk is too small. Photographs, which fill three quarters of their cells,
/// need 1.9 bytes per pixel as measured, and a third of that as JPEG.
void look_at_space(const PatchmlResult& plan, const fs::path& out,
                   std::vector<std::string>& notes) {
    double bytes = 0;
    for (const PatchmlDataset& set : plan.datasets) {
        for (const GridSummary& grid : set.grids) {
            const GridCounts& c = grid.counts;
            bytes += 1.43 * static_cast<double>(c.composites) * c.grid.k * c.grid.p * c.grid.p;
        }
    }
    if (plan.options.jpeg_quality) bytes *= 0.35;
    std::error_code problem;
    const auto there = fs::space(is_there(out) ? out : absolute_path(out).parent_path(), problem);
    if (!problem && bytes > static_cast<double>(there.available)) {
        notes.push_back(
            fmt::format("the images will take about {:.1f} GB, and {} has {:.1f} GB left",
                        bytes / 1e9, out.string(), static_cast<double>(there.available) / 1e9));
    }
}

}  // namespace

void check(const PatchmlOptions& options) {
    const auto refuse = [](const char* why) { throw Error(ErrorCode::usage, why); };
    const bool boxed = !options.images.empty() || !options.boxes.empty();
    if (!options.whole.empty() && boxed) refuse("--whole excludes --data and --boxes");
    if (options.whole.empty() && (options.images.empty() || options.boxes.empty()))
        refuse("patches need --data and --boxes, or --whole");
    if (!options.list.empty() && options.whole.empty())
        refuse("the file of labels only applies to --whole");
    if (options.name.empty() || options.name.front() == '.' ||
        options.name.find('/') != std::string::npos)
        refuse("the name must be a file name that does not begin with a dot");
    box_format_named(options.format);
    if (!options.corners.empty()) corners_named(options.corners);
    parse_seeds(options.seeds);
    composite_options(options);
}

std::vector<fs::path> composite_folders(const PatchmlOptions& options) {
    check(options);
    std::vector<fs::path> folders;
    for (const std::uint64_t seed : parse_seeds(options.seeds))
        folders.push_back(options.out / fmt::format("{}-seed{}", options.name, seed));
    return folders;
}

std::string PatchmlDataset::state() const {
    if (planned) return "planned";
    if (made.was_there) return "was there";
    return made.found > 0 ? "continued" : "made";
}

PatchmlResult plan_patchml(const PatchmlOptions& options, const ProgressCallback& progress) {
    const std::vector<fs::path> folders = composite_folders(options);
    const std::vector<std::uint64_t> seeds = parse_seeds(options.seeds);
    PatchmlResult plan;
    plan.options = composite_options(options);
    plan.pool = read_pool(options, progress, plan.notes);
    check_composites(plan.pool, plan.options);
    describe_pool(plan.pool, plan.notes);
    plan.classes_present = classes_in(plan.pool.class_counts());
    plan.rejected = examples_of(plan.pool, options.examples);
    Summaries summaries(plan.pool, options.distinct);
    for (std::size_t s = 0; s < seeds.size(); ++s) {
        CompositeOptions seeded = plan.options;
        seeded.seed = seeds[s];
        PatchmlDataset set;
        set.made.folder = folders[s];
        set.made.seed = seeds[s];
        for (const Grid& grid : seeded.grids) {
            set.grids.push_back(
                summaries.of(count_labels(plan.pool, plan_composites(plan.pool, grid, seeded))));
            set.made.composites += set.grids.back().counts.composites;
        }
        plan.datasets.push_back(std::move(set));
    }
    if (!options.out.empty()) look_at_space(plan, options.out, plan.notes);
    return plan;
}

void make_patchml(PatchmlResult& plan, const ProgressCallback& progress) {
    const auto cache = make_patch_cache(plan.pool, plan.options);
    for (PatchmlDataset& set : plan.datasets) {
        make_folders(set.made.folder.parent_path());
        CompositeOptions options = plan.options;
        options.seed = set.made.seed;
        options.progress = progress;
        const auto start = std::chrono::steady_clock::now();
        set.made = make_composites(plan.pool, options, set.made.folder, cache);
        set.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        set.planned = false;
    }
}

}  // namespace assay
