#include <fmt/format.h>

#include <cstdint>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/report/draw.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay {
namespace {

nlohmann::json saved_plot_source(const std::filesystem::path& file) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;
    constexpr int deepest = 32;
    return with_note(fmt::format("reading `{}`", file.string()),
                     [&] { return parse_json(read_text(file, most_bytes), deepest); });
}

}  // namespace

nlohmann::json plot_source(const PlotRecipe& recipe, const std::filesystem::path& source,
                           const MeasureOptions& measure, Comm& comm,
                           const ProgressCallback& progress) {
    if (!is_there(source)) refuse(fmt::format("`{}` does not exist", source.string()));
    if (!is_folder(source)) return saved_plot_source(source);
    if (recipe.schema != "assay.scores/2") {
        refuse(fmt::format("`{}` is a folder, but `{}` needs a file: type `{} -o FILE.json`",
                           source.string(), recipe.name, recipe.from));
    }
    ScoreRunsOptions options;
    options.paths = {source};
    options.measure = measure;
    options.reliability = true;
    ScoreShown shown;
    shown.reliability = true;
    shown.per_class = true;
    // A cell of the matrix must not be empty because its confusion was rare.
    const std::size_t most_confusions = recipe.name == "confusion-matrix" ? SIZE_MAX : 1000;
    shown.confusions = most_confusions;
    options.confusions = most_confusions;
    return to_json(score_runs(options, comm, progress), shown);
}

}  // namespace assay
