// Runs `assay eval` on the quick start's images and classifiers, as a user types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/file.h"
#include "shapes_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const fs::path fixtures = fs::path(ASSAY_SOURCE_DIR) / "tests/cli/shapes";

class Eval : public ShapesTest {
protected:
    static std::string model(const std::string& name) { return (fixtures / name).string(); }

    static Outcome eval(const fs::path& runs, std::vector<std::string> words,
                        const fs::path& data = images()) {
        words.insert(words.begin(), "eval");
        words.insert(words.end(), {data.string(), "--out", runs.string()});
        return assay_run(words);
    }
    static json result_of(const Outcome& outcome) {
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return json::parse(outcome.out);
    }
    /// Images without class folders.
    static fs::path unlabelled() {
        const fs::path folder = fresh("unlabelled");
        if (fs::exists(folder)) return folder;
        fs::create_directories(folder);
        int n = 0;
        for (const auto& entry : fs::recursive_directory_iterator(images())) {
            if (entry.is_regular_file() && ++n % 8 == 0)
                fs::copy_file(entry.path(), folder / (std::to_string(n) + ".png"));
        }
        return folder;
    }

    /// Eight images of each of three classes, which the model classifies well with wrong settings,
    /// too. On the twelve images of the search, two kinds of preprocessing with different pixels
    /// are equally good.
    static fs::path few() {
        const fs::path folder = fresh("few");
        if (fs::exists(folder)) return folder;
        EXPECT_EQ(Program({ASSAY_IMAGES, folder.string(), "8", "9"}).wait().status, 0);
        for (const char* kind : {"cross", "ring", "square"}) fs::remove_all(folder / kind);
        return folder;
    }
    /// Runs `words` on a model in its own folder, whose only setting is its classes.
    static std::vector<std::string> bare(const std::string& name, std::vector<std::string> words) {
        fs::create_directories(fresh(name));
        fs::copy_file(fixtures / "small.pt", fresh(name) / "small.pt");
        words.insert(words.begin(), {(fresh(name) / "small.pt").string(), "--classes",
                                     (fixtures / "shapes.txt").string()});
        return words;
    }
};

const json& metric(const json& model, const std::string& name) {
    for (const json& one : model["measurements"]) {
        if (one["metric"] == name) return one;
    }
    throw std::runtime_error("no " + name);
}

TEST_F(Eval, PrintsTheNumbersThatScorePrints) {
    const fs::path runs = fresh("one");
    const json result = result_of(eval(runs, {model("small.pt"), "--json"}));
    EXPECT_EQ(result["schema"], "assay.eval/1");
    EXPECT_EQ(result["dataset"], "shapes");
    EXPECT_EQ(result["items"], 240);
    EXPECT_EQ(result["labelled"], 240);
    EXPECT_EQ(result["left_out"], 0);
    const json& small = result["models"][0];
    EXPECT_EQ(small["choice"]["outcome"], "given");
    EXPECT_EQ(small["settled"], true);
    EXPECT_EQ(small["warnings"], json::array());
    EXPECT_TRUE(fs::exists(runs / "report.html"));
    const Outcome scored = assay_run({"score", (runs / "shapes/small").string(), "--metrics",
                                      "top1,top5,ece,nll,confidence", "--json"});
    EXPECT_EQ(small["measurements"], json::parse(scored.out)["measurements"]);
    EXPECT_EQ(small["worst_classes"].size(), 5U);
    // The running mean over the items equals the metric.
    EXPECT_NEAR(small["confidence"]["value"], metric(small, "confidence")["value"].get<double>(),
                1e-6);
}

TEST_F(Eval, AgainItComputesNothingAndSaysTheSame) {
    const fs::path runs = fresh("again");
    const Outcome first = eval(runs, {model("small.pt"), "--json"});
    ASSERT_EQ(first.status, 0) << first.err;
    const auto before = shards_of(runs / "shapes/small");
    EXPECT_EQ(eval(runs, {model("small.pt"), "--json"}).out, first.out);
    EXPECT_EQ(shards_of(runs / "shapes/small"), before);
}

