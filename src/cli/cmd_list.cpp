// assay list: lists metrics, presets, class maps, formats, stores.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "assay/error.h"
#include "assay/evaluate/listing.h"
#include "assay/metric/metric.h"
#include "assay/plugin_files.h"
#include "assay/robustness/corruption.h"
#include "cli/command.h"
#include "cli/described.h"
#include "core/paths.h"

namespace assay::cli {
namespace {

constexpr std::string_view list_examples = R"(
assay list
assay list metrics
assay list metrics --markdown
assay list metrics --plugin ./margin.so
assay list presets --json
assay list runs
)";

}  // namespace

int cmd_list(std::vector<std::string> arguments) {
    auto app = make_app("list",
                        "Show metrics with their definitions, corruptions, presets, class maps, "
                        "formats and environment variables, or the stores below a folder.",
                        list_examples);
    std::string what;
    bool markdown = false;
    Output output;
    app->add_option("what", what,
                    "metrics, corruptions, presets, maps, formats, environment, or a RUNS folder "
                    "(default: all but "
                    "stores)")
        ->type_name("TOPIC");
    app->add_flag("--markdown", markdown, "With metrics: the whole table as docs/definitions.md");
    PluginFiles plugins;
    add_options(*app, plugins);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    for (const auto& file : plugins.plugin) {
        load_metrics(file);
        load_corruptions(file);
    }

    if (markdown) {
        if (what != "metrics")
            throw Error(ErrorCode::usage, "--markdown only applies to `assay list metrics`");
        output.write(metric_table_markdown());
        return Status::done;
    }
    const std::vector<std::string>& topics = listing_topics();
    if (what.empty() || std::find(topics.begin(), topics.end(), what) != topics.end()) {
        output.print(listing(what));
        return Status::done;
    }
    if (!is_there(what)) {
        throw Error(ErrorCode::usage,
                    "`" + what + "` is not a folder and nothing to list" + suggest(what, topics));
    }
    output.print(store_listing(what));
    return Status::done;
}

}  // namespace assay::cli
