// Plug-ins as users write, compile and name them: examples/plugins, and plugins/fault.c, which has
// one fault at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/image/image.h"
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
using testing::Not;
using testing::StartsWith;

/// The libraries. Each is compiled when a test first needs it.
class Libraries {
public:
    /// A library of examples/plugins, compiled with the command in docs/plugins.md.
    fs::path example(const std::string& name) {
        return made(name, {"-std=c99", "-O2", ASSAY_SOURCE_DIR "/examples/plugins/" + name + ".c"});
    }
    fs::path fault(const std::string& name) {
        std::vector<std::string> words = {"-std=gnu99", "-O0", "-DFAULT=" + name,
                                          ASSAY_SOURCE_DIR "/tests/cli/plugins/fault.c"};
        if (name == "no_symbol") words.insert(words.begin(), "-DNO_SYMBOL");
        return made(name, words);
    }

private:
    fs::path made(const std::string& name, std::vector<std::string> words) {
        fs::path library = folder_ / (name + ".so");
        if (fs::exists(library)) return library;
        words.insert(words.begin(), {ASSAY_C_COMPILER, "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                                     "-fPIC", "-shared", "-I" ASSAY_SOURCE_DIR "/include"});
        words.insert(words.end(), {"-o", library.string()});
        const Outcome compiled = Program(words).wait();
        EXPECT_EQ(compiled.status, 0) << compiled.err;
        return library;
    }
    Scratch folder_;
};
Libraries& libraries() {
    static Libraries all;
    return all;
}

class PluginMetric : public PluginStores {};

TEST_F(PluginMetric, IsTheMeanOfItsValuesWithAnInterval) {
    double sum = 0, squares = 0;
    int n = 0;
    for (int i = 0; i < rows; ++i) {
        if (i % 7 == 6) continue;
        const auto p = probabilities(i, 1.0);
        double other = 0;
        for (int c = 0; c < 3; ++c) {
            if (c != i % 3) other = std::max(other, p[static_cast<std::size_t>(c)]);
        }
        const double margin = p[static_cast<std::size_t>(i % 3)] - other;
        sum += margin;
        squares += margin * margin;
        ++n;
    }
    const double mean = sum / n, deviation = std::sqrt((squares - n * mean * mean) / (n - 1));
    const json m = measurement(
        score(libraries().example("margin"), {"--metrics", "top1,margin:margin", "--json"}),
        "margin:margin");
    EXPECT_NEAR(m.at("value").get<double>(), mean, 1e-6);  // probabilities are 32-bit numbers
    EXPECT_EQ(m.at("n"), n);
    const auto definition = m.at("definition").get<std::string>();
    EXPECT_THAT(definition, StartsWith("plugin.margin.margin@"));
    EXPECT_EQ(definition.size(), std::string("plugin.margin.margin@").size() + 12);
    // The standard error of a mean is deviation / sqrt(n), and the jackknife over 128 groups must
    // be close to it.
    const double half =
        (m.at("interval").at("high").get<double>() - m.at("interval").at("low").get<double>()) / 2;
    EXPECT_NEAR(half, 1.96 * deviation / std::sqrt(n), 0.3 * half);
}

TEST_F(PluginMetric, LeavesOutRowsAndNeedsNoLabels) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < rows; ++i) {
        const double p = probabilities(i, 1.0)[0];
        if (p > 0.9) continue;
        sum += p;
        ++n;
    }
    ASSERT_LT(n, rows);
    const json m = measurement(
        score(libraries().fault("none"), {"--metrics", "none:first", "--json"}), "none:first");
    EXPECT_EQ(m.at("n"), n);
    EXPECT_NEAR(m.at("value").get<double>(), sum / n, 1e-6);
    EXPECT_FALSE(m.at("interval").is_null());
}