TEST_F(Eval, KilledAtAnyMomentItResumesToTheBytesOfPredict) {
    const fs::path reference = fresh("predicted"), runs = fresh("killed");
    ASSERT_EQ(assay_run({"predict", "-m", model("small.pt"), "-d", images().string(), "--out",
                         reference.string(), "--shard-rows", "32"})
                  .status,
              0);
    const std::vector<std::string> words = {ASSAY_PROGRAM,     "eval",
                                            model("small.pt"), images().string(),
                                            "--out",           runs.string(),
                                            "--shard-rows",    "32",
                                            "--threads",       "1"};
    EXPECT_GE(kills_until_it_gets_through(words, runs, 4), 1);
    EXPECT_EQ(shards_of(runs / "shapes/small"), shards_of(reference / "shapes/small"));
}

TEST_F(Eval, TheScreenEndsInWhatToType) {
    const Outcome outcome = eval(fresh("screen"), {model("small.pt")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("shapes: 240 images"));
    EXPECT_THAT(outcome.out, HasSubstr("Worst classes"));
    EXPECT_THAT(outcome.out, HasSubstr("Labels to look at"));
    EXPECT_THAT(outcome.out, HasSubstr("assay show "));
    EXPECT_THAT(outcome.out, HasSubstr("report: "));
    EXPECT_THAT(outcome.out, Not(HasSubstr("open ")));
    EXPECT_THAT(outcome.out, HasSubstr("the model predicts another class"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("not settled")));
}

TEST_F(Eval, SeveralModelsAreComparedWithTheFirst) {
    const json result =
        result_of(eval(fresh("two"), {model("small.pt"), model("tiny.pt"), "--json"}));
    ASSERT_EQ(result["models"].size(), 2U);
    ASSERT_EQ(result["comparisons"].size(), 1U);
    const json& pair = result["comparisons"][0];
    EXPECT_EQ(pair["baseline"], "small");
    EXPECT_EQ(pair["candidate"], "tiny");
    EXPECT_NEAR(pair["metrics"][0]["difference"]["value"].get<double>(),
                metric(result["models"][1], "top1")["value"].get<double>() -
                    metric(result["models"][0], "top1")["value"].get<double>(),
                1e-12);
    EXPECT_NEAR(result["agreement"]["value"].get<double>(),
                pair["predictions"]["same"].get<double>() / 240, 1e-12);
}

// The search uses 12 of the 24 images. Without a crop, two presets that differ only in the crop are
// equal, so the best two tie.
TEST_F(Eval, WithoutSettingsTheSearchLeavesItsImagesOut) {
    const Outcome outcome = eval(fresh("searched"), bare("search", {"--json"}), few());
    const json result = result_of(outcome);
    EXPECT_EQ(result["left_out"], 12);
    EXPECT_EQ(result["items"], 12);
    EXPECT_EQ(result["dataset"], "few-less-12");
    EXPECT_THAT(outcome.err, HasSubstr("runner-up"));
    // nothing is written unless it is requested
    EXPECT_FALSE(fs::exists(fresh("search") / "small.toml"));
    const json& small = result["models"][0];
    EXPECT_EQ(small["choice"]["outcome"], "not_settled");
    EXPECT_EQ(small["settled"], false);
    for (const json& m : small["measurements"])
        EXPECT_THAT(m.value("note", ""), HasSubstr("preprocessing not settled"));
    // The proposed command repeats the options that were typed.
    EXPECT_THAT(result["next"][0].get<std::string>(),
                testing::AllOf(testing::StartsWith("assay eval "), HasSubstr(" --classes "),
                               HasSubstr(" --preset ")));
}

TEST_F(Eval, AGateRefusesWhatIsNotSettled) {
    const Outcome outcome =
        eval(fresh("gated"), bare("gate-search", {"--gate", "top1 >= 0.1"}), few());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("preprocessing not settled, so no gate can pass"));
    EXPECT_THAT(outcome.err, HasSubstr("--gate 'top1 >= 0.1'"));
    EXPECT_FALSE(fs::exists(fresh("gated") / "few-less-12"));
}

