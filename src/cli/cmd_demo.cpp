// assay demo: a synthetic data set, classifiers trained on it, and a walkthrough of the main job
// with both.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "assay/store/prediction_store.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "core/file.h"
#include "core/paths.h"
#include "demo/answers.h"
#include "demo/competition.h"
#include "demo/images.h"
#include "demo/networks.h"
#include "demo/quality_config.h"
#include "demo/summary.h"
#include "demo/walkthrough.h"
#include "demo/world/world.h"
#include "store/same_models.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view demo_examples = R"(
assay demo
assay demo --dir /tmp/world --size full
assay demo --dir /tmp/world --retrain
)";

constexpr std::string_view composites =
    "patchml-seed1";  ///< the name that patchml gives its data set for --seed 1

std::vector<TrainReport> train(const Demo& demo, const std::vector<DemoNetwork>& networks) {
    std::vector<TrainSpec> specs;
    specs.reserve(networks.size());
    for (const DemoNetwork& network : networks) specs.push_back(network.spec);
    TrainOptions options;
    options.folder = demo.dir / "models";
    options.threads = demo.threads;
    options.again = demo.retrain;
    options.classes = demo.dir / "classes.txt";
    DatasetOptions reading;
    reading.classes = read_class_list(options.classes);
    const Dataset images = open_dataset(demo.dir / "images" / "train", reading);
    ProgressLine progress("training", "images");
    return train_classifiers(images, specs, options, progress);
}

Report network_report(const std::vector<DemoNetwork>& networks,
                      const std::vector<TrainReport>& reports) {
    Table table{.title = "",
                .columns = {{"model", false}, {"trained on"}, {"seconds"}, {"made", false}},
                .rows = {},
                .notes = {}};
    double seconds = 0;
    for (std::size_t i = 0; i < networks.size(); ++i) {
        const TrainReport& r = reports[i];
        table.add({r.name, Count{r.trained_on}, Number{.value = r.seconds, .digits = 1},
                   networks[i].made});
        if (!r.calibrated_file.empty()) {
            table.add({networks[i].spec.calibrated_copy,
                       {},
                       {},
                       fmt::format("{}: {:.2f}", networks[i].copy_made, r.temperature)});
        }
        seconds += r.seconds;
    }
    const bool all_there =
        std::all_of(reports.begin(), reports.end(), [](const TrainReport& r) { return r.reused; });
    table.notes = {all_there
                       ? std::string("Trained by an earlier run.")
                       : fmt::format("{:.0f} seconds of one processor core in all.", seconds)};
    Report report;
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    return report;
}

/// The walkthrough's own stores: no other folder below runs/ is used.
std::vector<fs::path> own_stores(const fs::path& runs, const std::vector<DemoNetwork>& networks) {
    std::vector<std::string> sets = world_sets();
    sets.emplace_back(composites);
    std::vector<fs::path> stores;
    for (const std::string& set : sets) {
        for (const DemoNetwork& network : networks) {
            for (const std::string& name : {network.spec.name, network.spec.calibrated_copy})
                if (!name.empty()) stores.push_back(runs / set / name);
        }
    }
    return stores;
}

/// True if `predict` could not continue with the folder: it has scores of another network, or the
/// remains of an interrupted removal.
bool is_stale(const fs::path& store, const fs::path& model) {
    if (!is_there(store / "manifest.json")) return is_there(store / "shards");
    try {
        return !store::made_by(PredictionStore::open(store), model);
    } catch (const Error& error) {
        if (error.code() == ErrorCode::bad_input) return true;
        throw;
    }
}

/// Removes scores of a network whose file has changed (it was trained again with another result).
void drop_stale_scores(const Demo& demo, const std::vector<DemoNetwork>& networks) {
    std::size_t dropped = 0;
    for (const fs::path& store : own_stores(demo.dir / "runs", networks)) {
        // Renames first: an interrupted removal must not leave anything that looks like a store.
        const fs::path aside = store.parent_path() / (".stale-" + store.filename().string());
        std::error_code none;
        fs::remove_all(aside, none);
        if (fs::is_symlink(store, none) || fs::is_symlink(store.parent_path(), none) ||
            !is_folder(store))
            continue;
        if (!is_stale(store, demo.dir / "models" / (store.filename().string() + ".pt"))) continue;
        std::error_code problem;
        fs::rename(store, aside, problem);
        if (!problem) fs::remove_all(aside, problem);
        if (problem) {
            throw Error(ErrorCode::io, fmt::format("cannot remove the old scores in {}: {}",
                                                   store.string(), problem.message()));
        }
        ++dropped;
    }
    if (dropped > 0)
        note(fmt::format("deleted {} stores with scores of earlier networks", dropped));
}

