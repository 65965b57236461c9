// assay relabel: changes the class names of finished stores.
#include "cli/cmd_relabel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "assay/store/relabel.h"
#include "cli/command.h"
#include "cli/print_result.h"
#include "core/paths.h"
#include "core/shell_word.h"
#include "store/dataset_files.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view relabel_examples = R"(
assay relabel runs/val --classes classes.txt
assay relabel runs --classes imagenet
assay relabel runs/val/resnet50 runs/val-v2/resnet50 --classes config.json
)";

/// Other data sets with the list that `one` had before. They are usually versions or parts of it.
std::vector<fs::path> left_behind(const RelabelledData& one,
                                  const std::vector<RelabelledData>& relabelled) {
    const auto now = store::read_dataset_record(one.folder);
    std::vector<fs::path> found;
    if (one.changed == 0 || now.former.empty() || now.former.back().classes.empty()) return found;
    std::error_code ignored;  // the file was read a moment ago
    for (const auto& entry : fs::directory_iterator(one.folder.parent_path(), ignored)) {
        const fs::path& folder = entry.path();
        const bool named = std::ranges::any_of(
            relabelled, [&](const RelabelledData& other) { return other.folder == folder; });
        if (named || !is_there(folder / "dataset.json")) continue;
        try {
            if (store::read_dataset_record(folder).classes == now.former.back().classes)
                found.push_back(folder);
        } catch (const Error&) {
            // `assay verify` reports damaged stores.
        }
    }
    std::ranges::sort(found);
    return found;
}

void warn_of_left_behind(const std::vector<RelabelledData>& relabelled,
                         const std::string& classes) {
    std::set<std::string> words;
    for (const RelabelledData& one : relabelled)
        for (const fs::path& folder : left_behind(one, relabelled))
            words.insert(shell_word(folder.string()));
    if (words.empty()) return;
    warn(
        fmt::format("other data sets in the same folder still have the old list; if their classes "
                    "are the same, type `assay relabel {} --classes {}`",
                    fmt::join(words, " "), shell_word(classes)));
}

}  // namespace

int cmd_relabel(std::vector<std::string> arguments) {
    auto app =
        make_app("relabel",
                 "Set or correct the class list of stored predictions. Scores and labels are "
                 "numbers of classes and do not change. The list belongs to the data set, so all "
                 "its models get it. To change labels, use `assay score --labels`.",
                 relabel_examples);
    std::vector<std::filesystem::path> paths;
    std::string classes;
    add_stores(*app, paths);
    app->add_option("--classes", classes,
                    "Class list in the order of the scores, as many as there are scores: a text, "
                    "csv or JSON file, or imagenet")
        ->required()
        ->type_name("CLASSES");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const std::vector<RelabelledData> done = relabel_stores(
        paths, classes == "imagenet" ? imagenet_classes() : read_class_list(classes));
    warn_of_left_behind(done, classes);
    output.print(report_of(done));
    return Status::done;
}

}  // namespace assay::cli
