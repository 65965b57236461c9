// Writes planned data sets to disk.
#include "assay/patchml/composites.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/image/encode.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "data/label_texts.h"
#include "data/made_folder.h"
#include "patchml/compose.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string grid_folder(const Grid& grid) {
    return fmt::format("k{}-p{}", grid.k, grid.p);
}

std::string image_path(const Grid& grid, std::size_t i, const CompositeOptions& options) {
    return fmt::format("{}/{:06}.{}", grid_folder(grid), i, options.jpeg_quality ? "jpg" : "png");
}

/// All settings that affect the bytes.
json settings_of(const PatchPool& pool, const CompositeOptions& options) {
    json grids = json::array();
    for (const Grid& grid : options.grids) grids.push_back({{"k", grid.k}, {"p", grid.p}});
    return {{"schema", "assay.patchml"},
            {"schema_version", 1},
            {"seed", options.seed},
            {"grids", grids},
            {"canvas", options.canvas},
            {"distinct", options.distinct},
            {"interpolation", name_of(options.interpolation)},
            {"limit", options.limit},
            {"jpeg_quality", options.jpeg_quality ? json(*options.jpeg_quality) : json()},
            {"pool",
             {{"patches", pool.patches.size()},
              {"images", pool.images.size()},
              {"classes", pool.classes.size()},
              {"fingerprint", pool.fingerprint()}}}};
}

json result_of(json settings, const PatchPool& pool, const std::vector<GridCounts>& counts,
               const fs::path& folder) {
    settings["images_root"] = pool.root.string();
    json made = json::array();
    for (const GridCounts& c : counts) {
        made.push_back({{"k", c.grid.k},
                        {"p", c.grid.p},
                        {"composites", c.composites},
                        {"by_label_count", c.by_labels},
                        {"patches_left", c.patches_left}});
    }
    settings["made"] = made;
    for (const char* name : {"labels.csv", "manifest.csv"})
        settings["files"][name] = hash_file(folder / name);
    json rejected = json::object();
    const auto by_fault = pool.rejected_by_fault();
    for (std::size_t f = 0; f < by_fault.size(); ++f) {
        if (by_fault[f] > 0) rejected[std::string(name_of(static_cast<BoxFault>(f)))] = by_fault[f];
    }
    settings["boxes"] = {{"read", pool.read}, {"clipped", pool.clipped}, {"rejected", rejected}};
    return settings;
}

/// A row of labels.csv.
struct CompositeLabels {
    std::string path, labels;
    const Grid* grid;
    std::size_t label_count;
};
ResultType result_type(ResultOf<CompositeLabels>) {
    using Of = CompositeLabels;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CompositeLabels", .columns = "path,labels,k,patch_side,label_count"},
        {part<&Of::path>({}), part<&Of::labels>({}), part<&Of::grid, &Grid::k>({}),
         part<&Of::grid, &Grid::p>({.name = "patch_side"}), part<&Of::label_count>({})});
    return rows;
}

/// A row of manifest.csv.
struct PlacedPatch {
    std::string_view path;
    const Grid* grid;
    std::size_t cell;
    const Placement* at;
    std::string_view class_id, image;
    const Patch* patch;
};
ResultType result_type(ResultOf<PlacedPatch>) {
    using Of = PlacedPatch;
    static constexpr auto at = &Of::at;
    static constexpr auto patch = &Of::patch;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PlacedPatch",
         .columns = "path,k,patch_side,cell,row,column,x,y,width,height,class,image,xmin,ymin,"
                    "xmax,ymax"},
        {
            part<&Of::path>({}),
            part<&Of::grid, &Grid::k>({}),
            part<&Of::grid, &Grid::p>({.name = "patch_side"}),
            part<&Of::cell>({}),
            part<at, &Placement::row>({}),
            part<at, &Placement::column>({}),
            part<at, &Placement::x>({}),
            part<at, &Placement::y>({}),
            part<at, &Placement::width>({}),
            part<at, &Placement::height>({}),
            part<&Of::class_id>({.name = "class"}),
            part<&Of::image>({}),
            part<patch, &Patch::x>({.name = "xmin"}),
            part<patch, &Patch::y>({.name = "ymin"}),
            part({.name = "xmax"}, [](const Of& o) { return o.patch->x + o.patch->width; }),
            part({.name = "ymax"}, [](const Of& o) { return o.patch->y + o.patch->height; }),
        });
    return rows;
}

void write_labels(const fs::path& path, const PatchPool& pool,
                  const std::vector<CompositePlan>& plans, const CompositeOptions& options) {
    const LabelCells cells(pool.classes);
    TextFile file(path);
    std::string text;
    DescribedCsv<CompositeLabels> csv(text);
    std::vector<std::int32_t> labels;
    for (const CompositePlan& plan : plans) {
        const auto k = static_cast<std::size_t>(plan.grid.k);
        for (std::size_t i = 0; i < plan.size(); ++i) {
            labels.clear();
            for (std::size_t j = 0; j < k; ++j)
                labels.push_back(pool.patches[plan.patches[i * k + j]].cls);
            std::sort(labels.begin(), labels.end());
            labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
            csv.add(
                {image_path(plan.grid, i, options), cells.text(labels), &plan.grid, labels.size()});
            file.drain(text);
        }
    }
    file.drain(text, true);
}

