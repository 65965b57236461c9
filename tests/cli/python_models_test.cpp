// Models in Python, through the program. The worker is tests/model/worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "worker_images.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PythonCommands : public WorkerImages {
protected:
    /// The command line of predict with further options.
    std::vector<std::string> predict(const std::string& model,
                                     std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {ASSAY_PROGRAM, "predict", "-m",       model, "-d",
                                          images(),      "--out",   runs(),     "-j",  "1",
                                          "--batch",     "4",       "--device", "cpu"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

/// All bytes of a store's shards.
std::string bytes_of(const fs::path& store) {
    std::string all;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(store / "shards")) {
        if (entry.is_regular_file() && entry.path().extension() != ".json")
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) all += slurp(file);
    return all;
}

TEST_F(PythonCommands, PredictStoresTheSameBytesForAnyNumberOfThreads) {
    std::string first;
    for (const char* threads : {"1", "2", "5"}) {
        const Outcome outcome = Program({ASSAY_PROGRAM, "predict", "-m", "timm:linear", "-d",
                                         images(), "--out", runs(threads), "-j", threads})
                                    .wait();
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr("loading linear"), HasSubstr("from timm:linear")));
        const std::string bytes = bytes_of(fs::path(runs(threads)) / "shapes" / "linear.v1");
        ASSERT_FALSE(bytes.empty());
        if (first.empty()) first = bytes;
        EXPECT_EQ(bytes, first);
    }
    // The identity is the same, so nothing is computed again.
    const Outcome again =
        Program({ASSAY_PROGRAM, "predict", "-m", "timm:linear", "-d", images(), "--out", runs("1")})
            .wait();
    EXPECT_THAT(again.err, HasSubstr("everything was already computed"));
    const auto manifest = nlohmann::json::parse(
        slurp(fs::path(runs("1")) / "shapes" / "linear.v1" / "manifest.json"));
    EXPECT_THAT(manifest.dump(), HasSubstr("timm:linear"));
    EXPECT_EQ(Program({ASSAY_PROGRAM, "score", runs("1")}).wait().status, 0);
}

/// The names of the models with a store.
std::vector<std::string> stored_models(const fs::path& dataset) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dataset))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

TEST_F(PythonCommands, APatternStandsForModelsThatAreDrawn) {
    Outcome outcome =
        Program(predict("torchvision:drawn*", {"--draw-models", "3", "--dry-run"})).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_FALSE(fs::exists(runs()));
    outcome = Program(predict("torchvision:drawn*", {"--draw-models", "3"})).wait();
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("torchvision:drawn* matches 10 models of library 1 (skipped 3 "
                                "whose classes are not ImageNet's); 3 models drawn evenly over "
                                "published accuracies from 0.450 to 0.900 (seed 0): "),
                      HasSubstr("lists them for later calls")));
    const std::vector<std::string> models = stored_models(fs::path(runs()) / "shapes");
    ASSERT_EQ(models.size(), 3U);
    // Each third of the list gives one model. By increasing accuracy, the thirds are 9 to 7, 6 to 4
    // and 3 to 0.
    EXPECT_THAT(models[0], testing::MatchesRegex("drawn[0-3].*"));
    EXPECT_THAT(models[1], testing::MatchesRegex("drawn[4-6].*"));
    EXPECT_THAT(models[2], testing::MatchesRegex("drawn[7-9].*"));

    // A later call uses the listed models, even if the library has other models by then.
    outcome = Program(predict("torchvision:drawn*", {"--draw-models", "3"})).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("everything was already computed"),
                                   HasSubstr("torchvision:drawn*: using the models that ")));
    // In another folder, the draw is the same.
    outcome = Program({ASSAY_PROGRAM, "predict", "-m", "torchvision:drawn*", "-d", images(),
                       "--out", runs("again"), "--draw-models", "3"})
                  .wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(stored_models(fs::path(runs("again")) / "shapes"), models);
    // The error for a damaged list names the file.
    for (const auto& entry : fs::directory_iterator(runs("again")))
        if (entry.path().extension() == ".json") std::ofstream(entry.path()) << "{\"schema\": ";
    outcome = Program({ASSAY_PROGRAM, "predict", "-m", "torchvision:drawn*", "-d", images(),
                       "--out", runs("again"), "--draw-models", "3"})
                  .wait();
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("drawn-models-"));
}