TEST_F(Eval, OneSearchedAndOneGivenModelShareTheImagesThatAreLeft) {
    std::vector<std::string> words = bare("two-search", {"--json"});
    words.insert(words.begin() + 1, model("tiny.pt"));
    const json result = result_of(eval(fresh("two-searched"), words, few()));
    EXPECT_EQ(result["left_out"], 12);
    ASSERT_EQ(result["models"].size(), 2U);
    EXPECT_EQ(result["models"][1]["choice"]["outcome"], "given");
    EXPECT_FALSE(metric(result["models"][1], "top1").contains("note"));
    const json& pair = result["comparisons"][0]["metrics"][0];
    EXPECT_THAT(pair["difference"]["note"].get<std::string>(),
                HasSubstr("preprocessing not settled"));
    EXPECT_EQ(pair["difference"]["n"], 12);
}

// The csv output also marks the numbers.
TEST_F(Eval, APilotThatSearchesIsASampleOfTheOtherImages) {
    const Outcome outcome =
        eval(fresh("pilot-searched"), bare("pilot-search", {"--limit", "6", "--csv"}), few());
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    std::string line;
    std::getline(lines, line);
    ASSERT_TRUE(line.starts_with("model,dataset,")) << line;
    int rows = 0;
    for (; std::getline(lines, line); ++rows) {
        EXPECT_TRUE(line.starts_with("small,few-less-12-sample6,")) << line;
        EXPECT_THAT(line, HasSubstr("preprocessing not settled"));
    }
    EXPECT_GE(rows, 4);
}

TEST_F(Eval, APilotThenEverything) {
    const fs::path runs = fresh("pilot");
    const json pilot = result_of(eval(runs, {model("small.pt"), "--limit", "6", "--json"}, few()));
    EXPECT_EQ(pilot["dataset"], "few-sample6");
    EXPECT_EQ(pilot["items"], 6);
    const json all = result_of(eval(runs, {model("small.pt"), "--json"}, few()));
    EXPECT_EQ(all["dataset"], "few");
    EXPECT_EQ(all["items"], 24);
}

TEST_F(Eval, OptionsThatCannotActAreRefused) {
    const Outcome seed = eval(fresh("unused"), {model("small.pt"), "--sample-seed", "3"}, few());
    EXPECT_EQ(seed.status, 2);
    EXPECT_THAT(seed.err, HasSubstr("add --limit N"));
    const Outcome bins =
        eval(fresh("unused"), {model("small.pt"), "--bins", "10", "--metrics", "top1"}, few());
    EXPECT_EQ(bins.status, 2);
    EXPECT_THAT(bins.err, HasSubstr("--bins only applies to ece, "));
    const json k = result_of(eval(fresh("k"), {model("small.pt"), "--k", "2", "--json"}, few()));
    EXPECT_EQ(k["models"][0]["measurements"][0]["parameters"]["k"], "2");
}

TEST_F(Eval, AlsoWritesTheResultInFurtherForms) {
    const fs::path runs = fresh("also"), text = fresh("also.txt"), csv = fresh("also.csv");
    const Outcome json_form = eval(runs,
                                   {model("small.pt"), "--json", "--also", text.string(), "--also",
                                    csv.string(), "--gate", "top1 >= 0.99999"},
                                   few());
    EXPECT_EQ(json_form.status, 1) << json_form.err;
    EXPECT_EQ(json::parse(json_form.out)["schema"], "assay.eval/1");
    const std::vector<std::string> again = {model("small.pt"), "--gate", "top1 >= 0.99999"};
    EXPECT_EQ(slurp(text), eval(runs, again, few()).out);
    std::vector<std::string> in_csv = again;
    in_csv.emplace_back("--csv");
    EXPECT_EQ(slurp(csv), eval(runs, in_csv, few()).out);
    EXPECT_THAT(slurp(text), Not(HasSubstr("--also")));
    // As for every output file, an input is never overwritten, and the folder must exist.
    const Outcome over = eval(runs, {model("small.pt"), "--also", model("small.pt")}, few());
    EXPECT_EQ(over.status, 2);
    EXPECT_THAT(over.err, HasSubstr("small.pt"));
    EXPECT_EQ(eval(runs, {model("small.pt"), "--also", fresh("none/a.md").string()}, few()).status,
              2);
}

