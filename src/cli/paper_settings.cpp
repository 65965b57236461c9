#include "cli/paper_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "assay/evaluate/predict.h"
#include "cli/paper_quality.h"
#include "core/file.h"
#include "core/json_keys.h"
#include "core/refuse.h"
#include "core/toml.h"

namespace assay::cli {

std::string fault_of(const PaperSettings& settings) {
    const bool table = !settings.table.empty();
    if (table && (!settings.labels1.empty() || !settings.labels2.empty()))
        return "table has published values, and labels1 and labels2 are for stores: omit one of "
               "them";
    if (!table && (!settings.n1.empty() || !settings.n2.empty() || !settings.counts1.empty() ||
                   !settings.counts2.empty()))
        return "n1, n2, counts1 and counts2 are about published values: omit them, or add table";
    if (settings.v1.empty() != settings.v2.empty())
        return fmt::format("{} is missing: name both data sets, or none",
                           settings.v1.empty() ? "v1" : "v2");
    if (settings.original.empty() != settings.replication.empty())
        return fmt::format("{} is missing: name the annotations of both data sets, or none",
                           settings.original.empty() ? "original" : "replication");
    if (settings.hits1.empty() != settings.hits2.empty())
        return fmt::format("{} is missing: name the hits on both data sets, or none",
                           settings.hits1.empty() ? "hits1" : "hits2");
    if (!settings.hits1.empty() && settings.original.empty())
        return "hits1 and hits2 are for the replication study: add original and replication";
    if (!settings.pair.empty() &&
        (settings.pair.size() != 2 || settings.pair[0] == settings.pair[1]))
        return "pair must name two classifiers, as in pair = [\"one\", \"other\"]";
    if (settings.formats.empty()) return "formats is empty; allowed: svg, pdf, png";
    return {};
}

namespace {

/// What must be in the table so that a key has an effect.
struct NeededKeys {
    std::string_view key, needs;
    bool there;
};

std::array<NeededKeys, 14> needed_keys(const PaperSettings& settings) {
    const bool stores = !settings.v1.empty(), table = !settings.table.empty();
    const bool composites = !settings.composites.empty();
    const bool competition = !settings.competition.empty();
    const bool quality = !settings.quality.empty();
    return {{{"labels1", "v1 and v2", stores},
             {"labels2", "v1 and v2", stores},
             {"composites", "v1 and v2, or table", stores || table},
             {"composite_subgroups", "composites among the stores", composites && !table},
             {"ties", "composites", composites},
             {"best", "composites, or quality", composites || quality},
             {"methods", "original and replication", !settings.original.empty()},
             {"against", "competition", competition},
             {"tags", "competition", competition},
             {"beside", "competition", competition},
             {"beside_list", "beside", !settings.beside.empty()},
             {"pair", "competition", competition},
             {"groups", "quality", quality},
             {"by", "quality", quality}}};
}

}  // namespace

PaperSettings read_paper(const nlohmann::json& table, const std::filesystem::path& folder) {
    if (!table.is_object()) refuse("[paper] must be a table");
    Keys keys(table, "[paper]", folder);
    PaperSettings settings;
    keys.take(settings);
    keys.nothing_left();
    paper_quality::comparisons_of(settings);  // their form
    const auto quality = table.find("quality");
    if (quality != table.end() && *quality == "published")
        settings.quality = "published";  // the table of the paper, not a file in `folder`
    for (const NeededKeys& one : needed_keys(settings)) {
        std::string dashed(one.key);
        std::ranges::replace(dashed, '_', '-');
        if (!one.there && (table.contains(one.key) || table.contains(dashed)))
            refuse(fmt::format("[paper].{} has no effect without {}: add them, or omit it", one.key,
                               one.needs));
    }
    return settings;
}

PaperConfig read_paper_config(const std::filesystem::path& file) {
    constexpr std::uint64_t most_bytes = 16 << 20;
    Keys keys(parse_toml(read_text(file, most_bytes)), "", file.parent_path());
    PaperConfig config;
    config.runs = keys.take_path("out");
    if (config.runs.empty()) config.runs = PredictOptions{}.runs;  // as of `assay run`
    const nlohmann::json table = keys.take_any("paper");
    if (table.is_null())
        refuse(
            "no table [paper]: add it with the names of the data sets, v1 = \"...\" and v2 = "
            "\"...\", with competition = \"...\" or with quality = \"...\" (docs/paper.md)");
    config.settings = read_paper(table, file.parent_path());
    return config;
}

}  // namespace assay::cli