TEST_F(PythonCommands, AListOfDrawnModelsIsOfItsCallAlone) {
    const std::vector<std::string> words = predict("timm:drawn*", {"--draw-models", "2"});
    ASSERT_EQ(Program(words).wait().status, 0);
    fs::path file;
    for (const auto& entry : fs::directory_iterator(runs()))
        if (entry.path().extension() == ".json") file = entry.path();
    ASSERT_FALSE(file.empty());
    const auto list = nlohmann::json::parse(slurp(file));
    const auto refused = [&](const char* key, const nlohmann::json& value,
                             const std::string& text) {
        nlohmann::json changed = list;
        changed[key] = value;
        std::ofstream(file) << changed;
        const Outcome outcome = Program(words).wait();
        EXPECT_EQ(outcome.status, 2) << key;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(text), HasSubstr(file.filename().string()),
                                       HasSubstr("remove it to draw again")));
    };
    refused("seed", 1, "`seed` is 1; allowed: 0");
    refused("pattern", "timm:*", "allowed: \"timm:drawn*\"");
    refused("published", "other.csv", "`published` is");
    refused("schema_version", 2, "`schema_version` is 2");
    refused("drawn", nlohmann::json::array(), "allowed: timm:NAME, 2 times");
    refused("drawn", nlohmann::json::array({"timm:drawn1", "python:other.py:model"}),
            "allowed: timm:NAME, 2 times");
    std::ofstream(file) << list;
    EXPECT_EQ(Program(words).wait().status, 0);
}

TEST_F(PythonCommands, APatternOfSeveralModelsNeedsANumber) {
    const auto refused = [&](const std::vector<std::string>& more, const std::string& text,
                             const std::string& model = "timm:drawn*") {
        const Outcome outcome = Program(predict(model, more)).wait();
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(text));
    };
    refused({}, "timm:drawn* matches 10 models of library 1");
    refused({}, "draw 9 of them with --draw-models 9, or use all with --draw-models 10");
    refused({"--draw-models", "11"}, "at most --draw-models 10 is allowed, got 11");
    refused({"--draw-models", "0"}, "--draw-models");
    refused({"--draw-models", "2"}, "only applies to patterns, but no --model is one",
            "timm:linear");
    refused({"--published", "x.csv"}, "--published only applies to patterns", "timm:linear");
    refused({"--draw-models", "2"}, "no list here", "open_clip:*");
    EXPECT_FALSE(fs::exists(runs()));

    // A pattern that matches one model needs no --draw-models.
    EXPECT_EQ(Program(predict("timm:drawn[4]")).wait().status, 0);
    EXPECT_THAT(stored_models(fs::path(runs()) / "shapes"), testing::ElementsAre("drawn4.v1"));
    const Outcome cost =
        Program({ASSAY_PROGRAM, "cost", "timm:drawn*", "--draw-models", "2", "--no-latency"})
            .wait();
    EXPECT_EQ(cost.status, 0) << cost.err;
    EXPECT_THAT(cost.err, HasSubstr("evenly over their names, because no accuracies are known "
                                    "(--published FILE gives them)"));
}

