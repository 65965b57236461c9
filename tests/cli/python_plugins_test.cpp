// Plug-ins in Python as users write and name them: examples/plugins/*.py, and files with one fault
// each. They are skipped if the Python has no NumPy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "data/temp_folder.h"
#include "patchml/made_images.h"
#include "plugin_stores.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string examples = ASSAY_SOURCE_DIR "/examples/plugins/";

/// A Python with NumPy, if there is one. The commands of these tests also use it.
bool has_numpy() {
    ::unsetenv("ASSAY_WORKER_PATH");
    static const bool found = [] {
        for (const char* const python : {"/usr/bin/python3", "python3"}) {
            const std::string command =
                std::string(python) +
                " -c 'import sys, numpy; sys.exit(sys.version_info < (3, 9))' 2>/dev/null";
            if (std::system(command.c_str()) != 0) continue;
            ::setenv("ASSAY_PYTHON", python, 1);
            return true;
        }
        return false;
    }();
    return found;
}

/// Writes Python files into a folder of the test.
class PythonFiles {
public:
    fs::path file(const std::string& name, const std::string& text) const {
        write_file_atomically(folder_ / (name + ".py"), text);
        return folder_ / (name + ".py");
    }
    /// A plug-in with the function `first` and this body.
    fs::path metric(const std::string& name, const std::string& body,
                    const std::string& facts = "first") const {
        return file(name,
                    "import os, sys, time\nimport numpy as np\n"
                    "def first(scores, labels):\n    \"What it is.\"\n    n = len(labels)\n    " +
                        body + "\nmetrics = {\"first\": " + facts + "}\n");
    }
    fs::path corruption(const std::string& name, const std::string& body) const {
        return file(
            name,
            "import os\nimport numpy as np\nFIRST = os.getpid()\nCALLS = [0]\n"
            "def darker(image, severity, rng):\n    " +
                body + "\ncorruptions = {\"darker\": darker}\n");
    }

private:
    Scratch folder_;
};

class PythonPluginMetric : public PluginStores {
protected:
    void SetUp() override {
        if (!has_numpy()) GTEST_SKIP() << "SKIPPED: no python3 of version 3.9 or newer has NumPy";
    }
    void expect_refused(const std::vector<std::pair<std::string, std::string>>& sentences,
                        const std::vector<std::string>& environment = {"LINES=1"}) const {
        for (const auto& [name, sentence] : sentences) {
            const Outcome outcome = score(made(name), {"--metrics", name + ":first"}, environment);
            EXPECT_EQ(outcome.status, 2) << name << outcome.err;
            EXPECT_THAT(outcome.err, AllOf(HasSubstr(sentence), HasSubstr(name))) << name;
            EXPECT_EQ(outcome.out, "") << name;
        }
    }
    /// Each fault, and the message that must name it.
    fs::path made(const std::string& name) const {
        const std::vector<std::pair<std::string, std::string>> bodies = {
            {"shape", "return np.zeros(3)"},
            {"one_number", "return 0.5"},
            {"nothing", "np.zeros(n)"},
            {"words", "return np.array(['a'] * n)"},
            {"infinite", "return np.full(n, np.inf)"},
            {"raises", "return [{}['gone'] for _ in labels]"},
            {"asserts", "assert n > 1000, 'too few rows'"},
            {"leaves", "sys.exit(3)"},
            {"ends", "sys.stderr.write('no more\\n'); sys.stderr.flush(); os._exit(3)"},
            {"crashes", "os.kill(os.getpid(), 11)"},
            {"hangs", "time.sleep(600)"},
            {"again", "first.n = getattr(first, 'n', 0) + 1; return np.full(n, float(first.n))"},
            {"draws", "return np.random.rand(n)"},
            {"batches", "return np.full(n, float(n))"},
            {"processes", "return np.full(n, float(os.getpid()))"},
            {"late", "return np.where(scores[:, 0] == 12, np.inf, 0.5)"},
            {"late_end", "return os._exit(3) if (scores[:, 0] == 12).any() else np.zeros(n)"}};
        for (const auto& [fault, body] : bodies) {
            if (fault == name) return files.metric(name, body);
        }
        ADD_FAILURE() << "no fault " << name;
        return {};
    }
    PythonFiles files;
};

