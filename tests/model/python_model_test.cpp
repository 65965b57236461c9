// Models in Python. Tests valid and invalid messages of their process, and how the process ends.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "assay/model/model_spec.h"
#include "core/parallel.h"
#include "images.h"
#include "message_of.h"
#include "model/isolated/running_process.h"
#include "model/python/interpreter.h"
#include "model/python/python_model.h"
#include "model/python/source.h"
#include "scratch.h"
#include "worker_model.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PythonModels : public testing::Test {
protected:
    void SetUp() override {
        if (!has_worker()) GTEST_SKIP() << "there is no python3 of version 3.9 or newer";
    }
};

std::unique_ptr<Classifier> opened_worker(const std::string& source,
                                          const ClassifierOptions& options = {"cpu"}) {
    return open_classifier(worker_spec(source), options);
}

TEST_F(PythonModels, SayWhatTheyAre) {
    std::vector<std::string> notes;
    const ModelSpec spec = worker_spec("timm:linear", &notes);
    EXPECT_EQ(spec.name, "linear.v1");
    EXPECT_EQ(spec.path, "timm:linear");
    EXPECT_EQ(spec.source, "timm:linear");
    EXPECT_EQ(spec.format, ModelFormat::python);
    EXPECT_EQ(spec.preprocess.height, 8);
    EXPECT_EQ(spec.preprocess.mean[0], .5);
    EXPECT_EQ(spec.classes.size(), 6U);
    EXPECT_EQ(spec.classes.name(1), "cross");
    EXPECT_EQ(to_json(spec)["source"], "timm:linear");
    EXPECT_EQ(to_json(spec)["format"], "python");
    EXPECT_THAT(notes, testing::ElementsAre("loading linear", "a note of the model"));
    EXPECT_THAT(spec.without_effect, testing::ElementsAre("first_conv"));

    const auto classifier = open_classifier(spec, {"cpu"});
    const ModelFacts& facts = classifier->facts();
    EXPECT_EQ(facts.classes, 6U);
    EXPECT_EQ(facts.parameters, 18);
    EXPECT_EQ(facts.framework, "Pure Python");
    EXPECT_THAT(facts.notes, Contains("computed in double precision"));
    EXPECT_THAT(spec.python->file_hash(), testing::StartsWith("xxh128:"));
}

TEST_F(PythonModels, ComputeScoresAndGradients) {
    const auto classifier = opened_worker("timm:linear");
    // An image has the channel values 1, 2 and 4 everywhere, so the first class has 1 - 1 + 1.
    std::vector<float> input(3 * 64);
    for (std::size_t k = 0; k < input.size(); ++k) input[k] = k < 64 ? 1.F : k < 128 ? 2.F : 4.F;
    std::vector<float> scores(6), gradient(input.size());
    classifier->scores(input, 1, scores);
    EXPECT_THAT(scores, testing::ElementsAre(1.F, 2.5F, -2.5F, .25F, 4.F, 1.F));

    std::vector<double> losses(1);
    const std::vector<std::uint32_t> labels = {1};
    classifier->gradients({Loss::cross_entropy, input, labels, {}}, {scores, losses, gradient});
    double total = 0;
    for (const double z : {1., 2.5, -2.5, .25, 4., 1.}) total += std::exp(z);
    EXPECT_NEAR(losses[0], std::log(total) - 2.5, 1e-12);
    // The derivative of the loss by the mean of the first channel, spread over 64 pixels.
    const double weights[] = {1, -1, .5, .25, -.5, 0}, z[] = {1, 2.5, -2.5, .25, 4, 1};
    double slope = 1;  // the label's weight contributes -1
    for (int c = 0; c < 6; ++c) slope += weights[c] * std::exp(z[c]) / total;
    EXPECT_NEAR(gradient[0], slope / 64, 1e-7);
    EXPECT_EQ(gradient[63], gradient[0]);
    EXPECT_THAT(
        message_of([&] {
            classifier->gradients({Loss::margin, input, labels, {}}, {scores, losses, gradient});
        }),
        HasSubstr("cross-entropy is the only loss here"));
    classifier->scores(input, 1, scores);  // the process still works after an error
}

