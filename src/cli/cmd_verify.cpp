// assay verify: every shard against its checksum.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/store.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "data/json_text.h"

namespace assay::cli {
namespace {

constexpr std::string_view examples = R"(
assay verify runs
assay verify runs/val/resnet50 --json
)";

}  // namespace

int cmd_verify(std::vector<std::string> words) {
    auto app = make_app("verify",
                        "Read every shard of every store below PATH and check it against its checksum. Exit status 2 "
                        "when something is damaged, 3 when shards are missing.",
                        examples);
    std::filesystem::path path;
    app->add_option("path", path, "A RUNS folder, one of its data sets, or one store")->required()->type_name("PATH");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(words))) return Status::done;

    Table table({{"store"}, {"shards", Align::right}, {"missing", Align::right}, {"state"}});
    nlohmann::json all = nlohmann::json::array();
    bool damaged = false;
    bool missing = false;
    const auto folders = find_stores(path);
    Progress progress("verify", "stores");
    for (std::size_t i = 0; i < folders.size(); ++i) {
        const PredictionStore store = PredictionStore::open(folders[i]);
        const std::vector<std::string> problems = verify_store(folders[i]);
        damaged |= !problems.empty();
        missing |= store.missing_shards() > 0;
        table.add({folders[i].string(), count_text(store.shards()), count_text(store.missing_shards()),
                   !problems.empty()             ? problems.front()
                   : store.missing_shards() == 0 ? "sound"
                                                 : "sound, not finished"});
        for (std::size_t p = 1; p < problems.size(); ++p) table.add({"", "", "", problems[p]});
        all.push_back({{"store", folders[i].string()},
                       {"shards", store.shards()},
                       {"missing", store.missing_shards()},
                       {"problems", problems}});
        progress.update(i + 1, folders.size());
    }
    progress.finish();
    output.write(output.json  ? json_text(all)
                 : output.csv ? table.csv()
                              : table.text(output.to_stdout() && stdout_is_terminal()));
    return damaged ? Status::bad_input : missing ? Status::partial : Status::done;
}

}  // namespace assay::cli