TEST_F(PythonCommands, AnAssayTomlListsPatterns) {
    const fs::path file = scratch_ / "assay.toml";
    const auto run = [&](const std::string& model, std::vector<std::string> more = {},
                         const std::string& command = "run") {
        std::ofstream(file) << "out = 'runs'\nthreads = 1\ndevice = 'cpu'\n[[model]]\n"
                            << model << "\n[[model]]\npath = 'timm:linear'\n[[data]]\npath = '"
                            << images() << "'\n";
        std::vector<std::string> words = {ASSAY_PROGRAM, command, file.string()};
        words.insert(words.end(), more.begin(), more.end());
        return Program(words).wait();
    };
    const std::string drawn = "path = 'torchvision:drawn*'\ndraw_models = 3\ndraw-seed = 1";
    EXPECT_EQ(run(drawn, {"--dry-run"}).status, 0);
    EXPECT_FALSE(fs::exists(runs()));
    const Outcome outcome = run(drawn);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("3 models drawn evenly over published accuracies"));
    EXPECT_EQ(stored_models(fs::path(runs()) / "shapes").size(), 4U);
    EXPECT_THAT(run(drawn).err, AllOf(HasSubstr("everything was already computed"),
                                      HasSubstr("torchvision:drawn*: using the models that ")));
    EXPECT_THAT(slurp(fs::path(runs()) / "run.json"), HasSubstr("torchvision:drawn"));

    const auto refused = [&](const std::string& model, const std::string& text) {
        const Outcome other = run(model, {"--out", runs("others")});
        EXPECT_EQ(other.status, 2) << model;
        EXPECT_THAT(other.err, HasSubstr(text));
    };
    refused("path = 'timm:drawn*'",
            "draw 9 of them with draw_models = 9, or use all with draw_models = 10");
    refused("path = 'timm:drawn*'\ndraw_models = 11",
            "at most draw_models = 10 is allowed, got 11");
    refused("path = 'timm:drawn*'\ndraw_models = 'all'", "draw_models");
    refused("path = 'timm:drawn*'\ndraw_models = 2\nname = 'a'", "omit its `name`");
    refused("path = 'timm:other'\ndraw_models = 2",
            "draw_models, draw_seed and published only apply to");
    refused("path = 'timm:drawn*'\ndraw_models = 2\npublished = 'nowhere.csv'", "nowhere.csv");
    EXPECT_FALSE(fs::exists(runs("others")));
    // A pattern that matches one model needs no number.
    EXPECT_EQ(run("path = 'timm:drawn[4]'", {"--out", runs("one")}).status, 0);
    EXPECT_THAT(stored_models(fs::path(runs("one")) / "shapes"),
                testing::ElementsAre("drawn4.v1", "linear.v1"));
}

TEST_F(PythonCommands, PublishedAccuraciesComeFromATable) {
    std::ofstream(scratch_ / "results.csv")
        << "model,img_size,top1\ndrawn2,224,70.5\ndrawn2,288,71\ndrawn5,224,80.25\nother,224,9\n";
    const auto draw = [&](const std::string& count, const std::string& file) {
        return Program(
                   predict("timm:drawn*", {"--draw-models", count, "--published", scratch_ / file}))
            .wait();
    };
    const Outcome outcome = draw("2", "results.csv");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("2 models drawn evenly over published accuracies from 0.710 "
                                       "to 0.802, 8 have none (seed 0): timm:drawn2, timm:drawn5"));
    EXPECT_THAT(draw("3", "results.csv").err,
                HasSubstr("8 without a published accuracy: at most --draw-models 2 is allowed"));
    std::ofstream(scratch_ / "others.csv") << "model,top1\nother,9\n";
    EXPECT_THAT(draw("2", "others.csv").err, HasSubstr("has none of the models that timm:drawn*"));
    std::ofstream(scratch_ / "top5.csv") << "model,top5\ndrawn2,9\n";
    EXPECT_THAT(draw("2", "top5.csv").err, HasSubstr("has no column top1; it has top5"));
    EXPECT_EQ(draw("2", "nowhere.csv").status, 2);
}

TEST_F(PythonCommands, DryRunPrintsTheSource) {
    const Outcome outcome = Program(predict("timm:linear", {"--dry-run", "--json"})).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("\"source\": \"timm:linear\""),
                                   HasSubstr("\"format\": \"python\"")));
}