/// Names of the models' stores, with copies after their originals.
std::vector<std::string> model_names(const std::vector<DemoNetwork>& networks) {
    std::vector<std::string> names;
    for (const DemoNetwork& network : networks) {
        for (const std::string& name : {network.spec.name, network.spec.calibrated_copy})
            if (!name.empty()) names.push_back(name);
    }
    return names;
}

/// The walkthrough after the training. Every line can be pasted into a shell.
class Look {
public:
    Look(const Demo& demo, Walkthrough& walkthrough, std::vector<std::string> models)
        : demo_(demo),
          walkthrough_(walkthrough),
          models_(std::move(models)),
          dir_(shell_argument(demo.dir.generic_string())) {}

    void run() {
        scores();
        crowd();
        replication();
        several_things();
        cues();
        competition();
        report();
        yours();
    }

private:
    /// In the line, `{0}` means the walkthrough's folder.
    void line(const std::string& text) {
        walkthrough_.run(fmt::vformat(text, fmt::make_format_args(dir_)));
    }

    void scores() {
        walkthrough_.chapter(
            "Scores",
            "Every classifier sees every image once (all sets but train and unlabelled); "
            "its scores are stored.");
        line(
            "predict -m {0}/models/*.pt -d {0}/images/[a-sv-z]* --out {0}/runs -o "
            "{0}/predicted.txt");
        walkthrough_.chapter("How good are they?",
                             "v1 is drawn as the training images are; v2 was collected once more.");
        line("score {0}/runs/v1 {0}/runs/v2 --metrics top1,top5,nll,ece");
        line("compare {0}/runs/v1/standard {0}/runs/v1/narrow --metrics top1,nll,ece");
        walkthrough_.chapter(
            "Is its confidence reliable?",
            "One temperature changes no predicted class and fixes the probabilities.");
        line("compare {0}/runs/v1/overfit {0}/runs/v1/overfit-scaled --metrics top1,nll,ece");
    }

    void crowd() {
        make_folders(demo_.dir / "labels");
        walkthrough_.chapter(
            "What is really in the images?",
            "Many annotators answered. Careless ones are detected and count less.");
        for (const char* set : {"v1", "v2"}) {
            line(fmt::format(
                "labels aggregate {{0}}/truth/votes-{0}.csv --data {{0}}/images/{0} --to csv "
                "--label-sets {{0}}/labels/{0}.csv",
                set));
        }
        line("score {0}/runs/v1 --labels {0}/labels/v1.csv --metrics real,variable_topk");
        walkthrough_.chapter("Why is v2 harder?",
                             "Part of the gap comes from the labels: the annotators' label sets "
                             "show which images have several.");
        line(
            "gap {0}/runs/v1 {0}/runs/v2 --labels1 {0}/labels/v1.csv --labels2 {0}/labels/v2.csv "
            "--subgroups present");
    }

    void replication() {
        walkthrough_.chapter(
            "Is v2 biased by how its images were selected?",
            "The number of people who select an image shows how easy it is, but "
            "noisy counts let hard images in. Annotators who guess are dropped first.");
        line(
            "replicate adjust {0}/truth/selections-v1.csv {0}/truth/selections-v2.csv --hits "
            "{0}/runs/v1 {0}/runs/v2 "
            "--clean");
    }

    void several_things() {
        walkthrough_.chapter(
            "Several objects in one image",
            "These metrics count every object in an image: over all images, then by their number.");
        line("score {0}/runs/multi --metrics variable_topk,asma");
        line(
            "patchml --data {0}/images/multi --boxes {0}/images/multi/Annotations --classes "
            "{0}/classes.txt "
            "--k 2,4 --limit 60 --seed 1 --out {0}/patchml");
        line(
            fmt::format("predict -m {{0}}/models/standard.pt {{0}}/models/shape.pt -d "
                        "{{0}}/patchml/{} --out {{0}}/runs",
                        composites));
        line(fmt::format("score {{0}}/runs/{} --metrics real,variable_topk,asma:subgroups=2-4",
                         composites));
    }

