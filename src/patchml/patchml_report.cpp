// Composites by seed, k and number of distinct labels (table 2 of the papers).
#include <fmt/format.h>

#include <algorithm>

#include "assay/patchml/patchml.h"

namespace assay {
namespace {

using nlohmann::json;
using Show = Column::Show;

std::size_t most_labels(const PatchmlResult& result) {
    int most = 1;
    for (const Grid& grid : result.options.grids) most = std::max(most, grid.k);
    return static_cast<std::size_t>(most);
}

Cell composites_with(const GridCounts& counts, std::size_t labels) {
    return labels < counts.by_labels.size() ? Cell(Count{counts.by_labels[labels]}) : Cell();
}

/// The numbers of labels that some composite has.
std::vector<std::size_t> labels_met(const PatchmlResult& result) {
    std::vector<std::size_t> met;
    for (std::size_t n = 1; n <= most_labels(result); ++n) {
        bool any = false;
        for (const PatchmlDataset& set : result.datasets) {
            for (const GridSummary& grid : set.grids) {
                const auto& by_labels = grid.counts.by_labels;
                any = any || (n < by_labels.size() && by_labels[n] > 0);
            }
        }
        if (any) met.push_back(n);
    }
    return met;
}

/// A proportion that is only known where there are composites.
Cell expected(const GridSummary& grid, double proportion, int digits) {
    if (!grid.repeats.value) return {};
    return Number{.value = proportion, .unit = Unit::proportion, .digits = digits};
}

Table composite_table(const PatchmlResult& result) {
    const std::vector<std::size_t> shown = labels_met(result);
    Table table;
    table.title = "Composites by number of distinct labels";
    table.columns = {{.name = "data set", .numbers = false},
                     {.name = "k"},
                     {.name = "p"},
                     {.name = "composites"}};
    for (const std::size_t n : shown)
        table.columns.push_back({.name = fmt::format("{} label{}", n, n == 1 ? "" : "s")});
    table.columns.push_back({.name = "repeats %"});
    table.columns.push_back({.name = "interval", .show = Show::interval});
    table.columns.push_back({.name = "expected %"});
    table.columns.push_back({.name = "equal classes %"});
    for (const PatchmlDataset& set : result.datasets) {
        if (&set != &result.datasets.front()) table.rule();
        for (const GridSummary& grid : set.grids) {
            const GridCounts& counts = grid.counts;
            const bool first = &grid == &set.grids.front();
            std::vector<Cell> cells{
                first ? fmt::format("{} ({})", set.made.folder.filename().string(), set.state())
                      : std::string(),
                Count{static_cast<std::uint64_t>(counts.grid.k)},
                Count{static_cast<std::uint64_t>(counts.grid.p)}, Count{counts.composites}};
            for (const std::size_t n : shown) cells.push_back(composites_with(counts, n));
            cells.emplace_back(grid.repeats);
            cells.emplace_back(grid.repeats);
            cells.push_back(expected(grid, grid.expected_pool, 2));
            cells.push_back(expected(grid, grid.expected_equal_classes, 2));
            table.add(std::move(cells));
        }
    }
    table.notes.emplace_back(
        "repeats: composites with fewer than k labels, with Wilson's 95 % interval.");
    table.notes.push_back(fmt::format("expected: {}; equal classes: 1 - prod(1 - j/{}).",
                                      result.options.distinct
                                          ? "none, the labels are distinct"
                                          : "k patches of this pool, drawn at random",
                                      result.classes_present));
    return table;
}

Table records_of(const PatchmlResult& result) {
    const std::size_t most = most_labels(result);
    Table table;
    for (const char* name :
         {"folder", "state", "seed", "k", "p", "composites", "patches_left", "repeats"})
        table.columns.push_back({.name = name});
    table.columns.push_back({.name = "repeat_proportion", .show = Show::every_part});
    table.columns.push_back({.name = "expected_pool"});
    table.columns.push_back({.name = "expected_equal_classes"});
    for (std::size_t n = 1; n <= most; ++n)
        table.columns.push_back({.name = fmt::format("labels_{}", n)});
    for (const PatchmlDataset& set : result.datasets) {
        for (const GridSummary& grid : set.grids) {
            const GridCounts& counts = grid.counts;
            std::vector<Cell> cells{set.made.folder.string(),
                                    set.state(),
                                    Count{set.made.seed},
                                    Count{static_cast<std::uint64_t>(counts.grid.k)},
                                    Count{static_cast<std::uint64_t>(counts.grid.p)},
                                    Count{counts.composites},
                                    Count{counts.patches_left},
                                    Count{counts.repeats()},
                                    grid.repeats,
                                    expected(grid, grid.expected_pool, -1),
                                    expected(grid, grid.expected_equal_classes, -1)};
            for (std::size_t n = 1; n <= most; ++n) cells.push_back(composites_with(counts, n));
            table.add(std::move(cells));
        }
    }
    return table;
}

json pool_json(const PatchmlResult& result) {
    const PatchPool& pool = result.pool;
    json faults = json::object();
    const auto by_fault = pool.rejected_by_fault();
    for (std::size_t f = 0; f < by_fault.size(); ++f) {
        if (by_fault[f] > 0) faults[std::string(name_of(static_cast<BoxFault>(f)))] = by_fault[f];
    }
    return {{"patches", pool.patches.size()},
            {"images", pool.images.size()},
            {"classes", pool.classes.size()},
            {"classes_present", result.classes_present},
            {"boxes_read", pool.read},
            {"clipped", pool.clipped},
            {"rejected", faults},
            {"duplicates", pool.duplicates},
            {"conflicts", pool.conflicts},
            {"fingerprint", pool.fingerprint()}};
}

json grid_json(const GridSummary& grid) {
    const GridCounts& counts = grid.counts;
    json out = {{"k", counts.grid.k},
                {"p", counts.grid.p},
                {"composites", counts.composites},
                {"by_labels", counts.by_labels},
                {"patches_left", counts.patches_left},
                {"repeats", {{"count", counts.repeats()}, {"proportion", to_json(grid.repeats)}}}};
    if (grid.repeats.value) {
        out["repeats"]["expected_pool"] = grid.expected_pool;
        out["repeats"]["expected_equal_classes"] = grid.expected_equal_classes;
    }
    return out;
}

json dataset_json(const PatchmlDataset& set) {
    json out = {{"folder", set.made.folder.string()},
                {"state", set.state()},
                {"seed", set.made.seed},
                {"composites", set.made.composites},
                {"grids", json::array()}};
    if (!set.planned && !set.made.was_there) {
        out["seconds"] = set.seconds;
        out["found"] = set.made.found;
        out["image_bytes"] = set.made.image_bytes;
        out["decodes"] = set.made.decodes;
        out["cache_hits"] = set.made.cache_hits;
    }
    for (const GridSummary& grid : set.grids) out["grids"].push_back(grid_json(grid));
    return out;
}

}  // namespace

Report report_of(const PatchmlResult& result) {
    Report report;
    report.sections.push_back({.title = "", .blocks = {composite_table(result)}, .sections = {}});
    report.records = records_of(result);
    report.result = {{"schema", "assay.patchml_report/2"},
                     {"pool", pool_json(result)},
                     {"canvas", result.options.canvas},
                     {"distinct", result.options.distinct},
                     {"interpolation", name_of(result.options.interpolation)},
                     {"datasets", json::array()}};
    if (result.options.jpeg_quality) report.result["jpeg_quality"] = *result.options.jpeg_quality;
    for (const PatchmlDataset& set : result.datasets)
        report.result["datasets"].push_back(dataset_json(set));
    report.warnings = result.rejected;
    report.partial = !result.pool.rejected.empty();
    return report;
}

}  // namespace assay