TEST_F(PythonModels, CostComesFromTheProcess) {
    CostRequest request;
    request.batch = 2;
    request.runs = 3;
    const ModelCost cost = opened_worker("timm:linear")->cost(request);
    EXPECT_EQ(cost.weights.parameters, 18U);
    EXPECT_EQ(cost.macs(), 36U);
    EXPECT_EQ(cost.peak_bytes, 48U);
    EXPECT_THAT(cost.seconds, testing::ElementsAre(.25, 1.25, 2.25));
    EXPECT_THAT(cost.notes, testing::ElementsAre("a note of the cost"));
    EXPECT_EQ(cost.no_weights + cost.no_operators, "");

    const auto refusing = opened_worker("timm:no_cost");
    EXPECT_THAT(message_of([&] { refusing->cost(request); }, ErrorCode::usage),
                HasSubstr("nobody knows"));
    run(*refusing, 1, 8);  // the process still works
    const auto damaged = opened_worker("timm:cut_cost");
    EXPECT_NE(message_of([&] { damaged->cost(request); }), "");
}

TEST_F(PythonModels, ManyCallersGetTheBitsOfOne) {
    const auto classifier = opened_worker("timm:linear");
    const std::vector<float> want = run(*classifier, 3, 8);
    std::array<std::vector<float>, 5> got;
    {
        std::vector<std::jthread> threads;
        for (auto& mine : got)
            threads.emplace_back([&] {
                for (int i = 0; i < 10; ++i) mine = run(*classifier, 3, 8);
            });
    }
    for (const auto& mine : got) EXPECT_EQ(mine, want);
}

TEST_F(PythonModels, OneProcessOpensForSeveralClassifiers) {
    const ModelSpec spec = worker_spec("timm:small_only");
    EXPECT_EQ(worker_spec("timm:small_only").python, spec.python);  // shared while it runs
    ModelSpec larger = spec;
    larger.preprocess.height = larger.preprocess.width = 16;
    const auto first = open_classifier(spec, {"cpu"});
    EXPECT_THAT(message_of([&] { open_classifier(larger, {"cpu"}); }),
                HasSubstr("it takes images of 8 x 8"));
    const auto second = open_classifier(spec, {"cpu"});
    EXPECT_EQ(run(*first, 2, 8), run(*second, 2, 8));
}

TEST_F(PythonModels, LayersOfSettings) {
    const ModelSpec spec =
        worker_spec("timm:linear", nullptr, {{"mean", 0.25}, {"name", "mine"}, {"input_size", 16}});
    EXPECT_EQ(spec.preprocess.mean[0], .25);
    EXPECT_EQ(spec.preprocess.std[0], .5);
    EXPECT_EQ(spec.preprocess.height, 16);
    EXPECT_EQ(spec.name, "mine");
    EXPECT_THAT(message_of([] { worker_spec("timm:no_settings"); }, ErrorCode::usage),
                AllOf(HasSubstr("unknown preprocessing for"), HasSubstr("--preset")));
    EXPECT_EQ(worker_spec("timm:no_settings", nullptr, {{"preset", "timm"}}).preset, "timm");

    const Scratch scratch;
    std::ofstream(scratch / "side.toml") << "std = 0.125\ncrop_pct = 0.5\n";
    const ModelSpec side =
        resolve_model("timm:linear", {{"crop_pct", .75}}, scratch / "side.toml", {});
    EXPECT_EQ(side.preprocess.std[0], .125);
    EXPECT_EQ(side.preprocess.crop_pct, .75);
    EXPECT_EQ(side.preprocess.mean[0], .5);
}

TEST_F(PythonModels, AnImageProcessorIsALayerBelow) {
    const ModelSpec spec = worker_spec("hf:image_processor");
    EXPECT_EQ(spec.preprocess.height, 16);
    EXPECT_EQ(spec.preprocess.mean[1], .2);
    EXPECT_EQ(spec.preprocess.std[1], .25);
    EXPECT_EQ(spec.preprocess.crop_mode, CropMode::none);
}

TEST_F(PythonModels, AnImageProcessorThatCannotBeExpressedLeavesItToAPreset) {
    std::vector<std::string> notes;
    EXPECT_THAT(message_of([&] { worker_spec("hf:odd_processor", &notes); }, ErrorCode::usage),
                HasSubstr("--preset"));
    EXPECT_THAT(notes, Contains(AllOf(HasSubstr("image processor is not used"),
                                      HasSubstr("`size`: it is 16"))));
    EXPECT_EQ(worker_spec("hf:odd_processor", nullptr, {{"preset", "timm"}}).preset, "timm");
}

