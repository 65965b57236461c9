// The program without a model: help, usage errors and configuration errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

using testing::HasSubstr;

const std::vector<std::string> all_commands = {"predict", "import", "score", "compare", "check",
                                               "run",     "verify", "list",  "attack",  "cost"};

TEST(Usage, HelpGoesToStdoutAndEveryCommandHasExamples) {
    const Outcome help = assay_run({"--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    for (const std::string& command : all_commands) {
        EXPECT_THAT(help.out, HasSubstr("\n  " + command + " "));
        const Outcome own = assay_run({command, "--help"});
        EXPECT_EQ(own.status, 0) << command;
        EXPECT_THAT(own.out, HasSubstr("Examples:\n  assay " + command)) << command;
    }
}

// A script may accept partial results, and must not accept a gate that failed with one.
TEST(Usage, AFailedGateIsMoreThanAPartialResult) {
    EXPECT_EQ(cli::status_of(true, false), cli::Status::gate_broken);
    EXPECT_EQ(cli::status_of(true, true), cli::Status::partial);
    EXPECT_EQ(cli::status_of(false, true), cli::Status::done);
}

TEST(Usage, AFormatOfImagesGoesWithImages) {
    const Outcome alone = assay_run({"attack", "-m", "m.pt", "-d", "val", "--save-format", "png"});
    EXPECT_EQ(alone.status, 2);
    EXPECT_THAT(alone.err, HasSubstr("--save-format requires --save-images"));
}

TEST(Usage, ALongCommandNameWidensTheList) {
    const std::vector<cli::Command> commands = {{"go", "Short", nullptr},
                                                {"corruptions", "Longer than nine", nullptr}};
    EXPECT_EQ(cli::command_lines(commands, false),
              "  go           Short\n  corruptions  Longer than nine\n");
    EXPECT_EQ(cli::command_lines({}, true), "");
}

TEST(Usage, NoTorchIsLoadedForHelp) {
    // LibTorch would load 290 libraries in half a second. LD_DEBUG lists the libraries that the
    // loader opens.
    const Outcome help = assay_run({"--help"}, {"LD_DEBUG=files"});
    EXPECT_THAT(help.err, HasSubstr("libstdc++"));
    EXPECT_THAT(help.err, testing::Not(HasSubstr("libtorch")));
    EXPECT_THAT(help.err, testing::Not(HasSubstr("libopenblas")));
}

// Each error names the option that is missing.
TEST(Usage, OptionsThatCannotActAreRefused) {
    const std::string table = ASSAY_SOURCE_DIR "/README.md";
    struct Row {
        std::vector<std::string> arguments;
        std::string needs;
    };
    const std::vector<Row> rows = {
        {{"score", "runs", "--log-step", "3"}, "--log-step requires --log"},
        {{"score", "runs", "--metrics", "top1", "--bins", "9"}, "--bins only applies to ece"},
        {{"score", "runs", "--metrics", "nll", "--edges", "right_closed"},
         "--edges only applies to ece"},
        {{"score", "runs", "--metrics", "nll", "--k", "3"}, "add topk"},
        {{"compare", "a", "b", "--metrics", "top1", "--bins", "9"}, "--bins only applies to ece"},
        {{"gap", "a", "b", "--unit", "percent"}, "--table"},
        {{"gap", "a", "b", "--also-subgroups", "2"}, "add --also V3"},
        {{"gap", "a", "b", "--rank-against", "top1_v1"}, "--rank-by"},
        {{"gap", "--table", table, "--agreement", "jaccard"}, "--agreement needs stores"},
        {{"plot", "reliability", "runs", "--metric", "ece", "-o", "a.pdf"},
         "does not take --metric; these do: scores, comparison, gap, gap-models"},
        {{"plot", "scores", "runs", "--x", "accuracy", "-o", "a.pdf"}, "quality-scatter"},
        {{"plot", "scores", "runs", "--dpi", "200", "-o", "a.pdf"}, "--dpi only applies to .png"},
        {{"plot", "scores", table, "--bins", "9", "-o", "a.pdf"}, "assay score RUNS --bins N"},
        {{"report", "runs", "--thumbnail-side", "64"}, "requires --thumbnails"},
        {{"corrupt", "d", "--out", "c", "--image", "1"}, "--image requires --sheet"},
        {{"corrupt", "d", "--sheet", "s.png", "--jpeg", "80"}, "--jpeg requires --out"},
        {{"corrupt", "d", "--out", "c", "--sample-seed", "2"}, "add --limit N"},
        {{"corrupt", "d", "--out", "c", "--corruptions", "fog", "--frost", "f"}, "add frost"},
        {{"cost", "m.pt", "--no-latency", "--threads", "2"}, "excludes"},
        {{"mad", "distance", "tench", "goldfish", "--competition", ""}, "--competition is empty"},
        {{"mad", "distance", "tench", "goldfish", "--beside", "church", "library"},
         "--beside requires --plot"},
        {{"mad", "distance", "tench", "goldfish", "--plot", "/nowhere/a.gif"},
         "unknown extension; allowed: .svg, .pdf, .png"},
        {{"mad", "distance", "tench", "goldfish", "--plot", "/nowhere/a.svg", "--beside", "church",
          "library", "barn"},
         "--beside has 3 classes"},
        {{"attack", "-m", "m.pt", "-d", "d", "--sample-seed", "2"}, "add --limit N"},
        {{"attack", "-m", "m.pt", "-d", "d", "--attack", "fgsm", "--steps", "5"}, "takes --steps"},
    };
    for (const auto& [arguments, needs] : rows) {
        const Outcome outcome = assay_run(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments[0];
        EXPECT_THAT(outcome.err, HasSubstr(needs)) << arguments[0];
    }
}

TEST(Usage, TheWayBetweenTwoClassesIsDrawn) {
    const Scratch scratch;
    const std::string file = (scratch / "ways.svg").string();
    const Outcome outcome = assay_run({"mad", "distance", "n01440764", "n01443537", "--plot", file,
                                       "--beside", "n02012849", "n03126707"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string svg = slurp(file);
    EXPECT_THAT(svg, HasSubstr("<svg "));  // letters are drawn as outlines
    EXPECT_THAT(svg, HasSubstr("</svg>"));
}

TEST(Usage, WordsOfOtherProgramsNameTheCommandToType) {
    const std::vector<std::pair<std::string, std::string>> meant = {
        {"accuracy", "--metrics top1"}, {"acc", "--metrics top1"},
        {"top-1", "--metrics top1"},    {"log_loss", "--metrics nll"},
        {"mcc", "--metrics matthews"},  {"roc_auc", "--metrics auroc"},
        {"AUC", "--metrics auroc"},     {"balanced_accuracy", "--metrics balanced"},
        {"f1", "--metrics f1"},         {"ece", "--metrics ece"},
        {"brier", "--metrics brier"},   {"confusion", "assay score runs --confusion"},
        {"infer", "assay predict "},    {"inference", "assay predict "},
        {"validate", "assay eval "},    {"report-html", "assay report runs"},
        {"csv", "assay export "},       {"man", "--help"},
        {"classes", "assay relabel "},  {"merge", "assay join "}};
    for (const auto& [word, command] : meant)
        EXPECT_THAT(assay_run({word}).err, HasSubstr(command)) << word;
    for (const std::string word : {"test", "benchmark"}) {
        const Outcome outcome = assay_run({word});
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr("unknown command `" + word + "`: `assay eval "));
    }
    EXPECT_EQ(assay_run({"evaluate", "--help"}).out, assay_run({"eval", "--help"}).out);
    EXPECT_EQ(assay_run({"help", "eval"}).out, assay_run({"eval", "--help"}).out);
    EXPECT_EQ(assay_run({"help", "evaluate"}).out, assay_run({"eval", "--help"}).out);
    EXPECT_EQ(assay_run({"help", "labels", "stats"}).out,
              assay_run({"labels", "stats", "--help"}).out);
    EXPECT_EQ(assay_run({"help", "evil"}).status, 2);
}

TEST(Usage, UnknownWordsAreNamedWithTheNearest) {
    const Outcome command = assay_run({"scor"});
    EXPECT_EQ(command.status, 2);
    EXPECT_THAT(command.err, HasSubstr("unknown command `scor`; did you mean `score`?"));
    const Outcome option = assay_run({"predict", "--modle", "x.pt"});
    EXPECT_EQ(option.status, 2);
    EXPECT_THAT(option.err, HasSubstr("--modle"));
    EXPECT_THAT(option.err, HasSubstr("did you mean `--model`?"));
    EXPECT_EQ(option.out, "");
    // The same if the intended option is required. Words after the misspelled option may be its
    // values.
    const std::string hitz =
        assay_run({"replicate", "adjust", "a.csv", "b.csv", "--hitz", "x", "y"}).err;
    EXPECT_THAT(hitz, HasSubstr("unexpected `--hitz`; did you mean `--hits`?"));
    EXPECT_THAT(hitz, Not(HasSubstr("`x`")));
    EXPECT_THAT(assay_run({"list", "metrics", "x", "y"}).err, HasSubstr("unexpected `x`"));
}

TEST(Usage, NothingAtAllPrintsHelpAndFails) {
    EXPECT_EQ(assay_run({}).status, 2);
}

TEST(Usage, SeedsArePlainDecimalNumbersOf64Bits) {
    for (const char* seed :
         {"18446744073709551616", "99999999999999999999999", "010", "0x10", "1e3", "1.0"}) {
        const Outcome outcome =
            assay_run({"replicate", "simulate", "--out", "/nowhere/at/all", "--seed", seed});
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr(seed)) << seed;
        EXPECT_THAT(outcome.err, HasSubstr("whole number")) << seed;
    }
}

TEST(Usage, SettingsOfACompetitionWithoutEffectAreRefused) {
    const auto fault = [](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"mad", "init", "/nowhere/at/all", "/nowhere/runs"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    EXPECT_THAT(fault({"--cap", "3", "--cap-mode", "none"}),
                HasSubstr("--cap 3 has no effect, because --cap-mode none limits nothing"));
    EXPECT_THAT(fault({"--distance", "zero-one", "--hierarchy", "imagenet"}),
                HasSubstr("has no effect, because --distance zero-one needs no hierarchy"));
    EXPECT_THAT(fault({"--distance", "zero-one", "--cap-mode", "none"}),
                testing::Not(HasSubstr("has no effect")));
}

TEST(Usage, AnOptionWithoutItsValueTakesNoOther) {
    const Outcome outcome = assay_run({"demo", "--dir=", "-q"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--dir= has no value"));
}

TEST(Usage, NumbersThatCannotBeMeantAreRefused) {
    const auto refused = [](const std::vector<std::string>& words) {
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    EXPECT_THAT(refused({"gap", "--table", "t.csv", "--n1", "-5"}),
                HasSubstr("--n1 -5: is negative"));
    EXPECT_THAT(refused({"score", "x", "--seed=-1"}),
                HasSubstr("--seed is -1; allowed: a whole number from 0 to "));
    for (const std::string command : {"score", "compare"})
        EXPECT_THAT(refused({command, "x", "y", "--metrics", "top1", "--seed", "3"}),
                    HasSubstr("--seed has no effect here"));
    EXPECT_THAT(refused({"score", "x", "--metrics", "top1", "--gate", "ece <= 0.1", "--seed", "3"}),
                testing::Not(HasSubstr("has no effect")));
    EXPECT_THAT(refused({"labels", "aggregate", "v.csv", "--threshold", "nan"}),
                HasSubstr("--threshold nan: is not a finite number"));
    // Channels may have a mean below 0.
    EXPECT_THAT(
        refused({"predict", "--model", "/nonexistent/m.pt", "--data", "/", "--preset", "timm",
                 "--mean", "-1,-1,-1"}),
        testing::AllOf(HasSubstr("/nonexistent/m.pt"), testing::Not(HasSubstr("negative"))));
}

TEST(Usage, MissingInputs) {
    EXPECT_EQ(assay_run({"score", "/nonexistent"}).status, 2);
    EXPECT_EQ(assay_run({"verify", "/nonexistent"}).status, 2);
    const Outcome model =
        assay_run({"predict", "--model", "/nonexistent/m.pt", "--data", "/", "--preset", "timm"});
    EXPECT_EQ(model.status, 2);
    EXPECT_THAT(model.err, HasSubstr("/nonexistent/m.pt"));
    EXPECT_THAT(
        assay_run({"predict", "m.pt", "my images"}).err,
        HasSubstr("unexpected `m.pt` `my images`: type `assay predict -m m.pt -d 'my images'`"));
    // The error uses the name in the help, and shows a command that is complete.
    EXPECT_THAT(assay_run({"score"}).err,
                HasSubstr("RUNS is required: for example `assay score runs`; see `assay score "));
    EXPECT_THAT(assay_run({"plot", "scores", "runs"}).err,
                HasSubstr("--output is required: for example `assay plot "));
}

TEST(Plan, ErrorsNameTheKey) {
    const Scratch scratch;
    const auto run = [&](const std::string& text) {
        write_file_atomically(scratch / "assay.toml", text);
        const Outcome outcome = assay_run({"run", scratch / "assay.toml", "--dry-run"});
        EXPECT_EQ(outcome.status, 2) << text;
        return outcome.err;
    };
    const std::string model = "[[model]]\npath = 'm.pt'\n";
    const std::string data = "[[data]]\npath = 'd'\n";
    EXPECT_THAT(run("out = "), HasSubstr("line 1"));
    EXPECT_THAT(run(data), HasSubstr("[[model]]"));
    EXPECT_THAT(run(model), HasSubstr("[[data]]"));
    EXPECT_THAT(run("tread = 2\n" + model + data), HasSubstr("unknown key `tread`"));
    EXPECT_THAT(run("threads = 'two'\n" + model + data), HasSubstr("threads"));
    EXPECT_THAT(run("threads = -1\n" + model + data), HasSubstr("-1"));
    EXPECT_THAT(run("[[model]]\nname = 'x'\n" + data), HasSubstr("path"));
    EXPECT_THAT(run(model + data), HasSubstr("m.pt"));  // the file is missing
}

// Mistakes are found before any prediction, even if no model can run.
TEST(Plan, MistakesOfTheLaterStepsAreFoundFirst) {
    const Scratch scratch;
    const std::string file = scratch / "assay.toml";
    write_file_atomically(scratch / "a.pt", "no model");
    write_file_atomically(scratch / "b.pt", "no model");
    std::filesystem::create_directory(scratch / "d");
    const std::string model = "preset = 'timm'\noutputs = 'logits'\n",
                      data = "[[data]]\npath = 'd'\n";
    const std::string one = "[[model]]\npath = 'a.pt'\n" + model + data;
    const std::string two = one + "[[model]]\npath = 'b.pt'\n" + model;
    const std::string pair = one + "[[data]]\npath = 'e'\n";
    write_file_atomically(scratch / "there.csv", "image,label,annotators,selected\n");
    const std::string annotations = "original = 'there.csv'\nreplication = 'there.csv'\n";
    const auto run = [&](const std::string& text, const std::vector<std::string>& more) {
        write_file_atomically(file, text);
        std::vector<std::string> words = {"run", file, "--out", scratch / "runs"};
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words);
    };
    const Outcome sound =
        run(two +
                "[score]\nmetrics = ['top1', 'ece:bins=20']\n[compare]\nbaseline = 'b'\n"
                "gate = ['top1.delta >= -0.005']\n",
            {"--dry-run"});
    EXPECT_EQ(sound.status, 0) << sound.err;
    EXPECT_THAT(sound.out, HasSubstr("\"compare\""));
    const Outcome later =
        run(pair + "[gap]\n[replicate]\nhits = ['e', 'there.csv']\n" + annotations, {"--dry-run"});
    EXPECT_EQ(later.status, 0) << later.err;
    // Paths of a step are relative to the file, not to the working folder.
    write_file_atomically(scratch / "gap.csv", "model,v1_top1,v2_top1\na,75,65\nb,70,60\n");
    write_file_atomically(scratch / "more.csv", "model,top1\na,70\n");
    const Outcome beside =
        run(one + "[gap]\ntable = 'gap.csv'\nalso = ['more.csv']\n", {"--dry-run"});
    EXPECT_EQ(beside.status, 0) << beside.err;
    const std::vector<std::pair<std::string, std::string>> mistakes = {
        {one + "[patchml]\nwhole = 'd'\n", "`out`,"},
        {one + "[patchml]\nwhole = 'd'\nout = 'made'\nk = [0]\n", "both must be 1 or more"},
        {one + "[patchml]\nwhole = 'd'\nout = 'made'\nseed = '5-1'\n", "from the lower"},
        {one + "[patchml]\nwhole = 'd'\nout = 'made'\nboxs = 'x'\n", "did you mean `boxes`?"},
        {one + "[patchml]\nwhole = 'd'\nout = 'made'\ndry-run = true\n", "dry-run"},
        {one + "crop_mode = 'nowhere'\n", "nowhere"},
        {one + "crop_modes = 'none'\n", "did you mean `crop_mode`?"},
        {one + "[compare]\n", "two models are needed, but the file lists only `a`"},
        {one + "[compare]\nbaseline = 'a'\ngate = ['top1.delta >= 0']\n",
         "two models are needed, but the file lists only `a`"},
        {one + "[compare]\nbaseline = 'c'\n", "baseline `c` is not a model of the file"},
        {two + "[compare]\nbaseline = 'c'\n", "baseline `c` is not a model of the file"},
        {two + "[compare]\ngate = ['topp1 >= 0']\n", "topp1"},
        {two + "[compare]\ndisagreement = 5\n",
         "[compare] has an unknown key `disagreement`; did you mean `disagreements`?"},
        {two + "[score]\nmetric = ['top1']\n", "did you mean `metrics`?"},
        {two + "[score]\nmetrics = ['tpo1']\n", "tpo1"},
        {two + "[score]\nbins = 1000\n",
         "[score].bins is 1000; allowed: a whole number from 1 to 100"},
        {two + "[score]\nbins = true\n", "[score].bins has the value true"},
        {two + "[score]\nbins = [10, 20]\n", "[score].bins"},
        {two + "[score]\nseed = -1\n", "[score].seed is -1; allowed: a whole number from 0 to "},
        {two + "[score]\nper-class = 1\n", "[score].per-class has the value 1"},
        {two + "[score]\nacross = 'v*'\nper-class = true\n", "--across only averages metrics"},
        {two + "[score]\nedges = 'left'\n", "left"},
        {two + "[score]\nlabels = 'real.json'\n", "no labels at `real.json`"},
        {two + "[score]\nclass-map = 'imagenet-b'\n", "imagenet-b"},
        {two + "[score]\ngate = ['top1.delta >= 0']\n", "needs a baseline"},
        {"storage = 'topp'\n" + two, "topp"},
        {one + "[gap]\n", "a gap is between two data sets"},
        {pair + "[gap]\nagrement = 'recall'\n",
         "[gap] has an unknown key `agrement`; did you mean `agreement`?"},
        {pair + "[gap]\nagreement = 'recal'\n", "recal"},
        {pair + "[gap]\nsubgroups = '1-0'\n", "1-0"},
        {pair + "[gap]\nsets = ['d', 'ee']\n",
         "`ee` is neither a data set of the file nor an existing path; did you mean `e`?"},
        {pair + "[gap]\nsets = ['d', 'd']\n", "both are"},
        {pair + "[gap]\nlabels2 = 'real.json'\n", "no labels at `real.json`"},
        {pair + "[gap]\nn1 = 5\n", "--n1 only applies to published values"},
        {pair + "[gap]\ntable = 'published.csv'\n", "/published.csv`"},
        {pair + "[gap]\ntable = 'there.csv'\nlabels1 = 'there.csv'\n",
         "--table has published values"},
        {one + "[labels]\ngold = 'experts.csv'\n", "no labels at `experts.csv`"},
        {pair + "[replicate]\n", "annotations of two data sets are needed"},
        {one + "[replicate]\n" + annotations, "hits need two data sets"},
        {pair + "[replicate]\n" + annotations + "hits = ['d']\n", "[replicate].hits"},
        {pair + "[replicate]\n" + annotations + "hits = ['d', 'ee']\n",
         "`ee` is neither a data set of the file nor an existing path; did you mean `e`?"},
        {pair + "[replicate]\n" + annotations + "method = 'moments'\n",
         "[replicate] has an unknown key `method`; did you mean `methods`?"},
        {pair + "[replicate]\n" + annotations + "methods = ['moment']\n",
         "unknown method `moment`; did you mean `moments`?"},
        {pair + "[replicate]\n" + annotations + "units = 'images'\n", "did you mean `image`?"},
        {pair + "[replicate]\n" + annotations + "exponents = [1, 2]\n", "exponents {1,2}"},
        {pair + "[replicate]\n" + annotations + "bootstrap = 5\n", "5 replicates of the bootstrap"},
        {pair + "[replicate]\n" + annotations + "clean = true\n", "cleaning needs raw annotations"},
        {pair + "[replicate]\noriginal = 'there.csv'\nreplication = 'gone.csv'\n", "gone.csv"},
    };
    for (const auto& [text, message] : mistakes) {
        for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--dry-run"}}) {
            const Outcome outcome = run(text, more);
            EXPECT_EQ(outcome.status, 2) << text;
            EXPECT_THAT(outcome.err, HasSubstr(message)) << text;
            EXPECT_EQ(outcome.out, "");
        }
    }
    EXPECT_FALSE(std::filesystem::exists(scratch / "runs"));
}

}  // namespace
}  // namespace assay