TEST_F(PythonCommands, ClassNamesAreThoseOfTheImages) {
    Outcome outcome = Program(predict("timm:by_names")).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("the class names of " + images() +
                                             " (6 classes); pass --classes FILE for others"),
                                   HasSubstr("\"templates\":\"openai\"")));
    EXPECT_THAT(Program(predict("timm:by_names")).wait().err,
                HasSubstr("everything was already computed"));
    // Another list of templates gives another classifier, so its predictions are not mixed with
    // these.
    std::ofstream(scratch_ / "templates.txt") << "a drawing of a {}.\n";
    outcome = Program(predict("timm:by_names", {"--templates", scratch_ / "templates.txt"})).wait();
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    outcome = Program(predict("timm:by_names",
                              {"--templates", scratch_ / "templates.txt", "--name", "drawings"}))
                  .wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("[\"a drawing of a {}.\"]"));

    for (const char* command : {"check", "eval"}) {
        std::vector<std::string> words = {ASSAY_PROGRAM, command};
        const bool eval = words.back() == "eval";
        if (eval) words.insert(words.end(), {"timm:by_names", images(), "--out", runs("own")});
        if (!eval) words.insert(words.end(), {"-m", "timm:by_names", "-d", images()});
        outcome = Program(words).wait();
        EXPECT_NE(outcome.status, 2) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("the class names of"));
    }
}

TEST_F(PythonCommands, TemplatesThatNoModelTakesAreRefused) {
    const Outcome outcome = Program(predict("timm:linear", {"--templates", "simple"})).wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                HasSubstr("--templates simple only applies to models that take texts"));
    const Outcome cost = Program({ASSAY_PROGRAM, "cost", "timm:by_names"}).wait();
    EXPECT_EQ(cost.status, 2);
    EXPECT_THAT(cost.err, HasSubstr("--classes FILE"));
}

TEST_F(PythonCommands, AssayTomlNamesTemplates) {
    std::ofstream(scratch_ / "templates.txt") << "a drawing of a {}.\n";
    for (const char* templates : {"simple", "templates.txt"}) {
        std::ofstream(scratch_ / "assay.toml")
            << "out = \"" << runs(std::string("by-") + templates) << "\"\ntemplates = \""
            << templates
            << "\"\n[[model]]\npath = \"timm:by_names\"\n[[data]]\npath = \"shapes\"\n";
        const Outcome outcome =
            Program({ASSAY_PROGRAM, "run", (scratch_ / "assay.toml").string()}).wait();
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.err,
                    HasSubstr(templates == std::string("simple") ? "\"templates\":\"simple\""
                                                                 : "[\"a drawing of a {}.\"]"));
    }
}

TEST_F(PythonCommands, AttackUsesTheModelsGradients) {
    const Outcome outcome =
        Program({ASSAY_PROGRAM, "attack", "-m", "timm:linear", "-d", images(), "--out", runs(),
                 "--attack", "fgsm", "--eps", "64/255", "--limit", "12", "--json"})
            .wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(fs::path(runs()) / "shapes-sample12" / "linear.v1@fgsm-linf-64_255"))
        << outcome.out;
}

TEST_F(PythonCommands, CheckOpensOtherSizesInTheSameProcess) {
    const Outcome outcome =
        Program({ASSAY_PROGRAM, "check", "-m", "timm:linear", "-d", images(), "--sample", "12"})
            .wait();
    EXPECT_TRUE(outcome.status == 0 || outcome.status == 3) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("linear.v1"));
}

TEST_F(PythonCommands, CostShowsWhatIsKnown) {
    const auto cost_of = [](const std::string& model) {
        const Outcome outcome =
            Program({ASSAY_PROGRAM, "cost", model, "--batch", "2", "--json"}).wait();
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out)["models"][0];
    };
    const nlohmann::json known = cost_of("timm:linear");
    EXPECT_EQ(known["parameters"], 18);
    EXPECT_EQ(known["macs_per_image"], 18.0);
    EXPECT_EQ(known["measured"]["latency_ms"]["min"], 250.0);
    EXPECT_FALSE(known.contains("no_operators"));

    const nlohmann::json unknown = cost_of("timm:not_counted");
    for (const char* key :
         {"parameters", "buffers", "weight_bytes", "macs", "attention_macs", "macs_per_image",
          "flops_per_image", "elements", "peak_activation_bytes"}) {
        EXPECT_TRUE(unknown.at(key).is_null()) << key;
    }
    EXPECT_EQ(unknown["no_operators"], "a linear model keeps it to itself");
    const Outcome shown = Program({ASSAY_PROGRAM, "cost", "timm:not_counted"}).wait();
    EXPECT_THAT(
        shown.out,
        AllOf(HasSubstr("multiply-accumulates are unknown: a linear model keeps it to itself"),
              HasSubstr("parameters are unknown:"), Not(HasSubstr("peak at"))));
    EXPECT_EQ(Program({ASSAY_PROGRAM, "cost", "timm:no_cost"}).wait().status, 2);
}