TEST_F(PythonModels, ACheckpointHasANetwork) {
    const Scratch scratch;
    std::ofstream(scratch / "weights.safetensors") << "weights";
    const ModelSettings arch = {{"arch", "timm:linear"}};
    const ModelSpec spec = worker_spec((scratch / "weights.safetensors").string(), nullptr, arch);
    EXPECT_EQ(spec.name, "weights");
    EXPECT_EQ(spec.source, "timm:linear");
    EXPECT_NE(spec.python, worker_spec("timm:linear").python);
    EXPECT_NE(spec.python->file_hash(), worker_spec("timm:linear").python->file_hash());
    EXPECT_THAT(message_of([&] { worker_spec((scratch / "weights.safetensors").string()); }),
                HasSubstr("--arch timm:resnet50"));
    // A settings file may name a network, but not a program, because files come with downloaded
    // weights.
    std::ofstream(scratch / "weights.toml") << "arch = \"timm:linear\"\n";
    EXPECT_EQ(worker_spec((scratch / "weights.safetensors").string()).source, "timm:linear");
    std::ofstream(scratch / "weights.toml") << "arch = \"python:net.py:linear\"\n";
    std::ofstream(scratch / "net.py") << "";
    const std::string program = "python:" + (scratch / "net.py").string() + ":linear";
    EXPECT_THAT(message_of([&] { worker_spec((scratch / "weights.safetensors").string()); },
                           ErrorCode::usage),
                AllOf(HasSubstr("weights.toml names a program"), HasSubstr("--arch " + program)));
    EXPECT_EQ(worker_spec((scratch / "weights.safetensors").string(), nullptr, {{"arch", program}})
                  .source,
              program);
    fs::remove(scratch / "weights.toml");
    EXPECT_THAT(message_of([&] { worker_spec("timm:linear", nullptr, arch); }, ErrorCode::usage),
                HasSubstr("is not a checkpoint"));
    for (const char* wrong : {"resnet50", "process:5", "timm"})
        EXPECT_THAT(
            message_of([&] {
                worker_spec((scratch / "weights.safetensors").string(), nullptr, {{"arch", wrong}});
            }),
            HasSubstr("such as timm:resnet50"));
}

TEST_F(PythonModels, NamesAreThoseOfFolders) {
    EXPECT_EQ(worker_spec("hf:slash/name@x").name, "-.-slash-name-x");
    EXPECT_EQ(as_store_name("google/vit-base"), "google-vit-base");
    EXPECT_EQ(as_store_name(".hidden"), "-hidden");
    EXPECT_EQ(as_store_name(""), "model");
    std::vector<ModelSpec> specs = {worker_spec("timm:linear"), worker_spec("torchvision:linear")};
    name_apart(specs);
    EXPECT_EQ(specs[0].name, "timm-linear.v1");
    EXPECT_EQ(specs[1].name, "torchvision-linear.v1");
    specs = {worker_spec("timm:linear"), worker_spec("timm:linear")};
    EXPECT_THAT(message_of([&] { name_apart(specs); }, ErrorCode::usage),
                HasSubstr("give each its own name"));
}

TEST_F(PythonModels, SourcesAreCheckedBeforeAnythingStarts) {
    EXPECT_TRUE(is_python_source("timm:x"));
    EXPECT_FALSE(is_python_source("m.pt"));
    EXPECT_FALSE(is_python_source("https://host/m.pt"));
    for (const char* wrong : {"timm:", "python:model.py", "hf:\n", "python::x"})
        EXPECT_THAT(message_of([&] { worker_spec(wrong); }, ErrorCode::usage),
                    HasSubstr("allowed: "));
    EXPECT_THAT(message_of([] { worker_spec("python:/absent/model.py:net"); }),
                HasSubstr("the file /absent/model.py, which must define net, does not exist"));
    EXPECT_EQ(model_from("/a/b", "python:../m.py:net"), "python:/a/m.py:net");
    EXPECT_EQ(model_from("/a/b", "timm:x"), "timm:x");
    EXPECT_EQ(model_from("/a/b", "m.pt"), "/a/b/m.pt");
    EXPECT_EQ(model_from("/a/b", ""), "");
    for (const char* wrong : {"process:1", "process:x", "process:9999"})
        EXPECT_THAT(message_of([&] { worker_spec(wrong); }, ErrorCode::usage),
                    HasSubstr("not a packet socket"));
}