TEST_F(PluginMetric, IsKnownWhereverMetricsAre) {
    const fs::path margin = libraries().example("margin");
    EXPECT_THAT(score(margin).out, AllOf(HasSubstr("margin:margin"), HasSubstr("top1")));
    const std::string by_name = score(margin, {"--metrics", "margin:margin", "--csv"}).out;
    EXPECT_THAT(by_name, HasSubstr("margin:margin"));
    EXPECT_EQ(score(margin, {"--metrics", margin.string() + ":margin", "--csv"}).out, by_name);
    const Outcome gate =
        score(margin, {"--gate", "low(margin:margin) >= 0.99", "--metrics", "top1"});
    EXPECT_EQ(gate.status, 1) << gate.err;
    const Outcome compared =
        assay_run({"compare", *folder / "runs/val/a", *folder / "runs/val/b", "--plugin", margin,
                   "--metrics", "margin:margin", "--json"});
    EXPECT_EQ(compared.status, 0) << compared.err;
    EXPECT_THAT(compared.out, AllOf(HasSubstr("margin:margin"), HasSubstr("jackknife.paired")));
    EXPECT_THAT(assay_run({"list", "metrics", "--plugin", margin}).out,
                AllOf(HasSubstr("margin:margin"), HasSubstr("margin.so")));
    const Outcome none = assay_run({"score", *folder / "runs", "--metrics", "margin:margin"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err,
                AllOf(HasSubstr("unknown metric `margin:margin`"), HasSubstr("--plugin")));
    EXPECT_THAT(score(margin, {"--metrics", "margin:margn"}).err,
                HasSubstr("unknown metric `margin:margn`; did you mean `margin:margin`?"));
}

TEST_F(PluginMetric, IsBitIdenticalForAnyNumberOfThreads) {
    const fs::path margin = libraries().example("margin");
    const std::string one = score(margin, {"--json", "-j", "1"}).out;
    for (const char* threads : {"2", "3", "7"})
        EXPECT_EQ(score(margin, {"--json", "-j", threads}).out, one);
}

TEST_F(PluginMetric, SeesTheClassesOfAMap) {
    write_file_atomically(*folder / "two.txt", "cat\ndog\n");
    // For items with one of two labels, the margin is the tanh of half the difference of the
    // logits.
    double sum = 0;
    int n = 0;
    for (int i = 0; i < rows; ++i) {
        if (i % 7 == 6 || i % 3 == 2) continue;
        const auto z = logits(i, 1.0);
        sum += std::tanh((i % 3 == 0 ? z[0] - z[1] : z[1] - z[0]) / 2);
        ++n;
    }
    const json m = measurement(
        score(libraries().example("margin"),
              {"--class-map", *folder / "two.txt", "--metrics", "margin:margin", "--json"}),
        "margin:margin");
    EXPECT_EQ(m.at("n"), n);
    EXPECT_NEAR(m.at("value").get<double>(), sum / n, 1e-6);
}

TEST_F(PluginMetric, IsUndefinedWithItsReason) {
    ASSERT_EQ(import_into("runs-top", "a", "top2").status, 0);
    const Outcome top =
        assay_run({"score", *folder / "runs-top", "--plugin", libraries().example("margin"),
                   "--metrics", "margin:margin", "--json"});
    EXPECT_THAT(measurement(top, "margin:margin").at("undefined").get<std::string>(),
                HasSubstr("every class's score"));
}

TEST_F(PluginMetric, StandsInAnAssayToml) {
    const fs::path margin = libraries().example("margin");
    fs::copy_file(margin, *folder / "own.so");
    const auto run = [&](const std::string& top, const std::string& more) {
        write_file_atomically(*folder / "assay.toml",
                              top +
                                  "[[model]]\npath = \"" ASSAY_SOURCE_DIR
                                  "/tests/cli/shapes/tiny.pt\"\n[[data]]\npath = \"pics\"\n" +
                                  more);
        save(one_colour(40, 30, colour_of(0)), *folder / "pics/cat/1.png");
        return assay_run({"run", *folder / "assay.toml", "--dry-run"});
    };
    const std::string metrics = "[score]\nmetrics = \"own:margin\"\n";
    // Paths are relative to the file. The key takes one value or a list, for all steps or for one.
    for (const std::string key : {"plugin = [\"own.so\"]\n", "plugin = \"own.so\"\n"}) {
        EXPECT_EQ(run(key, metrics).status, 0) << run(key, metrics).err;
        EXPECT_EQ(run("", metrics + key).status, 0) << run("", metrics + key).err;
    }
    EXPECT_THAT(run("plugin = [\"own.so\"]\n", metrics).out, HasSubstr("own.so"));
    const Outcome unknown = run("", metrics);
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("unknown metric `own:margin`"));
    const Outcome gone = run("plugin = [\"gone.so\"]\n", "");
    EXPECT_EQ(gone.status, 2);
    EXPECT_THAT(gone.err, HasSubstr("gone.so"));
}