TEST_F(PythonPluginMetric, TheExampleHasTheBitsOfTheLibrary) {
    // examples/plugins/margin.c computes the same.
    const fs::path library = *folder / "margin.so";
    ASSERT_EQ(Program({ASSAY_C_COMPILER, "-std=c99", "-O2", "-fPIC", "-shared",
                       "-I" ASSAY_SOURCE_DIR "/include", examples + "margin.c", "-o", library})
                  .wait()
                  .status,
              0);
    const std::vector<std::string> more = {"--metrics", "top1,margin:margin", "--json"};
    json in_c = measurement(score(library, more), "margin:margin");
    json in_python = measurement(score(examples + "margin.py", more), "margin:margin");
    EXPECT_THAT(in_python.at("definition").get<std::string>(), StartsWith("plugin.margin.margin@"));
    EXPECT_NE(in_python.at("definition"), in_c.at("definition"));
    in_c.erase("definition");
    in_python.erase("definition");
    EXPECT_EQ(in_python, in_c);
}

TEST_F(PythonPluginMetric, IsBitIdenticalForAnyNumberOfThreads) {
    const std::string one = score(examples + "margin.py", {"--json", "-j", "1"}).out;
    EXPECT_THAT(one, HasSubstr("margin:margin"));
    for (const char* threads : {"2", "5"})
        EXPECT_EQ(score(examples + "margin.py", {"--json", "-j", threads}).out, one);
}

TEST_F(PythonPluginMetric, IsKnownWhereverMetricsAre) {
    const std::string margin = examples + "margin.py";
    EXPECT_THAT(score(margin).out, AllOf(HasSubstr("margin:margin"), HasSubstr("top1")));
    EXPECT_EQ(score(margin, {"--gate", "low(margin:margin) >= 0.99", "--metrics", "top1"}).status,
              1);
    const Outcome compared =
        assay_run({"compare", *folder / "runs/val/a", *folder / "runs/val/b", "--plugin", margin,
                   "--metrics", margin + ":margin", "--json"});
    EXPECT_EQ(compared.status, 0) << compared.err;
    EXPECT_THAT(compared.out, AllOf(HasSubstr("margin:margin"), HasSubstr("jackknife.paired")));
    EXPECT_THAT(assay_run({"list", "metrics", "--plugin", margin, "--json"}).out,
                AllOf(HasSubstr("margin:margin"), HasSubstr("margin.py"),
                      HasSubstr("Mean over the items of the label's probability minus")));
    write_file_atomically(*folder / "assay.toml",
                          "plugin = \"" + margin +
                              "\"\n[[model]]\npath = \"" ASSAY_SOURCE_DIR
                              "/tests/cli/shapes/tiny.pt\"\n[[data]]\npath = \"pics\"\n"
                              "[score]\nmetrics = \"margin:margin\"\n");
    save(one_colour(40, 30, colour_of(0)), *folder / "pics/cat/1.png");
    const Outcome planned = assay_run({"run", *folder / "assay.toml", "--dry-run"});
    EXPECT_EQ(planned.status, 0) << planned.err;
    EXPECT_THAT(planned.out, HasSubstr("margin.py"));
}

TEST_F(PythonPluginMetric, ArgumentsSayWhatItGets) {
    // 42 of 300 items have no label: each seventh.
    const fs::path own = files.file("own", R"(
import numpy as np
def everything(scores, probabilities, kind):
    assert kind == "logits" and scores.dtype == probabilities.dtype == np.float32
    return np.abs(probabilities.sum(axis=1) - 1) < 1e-5  # truth values are 0 and 1
def sizes(label_sets, labels, scores, unused=3):
    assert [int(s[0]) for s in label_sets] == labels.tolist() and len(scores) == len(labels)
    return [len(s) for s in label_sets]
def some(scores):
    print("this goes nowhere")
    scores[:] = scores + 0  # the arrays are the function's
    return np.ma.masked_greater(scores[:, 0], 11)
metrics = {"everything": everything, "sizes": sizes, "some": some}
)");
    const Outcome outcome = score(own, {"--json"});
    const json everything = measurement(outcome, "own:everything");
    EXPECT_EQ(everything.at("n"), 300);
    EXPECT_EQ(everything.at("value"), 1.0);
    EXPECT_EQ(measurement(outcome, "own:sizes").at("n"), 258);
    EXPECT_EQ(measurement(outcome, "own:sizes").at("value"), 1.0);
    EXPECT_EQ(measurement(outcome, "own:some").at("n"), 299);  // without the 12 of item 200
}