TEST_F(PythonModels, AreToldClassNamesWhereTheyAsk) {
    const ClassList pets({"tabby_cat", "dog"});
    std::vector<std::string> notes;
    PythonStart start;
    start.say = [&](const std::string& note) { notes.push_back(note); };
    start.device = "cpu";
    const ModelSpec spec = named_worker_spec(pets, start);
    EXPECT_EQ(spec.classes, pets);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(nlohmann::json::parse(notes[1]), nlohmann::json({{"classes", {"tabby_cat", "dog"}},
                                                               {"imagenet", {-1, -1}},
                                                               {"templates", "openai"},
                                                               {"device", "cpu"}}));
    EXPECT_EQ(open_classifier(spec, {"cpu"})->facts().classes, 2U);

    // A model with the same names shares its process. With other names or templates it does not.
    EXPECT_EQ(named_worker_spec(pets, start).python, spec.python);
    const ClassList three({"cat", "dog", "owl"});
    const ModelSpec other = named_worker_spec(three, start);
    EXPECT_NE(other.python->file_hash(), spec.python->file_hash());
    EXPECT_EQ(other.classes.size(), 3U);
    start.templates = "simple";
    EXPECT_NE(named_worker_spec(pets, start).python->file_hash(), spec.python->file_hash());

    // A given list overrides the list of the images, which is then not read.
    start.classes = []() -> ClassList { throw std::logic_error("not asked"); };
    EXPECT_EQ(resolve_model("timm:by_names", {{"classes", {"sun", "moon"}}}, {}, start).classes,
              ClassList({"sun", "moon"}));
    EXPECT_EQ(resolve_model("timm:linear", {}, {}, start).classes.size(), 6U);
}

TEST_F(PythonModels, AskForClassNamesOnce) {
    const ClassList pets({"cat", "dog"});
    EXPECT_THAT(message_of([&] { named_worker_spec(pets, {}, {}, "timm:asks_twice"); }),
                HasSubstr("a second question for names"));
}

TEST_F(PythonModels, WordNetsNamesOfImageNetHaveTheirNumbers) {
    std::vector<std::string> notes;
    PythonStart start;
    start.say = [&](const std::string& note) { notes.push_back(note); };
    const ClassList some(
        {"n01443537", "n01440764", "own", "n01484850"},
        {"goldfish, Carassius auratus", "a tench of mine", "own", imagenet_classes().name(2)});
    named_worker_spec(some, start);
    const auto told = nlohmann::json::parse(notes.back());
    EXPECT_EQ(told["imagenet"], nlohmann::json({1, -1, -1, 2}));
    EXPECT_EQ(told["classes"][1], "a tench of mine");
}

TEST_F(PythonModels, NamesThatAreNoneAreAskedAbout) {
    const ClassList ids({"n99999999", "n99999998"});
    EXPECT_THAT(message_of([&] { named_worker_spec(ids); }),
                AllOf(HasSubstr("class 0 is named `n99999999`, which is an id, not a name"),
                      HasSubstr("--classes FILE")));
    EXPECT_THAT(message_of([&] { named_worker_spec(numbered_classes(3)); }),
                HasSubstr("class 0 is named `0`, which is a number, not a name"));
    EXPECT_THAT(message_of([&] { named_worker_spec({}); }),
                AllOf(HasSubstr("needs class names"), HasSubstr("--classes FILE")));
    EXPECT_THAT(message_of([] { worker_spec("timm:by_names"); }), HasSubstr("--classes FILE"));
}

TEST_F(PythonModels, TemplatesAreReadFromAFile) {
    const Scratch scratch;
    const ClassList pets({"cat", "dog"});
    std::vector<std::string> notes;
    PythonStart start;
    start.say = [&](const std::string& note) { notes.push_back(note); };
    start.templates = scratch / "templates.txt";
    const auto message = [&](const std::string& text) {
        std::ofstream(start.templates) << text;
        return message_of([&] { named_worker_spec(pets, start); });
    };
    EXPECT_THAT(message_of([&] { named_worker_spec(pets, start); }),
                AllOf(HasSubstr("the file of templates"), HasSubstr("openai or simple")));
    EXPECT_THAT(message("a {}.\n\na photo\n"),
                HasSubstr("templates.txt:3: the template \"a photo\" has no place"));
    EXPECT_THAT(message("a {name}.\n"), HasSubstr("templates.txt:1"));
    EXPECT_THAT(message("a {} {\n"), HasSubstr("templates.txt:1"));
    EXPECT_THAT(message("\n \n"), HasSubstr("has 0 templates; allowed: 1 to 1000"));
    EXPECT_THAT(message("{}" + std::string(2000, 'x')), HasSubstr("at most 1000 bytes"));
    std::ofstream(start.templates) << "a {}.\r\n\n  the {c} of {}\n";
    named_worker_spec(pets, start);
    EXPECT_EQ(nlohmann::json::parse(notes.back())["templates"],
              nlohmann::json({"a {}.", "the {c} of {}"}));
}

