// Composites by seed, k and number of distinct labels (table 2 of the papers).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/list_columns.h"
#include "patchml/described_patchml.h"

namespace assay {
namespace {

using Show = Column::Show;

std::size_t most_labels(const PatchmlResult& result) {
    int most = 1;
    for (const Grid& grid : result.options.grids) most = std::max(most, grid.k);
    return static_cast<std::size_t>(most);
}

std::optional<std::uint64_t> composites_with(const GridCounts& counts, std::size_t labels) {
    return labels < counts.by_labels.size() ? std::optional(counts.by_labels[labels])
                                            : std::nullopt;
}

/// The numbers of labels that occur in composites.
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

/// A proportion that is only defined if there are composites.
std::optional<double> expected(const GridSummary& grid, double proportion) {
    return grid.repeats.value ? std::optional(proportion) : std::nullopt;
}

Cell expected_cell(const GridSummary& grid, double proportion) {
    if (!grid.repeats.value) return {};
    return Number{.value = proportion, .unit = Unit::proportion, .digits = 2};
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
            for (const std::size_t n : shown) {
                const auto composites = composites_with(counts, n);
                cells.push_back(composites ? Cell(Count{*composites}) : Cell());
            }
            cells.emplace_back(grid.repeats);
            cells.emplace_back(grid.repeats);
            cells.push_back(expected_cell(grid, grid.expected_pool));
            cells.push_back(expected_cell(grid, grid.expected_equal_classes));
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

/// The text for work on a data set that was just made.
const CompositeReport* work_of(const PatchmlDataset& set) {
    return set.planned || set.made.was_there ? nullptr : &set.made;
}

std::map<std::string, std::uint64_t> rejected_by_name(const PatchPool& pool) {
    std::map<std::string, std::uint64_t> faults;
    const auto by_fault = pool.rejected_by_fault();
    for (std::size_t f = 0; f < by_fault.size(); ++f) {
        if (by_fault[f] > 0) faults.emplace(name_of(static_cast<BoxFault>(f)), by_fault[f]);
    }
    return faults;
}

struct ShownPool {
    const PatchPool* pool;
    std::size_t classes_present;
};

ResultType result_type(ResultOf<ShownPool>) {
    static constexpr auto rows = describe_result<ShownPool>(
        {.name = "PatchPool", .help = "The patches that make up the composites"},
        {
            part({.name = "patches"},
                 [](const ShownPool& shown) { return shown.pool->patches.size(); }),
            part({.name = "images"},
                 [](const ShownPool& shown) { return shown.pool->images.size(); }),
            part({.name = "classes"},
                 [](const ShownPool& shown) { return shown.pool->classes.size(); }),
            part<&ShownPool::classes_present>({.help = "Classes that have patches"}),
            part<&ShownPool::pool, &PatchPool::read>(
                {.help = "Patches and rejected ones", .name = "boxes_read"}),
            part<&ShownPool::pool, &PatchPool::clipped>(
                {.help = "Patches that extended beyond their image"}),
            part({.help = "By fault", .name = "rejected"},
                 [](const ShownPool& shown) { return rejected_by_name(*shown.pool); }),
            part<&ShownPool::pool, &PatchPool::duplicates>(
                {.help = "Patches with the same pixels and class as another"}),
            part<&ShownPool::pool, &PatchPool::conflicts>(
                {.help = "Patches with the same pixels as another, but a different class"}),
            part<&ShownPool::pool, &PatchPool::fingerprint>({}),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<GridSummary>) {
    static constexpr auto rows = describe_result<GridSummary>(
        {.name = "GridSummary",
         .help = "Composites of k patches, and how often a class repeats within one",
         .columns = "k,p,composites,patches_left,repeats=repeats.count,"
                    "repeat_proportion=repeats.proportion*,expected_pool=repeats.expected_pool,"
                    "expected_equal_classes=repeats.expected_equal_classes"},
        {
            part<&GridSummary::counts, &GridCounts::grid, &Grid::k>({}),
            part<&GridSummary::counts, &GridCounts::grid, &Grid::p>(
                {.help = "Longer side of a patch"}),
            part<&GridSummary::counts, &GridCounts::composites>({}),
            part<&GridSummary::counts, &GridCounts::by_labels>(
                {.help = "Composites with 0, 1, ... k distinct labels"}),
            part<&GridSummary::counts, &GridCounts::patches_left>(
                {.help = "Patches in no composite"}),
            part<&GridSummary::counts, &GridCounts::repeats>(
                {.help = "Composites with fewer than k labels",
                 .name = "count",
                 .group = "repeats"}),
            part<&GridSummary::repeats>({.name = "proportion", .group = "repeats"}),
            part({.help = "Expected for k random patches of this pool",
                  .name = "expected_pool",
                  .group = "repeats",
                  .omitted = true},
                 [](const GridSummary& grid) { return expected(grid, grid.expected_pool); }),
            part({.help = "Expected for equally frequent classes",
                  .name = "expected_equal_classes",
                  .group = "repeats",
                  .omitted = true},
                 [](const GridSummary& grid) {
                     return expected(grid, grid.expected_equal_classes);
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<CompositeReport>) {
    static constexpr auto rows = describe_result<CompositeReport>(
        {.name = "CompositeWork", .help = "How composites were made"},
        {
            part<&CompositeReport::found>({.help = "Composites from an interrupted run"}),
            part<&CompositeReport::image_bytes>({}),
            part<&CompositeReport::decodes>({}),
            part<&CompositeReport::cache_hits>({.help = "Patches taken from the cache"}),
        });
    return rows;
}

ResultType result_type(ResultOf<PatchmlDataset>) {
    static constexpr auto rows = describe_result<PatchmlDataset>(
        {.name = "PatchmlDataset", .columns = "folder,state,seed"},
        {
            part<&PatchmlDataset::made, &CompositeReport::folder>({}),
            part<&PatchmlDataset::state>({.help = "State of the data set"}),
            part<&PatchmlDataset::made, &CompositeReport::seed>({}),
            part<&PatchmlDataset::made, &CompositeReport::composites>({}),
            part<&PatchmlDataset::grids>({}),
            part({.help = "Example of a new composite", .name = "seconds", .omitted = true},
                 [](const PatchmlDataset& set) {
                     return work_of(set) ? std::optional(set.seconds) : std::nullopt;
                 }),
            part({.inlined = true}, [](const PatchmlDataset& set) { return work_of(set); }),
        });
    return rows;
}

ResultType result_type(ResultOf<PatchmlResult>) {
    static constexpr auto rows = describe_result<PatchmlResult>(
        {.name = "PatchmlResult",
         .help = "Composites of labelled patches",
         .schema = "assay.patchml_report/2"},
        {
            part({.name = "pool"},
                 [](const PatchmlResult& result) {
                     return ShownPool{&result.pool, result.classes_present};
                 }),
            part<&PatchmlResult::options, &CompositeOptions::canvas>({.help = "Side, pixels"}),
            part<&PatchmlResult::options, &CompositeOptions::distinct>(
                {.help = "All classes of a composite are different"}),
            part<&PatchmlResult::options, &CompositeOptions::interpolation>({}),
            part<&PatchmlResult::options, &CompositeOptions::jpeg_quality>(
                {.help = "Without one: PNG", .omitted = true}),
            part<&PatchmlResult::datasets>({.help = "One per seed"}),
        });
    return rows;
}

namespace {

/// Composites with 1, 2, ... distinct labels; all grids have columns up to the same number.
struct LabelColumns {
    std::vector<std::optional<std::uint64_t>> composites;
};
ResultType result_type(ResultOf<LabelColumns>) {
    static constexpr auto rows = describe_result<LabelColumns>(
        {.name = "PatchmlLabelColumns", .columns = "labels_{}=composites"},
        {part<&LabelColumns::composites>({})});
    return rows;
}

Table records_of(const PatchmlResult& result) {
    const std::size_t most = most_labels(result);
    Table table;
    for (const PatchmlDataset& set : result.datasets) {
        for (const GridSummary& grid : set.grids) {
            LabelColumns labels;
            for (std::size_t n = 1; n <= most; ++n)
                labels.composites.push_back(composites_with(grid.counts, n));
            if (table.columns.empty()) table = result_table_for(set, grid, labels);
            add_row(table, set, grid, labels);
        }
    }
    return table;
}

}  // namespace

Report report_of(const PatchmlResult& result) {
    Report report;
    report.sections.push_back({.title = "", .blocks = {composite_table(result)}, .sections = {}});
    report.records = records_of(result);
    report.result = json_of(result);
    report.warnings = result.rejected;
    report.partial = !result.pool.rejected.empty();
    return report;
}

}  // namespace assay