    void cues() {
        walkthrough_.chapter("Outline or texture?", "One image with two cues.");
        const PredictionStore store =
            PredictionStore::open(demo_.dir / "runs" / "cue-conflict" / "standard");
        line(fmt::format("show {} {{0}}/runs/cue-conflict --top 2",
                         shell_argument(store.dataset().ids[0])));
    }

    /// One round: selected images, people's answers to the questions about them, and the resulting
    /// ranking.
    void round(const CompetitionFiles& files, std::size_t number) {
        // If an earlier run reached the second round, the open questions now belong to that round.
        // They do not exist yet when the commands are typed from the beginning.
        const fs::path& answers = files.answers.at(number - 1);
        const bool answering = number == files.answers.size() ||
                               !takes_part(files, models_.back()) || !is_there(answers);
        line("mad select {0}/mad --control 200");
        line("mad questions {0}/mad --out {0}/mad-questions.csv");
        if (answering) {
            const CrowdAnswers given = answer_round(demo_, files, number);
            walkthrough_.say(
                fmt::format("\nThe crowd answered {} questions with {} answers, which are in {}.",
                            given.questions, given.answers, answers.string()));
        }
        write_known_accuracies(demo_, files);
        line(fmt::format("mad answers {{0}}/mad {{0}}/truth/answers-{}.csv", number));
        line("mad rank {0}/mad --against {0}/truth/accuracy-unlabelled.csv");
    }

    void competition() {
        const CompetitionFiles files(demo_.dir);
        walkthrough_.chapter(
            "Which is best on images without labels?",
            "People look only at the images on which classifiers disagree most. The known accuracy "
            "on all images is for comparison.");
        line(
            "predict -m {0}/models/*.pt -d {0}/images/unlabelled --storage label --out "
            "{0}/runs");
        const DroppedCompetitions dropped = drop_stale_competitions(files);
        if (dropped.any)
            note("deleted the competition, because it used predictions of earlier networks");
        if (!dropped.kept.empty())
            note(fmt::format("your answers to the earlier networks' questions are kept in {}",
                             dropped.kept.string()));
        std::string first;
        for (std::size_t i = 0; i + 1 < models_.size(); ++i)
            first += " {0}/runs/unlabelled/" + models_[i];
        if (mad::is_competition(files.folder)) {
            walkthrough_.say("\nThis resumes the competition of an earlier run.");
        } else {
            line("mad init {0}/mad" + first +
                 " --hierarchy {0}/hierarchy.json --confident 0.5 --gold 0");
        }
        round(files, 1);
        walkthrough_.chapter("One more classifier",
                             "Only its own pairs need images, and only new questions are asked.");
        line("mad add {0}/mad {0}/runs/unlabelled/" + models_.back());
        round(files, 2);
        line("mad gallery {0}/mad --out {0}/mad-sheets --models " + models_.front());
    }

    /// Results about two data sets are stored as JSON; the report computes its own results for the
    /// runs and the competition.
    void report() {
        make_folders(demo_.dir / "results");
        walkthrough_.chapter("Everything in one file",
                             "A page that opens offline, to share with others.");
        line(
            "gap {0}/runs/v1 {0}/runs/v2 --labels1 {0}/labels/v1.csv --labels2 {0}/labels/v2.csv "
            "--subgroups present -o {0}/results/gap.json");
        line(
            "replicate adjust {0}/truth/selections-v1.csv {0}/truth/selections-v2.csv --hits "
            "{0}/runs/v1 {0}/runs/v2 --clean --figures {0}/results/figures.json -o "
            "{0}/results/adjust.json");
        // Uses only the walkthrough's own data sets: the rest of the folder belongs to the user.
        std::string sets;
        for (const std::string& set : world_sets())
            if (is_folder(demo_.dir / "runs" / set)) sets += " {0}/runs/" + set;
        line("report" + sets + " {0}/runs/" + std::string(composites) +
             " {0}/mad {0}/results/*.json --title \"The demo data set\" --thumbnails 600 --out "
             "{0}/report.html");
    }