TEST_F(PythonModels, WithoutIdentityNothingResumes) {
    std::vector<std::string> notes;
    const ModelSpec spec = worker_spec("timm:no_identity", &notes);
    EXPECT_THAT(notes, Contains(HasSubstr("cannot resume")));
    EXPECT_THAT(spec.python->file_hash(), testing::StartsWith("xxh128:"));
}

TEST_F(PythonModels, WhatTheySayIsChecked) {
    struct Case {
        const char* source;
        const char* said;
    };
    for (const auto& [source, said] : std::vector<Case>{
             {"timm:nonsense_first", "a message of an unknown kind"},
             {"timm:another_first", "something other than a description"},
             {"timm:too_long", "a message of more than"},
             {"timm:long_note", "5000; at most 2048 is allowed"},
             {"timm:version_2", "speaks version 2 of the protocol; this program speaks version 1"},
             {"timm:cut", "cut short"},
             {"timm:without_text", "a description without its text"},
             {"timm:unsealed", "in memory that is not sealed"},
             {"timm:longer_than_it_is", "shorter than it says"},
             {"timm:huge", "is allowed"},
             {"timm:bad_json", "reading the description of the model from its process"},
             {"timm:deep_json", "reading the description of the model from its process"},
             {"timm:numbers", "`name` is 5; allowed: a text"},
             {"timm:many_notes", "; allowed: a list of at most 16"},
             {"timm:outside_file",
              "`data_files[0]` is \"../weights.bin\"; allowed: the name of a "},
             {"timm:processor_list", "`image_processor` is []; allowed: an object"},
             {"timm:short_identity", "allowed: 32 hexadecimal digits"},
             {"timm:class_path", "allowed: \"imagenet\", or the list itself"},
             {"timm:two_std", "three numbers above 0"},
             {"timm:asks_for_more", "sent an invalid message"},
         }) {
        SCOPED_TRACE(source);
        const std::string model = source;
        EXPECT_THAT(message_of([&] { worker_spec(model); }),
                    AllOf(HasSubstr(said), HasSubstr("loading " + model + " in ")));
    }
    EXPECT_THAT(message_of([] { worker_spec("timm:no_package"); }, ErrorCode::usage),
                HasSubstr("has no package timm"));
    for (const auto& [source, said] : std::vector<Case>{
             {"timm:nonsense_opened", "cut short"},
             {"timm:no_classes", "a model without classes"},
             {"timm:seven_classes", "returns 7 scores, but its settings have 6 classes"},
             {"timm:fails_to_open", "it takes no images of 8 x 8"},
         }) {
        SCOPED_TRACE(source);
        const std::string model = source;
        EXPECT_THAT(message_of([&] { opened_worker(model); }),
                    AllOf(HasSubstr(said), HasSubstr("opening the model " + model)));
    }
}

TEST_F(PythonModels, ABatchThatFailsIsAnErrorAndNothingElse) {
    const auto raises = opened_worker("timm:raises");
    for (int i = 0; i < 2; ++i)
        EXPECT_THAT(message_of([&] { run(*raises, 1, 8); }), HasSubstr("model.py:12"));
    const auto nonsense = opened_worker("timm:nonsense_batch");
    for (int i = 0; i < 4; ++i)
        EXPECT_THAT(message_of([&] { run(*nonsense, 1, 8); }),
                    HasSubstr("sent an invalid message"));
    const auto small = opened_worker("timm:one_image_only");
    message_of([&] { run(*small, 2, 8); }, ErrorCode::out_of_memory);
    EXPECT_EQ(run(*small, 1, 8).size(), 6U);
    EXPECT_TRUE(std::isnan(run(*opened_worker("timm:nan"), 1, 8)[0]));
}