/// An ONNX file in a test worker that replaces onnxruntime. The worker computes its own linear
/// model.
class OnnxruntimeCommands : public PythonCommands {
protected:
    void SetUp() override {
        PythonCommands::SetUp();
        if (IsSkipped()) return;
        // There are six classes, as in the worker's own model.
        const std::string write =
            "cd '" ASSAY_SOURCE_DIR
            "/tests/python' && python3 -B -c 'import onnx_writer, sys; "
            "open(sys.argv[1], \"wb\").write(onnx_writer.linear([[1.0] * 6] * 3))' '" +
            model() + "'";
        ASSERT_EQ(std::system(write.c_str()), 0);
        std::ofstream(scratch_ / "linear.toml")
            << "input_size = [3, 16, 16]\nmean = 0.5\nstd = 0.5\nclasses = [\"circle\", "
               "\"cross\", \"ring\", \"square\", \"stripes\", \"triangle\"]\n";
    }
    std::string model() const { return (scratch_ / "linear.onnx").string(); }
    std::vector<std::string> by_onnxruntime(std::vector<std::string> more = {}) const {
        more.insert(more.end(), {"--runtime", "onnxruntime"});
        return predict(model(), more);
    }
};

TEST_F(OnnxruntimeCommands, AStoreHasOneRuntime) {
    const Outcome first = Program(by_onnxruntime()).wait();
    ASSERT_EQ(first.status, 0) << first.err;
    const fs::path store = fs::path(runs()) / "shapes" / "linear";
    const auto manifest = nlohmann::json::parse(slurp(store / "manifest.json"));
    EXPECT_THAT(manifest.dump(), AllOf(HasSubstr("\"runtime\":\"onnxruntime\""),
                                       HasSubstr("\"framework\":\"Pure Python\"")));
    EXPECT_THAT(Program(by_onnxruntime()).wait().err, HasSubstr("everything was already computed"));
    const Outcome other = Program(predict(model())).wait();
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, AllOf(HasSubstr("the runtime was `onnxruntime` and is now `libtorch`"),
                                 Not(HasSubstr("the preprocessing differs"))));
}

TEST_F(OnnxruntimeCommands, OtherFormatsNameTheirRuntime) {
    const Outcome python = Program(predict("timm:linear", {"--runtime", "onnxruntime"})).wait();
    EXPECT_EQ(python.status, 2);
    EXPECT_THAT(python.err,
                AllOf(HasSubstr("timm:linear is a model in Python"), HasSubstr("omit --runtime")));
    const Outcome script =
        Program(predict(ASSAY_SOURCE_DIR "/tests/model/fixtures/cnn.pt",
                        {"--preset", "timm", "--input-size", "16", "--runtime", "onnxruntime"}))
            .wait();
    EXPECT_EQ(script.status, 2);
    EXPECT_THAT(script.err, AllOf(HasSubstr("cnn.pt has the format torchscript"),
                                  HasSubstr("--runtime libtorch")));
    EXPECT_THAT(Program(predict(model(), {"--runtime", "tensorrt"})).wait().err,
                HasSubstr("onnxruntime"));
}

TEST_F(OnnxruntimeCommands, AttacksThatNeedGradientsSaySo) {
    const Outcome outcome =
        Program({ASSAY_PROGRAM, "attack", "-m", model(), "-d", images(), "--attack", "fgsm",
                 "--eps", "8/255", "--limit", "12", "--runtime", "onnxruntime"})
            .wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("no gradients"), HasSubstr("--runtime libtorch")));
}

TEST_F(OnnxruntimeCommands, AssayTomlHasTheKey) {
    std::ofstream(scratch_ / "assay.toml")
        << "out = \"" << runs()
        << "\"\nruntime = \"onnxruntime\"\n[[model]]\npath = \"linear.onnx\"\n"
        << "[[data]]\npath = \"shapes\"\ncrop_mode = \"squash\"\n";
    const Outcome outcome =
        Program({ASSAY_PROGRAM, "run", (scratch_ / "assay.toml").string()}).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(slurp(fs::path(runs()) / "shapes" / "linear" / "manifest.json"),
                HasSubstr("onnxruntime"));
}