TEST_F(PluginMetric, FaultsEndWithStatus2AndASentence) {
    const std::vector<std::pair<std::string, std::string>> faults = {
        {"version",
         "was built for version 2 of the plug-in interface; this program needs version 1"},
        {"size", "bytes, and this program needs 40"},
        {"no_symbol", "exports no `assay_plugin_v1`"},
        {"not_a_number", "not_a_number:first returns nan for `p63`; its range is 0 to 1"},
        {"too_few", "too_few:first wrote 63 values; it must write 64"},
        {"too_many", "too_many:first wrote 192 values; it must write 64"},
        {"overflow", "overflow:first writes outside its array"},
        {"before", "before:first writes outside its array"},
        {"range", "range:first returns 7 for `p0`; its range is 0 to 1"},
        {"crash", "crash:first: it crashed in the trial with signal 11"},
        {"crash_at_open", "it crashed in the trial with signal 6"},
        {"leave", "leave:first: it ended the trial process"},
        {"hang", "hang:first: the trial took longer than 1 s"},
        {"threads", "threads:first returns different values on 4 threads than on one"},
        {"batches",
         "batches:first returns different values for rows in parts of 1 than for 64 at once"},
        {"again", "again:first returns different values for the same rows in a second call"},
        {"message", "message:first: it is 5 o'clock"},
        {"late", "late:first returns inf for `p200`"},
        {"equal_names", "has two functions named `first`"},
        {"no_function", "`first` has no function"},
        {"bad_name", "a function is named `a name`; allowed: a-z, 0-9 and _"},
        {"built_in_name", "`nll` is a metric of this program"}};
    for (const auto& [name, sentence] : faults) {
        const Outcome outcome = score(libraries().fault(name), {"--metrics", name + ":first"},
                                      {name == "hang" ? "ASSAY_PLUGIN_SECONDS=1" : "LINES=1"});
        EXPECT_EQ(outcome.status, 2) << name << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(sentence), HasSubstr(name))) << name;
        EXPECT_EQ(outcome.out, "") << name;
    }
    const Outcome wrong = score(libraries().fault("none"), {}, {"ASSAY_PLUGIN_SECONDS=soon"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("ASSAY_PLUGIN_SECONDS is `soon`; allowed: 1 to 86400"));
}

TEST_F(PluginMetric, FilesThatAreNoPlugins) {
    const auto refused = [](const fs::path& file) {
        const Outcome outcome = score(file);
        EXPECT_EQ(outcome.status, 2) << file;
        EXPECT_THAT(outcome.err, HasSubstr(file.filename().string()));
        return outcome.err;
    };
    write_file_atomically(*folder / "text.so", "hello");
    EXPECT_THAT(refused(*folder / "text.so"), HasSubstr("cannot open the plug-in"));
    const fs::path margin = libraries().example("margin");
    write_file_atomically(*folder / "cut.so", slurp(margin).substr(0, 5000));
    refused(*folder / "cut.so");
    refused(*folder / "gone.so");
    EXPECT_THAT(refused(*folder / "runs"), HasSubstr("is a folder"));
    for (const std::string name : {"nll", "two words"}) {
        fs::copy_file(margin, *folder / (name + ".so"));
        EXPECT_THAT(refused(*folder / (name + ".so")), HasSubstr("file")) << name;
    }
    // Another library of the same name is refused. The same library twice counts once.
    fs::create_directory(*folder / "other");
    fs::copy_file(libraries().fault("none"), *folder / "other/margin.so");
    EXPECT_THAT(score(margin, {"--plugin", *folder / "other/margin.so"}).err,
                HasSubstr("another plug-in named `margin` is open"));
    EXPECT_EQ(score(margin, {"--plugin", margin}).status, 0);
}

class PluginCorruption : public testing::Test {
protected:
    PluginCorruption() {
        for (std::size_t i = 0; i < 3; ++i)
            save(one_colour(40, 30, colour_of(i)),
                 images / ("pics/circle/" + std::to_string(i) + ".png"));
    }
    Outcome corrupt(const fs::path& plugin, std::vector<std::string> more) {
        more.insert(more.begin(), {"corrupt", images / "pics", "--plugin", plugin, "-q", "--resize",
                                   "0", "--crop", "0"});
        return assay_run(more, {"ASSAY_PLUGIN_SECONDS=1"});
    }
    TempFolder images;
};

TEST_F(PluginCorruption, WritesWhatTheFunctionMakes) {
    const fs::path stripes = libraries().example("stripes");
    const Outcome made = corrupt(stripes, {"--out", images / "out", "--corruptions",
                                           "stripes:stripes,contrast", "--severities", "5"});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.out, AllOf(HasSubstr("stripes:stripes"), HasSubstr("contrast")));
    const Image before = decode_image(read_file(images / "pics/circle/1.png"));
    const Image after = decode_image(read_file(images / "out/stripes:stripes/5/circle/1.png"));
    ASSERT_EQ(after.pixels.size(), before.pixels.size());
    // Four of sixteen rows are black, in any phase. The others are unchanged.
    int black = 0;
    for (int y = 0; y < after.height; ++y) {
        const auto at = std::ptrdiff_t{4} * y * after.width, end = at + 4 * after.width;
        const auto row = after.pixels.begin() + at;
        if (row[0] + row[1] + row[2] == 0) {
            ++black;
        } else {
            EXPECT_TRUE(std::equal(row, after.pixels.begin() + end, before.pixels.begin() + at));
        }
    }
    EXPECT_GE(black, 6);  // the number of black rows among 30
    EXPECT_LE(black, 8);
    // FILE selects all corruptions of the library. The groups of built-in corruptions do not
    // contain them.
    EXPECT_EQ(corrupt(stripes,
                      {"--out", images / "group", "--corruptions", "stripes", "--severities", "1"})
                  .status,
              0);
    EXPECT_TRUE(fs::exists(images / "group/stripes:stripes/1"));
    EXPECT_THAT(
        corrupt(stripes, {"--sheet", images / "s.png", "--corruptions", "all", "--json"}).out,
        Not(HasSubstr("stripes:stripes")));
    EXPECT_THAT(assay_run({"list", "corruptions", "--plugin", stripes}).out,
                AllOf(HasSubstr("stripes:stripes"), HasSubstr("stripes.so")));
}

