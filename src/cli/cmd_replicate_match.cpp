// assay replicate match: statistic matching, with annotators held out.
#include <CLI/CLI.hpp>

#include "assay/replication/steps.h"
#include "cli/command.h"
#include "cli/ranks.h"
#include "cli/replicate_options.h"

namespace assay::cli {
namespace {

constexpr std::string_view replicate_match_examples = R"(
assay replicate match original.csv candidates.csv --per-class 10 --csv -o chosen.csv
assay replicate match original.csv candidates.csv --annotators 5 --per-class 4
assay replicate match original.csv candidates.csv --annotators 3,5,7
assay replicate match original.csv candidates.csv --strategy threshold=0.7 --annotators 5
assay replicate match original.csv candidates.csv --annotators 5 --easy 2 --easy-annotators 4 --hits candidates-hits.csv
)";

}  // namespace

int replicate_match(std::vector<std::string> arguments) {
    auto app = make_app(
        "replicate match",
        "Choose candidates so that, class by class, their selection frequencies "
        "are distributed like those of a reference (buckets of 0.2). With "
        "--annotators N only N random annotators of each candidate choose, and the "
        "others measure the result. The reference also uses N random annotators per image, because "
        "frequencies from different numbers of annotators cannot be compared. "
        "Status 3: images or hits are missing.",
        replicate_match_examples);
    replication::MatchStep step;
    Output output;
    app->add_option("reference", step.reference, "Annotations or frequencies of the reference")
        ->required()
        ->type_name("CSV");
    app->add_option("candidates", step.candidates, "Annotations or frequencies of the candidates")
        ->required()
        ->type_name("CSV");
    app->add_option("--per-class", step.choice.per_class, "Images to choose for each class")
        ->capture_default_str()
        ->type_name("N");
    app->add_option(
           "--annotators", step.annotators,
           "Annotators who choose; the others are held out. 0: as many as all images of "
           "both sets have. Several numbers are compared; the first one chooses the images")
        ->delimiter(',')
        ->default_str("0")
        ->type_name("LIST");
    app->add_option_function<std::string>(
           "--strategy",
           [&](const std::string& text) { replication::choose_strategy(step.choice, text); },
           "matched; threshold=P: at random among candidates of frequency P or more; top: the "
           "highest frequencies")
        ->default_str("matched")
        ->type_name("{matched,threshold=P,top}");
    app->add_option("--reference-annotators", step.choice.reference_annotators,
                    "Annotators of the reference that count (0: as many as choose). With another "
                    "number, as published, the bias is not computed")
        ->capture_default_str()
        ->type_name("N");
    app->add_flag("--published-targets", step.choice.published_targets,
                  "Round the images of each bucket as published, the same way in every class, "
                  "instead of at random");
    app->add_option("--easy", step.choice.easy_min,
                    "Candidates must be selected by N of --easy-annotators others")
        ->type_name("N");
    app->add_option("--easy-annotators", step.choice.easy_annotators,
                    "Number of annotators whose answers decide which candidates are easy")
        ->type_name("N");
    app->add_option("--hits", step.hits,
                    "Hits (1: correct prediction, 0: incorrect) on the candidates, to show the "
                    "accuracy on the chosen images")
        ->type_name("PATH");
    app->add_option("-j,--threads", step.threads, "Threads for reading stores (0: all)")
        ->capture_default_str()
        ->type_name("N");
    add_annotation_options(*app, step.annotations);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const Report report = report_of(run_match(step, ranks()));
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