TEST_F(PythonModels, AProcessThatEndsIsAnErrorAtEveryStage) {
    for (const std::string_view stage : {"start", "described", "open", "lane", "batch"}) {
        for (const std::string_view end : {"exit", "killed", "crash", "close", "fork"}) {
            // The other processes end like this one, if no request comes.
            if (end != "exit" && stage != "open" && stage != "batch") continue;
            const std::string source = fmt::format("timm:{}_at_{}", end, stage);
            SCOPED_TRACE(source);
            const std::string message = message_of([&] {
                const auto classifier =
                    opened_worker(source, {"cpu", Isolation::automatic, 0, 1, Precision::fp32, 20});
                run(*classifier, 1, 8);
            });
            EXPECT_THAT(message, HasSubstr(source));
            const std::map<std::string, std::string> said = {
                {"exit", "exited with status 9, saying \"no such luck\""},
                {"killed", "was killed"},
                {"fork", "exited with status 4"}};
            if (const auto how = said.find(std::string(end)); how != said.end()) {
                EXPECT_THAT(message, HasSubstr(how->second));
            }
        }
    }
}

TEST_F(PythonModels, AProcessThatHangsIsEndedAfterItsTime) {
    static const ClassifierOptions second = {"cpu", Isolation::automatic, 0, 1, Precision::fp32, 1};
    EXPECT_THAT(message_of([] { opened_worker("timm:hang_at_open", second); }),
                AllOf(HasSubstr("did not answer for "), HasSubstr("--model-timeout")));
    const auto classifier = opened_worker("timm:hang_at_batch", second);
    const std::string late = message_of([&] { run(*classifier, 2, 8); });
    EXPECT_THAT(late, AllOf(HasSubstr("computed 2 images for "), HasSubstr("--model-timeout"),
                            HasSubstr("a smaller batch")));
    // The reason for the end of the process is reported again, at once.
    EXPECT_EQ(message_of([&] { run(*classifier, 2, 8); }), late);
}

TEST_F(PythonModels, ThePythonIsNamed) {
    const Scratch scratch;
    const auto script = [&](const char* name, const char* text) {
        std::ofstream(scratch / name) << text;
        fs::permissions(scratch / name, fs::perms::owner_all);
        return (scratch / name).string();
    };
    ::setenv("ASSAY_PYTHON", "/absent/python", 1);
    EXPECT_THAT(message_of([] { worker_spec("timm:linear"); }, ErrorCode::usage),
                AllOf(HasSubstr("ASSAY_PYTHON is /absent/python, which is not a program"),
                      HasSubstr("pip install torch timm")));
    const std::string old =
        script("old", "#!/bin/sh\necho /opt/python3.7 is Python 3.7 >&2\nexit 97\n");
    ::setenv("ASSAY_PYTHON", old.c_str(), 1);
    EXPECT_THAT(message_of([] { worker_spec("timm:linear"); }, ErrorCode::usage),
                AllOf(HasSubstr("/opt/python3.7 is Python 3.7"),
                      HasSubstr("ASSAY_PYTHON=/path/to/python")));
    const std::string none = script("none", "no program at all\n");
    ::setenv("ASSAY_PYTHON", none.c_str(), 1);
    EXPECT_THAT(message_of([] { worker_spec("timm:linear"); }),
                AllOf(HasSubstr("cannot be executed"), HasSubstr(none)));
    ::unsetenv("ASSAY_PYTHON");
    fs::create_directories(scratch / "bin");
    fs::create_symlink("/bin/true", scratch / "bin" / "python");
    ::setenv("VIRTUAL_ENV", scratch.path().c_str(), 1);
    EXPECT_EQ(find_interpreter().program, scratch / "bin" / "python");
    EXPECT_EQ(find_interpreter().chosen_by, "VIRTUAL_ENV");
    ::unsetenv("VIRTUAL_ENV");
}

TEST_F(PythonModels, StopsAreHeardWhileItComputes) {
    const auto classifier = opened_worker("timm:hang_at_batch");
    std::atomic<bool> stop = false;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop = true;
    });
    const StoppableBy stoppable(&stop);
    const auto begin = std::chrono::steady_clock::now();
    message_of([&] { run(*classifier, 1, 8); }, ErrorCode::interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(PythonModels, NoProcessIsLeft) {
    const auto workers = [] {
        int count = 0;
        for (const auto& entry : fs::directory_iterator("/proc")) {
            std::ifstream words(entry.path() / "cmdline");
            const std::string all((std::istreambuf_iterator<char>(words)), {});
            count += all.find("timm:leaves_nothing") != std::string::npos ? 1 : 0;
        }
        return count;
    };
    {
        const auto classifier = opened_worker("timm:leaves_nothing");
        EXPECT_EQ(workers(), 1);
    }
    EXPECT_EQ(workers(), 0);
}

}  // namespace
}  // namespace assay