TEST_F(PluginCorruption, FaultsEndWithStatus2AndASentence) {
    for (const auto& [name, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"image_crash", "crashed in the trial with signal 11"},
             {"image_short", "wrote 5120 bytes; it must write 15360"},
             {"image_threads", "a different image on 4 threads than on one"},
             {"image_again", "a different image in a second call"},
             {"image_overflow", "writes outside its array"},
             {"image_hang", "took longer than 1 s"},
             {"built_in_image", "`fog` is the name of corruptions in this program"},
             {"image_message", "no film in the camera"}}) {
        const Outcome outcome = corrupt(
            libraries().fault(name), {"--out", images / "out", "--corruptions", name + ":darker"});
        EXPECT_EQ(outcome.status, 2) << name;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(sentence), HasSubstr(name))) << name;
        EXPECT_FALSE(fs::exists(images / "out")) << name;
    }
    fs::copy_file(libraries().example("stripes"), images / "noise.so");
    EXPECT_THAT(corrupt(images / "noise.so", {"--out", images / "out"}).err,
                HasSubstr("rename the file"));
    const Outcome unknown = assay_run(
        {"corrupt", images / "pics", "--out", images / "out", "--corruptions", "stripes:stripes"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("unknown corruption `stripes:stripes`"));
}

#ifdef ASSAY_HAS_TORCH
TEST_F(PluginCorruption, IsInTheRecordOfTheStore) {
    const std::string model = ASSAY_SOURCE_DIR "/tests/cli/shapes/tiny.pt";
    const fs::path stripes = libraries().example("stripes"), other = images / "other/stripes.so";
    fs::create_directory(images / "other");
    write_file_atomically(other, slurp(stripes) + "more");
    const auto predict = [&](const std::string& runs, std::vector<std::string> more) {
        more.insert(more.begin(), {"predict", "-m", model, "-d", images / "pics", "--out",
                                   images / runs, "-q", "--dataset-name", "val"});
        return assay_run(more);
    };
    const auto striped = [&](const std::string& runs, const fs::path& plugin) {
        return predict(runs, {"--corrupt-resize", "0", "--corrupt-crop", "0", "--corrupt",
                              "stripes:stripes", "--severities", "2", "--plugin", plugin});
    };
    ASSERT_EQ(predict("runs", {}).status, 0);
    EXPECT_THAT(predict("runs", {"--corrupt", "stripes:stripes"}).err,
                HasSubstr("unknown corruption"));
    const Outcome made = striped("runs", stripes);
    ASSERT_EQ(made.status, 0) << made.err;
    const std::string record = slurp(images / "runs/val_stripes:stripes_2/dataset.json");
    EXPECT_THAT(record, HasSubstr("plugin.stripes.stripes@"));

    const Outcome known =
        assay_run({"robustness", images / "runs", "--clean", "val", "--plugin", stripes, "--csv"});
    EXPECT_THAT(known.out, HasSubstr("stripes:stripes")) << known.err;
    const Outcome forgotten = assay_run({"robustness", images / "runs", "--clean", "val"});
    EXPECT_EQ(forgotten.status, 2);
    EXPECT_THAT(forgotten.err, HasSubstr("which --plugin FILE adds"));

    const Outcome measured =
        assay_run({"robustness", images / "runs", "--clean", "val", "--plugin", other});
    EXPECT_EQ(measured.status, 2);
    EXPECT_THAT(measured.err, AllOf(HasSubstr("was made by `plugin.stripes.stripes@"),
                                    HasSubstr("val_stripes:stripes_2")));
    const Outcome resumed = striped("runs", other);
    EXPECT_EQ(resumed.status, 2);
    EXPECT_THAT(resumed.err, AllOf(HasSubstr("corrupted differently"), HasSubstr("definition")));
    ASSERT_EQ(striped("runs-other", other).status, 0);
    const Outcome compared = assay_run({"compare", images / "runs/val_stripes:stripes_2/tiny",
                                        images / "runs-other/val_stripes:stripes_2/tiny"});
    EXPECT_EQ(compared.status, 2);
    EXPECT_THAT(compared.err, HasSubstr("saw different images under the same ids"));
}
#endif

}  // namespace
}  // namespace assay