TEST_F(PythonPluginMetric, FilesThatDefineNoMetric) {
    const std::string f = "def first(scores, labels):\n    return scores[:, 0]\n";
    const std::vector<std::pair<std::string, std::pair<std::string, std::string>>> all = {
        {"empty", {"", "it defines no functions for Assay; write metrics = "}},
        {"syntax", {"x = 1\ndef f(:\n", "line 2 is not valid Python"}},
        {"binary", {std::string("\xff\xfe\x00x", 4), "binary.py: "}},
        {"at_open", {"import json\njson.loads('{')\n", "at_open.py:2)"}},
        {"imports", {"import no_such_module\n", "No module named 'no_such_module'"}},
        {"quits", {"import os\nos._exit(7)\n", "its process exited with status 7"}},
        {"listed", {"metrics = [1]\n", "`metrics` is list; allowed: a dictionary"}},
        {"no_function",
         {"metrics = {'first': 3}\n", "metrics['first'] is int; allowed: a function"}},
        {"arguments",
         {"def first(logits): pass\nmetrics = {'first': first}\n",
          "metrics['first'] takes `logits`; allowed, by name: scores, probabilities, labels"}},
        {"near",
         {"def first(label): pass\nmetrics = {'first': first}\n", "did you mean `labels`?"}},
        {"built_in", {"metrics = {'first': dict}\n", "its arguments are unknown"}},
        {"bad_name", {f + "metrics = {'A B': first}\n", "a function is named `A B`"}},
        {"fact",
         {f + "metrics = {'first': {'function': first, 'lo': 1}}\n", "did you mean `low`?"}},
        {"range",
         {f + "metrics = {'first': {'function': first, 'low': 1, 'high': 0}}\n",
          "`first` has values from 1 to 0"}},
        {"wide",
         {f + "metrics = {'first': {'function': first, 'high': 1e9}}\n",
          "allowed: a number from -1e6 to 1e6"}},
        {"taken", {f + "metrics = {'nll': first}\n", "`nll` is a metric of this program"}}};
    for (const auto& [name, file] : all) {
        const Outcome outcome = score(files.file(name, file.first));
        EXPECT_EQ(outcome.status, 2) << name << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(file.second), HasSubstr(name + ".py"))) << name;
    }
    EXPECT_EQ(score("no_such.py").status, 2);
    // Names must be unique among C and Python plug-ins together.
    fs::copy_file(examples + "margin.py", *folder / "two words.py");
    EXPECT_THAT(score(*folder / "two words.py").err, HasSubstr("is not a valid name"));
}

TEST_F(PythonPluginMetric, WrongResultsEndWithStatus2AndASentence) {
    expect_refused(
        {{"shape",
          "it returns float64 of shape (3,); allowed: one number for each row, an array "
          "of shape (64,)"},
         {"one_number", "it returns float64 of shape (); allowed"},
         {"nothing", "it returns nothing; allowed"},
         {"words", "it returns <U1 of shape (64,); allowed"},
         {"infinite", "infinite:first returns inf for `p0`; its range is"},
         {"again", "again:first returns different values for the same rows in a second call"},
         {"draws", "draws:first returns different values for the same rows in a second call"},
         {"batches",
          "batches:first returns different values for rows in parts of 1 than for 64 at once"},
         {"processes", "threads use different processes"},
         {"late", "late:first returns inf for `p200`"}});
}

TEST_F(PythonPluginMetric, WhatRaisesOrEndsItsProcessIsNamedWithItsLine) {
    expect_refused({{"raises", "raises:first: it raised KeyError: 'gone' (in "},
                    {"raises", "raises.py:6)"},
                    {"asserts", "it raised AssertionError: too few rows (in first, "},
                    {"leaves", "it raised SystemExit: 3 (in first, "},
                    {"ends", "ends:first: its process exited with status 3, saying \"no more\""},
                    {"crashes", "crashes:first: its process ended by signal 11"},
                    {"late_end", "late_end:first: its process exited with status 3"}});
}