    /// One answer decides a question here, so that one person can finish the walkthrough.
    void yours() {
        const CompetitionFiles files(demo_.dir);
        walkthrough_.chapter("Your turn",
                             "Three of the networks and a few images, without answers yet.");
        if (mad::is_competition(files.yours)) {
            walkthrough_.say("\nThis resumes the competition of an earlier run.");
        } else {
            std::string three;
            for (std::size_t i = 0; i < 3; ++i) three += " {0}/runs/unlabelled/" + models_.at(i);
            line("mad init {0}/mad-yours" + three +
                 " --hierarchy {0}/hierarchy.json --confident 0.5 -k 8 --votes 1 --gold 0");
        }
        line("mad select {0}/mad-yours");
        line("mad questions {0}/mad-yours --out {0}/mad-yours-questions.csv");
    }

    const Demo& demo_;
    Walkthrough& walkthrough_;
    std::vector<std::string> models_;
    std::string dir_;
};

}  // namespace

int cmd_demo(std::vector<std::string> arguments) {
    auto app =
        make_app("demo",
                 "Generate a synthetic data set with known ground truth, train classifiers and "
                 "evaluate them: a walkthrough of the commands. After an interruption, rerun it to "
                 "resume.",
                 demo_examples);
    Demo demo;
    app->add_option("--dir", demo.dir, "Folder of everything")
        ->type_name("FOLDER")
        ->capture_default_str();
    app->add_option("--size", demo.size,
                    "small: a minute or two on two cores, 0.4 GB; full: 15 minutes, 3.5 GB, five "
                    "times the images, 100,000 unlabelled ones, larger networks")
        ->check(CLI::IsMember({"small", "full"}))
        ->capture_default_str();
    app->add_option("--seed", demo.seed, "Seed of the images and the networks")
        ->check(decimal_number())
        ->capture_default_str();
    app->add_flag("--retrain", demo.retrain, "Train the networks again");
    app->add_option("-j,--threads", demo.threads, "Threads (default: one per core); same results")
        ->type_name("N")
        ->check(not_below_zero());
    if (!parse(*app, std::move(arguments))) return Status::done;

    const std::string name = demo.dir.string();
    if (std::any_of(name.begin(), name.end(),
                    [](char c) { return (c >= 0 && c < ' ') || c == 127; })) {
        throw Error(ErrorCode::usage,
                    "--dir: the walkthrough prints shell commands, so the folder's name must not "
                    "have line ends or other control characters");
    }
    const auto start = std::chrono::steady_clock::now();
    Walkthrough walkthrough(demo.dir / "commands.sh");
    walkthrough.chapter("A synthetic data set",
                        "Generated images: what they show and why they are hard is known.");
    make_demo_images(demo);
    const FileLock lock(demo.dir / "demo.lock");

    walkthrough.chapter("Classifiers", "Small networks, each with one known property.");
    const std::vector<DemoNetwork> networks = demo_networks(demo.size, demo.seed);
    const std::vector<TrainReport> reports =
        with_note("training the classifiers of the walkthrough; the images are in `" +
                      (demo.dir / "images").string() + "`",
                  [&] { return train(demo, networks); });
    Output().print(network_report(networks, reports));
    drop_stale_scores(demo, networks);
    Look(demo, walkthrough, model_names(networks)).run();
    // The user may change this file, so an existing file is kept.
    if (const fs::path config = demo.dir / "assay.toml"; !is_there(config))
        write_file_atomically(config, demo_quality_config(networks));
    walkthrough.chapter("In short", "");
    Output().print(demo_summary(demo.dir / "runs", networks, reports));
    walkthrough.say(fmt::format(
        "\nOpen {0}/report.html in a browser: everything that was measured.\n"
        "Look at {0}/world.png, and in {0}/mad-sheets at the images on which networks disagree.\n"
        "The commands are in {0}/commands.sh, the scores in {0}/runs.\n"
        "All quality dimensions, in some minutes: assay quality run {1}\n"
        "Answer some fifty questions in your browser, and see the ranking that they give:\n"
        "    assay serve {2}\n"
        "    assay mad rank {2}",
        demo.dir.string(), as_typed((demo.dir / "assay.toml").string()),
        as_typed((demo.dir / "mad-yours").string())));
    note(fmt::format(
        "the walkthrough took {}",
        duration_text(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count())));
    return walkthrough.status();
}

}  // namespace assay::cli