TEST_F(Eval, AFewLabelsAreNotAllUsedUpByTheSearch) {
    const fs::path folder = unlabelled(), list = fresh("nineteen.csv");
    std::string rows = "path,label\n";
    int labelled = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (++labelled <= 19) rows += entry.path().filename().string() + ",circle\n";
    }
    write_file_atomically(list, rows);
    const Outcome outcome =
        eval(fresh("nineteen"), bare("nineteen-search", {"--list", list.string()}), folder);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("with fewer than 20 labelled images it cannot be found"));
    EXPECT_THAT(outcome.err, HasSubstr("--list " + list.string()));
}

TEST_F(Eval, ImagesWithSeveralLabelsShowReaL) {
    const fs::path folder = unlabelled(), list = fresh("several.csv");
    std::string rows = "path,labels\n";
    for (const auto& entry : fs::directory_iterator(folder))
        rows += entry.path().filename().string() + ",circle ring\n";
    write_file_atomically(list, rows);
    const json result = result_of(
        eval(fresh("several"), {model("small.pt"), "--list", list.string(), "--json"}, folder));
    const json& real = metric(result["models"][0], "real");
    EXPECT_EQ(real["n"], 30);
    EXPECT_TRUE(real["value"].is_number());
}

TEST_F(Eval, AnUnreadableImageWithoutLabelsIsStatus3) {
    const fs::path folder = fresh("broken");
    fs::create_directories(folder);
    fs::copy_file(few() / "circle/circle_0000.png", folder / "a.png");
    fs::copy_file(few() / "circle/circle_0001.png", folder / "b.png");
    write_file_atomically(folder / "c.png", "no image");
    const Outcome outcome = eval(fresh("partial"), {model("small.pt"), "--json"}, folder);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["models"][0]["unreadable"], 1);
}

TEST_F(Eval, WhatIsTypedNextReplacesWhatWasTyped) {
    const Outcome outcome = eval(fresh("mean"), {model("small.pt"), "--mean", "0.1,0.9,0.1",
                                                 "--scale", "1", "--limit", "30"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::size_t begin = outcome.err.find("type `assay eval ");
    ASSERT_NE(begin, std::string::npos) << outcome.err;
    const std::string command = outcome.err.substr(begin, outcome.err.find('\n', begin) - begin);
    EXPECT_THAT(command, HasSubstr(" --limit 30 "));
    EXPECT_THAT(command, HasSubstr(" --mean 0."));
    EXPECT_THAT(command, Not(HasSubstr("0.1,0.9,0.1")));
    EXPECT_THAT(command, Not(HasSubstr("--scale 1 ")));
}

TEST_F(Eval, SettingsAreNeverSavedOverAnotherFile) {
    const std::vector<std::string> words =
        bare("foreign", {"--preset", "mobilenet", "--input-size", "48", "--save-settings"});
    write_file_atomically(fresh("foreign") / "small.toml", "title = \"notes\"\n");
    const Outcome outcome = eval(fresh("foreign-runs"), words, few());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("small.toml exists and is not changed"));
    EXPECT_EQ(slurp(fresh("foreign") / "small.toml"), "title = \"notes\"\n");
}

TEST_F(Eval, ModelsOfOtherClassesAreRefused) {
    std::vector<std::string> words = bare("others", {});
    words.resize(1);  // without the option --classes
    words.insert(words.begin(), model("tiny.pt"));
    const fs::path named = fresh("others") / "small.toml";
    write_file_atomically(fresh("others") / "others.txt", "a\nb\nc\nd\ne\nf\n");
    write_file_atomically(named, slurp(fixtures / "small.toml"));
    std::string text = slurp(named);
    text.replace(text.find("shapes.txt"), 10, "others.txt");
    write_file_atomically(named, text);
    const Outcome outcome = eval(fresh("other-classes"), words, few());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("have different class lists"));
}