TEST_F(PythonPluginMetric, WhatHangsIsEnded) {
    expect_refused({{"hangs", "it took longer than 3 s; set ASSAY_PLUGIN_SECONDS=600 to allow"}},
                   {"ASSAY_PLUGIN_SECONDS=3"});
}

TEST_F(PythonPluginMetric, AnotherFileIsAnotherDefinition) {
    const auto definition = [&](const std::string& body) {
        return measurement(score(files.metric("own", body), {"--json"}), "own:first")
            .at("definition")
            .get<std::string>();
    };
    const std::string zero = definition("return np.zeros(n)");
    EXPECT_NE(definition("return np.zeros(n)  # with a comment"), zero);
    EXPECT_EQ(definition("return np.zeros(n)"), zero);
}

TEST_F(PythonPluginMetric, SaysThatNumPyOrPythonIsMissing) {
    const fs::path bare = *folder / "bare-python";
    write_file_atomically(
        bare, "#!/bin/sh\nexec " + std::string(std::getenv("ASSAY_PYTHON")) + " -S \"$@\"\n");
    fs::permissions(bare, fs::perms::owner_all);
    const Outcome without =
        score(examples + "margin.py", {}, {"ASSAY_PYTHON=" + bare.string(), "PYTHONPATH="});
    EXPECT_EQ(without.status, 2);
    EXPECT_THAT(without.err, AllOf(HasSubstr("need NumPy"), HasSubstr("-m pip install numpy"),
                                   HasSubstr("ASSAY_PYTHON=/path/to/python")));
    const Outcome none = score(examples + "margin.py", {}, {"ASSAY_PYTHON=/no/such/python"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("/no/such/python, which is not a program"));
}

class PythonPluginCorruption : public testing::Test {
protected:
    void SetUp() override {
        if (!has_numpy()) GTEST_SKIP() << "SKIPPED: no python3 of version 3.9 or newer has NumPy";
        for (std::size_t i = 0; i < 3; ++i)
            save(one_colour(40, 30, colour_of(i)),
                 images / ("pics/circle/" + std::to_string(i) + ".png"));
    }
    Outcome corrupt(const fs::path& plugin, const std::string& out,
                    std::vector<std::string> more) const {
        more.insert(more.begin(), {"corrupt", images / "pics", "--plugin", plugin, "-q", "--resize",
                                   "0", "--crop", "0", "--out", images / out});
        return assay_run(more);
    }
    TempFolder images;
    PythonFiles files;
};

TEST_F(PythonPluginCorruption, TheExampleMakesTheImagesOfTheLibrary) {
    const fs::path library = images / "stripes.so";
    ASSERT_EQ(Program({ASSAY_C_COMPILER, "-std=c99", "-O2", "-fPIC", "-shared",
                       "-I" ASSAY_SOURCE_DIR "/include", examples + "stripes.c", "-o", library})
                  .wait()
                  .status,
              0);
    const std::vector<std::string> all = {"--corruptions", "stripes"};
    ASSERT_EQ(corrupt(library, "c", all).status, 0);
    const Outcome made = corrupt(examples + "stripes.py", "python", all);
    ASSERT_EQ(made.status, 0) << made.err;
    int compared = 0;
    for (int severity = 1; severity <= 5; ++severity) {
        for (int i = 0; i < 3; ++i, ++compared) {
            const std::string name = "stripes:stripes/" + std::to_string(severity) + "/circle/" +
                                     std::to_string(i) + ".png";
            EXPECT_EQ(slurp(images / "python" / name), slurp(images / "c" / name)) << name;
            EXPECT_NE(slurp(images / "python" / name),
                      slurp(images / ("pics/circle/" + std::to_string(i) + ".png")));
        }
    }
    EXPECT_EQ(compared, 15);
    EXPECT_THAT(slurp(images / "python/corrupt.json"), HasSubstr("plugin.stripes.stripes@"));
    EXPECT_THAT(assay_run({"list", "corruptions", "--plugin", examples + "stripes.py"}).out,
                AllOf(HasSubstr("stripes:stripes"), HasSubstr("stripes.py"),
                      HasSubstr("The brightness of the stripes is .8, .6, .4, .2 or 0.")));
}

TEST_F(PythonPluginCorruption, DrawsFromTheSeedOfTheImage) {
    const fs::path noise = files.corruption(
        "grain",
        "return np.clip(image + rng.integers(-9, 10, image.shape), 0, 255).astype(np.uint8)");
    const std::vector<std::string> one = {"--corruptions", "grain:darker", "--severities", "3"};
    ASSERT_EQ(corrupt(noise, "first", one).status, 0);
    std::vector<std::string> three = one;
    three.insert(three.end(), {"-j", "3"});
    ASSERT_EQ(corrupt(noise, "again", three).status, 0);
    const std::string name = "grain:darker/3/circle/1.png";
    EXPECT_EQ(slurp(images / "again" / name), slurp(images / "first" / name));
    std::vector<std::string> seeded = one;
    seeded.insert(seeded.end(), {"--seed", "7"});
    ASSERT_EQ(corrupt(noise, "seeded", seeded).status, 0);
    EXPECT_NE(slurp(images / "seeded" / name), slurp(images / "first" / name));
}

TEST_F(PythonPluginCorruption, FaultsEndWithStatus2AndASentence) {
    for (const auto& [name, body, sentence] :
         std::vector<std::tuple<std::string, std::string, std::string>>{
             {"size", "return image[1:]",
              "it returns uint8 of shape (63, 80, 3); allowed: uint8 of shape (64, 80, 3)"},
             {"type", "return image / 2", "it returns float64 of shape (64, 80, 3); allowed"},
             {"nothing", "pass", "it returns nothing; allowed"},
             {"raises", "raise ValueError('no film')",
              "it raised ValueError: no film (in darker, "},
             {"ends", "os._exit(4)", "ends:darker: its process exited with status 4"},
             {"again", "return image ^ np.uint8(np.random.randint(1, 255))",
              "returns a different image in a second call"},
             {"processes", "return image ^ np.uint8(FIRST & 255)",
              "threads use different processes"}}) {
        const Outcome outcome = corrupt(files.corruption(name, body), "out",
                                        {"--corruptions", name + ":darker", "--severities", "1"});
        EXPECT_EQ(outcome.status, 2) << name << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(sentence), HasSubstr(name))) << name;
        EXPECT_FALSE(fs::exists(images / "out")) << name;
    }
}