TEST_F(PythonCommands, AssayTomlNamesThem) {
    std::ofstream(scratch_ / "net.py") << "net = None\n";
    std::ofstream(scratch_ / "assay.toml")
        << "out = \"" << runs() << "\"\n[[model]]\npath = \"timm:linear\"\n"
        << "[[model]]\npath = \"python:net.py:linear\"\nname = \"own\"\n"
        << "[[data]]\npath = \"shapes\"\ncrop_mode = \"squash\"\n[score]\n";
    const Outcome outcome =
        Program({ASSAY_PROGRAM, "run", (scratch_ / "assay.toml").string()}).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* name : {"linear.v1", "own"})
        EXPECT_TRUE(fs::exists(fs::path(runs()) / "shapes" / name)) << name;
    EXPECT_THAT(slurp(fs::path(runs()) / "run.json"),
                HasSubstr("python:" + (scratch_ / "net.py").string() + ":linear"));
}

TEST_F(PythonCommands, AProcessThatEndsIsStartedAgain) {
    const Outcome outcome = Program(predict("timm:exit_at_fourth_batch", {"--no-trial"})).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    // There are 12 batches, 3 for each process.
    EXPECT_THAT(outcome.out + outcome.err,
                HasSubstr("the model's process ended and was restarted 3 times"));
    EXPECT_EQ(Program(predict("timm:linear")).wait().status, 0);
    EXPECT_EQ(bytes_of(fs::path(runs()) / "shapes" / "exit_at_fourth_batch.v1"),
              bytes_of(fs::path(runs()) / "shapes" / "linear.v1"));
}

TEST_F(PythonCommands, WhatWasComputedIsKeptWhenTheProcessEnds) {
    // The model has no identity, so a new process might load another model. The trial is skipped,
    // because it would compute the first batches.
    const Outcome outcome =
        Program(predict("timm:unnamed_exit_at_fourth_batch", {"--no-trial"})).wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("exited with status 9, saying \"no such luck\""),
                      HasSubstr("12 of 48 images of `shapes` are kept; nothing identifies")));
}

TEST_F(PythonCommands, ASignalIsAnsweredWhileAModelComputes) {
    for (const int signal : {SIGINT, SIGTERM}) {
        Program program(predict("timm:hang_at_fourth_batch"));
        ASSERT_TRUE(program.runs_until(
            [&] { return program.err().find("from timm:hang") != std::string::npos; }));
        ::kill(program.pid(), signal);
        const auto begin = std::chrono::steady_clock::now();
        const Outcome outcome = program.wait();
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
        EXPECT_EQ(outcome.status, 130) << outcome.err;
    }
}

TEST_F(PythonCommands, AHangIsEndedAndNamesTheOption) {
    const Outcome outcome = Program(predict("timm:unnamed_hang_at_fourth_batch",
                                            {"--no-trial", "--model-timeout", "1"}))
                                .wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("computed 4 images for "), HasSubstr("--model-timeout"),
                      HasSubstr("12 of 48 images of `shapes` are kept")));
}

TEST_F(PythonCommands, AHangWhileItLoadsIsEnded) {
    const Outcome outcome = Program(predict("timm:hang_at_start", {"--model-timeout", "1"})).wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("the process that loads the model timm:hang_at_start "
                                             "did nothing for 1 s"),
                                   HasSubstr("allow more with --model-timeout SECONDS")));
}

