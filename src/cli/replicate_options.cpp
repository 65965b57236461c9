#include "cli/replicate_options.h"

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace assay::cli {

void add_annotation_options(CLI::App& app, replication::PrepareOptions& options) {
    CLI::Option* const clean =
        app.add_flag("--clean", options.clean,
                     "Drop annotators who guess (needs the columns batch and control)");
    app.add_option("--min-selected", options.rules.min_selected,
                   "A batch with fewer selected images is flagged")
        ->needs(clean)
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-controls", options.rules.max_controls,
                   "A batch with more selected controls is flagged")
        ->needs(clean)
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-flagged", options.rules.max_flagged,
                   "Drop annotators with at least this proportion of flagged batches")
        ->needs(clean)
        ->capture_default_str()
        ->type_name("P");
    app.add_option("--equalise", options.equalise,
                   "Take N random annotators of each image, 0: as many as the image with the "
                   "fewest has (moments do not need it)")
        ->check(not_below_zero())
        ->type_name("N");
    app.add_option("--selected-by", options.selected_by,
                   "Annotations that selected the replication's images. They may not be among its "
                   "readings, which must be collected afterwards")
        ->type_name("CSV");
    app.add_option("--without-annotators", options.without_annotators,
                   "Skip the annotations of these annotators; `frequencies` says how lenient "
                   "and how noisy each is")
        ->delimiter(',')
        ->type_name("LIST");
    app.add_flag("--other-annotators", options.other_annotators,
                 "Continue although no annotator judged both sets (annotator ids that were made "
                 "anonymous for each set)");
    app.add_option("--seed", options.seed, "Seed of everything random")
        ->check(decimal_number())
        ->capture_default_str()
        ->type_name("N");
}

void add_sets(CLI::App& app, std::filesystem::path& original, std::filesystem::path& replication) {
    app.add_option("original", original, "Annotations or frequencies of the original")
        ->required()
        ->type_name("CSV");
    app.add_option("replication", replication, "Annotations or frequencies of the replication")
        ->required()
        ->type_name("CSV");
}

CLI::Option* add_hits(CLI::App& app, std::filesystem::path& original,
                      std::filesystem::path& replication, const std::string& description) {
    return app
        .add_option_function<std::vector<std::filesystem::path>>(
            "--hits",
            [&](const std::vector<std::filesystem::path>& paths) {
                original = paths[0];
                replication = paths[1];
            },
            description)
        ->expected(2)
        ->type_name("PATH");
}

}  // namespace assay::cli