TEST_F(Eval, UnlabelledImagesNeedTheirPreprocessingSaid) {
    const fs::path folder = fresh("bare-unlabelled");
    fs::create_directories(folder);
    fs::copy_file(fixtures / "small.pt", folder / "small.pt");
    const Outcome outcome =
        eval(fresh("no-labels"), {(folder / "small.pt").string()}, unlabelled());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(
        outcome.err,
        HasSubstr("unknown preprocessing, and with fewer than 20 labelled images it cannot be "
                  "found"));
    EXPECT_THAT(outcome.err, HasSubstr("--preset torchvision` or `"));
    EXPECT_FALSE(fs::exists(fresh("no-labels")));
}

TEST_F(Eval, UnlabelledImagesShowConfidenceAndDisagreements) {
    const Outcome outcome =
        eval(fresh("unsure"), {model("small.pt"), model("tiny.pt"), "--batch", "4", "--json"},
             unlabelled());
    const json result = result_of(outcome);
    EXPECT_EQ(result["labelled"], 0);
    EXPECT_EQ(result["items"], 30);
    EXPECT_FALSE(result.contains("comparisons"));
    EXPECT_EQ(result["models"][0]["measurements"], json::array());
    EXPECT_TRUE(result["models"][0]["confidence"].contains("interval"));
    for (const json& item : result["unsure"]) EXPECT_NE(item["predicted"][0], item["predicted"][1]);
    EXPECT_THAT(result["next"].dump(), HasSubstr(" --batch 4 --json --list labels.csv"));
}

TEST_F(Eval, SavedSettingsAreReadByAllCommands) {
    const fs::path folder = fresh("saved");
    fs::create_directories(folder);
    fs::copy_file(fixtures / "tiny.pt", folder / "tiny.pt");
    const std::string file = (folder / "tiny.pt").string();
    const Outcome outcome = eval(
        fresh("saving"), {file, "--preset", "mobilenet", "--input-size", "48", "--save-settings"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(slurp(folder / "tiny.toml"), HasSubstr("preset = \"mobilenet\"\n"));
    const Outcome plan = assay_run({"predict", "-m", file, "-d", images().string(), "--dry-run"});
    EXPECT_EQ(plan.status, 0) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("48x48"));
}

TEST_F(Eval, CertifyRefusesItsOptionsBeforeAnyModelRuns) {
    const Outcome refused = assay_run({"certify", "-m", model("small.pt"), "-d", images().string(),
                                       "--samples", "5", "--dry-run"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("Pass --samples 10000"));
}

TEST_F(Eval, GatesFailIt) {
    EXPECT_EQ(eval(fresh("gate"), {model("small.pt"), "--gate", "top1 >= 0.999"}).status, 1);
    EXPECT_EQ(eval(fresh("gate"), {model("small.pt"), "--gate", "top1 >= 0.01"}).status, 0);
}

TEST_F(Eval, WhatIsMissingOrSwappedIsNamed) {
    const Outcome nothing = assay_run({"eval"});
    EXPECT_EQ(nothing.status, 2);
    EXPECT_THAT(nothing.err, HasSubstr("no model and no images given: type `assay eval MODEL"));
    const Outcome no_images = assay_run({"eval", model("small.pt")});
    EXPECT_EQ(no_images.status, 2);
    EXPECT_THAT(no_images.err, HasSubstr("no images given"));
    const Outcome swapped = assay_run({"eval", images().string(), model("small.pt")});
    EXPECT_EQ(swapped.status, 2);
    EXPECT_THAT(swapped.err, HasSubstr("the images last: type `assay eval " + model("small.pt") +
                                       " " + images().string() + "`"));
    const Outcome absent = assay_run({"eval", "absent.pt", images().string()});
    EXPECT_EQ(absent.status, 2);
    EXPECT_THAT(absent.err, HasSubstr("no model file absent.pt"));
}

TEST_F(Eval, AClassListThatIsAbsentIsNamed) {
    const Outcome outcome = eval(
        fresh("classes"), {model("small.pt"), "--classes", (fixtures / "absent.txt").string()});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("absent.txt"));
}

}  // namespace
}  // namespace assay