/// One image of 48 is white. The name of the model says what the worker does with this image.
class PoisonedImage : public PythonCommands {
protected:
    void SetUp() override {
        PythonCommands::SetUp();
        if (IsSkipped()) return;
        std::vector<fs::path> files;
        for (const auto& entry : fs::recursive_directory_iterator(images())) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
        std::ranges::sort(files);
        ASSERT_EQ(files.size(), 48U);
        std::ofstream(files[21], std::ios::binary | std::ios::trunc) << white_bmp();
        poisoned_ = fs::relative(files[21], images()).string();
        ASSERT_EQ(Program(predict("timm:linear")).wait().status, 0);
        sound_ = bytes_of(store("timm:linear"));
    }
    static std::string white_bmp() {
        std::string bytes = "BM";
        for (const auto& [value, count] : std::vector<std::pair<unsigned, int>>{{70, 4},
                                                                                {0, 4},
                                                                                {54, 4},
                                                                                {40, 4},
                                                                                {2, 4},
                                                                                {2, 4},
                                                                                {1, 2},
                                                                                {24, 2},
                                                                                {0, 4},
                                                                                {16, 4},
                                                                                {0, 4},
                                                                                {0, 4},
                                                                                {0, 4},
                                                                                {0, 4}}) {
            for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
        }
        return bytes + std::string(16, '\xff');
    }
    fs::path store(const std::string& model, const std::string& name = "runs") const {
        return fs::path(runs(name)) / "shapes" / (model.substr(model.find(':') + 1) + ".v1");
    }
    /// The store has the same bytes as one without the fault, except for one row of six floats.
    void expect_one_row_lost(const fs::path& folder) const {
        const std::string bytes = bytes_of(folder);
        ASSERT_EQ(bytes.size(), sound_.size());
        std::size_t first = bytes.size(), last = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (bytes[i] == sound_[i]) continue;
            first = std::min(first, i);
            last = i;
        }
        ASSERT_LT(first, bytes.size());
        const std::size_t header = bytes.size() - std::size_t{48} * 24;
        EXPECT_EQ((first - header) / 24, 21U);
        EXPECT_EQ((last - header) / 24, 21U);
    }
    std::string poisoned_, sound_;
};

TEST_F(PoisonedImage, IsFoundAndEverythingElseIsComputed) {
    struct Case {
        std::string model, how;
    };
    for (const auto& [model, how] : std::vector<Case>{
             {"timm:crash_at_image",
              "the model's process was ended by signal 11 (Segmentation fault)"},
             {"timm:exit_at_image",
              "the model's process exited with status 9, saying \"no such luck\""},
             {"timm:killed_at_image", "the model's process was killed"},
             {"timm:raises_at_image", "ValueError: an image is white"},
             {"timm:unnamed_raises_at_image", "ValueError: an image is white"},
         }) {
        SCOPED_TRACE(model);
        const Outcome outcome = Program(predict(model)).wait();
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_THAT(outcome.out + outcome.err,
                    HasSubstr("1 image could not be computed: " + poisoned_ + " (" + how));
        EXPECT_THAT(outcome.err, HasSubstr("1 of 48 rows have no score"));
        expect_one_row_lost(store(model));
    }
    // It is not computed again.
    const Outcome again = Program(predict("timm:crash_at_image")).wait();
    EXPECT_EQ(again.status, 3);
    EXPECT_THAT(again.err, AllOf(HasSubstr("everything was already computed"),
                                 HasSubstr(poisoned_ + ": the model's process was ended")));
    EXPECT_EQ(Program({ASSAY_PROGRAM, "verify", runs()}).wait().status, 0);
}

TEST_F(PoisonedImage, ThatHangsIsFoundToo) {
    const Outcome outcome = Program(predict("timm:hang_at_image", {"--model-timeout", "1"})).wait();
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err,
                HasSubstr(poisoned_ + " (the model's process did not answer in time"));
}

TEST_F(PoisonedImage, GivesTheSameBytesForAnyNumberOfThreads) {
    std::map<fs::path, std::string> first;
    for (const char* threads : {"1", "2", "5"}) {
        const Outcome outcome =
            Program({ASSAY_PROGRAM, "predict", "-m", "timm:crash_at_image", "-d", images(), "--out",
                     runs(threads), "-j", threads, "--batch", "4", "--device", "cpu"})
                .wait();
        ASSERT_EQ(outcome.status, 3) << outcome.err;
        const fs::path folder = store("timm:crash_at_image", threads);
        expect_one_row_lost(folder);
        std::map<fs::path, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder / "shards"))
            files[entry.path().filename()] = slurp(entry.path());
        if (first.empty()) first = files;
        EXPECT_EQ(files, first);
    }
}