void write_manifest(const fs::path& path, const PatchPool& pool,
                    const std::vector<CompositePlan>& plans, const CompositeOptions& options) {
    TextFile file(path);
    std::string text;
    DescribedCsv<PlacedPatch> csv(text);
    for (const CompositePlan& plan : plans) {
        const auto k = static_cast<std::size_t>(plan.grid.k);
        for (std::size_t i = 0; i < plan.size(); ++i) {
            const std::string name = image_path(plan.grid, i, options);
            const auto places = place_patches(pool, plan, i, options);
            for (std::size_t j = 0; j < k; ++j) {
                const Patch& patch = pool.patches[plan.patches[i * k + j]];
                csv.add({name, &plan.grid, j, &places[j],
                         pool.classes.id(static_cast<std::size_t>(patch.cls)),
                         pool.images[patch.image], &patch});
            }
            file.drain(text);
        }
    }
    file.drain(text, true);
}

/// The size of an image from an earlier run, if it is complete.
std::optional<std::uint64_t> whole_image(const fs::path& path, int canvas) {
    std::error_code problem;
    if (!fs::exists(path, problem)) return std::nullopt;
    try {
        const auto bytes = read_file(path);
        const Image image = decode_image(bytes);
        if (image.width != canvas || image.height != canvas) return std::nullopt;
        return bytes.size();
    } catch (const Error&) {
        return std::nullopt;
    }
}

void make_images(const PatchPool& pool, const std::vector<CompositePlan>& plans,
                 const CompositeOptions& options, const fs::path& folder, PatchCache* cache,
                 CompositeReport& report) {
    std::vector<std::size_t> first{0};
    for (const CompositePlan& plan : plans) {
        make_folders(folder / grid_folder(plan.grid));
        first.push_back(first.back() + plan.size());
    }
    const std::size_t total = first.back();
    std::atomic<std::uint64_t> found{0}, bytes{0};
    const std::string name = report.folder.filename().string();
    Progress progress;
    progress.step = name;
    progress.total = total;
    std::mutex mutex;
    ComposeCounts counts;
    parallel_blocks(total, resolve_threads(options.threads), [&](std::size_t item) {
        const auto plan_index =
            static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), item) -
                                     first.begin()) -
            1;
        const CompositePlan& plan = plans[plan_index];
        const std::size_t i = item - first[plan_index];
        const fs::path path = folder / image_path(plan.grid, i, options);
        if (const auto there = whole_image(path, options.canvas)) {
            ++found;
            bytes += *there;
        } else {
            thread_local ComposeScratch scratch;
            with_note(fmt::format("making composite {}", image_path(plan.grid, i, options)),
                      [&] { compose_into(pool, plan, i, options, cache, scratch, counts); });
            const auto file = options.jpeg_quality
                                  ? encode_jpeg(scratch.canvas, *options.jpeg_quality)
                                  : encode_png(scratch.canvas);
            write_renamed(path, file);
            bytes += file.size();
        }
        if (!options.progress) return;
        const std::scoped_lock lock(mutex);
        ++progress.done;
        progress.skipped = found;
        options.progress(progress);
    });
    report.found = found;
    report.image_bytes = bytes;
    report.cache_hits = counts.cache_hits;
    report.decodes = counts.decodes;
}

}  // namespace

CompositeReport make_composites(const PatchPool& pool, const CompositeOptions& options,
                                const fs::path& folder, std::shared_ptr<PatchCache> cache) {
    check_composites(pool, options);
    if (cache && !cache->fits(pool.patches.size(), options)) {
        throw Error(ErrorCode::usage,
                    "the cache of patches belongs to another pool or another filter");
    }
    std::vector<CompositePlan> plans;
    CompositeReport report;
    report.seed = options.seed;
    for (const Grid& grid : options.grids) {
        plans.push_back(plan_composites(pool, grid, options));
        report.grids.push_back(count_labels(pool, plans.back()));
        report.composites += plans.back().size();
    }
    const json settings = settings_of(pool, options);
    MadeFolder made(folder, "patchml.json", settings);
    report.folder = made.final_path();
    report.was_there = made.finished();
    if (report.was_there) return report;
    with_note("making " + made.final_path().string(), [&] {
        make_images(pool, plans, options, made.path(), cache.get(), report);
        write_labels(made.path() / "labels.csv", pool, plans, options);
        write_manifest(made.path() / "manifest.csv", pool, plans, options);
        if (!pool.rejected.empty())
            write_file_atomically(made.path() / "rejected.csv", rejected_csv(pool.rejected));
        made.finish(result_of(settings, pool, report.grids, made.path()));
    });
    return report;
}

}  // namespace assay
