// assay labels propose: selects the labels that annotators are asked about.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/annotation/draw_gold.h"
#include "assay/annotation/propose.h"
#include "assay/error.h"
#include "cli/cmd_labels.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/store_command.h"

namespace assay::cli {
namespace {

constexpr std::string_view labels_propose_examples = R"(
assay labels propose runs/val --questions questions.csv
assay labels propose runs/val --recall 0.97 --gold experts.csv --skip-agreed --questions questions.csv
assay labels propose runs/val/a runs/val/b --rule rank --all-models --json
assay labels propose runs/val --draw-gold 150 --questions for-experts.csv
)";

/// Options that select questions cannot be combined with a draw, which asks about all labels.
void add_draw_options(CLI::App& app, DrawGoldOptions& options) {
    CLI::Option* const draw =
        app.add_option(
               "--draw-gold", options.images,
               "Draw N images at random for experts instead. Questions are then all classes "
               "among the best of some model, with the probability of the draw. Pass what "
               "experts accept to `assay score --expert-labels`")
            ->type_name("N")
            ->check(CLI::Range(1, 1'000'000'000));
    for (const char* other :
         {"--recall", "--gold", "--rule", "--depth", "--all-models", "--skip-agreed", "--threads"})
        draw->excludes(app.get_option(other));
    app.add_option("--draw-depth", options.depth,
                   "With --draw-gold: number of best classes of each model that experts judge")
        ->type_name("K")
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->needs(draw);
}

void add_propose_options(CLI::App& app, ProposeOptions& options) {
    app.add_option("path", options.stores, "RUNS folder, one of its data sets, or stores")
        ->required()
        ->type_name("RUNS");
    app.add_option("--recall", options.recall,
                   "Proportion of the known labels that the proposals must find")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_option("--gold", options.gold,
                   "Known label sets of some images (json, csv); default: the original labels")
        ->type_name("LABELS");
    app.add_option_function<std::string>(
           "--rule",
           [&options](const std::string& name) { options.rule = propose_rule_named(name); },
           "probability: a threshold for each model; rank: the k best, k by model")
        ->type_name("{probability,rank}")
        ->default_str("probability");
    app.add_option("--depth", options.depth, "Number of best classes of each image to consider")
        ->type_name("K")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag_callback(
        "--all-models", [&options] { options.choose_models = false; },
        "Use every model, not the subset with the fewest questions");
    app.add_flag_callback(
        "--no-original", [&options] { options.keep_original = false; },
        "Do not ask about an original label that no model proposes");
    app.add_flag("--skip-agreed", options.skip_agreed,
                 "Ask nothing about images for which every model predicts the original label");
    app.add_option("--seed", options.seed,
                   "Seed of the sample that sets the thresholds, for large data sets")
        ->check(decimal_number())
        ->capture_default_str();
    app.add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->check(not_below_zero());
}

class ProposeCommand final : public StoreCommand {
public:
    std::unique_ptr<CLI::App> app() override {
        auto app =
            make_app("labels propose",
                     "Choose (image, label) questions for annotators: the models' predictions "
                     "above thresholds that reach a recall, with as few questions as possible. "
                     "--csv prints the questions instead of the report. Status 3: the recall is "
                     "out of reach, or images have no scores.",
                     labels_propose_examples);
        add_propose_options(*app, options_);
        add_draw_options(*app, draw_);
        app->add_option("--questions", questions_,
                        "Write the questions: csv with item, path, label, class, proposed_by, "
                        "prior (-: stdout, instead of the report)")
            ->type_name("FILE");
        output_.add_to(*app);
        return app;
    }

    void over(const Runs& runs) override {
        for (std::string& store : options_.stores) store = runs.as_called(store).string();
        if (!options_.stores.empty()) return;
        if (runs.datasets.size() > 1)
            throw Error(ErrorCode::bad_input,
                        "questions are about one data set, but the file lists several: name one, "
                        "as in path = \"runs/val\"");
        options_.stores = {(runs.folder / runs.datasets.front()).string()};
    }

    void check() const override {
        assay::check(options_);
        if (questions_.empty()) output_.check_is_report("questions", "--questions");
        if (printed() && output_.format != ReportFormat::text)
            throw Error(ErrorCode::usage,
                        "--format and --questions - both print to stdout; name a file");
    }

    int run() const override {
        if (draw_.images > 0) return draw();
        ProgressLine line("propose", "images");
        const Proposals found = propose_labels(options_, ranks(), line);
        line.finish();
        const bool wanted = output_.format == ReportFormat::csv || !questions_.empty();
        return show(report_of(found), wanted ? question_csv(found) : std::string());
    }

private:
    int draw() const {
        DrawGoldOptions options = draw_;
        options.stores = options_.stores;
        options.keep_original = options_.keep_original;
        options.seed = options_.seed;
        const GoldDraw drawn = draw_gold(options);
        return show(report_of(drawn), gold_csv(drawn));
    }

    int show(const Report& report, const std::string& questions) const {
        if (!questions_.empty()) write_result(questions_, questions);
        if (printed() || output_.format == ReportFormat::csv) {
            for (const std::string& text : report.warnings) warn(text);
            if (output_.format == ReportFormat::csv) output_.write(questions);
        } else {
            output_.print(report);
        }
        return report.partial ? Status::partial : Status::done;
    }

    /// The questions, and not the report, go to stdout.
    bool printed() const { return questions_ == "-" && output_.to_stdout(); }

    ProposeOptions options_;
    DrawGoldOptions draw_;
    std::filesystem::path questions_;
    Output output_;
};

}  // namespace

std::unique_ptr<StoreCommand> propose_command() {
    return std::make_unique<ProposeCommand>();
}

int labels_propose(std::vector<std::string> arguments) {
    return run_command(*propose_command(), std::move(arguments));
}

}  // namespace assay::cli