TEST_F(PoisonedImage, IsFoundAgainAfterAKill) {
    const std::string hangs = scratch_ / "hangs";
    Program program(predict("timm:hang_at_image", {"--model-timeout", "1"}),
                    {"ASSAY_TEST_HANGS=" + hangs});
    // The worker hangs three times: on the batch, on its repetition, and on the half that has the
    // image.
    ASSERT_TRUE(program.runs_until([&] { return fs::exists(hangs) && slurp(hangs).size() == 3; }));
    ::kill(program.pid(), SIGKILL);
    program.wait();
    const Outcome outcome = Program(predict("timm:hang_at_image", {"--model-timeout", "1"})).wait();
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    expect_one_row_lost(store("timm:hang_at_image"));
}

TEST_F(PoisonedImage, OfTheProcessThatStartsTheProgramIsFoundWhereItRaises) {
    const auto as_process = [&](const std::string& name) {
        std::vector<std::string> words = {"/usr/bin/env", "ASSAY_TEST_MODEL=" + name, "python3",
                                          std::string(worker_folder) + "/as_process.py"};
        for (std::string& word : predict("process")) words.push_back(std::move(word));
        return Program(words).wait();
    };
    const Outcome raises = as_process("raises_at_image");
    EXPECT_EQ(raises.status, 3) << raises.err;
    EXPECT_THAT(raises.out + raises.err, HasSubstr("1 image could not be computed: " + poisoned_));
    expect_one_row_lost(store("process:raises_at_image"));
    const Outcome closes = as_process("close_at_image");
    EXPECT_EQ(closes.status, 2) << closes.err;
    EXPECT_THAT(closes.err, HasSubstr("20 of 48 images of `shapes` are kept"));
}

TEST_F(PythonCommands, MemoryThatIsShortHalvesTheBatch) {
    const Outcome outcome = Program(predict("timm:one_image_only")).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("batches were halved"));
}

TEST_F(PythonCommands, ScoresThatAreNoNumbersAreCounted) {
    const Outcome outcome = Program(predict("timm:nan")).wait();
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("48 of 48 rows have no score"));
}

TEST_F(PythonCommands, OfflineIsPassedOn) {
    for (const bool offline : {false, true}) {
        auto words = predict("timm:tells_offline");
        if (offline) words.emplace_back("--offline");
        const Outcome outcome = Program(words).wait();
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(offline ? "offline: 1 1" : "offline: None None"));
    }
}

TEST_F(PythonCommands, TheProcessThatStartsTheProgramCanBeTheModel) {
    std::vector<std::string> words = {"/usr/bin/env", "python3",
                                      std::string(worker_folder) + "/as_process.py"};
    for (std::string& word : predict("process")) words.push_back(std::move(word));
    const Outcome outcome = Program(words).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_FALSE(bytes_of(fs::path(runs()) / "shapes" / "here.v1").empty());
    EXPECT_THAT(slurp(fs::path(runs()) / "shapes" / "here.v1" / "manifest.json"),
                HasSubstr("process:here.v1"));
    // The identity is the same with a different descriptor.
    EXPECT_THAT(Program(words).wait().err, HasSubstr("everything was already computed"));
}

TEST_F(PythonCommands, WrongWordsAreRefused) {
    EXPECT_THAT(Program(predict("timm:")).wait().err, HasSubstr("allowed: timm:resnet18.a1_in1k"));
    const Outcome other = Program(predict("tim:linear")).wait();
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("no model file tim:linear; a model in Python is timm:NAME"));
    EXPECT_THAT(Program(predict("timm:linear", {"--arch", "timm:linear"})).wait().err,
                HasSubstr("is not a checkpoint"));
    EXPECT_THAT(Program(predict("timm:linear", {"--model-timeout", "-1"})).wait().status, 2);
    const Outcome none = Program(predict("timm:linear"), {"ASSAY_PYTHON=/absent"}).wait();
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("ASSAY_PYTHON is /absent, which is not a program"));
}

}  // namespace
}  // namespace assay