#ifdef ASSAY_HAS_TORCH
TEST_F(PythonPluginCorruption, IsInTheRecordOfTheStore) {
    const std::string text = slurp(examples + "stripes.py");
    const fs::path stripes = files.file("stripes", text);
    fs::create_directory(images / "other");
    write_file_atomically(images / "other/stripes.py", text + "# more\n");
    const auto predict = [&](std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"predict", "-m", ASSAY_SOURCE_DIR "/tests/cli/shapes/tiny.pt", "-d",
                     images / "pics", "--out", images / "runs", "-q", "--dataset-name", "val"});
        return assay_run(more);
    };
    const auto striped = [&](const fs::path& plugin) {
        return predict({"--corrupt-resize", "0", "--corrupt-crop", "0", "--corrupt",
                        "stripes:stripes", "--severities", "2", "--plugin", plugin});
    };
    ASSERT_EQ(predict({}).status, 0);
    const Outcome made = striped(stripes);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(slurp(images / "runs/val_stripes:stripes_2/dataset.json"),
                HasSubstr("plugin.stripes.stripes@"));
    EXPECT_THAT(
        assay_run({"robustness", images / "runs", "--clean", "val", "--plugin", stripes, "--csv"})
            .out,
        HasSubstr("stripes:stripes"));
    const Outcome resumed = striped(images / "other/stripes.py");
    EXPECT_EQ(resumed.status, 2);
    EXPECT_THAT(resumed.err, AllOf(HasSubstr("corrupted differently"), HasSubstr("definition")));
    const Outcome page = assay_run(
        {"report", images / "runs", "--out", images / "report.html", "--plugin", stripes});
    EXPECT_EQ(page.status, 0) << page.err;
}
#endif

}  // namespace
}  // namespace assay
