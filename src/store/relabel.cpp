#include "assay/store/relabel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/describe_result.h"
#include "assay/store/prediction_store.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/result_table.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "store/dataset_files.h"
#include "store/described_store.h"
#include "store/manifest.h"
#include "store/parts.h"
#include "store/same_data.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace store;

fs::path data_folder_of(const fs::path& one) {
    const fs::path whole = absolute_path(one).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).parent_path();
}

/// Finds all stores of a data set, including unnamed ones, because they share its list.
std::uint64_t count_stores(const fs::path& folder, const ClassList& classes) {
    std::uint64_t stores = 0;
    for (const fs::path& one : find_stores(folder)) {
        const StoreSpec spec = read_whole_manifest(one).spec;
        if (spec.classes != classes.size()) {
            refuse(
                fmt::format("`{}` has scores of {} classes, but the list has {}: pass a list of {}",
                            one.string(), spec.classes,
                            how_many(classes.size(), "class", "classes"), spec.classes));
        }
        ++stores;
    }
    return stores;
}

/// If `before` is empty, numbers are used.
RelabelledData compared(const ClassList& before, const ClassList& now) {
    const ClassList then = before.empty() ? numbered_classes(now.size()) : before;
    RelabelledData out;
    out.classes = now.size();
    for (std::size_t c = 0; c < now.size(); ++c) {
        if (then.id(c) == now.id(c) && then.name(c) == now.name(c)) continue;
        if (out.changed++ > 0) continue;
        const bool ids = then.id(c) != now.id(c);
        out.first_change = fmt::format("class {} was `{}` and is now `{}`", c,
                                       shortened(ids ? then.id(c) : then.name(c)),
                                       shortened(ids ? now.id(c) : now.name(c)));
    }
    out.reordered = same_classes(then, now).order == SameClasses::Order::moved;
    return out;
}

}  // namespace

std::vector<RelabelledData> relabel_stores(const std::vector<fs::path>& paths,
                                           const ClassList& classes) {
    std::vector<fs::path> folders;
    for (const fs::path& one : find_stores(paths)) {
        fs::path folder = data_folder_of(one);
        if (std::ranges::find(folders, folder) == folders.end())
            folders.push_back(std::move(folder));
    }
    std::vector<RelabelledData> all;
    for (const fs::path& folder : folders) {
        const std::uint64_t stores = count_stores(folder, classes);
        const DatasetRecord record = read_dataset_record(folder);
        RelabelledData one = compared(record.classes, classes);
        one.folder = folder;
        one.name = record.name;
        one.stores = stores;
        all.push_back(std::move(one));
    }
    for (const RelabelledData& one : all) set_classes(one.folder, classes);
    return all;
}

ResultType result_type(ResultOf<RelabelledData>) {
    static constexpr auto rows = describe_result<RelabelledData>(
        {.name = "RelabelledData", .columns = "dataset,folder,stores,classes,changed,first_change"},
        {
            part<&RelabelledData::folder>({}),
            part<&RelabelledData::name>({.help = "Name of the data set", .name = "dataset"}),
            part<&RelabelledData::stores>(
                {.help = "Models of the data set, all of which get the list"}),
            part<&RelabelledData::classes>({.help = "In the list"}),
            part<&RelabelledData::changed>({.help = "Classes whose id or name changed"}),
            part<&RelabelledData::first_change>(
                {.help = "The first such class; empty if there is none"}),
            part<&RelabelledData::reordered>(
                {.help = "True if the classes are the same in another order"}),
        });
    return rows;
}

ResultType result_type(ResultOf<RelabelResult>) {
    static constexpr auto rows =
        describe_result<RelabelResult>({.name = "RelabelResult",
                                        .help = "What `assay relabel` prints",
                                        .schema = "assay.relabel/1"},
                                       {part<&RelabelResult::datasets>({})});
    return rows;
}

Report report_of(const std::vector<RelabelledData>& relabelled) {
    Report report;
    report.records = table_of(relabelled);
    Table table = report.records;
    table.columns.back().name = "first change";
    for (const RelabelledData& one : relabelled) {
        if (!one.reordered) continue;
        report.warnings.push_back(fmt::format(
            "`{}`: these are the same classes in another order, and labels keep their numbers. "
            "Labels that were read by name (class folders) now name different classes: pass them "
            "again with `assay score {} --labels FILE`, or predict again with the right --classes",
            one.name, shell_word(one.folder.string())));
    }
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = json_of(RelabelResult{relabelled});
    return report;
}

}  // namespace assay
