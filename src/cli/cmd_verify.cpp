// assay verify: every shard against its checksum.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/json_text.h"
#include "core/parallel.h"

namespace assay::cli {
namespace {

constexpr std::string_view examples = R"(
assay verify runs
assay verify runs/val/resnet50 --json
)";

/// What is known of one folder; no numbers where its manifest cannot be read.
struct Checked {
    std::filesystem::path folder;
    std::optional<std::size_t> shards, missing;
    std::vector<std::string> problems;
};

Checked check(const std::filesystem::path& folder) {
    Checked checked{
        .folder = folder, .shards = {}, .missing = {}, .problems = verify_store(folder)};
    try {
        const PredictionStore store = PredictionStore::open(folder);
        checked.shards = store.shards();
        checked.missing = store.missing_shards();
    } catch (const Error& error) {
        if (checked.problems.empty())
            checked.problems.emplace_back(error.what());  // it broke just now
    }
    return checked;
}

struct Report {
    Table table{{{"store"}, {"shards", Align::right}, {"missing", Align::right}, {"state"}}};
    nlohmann::json all = nlohmann::json::array();
    bool damaged = false;
    bool missing = false;

    void add(const Checked& checked) {
        const auto number = [](const std::optional<std::size_t>& n) {
            return n ? count_text(*n) : std::string("?");
        };
        const auto value = [](const std::optional<std::size_t>& n) {
            return n ? nlohmann::json(*n) : nlohmann::json();
        };
        const bool sound = checked.problems.empty();
        damaged |= !sound;
        missing |= checked.missing.value_or(0) > 0;
        table.add({checked.folder.string(), number(checked.shards), number(checked.missing),
                   !sound                             ? "damaged: " + checked.problems.front()
                   : checked.missing.value_or(0) == 0 ? "sound"
                                                      : "sound, not finished"});
        for (std::size_t p = 1; p < checked.problems.size(); ++p)
            table.add({"", "", "", checked.problems[p]});
        all.push_back({{"store", checked.folder.string()},
                       {"shards", value(checked.shards)},
                       {"missing", value(checked.missing)},
                       {"problems", checked.problems}});
    }
};

}  // namespace

int cmd_verify(std::vector<std::string> arguments) {
    auto app = make_app("verify",
                        "Read every shard of every store below PATH and check it against its "
                        "checksum. Exit status 2 "
                        "when something is damaged, 3 when shards are missing.",
                        examples);
    std::filesystem::path path;
    app->add_option("path", path, "A RUNS folder, one of its data sets, or one store")
        ->required()
        ->type_name("PATH");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    Report report;
    const StoreFolders found = look_for_stores(path);
    ProgressLine progress("verify", "stores");
    for (std::size_t i = 0; i < found.stores.size(); ++i) {
        throw_if_stopped();
        report.add(check(found.stores[i]));
        progress.update({.done = i + 1, .total = found.stores.size()});
    }
    for (const StoreFolders::Fault& fault : found.faults) {
        report.add({.folder = fault.folder, .shards = {}, .missing = {}, .problems = {fault.why}});
    }
    progress.finish();
    output.write(output.json  ? json_text(report.all)
                 : output.csv ? report.table.csv()
                              : report.table.text(output.to_stdout() && stdout_is_terminal()));
    return report.damaged ? Status::bad_input : report.missing ? Status::partial : Status::done;
}

}  // namespace assay::cli
