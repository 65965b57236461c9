// Runs the main job on the quick start's images and classifiers through the program, as a user
// does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/store/prediction_store.h"
#include "containers/npy.h"
#include "core/file.h"
#include "shapes_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const fs::path models = fs::path(ASSAY_SOURCE_DIR) / "tests/cli/shapes";

class EndToEnd : public ShapesTest {
protected:
    static std::vector<std::string> predict_words(const fs::path& runs,
                                                  const std::vector<std::string>& more = {},
                                                  const std::string& shard_rows = "32") {
        std::vector<std::string> words = {
            "predict",     "--model",         (models / "small.pt").string(),
            "--data",      images().string(), "--out",
            runs.string(), "--shard-rows",    shard_rows};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    static std::map<std::string, std::string> shards(const fs::path& runs) {
        return shards_of(runs / "shapes/small");
    }
    static json score(const fs::path& runs, const std::vector<std::string>& more = {}) {
        std::vector<std::string> words = {"score", runs.string(), "--json"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return json::parse(outcome.out);
    }
};

TEST_F(EndToEnd, PredictThenAgainDoesNothing) {
    const fs::path runs = fresh("again");
    const Outcome first = assay_run(predict_words(runs, {"--json"}));
    ASSERT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(json::parse(first.out)["stores"][0]["computed"], 240);
    const auto before = shards(runs);
    // 240 images in shards of 32: scores and a record for each shard
    EXPECT_EQ(before.size(), 2U * 8);
    const Outcome second = assay_run(predict_words(runs, {"--json"}));
    ASSERT_EQ(second.status, 0) << second.err;
    EXPECT_EQ(json::parse(second.out)["stores"][0]["computed"], 0);
    EXPECT_EQ(shards(runs), before);
}

TEST_F(EndToEnd, SameBitsForAnyThreadsAndCompany) {
    const fs::path reference = fresh("threads1");
    ASSERT_EQ(assay_run(predict_words(reference, {"--threads", "1"})).status, 0);
    for (const std::string threads : {"2", "3", "7"}) {
        const fs::path runs = fresh("threads" + threads);
        ASSERT_EQ(assay_run(predict_words(runs, {"--threads", threads})).status, 0);
        EXPECT_EQ(shards(runs), shards(reference)) << threads;
    }
    // Adds another model to the same run, and disables vector instructions in Assay's own code.
    const fs::path both = fresh("both");
    ASSERT_EQ(assay_run(predict_words(both, {"--model", (models / "tiny.pt").string()}),
                        {"ASSAY_SIMD=none"})
                  .status,
              0);
    EXPECT_EQ(shards(both), shards(reference));
}

TEST_F(EndToEnd, KilledAtAnyMomentItResumesToTheSameBytes) {
    const fs::path reference = fresh("unbroken");
    ASSERT_EQ(assay_run(predict_words(reference)).status, 0);
    const fs::path runs = fresh("killed");
    std::vector<std::string> words = predict_words(runs, {"--threads", "1"});
    words.insert(words.begin(), ASSAY_PROGRAM);
    const int kills = kills_until_it_gets_through(words, runs, 2);
    EXPECT_GE(kills, 1);
    ASSERT_EQ(assay_run(predict_words(runs)).status, 0);
    EXPECT_EQ(shards(runs), shards(reference));
}

TEST_F(EndToEnd, InterruptedEndsWith130AndResumes) {
    const fs::path runs = fresh("interrupted");
    std::vector<std::string> words = predict_words(runs, {"--threads", "1", "--batch", "1"}, "1");
    words.insert(words.begin(), ASSAY_PROGRAM);
    Program program(words);
    const fs::path first = runs / "shapes/small/shards/000000.json";
    ASSERT_TRUE(program.runs_until([&] { return fs::exists(first); }));
    ::kill(program.pid(), SIGINT);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    const Outcome partial = assay_run({"score", runs.string(), "--json"});
    EXPECT_EQ(partial.status, 3) << partial.err;
    words.erase(words.begin());
    EXPECT_EQ(assay_run(words).status, 0);
}

/// The shards of every store below, by their paths.
std::map<std::string, std::string> all_shards(const fs::path& runs) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(runs)) {
        if (entry.path().parent_path().filename() == "shards")
            files[fs::relative(entry.path(), runs).string()] = slurp(entry.path());
    }
    return files;
}

TEST_F(EndToEnd, CorruptedInMemoryOrOnTheDiskTheAccuracyIsTheSame) {
    const fs::path direct = fresh("corrupt-direct"), files = fresh("corrupt-files");
    const std::vector<std::string> part = {"--limit", "30", "--sample-seed", "2"};
    const std::vector<std::string> window = {"fog,contrast", "--severities", "1,5", "--seed", "3"};
    const auto predict = [&](const fs::path& runs, const std::vector<std::string>& data,
                             std::vector<std::string> more) {
        std::vector<std::string> words = {"predict", "--model",     (models / "small.pt").string(),
                                          "--out",   runs.string(), "-q",
                                          "--data"};
        words.insert(words.end(), data.begin(), data.end());
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = assay_run(words);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    };
    const auto join = [](std::vector<std::string> a, const std::vector<std::string>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    predict(direct, {images().string()}, part);
    predict(direct, {images().string()}, join(join({"--corrupt"}, window), part));
    const fs::path c = fresh("c");
    ASSERT_EQ(assay_run(join(join({"corrupt", images().string(), "--out", c.string(), "-q",
                                   "--corruptions"},
                                  window),
                             part))
                  .status,
              0);
    predict(files, {images().string()}, part);
    predict(files,
            {(c / "fog/1").string(), (c / "fog/5").string(), (c / "contrast/1").string(),
             (c / "contrast/5").string()},
            {});
    const auto robustness = [](const fs::path& runs) {
        const Outcome outcome =
            assay_run({"robustness", runs.string(), "--clean", "shapes-sample30-seed2", "--json"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        json model = json::parse(outcome.out)["models"][0];
        for (json& version : model["versions"]) version.erase("dataset");
        return model;
    };
    const json measured = robustness(direct);
    EXPECT_EQ(measured, robustness(files));
    EXPECT_EQ(measured["images"], 30);
    EXPECT_EQ(measured["versions"].size(), 4U);
    // The file names are the same, but the images differ.
    const std::vector<std::string> pair = {"compare", (direct / "shapes-sample30-seed2").string(),
                                           (direct / "shapes-sample30-seed2_fog_1").string()};
    const Outcome compared = assay_run(pair);
    EXPECT_EQ(compared.status, 2);
    EXPECT_THAT(compared.err, HasSubstr("saw different images under the same ids: 30 of 30"));
    EXPECT_EQ(assay_run(join(pair, {"--other-images"})).status, 0);
    const Outcome other = assay_run({"predict", "--model", (models / "small.pt").string(), "--data",
                                     images().string(), "--out", direct.string(), "--corrupt",
                                     "fog", "--limit", "30", "--sample-seed", "2", "--seed", "4"});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("seed was `3` and is now `4`"));
}

TEST_F(EndToEnd, ACorruptedRunThatIsKilledResumesToTheSameBytes) {
    const std::vector<std::string> corrupt = {"--corrupt", "fog,contrast", "--severities",
                                              "1,5",       "--limit",      "48"};
    const fs::path reference = fresh("corrupt-unbroken"), runs = fresh("corrupt-killed");
    ASSERT_EQ(assay_run(predict_words(reference, corrupt)).status, 0);
    std::vector<std::string> words = predict_words(runs, corrupt);
    words.insert(words.end(), {"--threads", "1"});
    words.insert(words.begin(), ASSAY_PROGRAM);
    const int kills = kills_until_it_gets_through(words, runs, 3);
    EXPECT_GE(kills, 1);
    ASSERT_EQ(assay_run(predict_words(runs, corrupt)).status, 0);
    const auto expected = all_shards(reference);
    EXPECT_EQ(expected.size(), 4U * 2 * 2);  // 48 images in shards of 32
    EXPECT_EQ(all_shards(runs), expected);
}

TEST_F(EndToEnd, CorruptSaysWhatGoesWithIt) {
    const auto refused = [](const std::vector<std::string>& more) {
        const Outcome outcome = assay_run(predict_words(fresh("refused"), more));
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    EXPECT_THAT(refused({"--severities", "1"}), HasSubstr("--corrupt"));
    EXPECT_THAT(refused({"--corrupt", "fogg"}), HasSubstr("did you mean `fog`?"));
    EXPECT_THAT(refused({"--corrupt", "frost"}), HasSubstr("needs a folder of photographs"));
    EXPECT_THAT(refused({"--corrupt", "all", "--until", "half_width(top1) <= 1%"}),
                HasSubstr("--until"));
    const Outcome plan = assay_run(predict_words(fresh("plan"), {"--corrupt", "all", "--dry-run"}));
    EXPECT_EQ(plan.status, 0);
    EXPECT_THAT(plan.err, HasSubstr("19 corruptions at 5 severities, 95 versions of each image: "
                                    "short side to 256 pixels"));
}

TEST_F(EndToEnd, AccuracyEqualsACountByHand) {
    const fs::path runs = fresh("count");
    ASSERT_EQ(assay_run(predict_words(runs)).status, 0);
    // Computed by hand: each class has 40 images in the order of the ids, so row r has label r /
    // 40.
    std::uint64_t hits = 0;
    const PredictionStore store = PredictionStore::open(runs / "shapes/small");
    ASSERT_EQ(store.rows(), 240U);
    for (std::size_t s = 0; s < store.shards(); ++s) {
        const auto shard = store.shard(s);
        for (std::uint32_t r = 0; r < shard.rows; ++r) {
            const auto row = shard.f32().subspan(std::size_t{r} * 6, 6);
            const auto best = std::max_element(row.begin(), row.end()) - row.begin();
            hits += best == static_cast<std::ptrdiff_t>((shard.first_row + r) / 40);
        }
    }
    EXPECT_GT(hits, 240U / 2);  // the classifier has learned something, because chance is 40
    const json result = score(runs);
    bool found = false;
    for (const json& m : result.at("measurements")) {
        if (m.at("metric") != "top1") continue;
        found = true;
        EXPECT_DOUBLE_EQ(m.at("value").get<double>(), static_cast<double>(hits) / 240);
        EXPECT_EQ(m.at("n"), 240);
    }
    EXPECT_TRUE(found);
}

TEST_F(EndToEnd, UnreadableImagesAreRecordedAndEndWith3) {
    const fs::path damaged = fresh("damaged");
    fs::copy(images(), damaged, fs::copy_options::recursive);
    write_file_atomically(damaged / "circle/circle_0003.png", "this is no image\n");
    const std::string whole = slurp(damaged / "ring/ring_0001.png");
    write_file_atomically(damaged / "ring/ring_0001.png",
                          std::string_view(whole).substr(0, whole.size() / 2));
    write_file_atomically(damaged / "square/square_0000.png", "");
    const fs::path runs = fresh("damaged-runs");
    const std::vector<std::string> words = {
        "predict",     "--model",        (models / "small.pt").string(),
        "--data",      damaged.string(), "--out",
        runs.string(), "--json"};
    for (int time = 0; time < 2;
         ++time) {  // the second time everything is stored, and the result is still partial
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 3);
        EXPECT_EQ(json::parse(outcome.out)["stores"][0]["without_score"], 3);
        EXPECT_THAT(outcome.err, HasSubstr("3 of 240"));
    }
    const Outcome scored = assay_run({"score", runs.string(), "--json"});
    EXPECT_EQ(scored.status, 3);
    EXPECT_THAT(scored.out, HasSubstr("237"));
}

TEST_F(EndToEnd, AnotherModelOfTheSameNameIsRefused) {
    const fs::path runs = fresh("other-model");
    ASSERT_EQ(assay_run(predict_words(runs)).status, 0);
    const auto before = shards(runs);
    const Outcome outcome =
        assay_run({"predict", "--model", (models / "tiny.pt").string(), "--name", "small", "--data",
                   images().string(), "--out", runs.string()});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("model"));
    EXPECT_EQ(shards(runs), before);
}

TEST_F(EndToEnd, TwoWritersOfOneStoreAreRefused) {
    const fs::path runs = fresh("busy");
    ASSERT_EQ(assay_run(predict_words(runs)).status, 0);
    fs::remove(runs / "shapes/small/shards/000000.json");
    const FileLock lock(runs / "shapes/small/lock");
    const Outcome outcome = assay_run(predict_words(runs));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("in use"));
}

TEST_F(EndToEnd, ImportedScoresGiveTheSameNumbers) {
    const fs::path runs = fresh("original");
    ASSERT_EQ(assay_run(predict_words(runs, {}, "240")).status, 0);
    // Ids and labels for the import come from the store's own item table.
    const fs::path imported = fresh("imported");
    const Outcome outcome = assay_run({"import", (runs / "shapes/small/shards/000000.npy").string(),
                                       "--items", (runs / "shapes/items.csv").string(), "--classes",
                                       (models / "shapes.txt").string(), "--dataset-name", "shapes",
                                       "--name", "small", "--out", imported.string()});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(score(runs).at("measurements"), score(imported).at("measurements"));
}

TEST_F(EndToEnd, AGateThatBreaksEndsWith1) {
    const fs::path runs = fresh("gate");
    ASSERT_EQ(assay_run(predict_words(runs, {"--model", (models / "tiny.pt").string()})).status, 0);
    const std::string a = (runs / "shapes/small").string(), b = (runs / "shapes/tiny").string();
    EXPECT_EQ(assay_run({"compare", a, b, "--gate", "top1.delta >= -0.005"}).status,
              1);  // the model `tiny` is far worse
    EXPECT_EQ(assay_run({"compare", b, a, "--gate", "top1.delta >= -0.005"}).status, 0);
    EXPECT_EQ(assay_run({"compare", a, b, "--gate", "topp1 >= 0"}).status, 2);
}

TEST_F(EndToEnd, OneFileRunsEverything) {
    const fs::path folder = fresh("plan");
    fs::create_directories(folder);
    write_file_atomically(folder / "assay.toml",
                          "out = 'runs'\n[[model]]\npath = '" + (models / "small.pt").string() +
                              "'\n[[model]]\npath = '" + (models / "tiny.pt").string() +
                              "'\n[[data]]\npath = '" + images().string() +
                              "'\n[score]\n[compare]\ngate = ['top1.delta >= -0.005']\n");
    const Outcome outcome = assay_run({"run", (folder / "assay.toml").string()});
    // the gate fails, because `tiny` is far worse than `small`
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("top1"));
    EXPECT_TRUE(fs::exists(folder / "runs/run.json"));
    EXPECT_EQ(json::parse(slurp(folder / "runs/run.json")).at("models").size(), 2U);
}

// [gap], [labels] and [replicate] give the same results as the commands on the same stores.
TEST_F(EndToEnd, OneFileRunsWhatReadsTwoDataSets) {
    const fs::path folder = fresh("plan-of-two");
    fs::create_directories(folder);
    const auto data = [&](const std::string& name) {
        return "[[data]]\npath = '" + images().string() + "'\nname = '" + name + "'\n";
    };
    const auto frequencies = [&](const std::string& name, int shift) {
        std::string text = "image,label,annotators,selected\n";
        const PredictionStore store = PredictionStore::open(folder / "runs/v1/small");
        for (std::size_t i = 0; i < store.rows(); ++i)
            text += std::string(store.dataset().ids[i]) + ",shape,20," +
                    std::to_string(shift + static_cast<int>(i * 7 % 13)) + "\n";
        write_file_atomically(folder / name, text);
    };
    const std::string models_and_data =
        "out = 'runs'\n[[model]]\npath = '" + (models / "small.pt").string() +
        "'\n[[model]]\npath = '" + (models / "tiny.pt").string() + "'\n" + data("v1") + data("v2");
    const auto run = [&](const std::string& steps) {
        write_file_atomically(folder / "assay.toml", models_and_data + steps);
        return assay_run({"run", (folder / "assay.toml").string()});
    };
    // Data sets that are not predicted yet.
    const Outcome first =
        run("[gap]\njson = true\noutput = 'gap.json'\n"
            "[labels]\npath = 'runs/v1'\nquestions = 'questions.csv'\n");
    ASSERT_EQ(first.status, 0) << first.err;
    const auto at = [&](const char* name) { return (folder / name).string(); };
    const Outcome gap = assay_run({"gap", at("runs/v1"), at("runs/v2"), "--json"});
    EXPECT_EQ(json::parse(slurp(folder / "gap.json")), json::parse(gap.out));
    EXPECT_TRUE(fs::exists(folder / "questions.csv"));

    frequencies("original.csv", 7);
    frequencies("replication.csv", 5);
    const std::string replicate =
        "[replicate]\noriginal = 'original.csv'\nreplication = 'replication.csv'\n"
        "units = 'image'\njson = true\noutput = 'adjusted.json'\n";
    const Outcome adjusted =
        assay_run({"replicate", "adjust", at("original.csv"), at("replication.csv"), "--hits",
                   at("runs/v1"), at("runs/v2"), "--units", "image", "--json"});
    ASSERT_EQ(adjusted.status, 0) << adjusted.err;
    for (const std::string hits : {"", "hits = ['v1', 'v2']\n", "hits = ['runs/v1', 'v2']\n"}) {
        fs::remove(folder / "adjusted.json");
        const Outcome outcome = run(replicate + hits);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(json::parse(slurp(folder / "adjusted.json")), json::parse(adjusted.out)) << hits;
    }
}

// [patchml] makes composites, which are then predicted without a crop. Both steps give the same
// results as `patchml` and `predict --crop-mode none`.
TEST_F(EndToEnd, OneFileMakesCompositesAndPredictsThem) {
    const fs::path folder = fresh("plan-of-composites");
    fs::create_directories(folder);
    const std::string model = (models / "small.pt").string();
    const auto run = [&](const std::string& more) {
        write_file_atomically(folder / "assay.toml",
                              "out = 'runs'\n[[model]]\npath = '" + model +
                                  "'\ncrop_mode = 'center'\ncrop_pct = 0.5\n[[data]]\npath = '" +
                                  images().string() + "'\n" + more + "[patchml]\nwhole = '" +
                                  images().string() +
                                  "'\nout = 'made'\nk = [2, 4]\ncanvas = 64\nlimit = 3\n"
                                  "seeds = '1-2'\noutput = 'made.txt'\n"
                                  "[[score]]\npath = 'runs/patchml-seed1'\nmetrics = ['asma']\n"
                                  "subgroups = 'present'\noutput = 'asma.txt'\n"
                                  "[[score]]\npath = 'runs/shapes'\nmetrics = ['top1']\n"
                                  "output = 'top1.txt'\n");
        return assay_run({"run", (folder / "assay.toml").string()});
    };
    const auto crop_mode = [&](const fs::path& store) {
        return json::parse(slurp(store / "manifest.json"))
            .at("provenance")
            .at("model")
            .at("preprocess")
            .at("crop_mode");
    };
    const Outcome whole = run("");
    ASSERT_EQ(whole.status, 0) << whole.err;
    EXPECT_THAT(slurp(folder / "asma.txt"), HasSubstr("asma"));
    EXPECT_THAT(slurp(folder / "top1.txt"), HasSubstr("top1"));
    EXPECT_EQ(crop_mode(folder / "runs/shapes/small"), "center");
    EXPECT_EQ(crop_mode(folder / "runs/patchml-seed2/small"), "none");
    const json recorded = json::parse(slurp(folder / "runs/run.json"));
    ASSERT_EQ(recorded.at("data").size(), 3U);
    EXPECT_EQ(recorded.at("data")[2].at("crop_mode"), "none");
    EXPECT_EQ(recorded.at("score").size(), 2U);

    ASSERT_EQ(
        assay_run({"patchml", "--whole", images().string(), "--out", (folder / "by-hand").string(),
                   "--k", "2,4", "--canvas", "64", "--limit", "3", "--seed", "2"})
            .status,
        0);
    const Outcome predicted = assay_run({"predict", "--model", model, "--data",
                                         (folder / "by-hand/patchml-seed2").string(), "--crop-mode",
                                         "none", "--out", (folder / "by-hand/runs").string()});
    ASSERT_EQ(predicted.status, 0) << predicted.err;
    const PredictionStore one = PredictionStore::open(folder / "runs/patchml-seed2/small");
    const PredictionStore two = PredictionStore::open(folder / "by-hand/runs/patchml-seed2/small");
    ASSERT_EQ(one.rows(), 6U);
    const std::string shard = slurp(folder / "runs/patchml-seed2/small/shards/000000.npy");
    ASSERT_FALSE(shard.empty());
    EXPECT_EQ(shard, slurp(folder / "by-hand/runs/patchml-seed2/small/shards/000000.npy"));

    // A [[data]] table with the path of the composites overrides their preprocessing.
    fs::remove_all(folder / "runs");
    const Outcome cropped =
        run("[[data]]\npath = 'made/patchml-seed2'\nname = 'cropped'\nresize_size = 50\n");
    ASSERT_EQ(cropped.status, 0) << cropped.err;
    EXPECT_EQ(crop_mode(folder / "runs/cropped/small"), "center");
    EXPECT_FALSE(fs::exists(folder / "runs/patchml-seed2"));
    EXPECT_THAT(cropped.err, HasSubstr("on cropped: small: resize 50"));
}

TEST_F(EndToEnd, NamesOfModels) {
    const fs::path folder = fresh("names");
    for (const char* name : {"red", "blue"}) {
        fs::create_directories(folder / name);
        fs::copy(models / "small.pt", folder / name / "model.pt");
        fs::copy(models / "small.toml", folder / name / "model.toml");
        fs::copy(models / "shapes.txt", folder / name / "shapes.txt");
    }
    const auto predict = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {"predict",
                                          "--model",
                                          (folder / "red/model.pt").string(),
                                          (folder / "blue/model.pt").string(),
                                          "--data",
                                          images().string(),
                                          "--out",
                                          (folder / "runs").string(),
                                          "--first",
                                          "8",
                                          "-q"};
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words);
    };
    ASSERT_EQ(predict({}).status, 0);
    EXPECT_TRUE(fs::exists(folder / "runs/shapes-first8/red/manifest.json"));
    EXPECT_TRUE(fs::exists(folder / "runs/shapes-first8/blue/manifest.json"));
    ASSERT_EQ(predict({"--name", "one", "two"}).status, 0);
    EXPECT_TRUE(fs::exists(folder / "runs/shapes-first8/two/manifest.json"));
    const Outcome odd = predict({"--name", "one"});
    EXPECT_EQ(odd.status, 2);
    EXPECT_THAT(odd.err, HasSubstr("1 names for 2 models"));
}

// There are 240 images of 6 classes, 40 each. A sample of 24 has 4 of each class for any order of
// the folders.
TEST_F(EndToEnd, LimitIsASampleOfAllClasses) {
    const auto labels = [&](const fs::path& runs, const std::string& name) {
        const PredictionStore store = PredictionStore::open(runs / name / "small");
        const Dataset& dataset = store.dataset();
        std::map<std::int32_t, int> counts;
        for (std::size_t i = 0; i < dataset.size(); ++i) ++counts[dataset.single_label(i)];
        return counts;
    };
    const fs::path sample = fresh("sample"), first = fresh("first"), other = fresh("other");
    const Outcome limited = assay_run(predict_words(sample, {"--limit", "24"}));
    ASSERT_EQ(limited.status, 0) << limited.err;
    EXPECT_THAT(limited.err, HasSubstr("24 of 240 images, stratified by class (seed 0)"));
    for (const auto& [label, n] : labels(sample, "shapes-sample24")) EXPECT_EQ(n, 24 / 6) << label;
    ASSERT_EQ(assay_run(predict_words(first, {"--first", "24"})).status, 0);
    EXPECT_EQ(labels(first, "shapes-first24").size(), 1U);
    ASSERT_EQ(assay_run(predict_words(other, {"--limit", "24", "--sample-seed", "1"})).status, 0);
    const auto hash = [](const fs::path& data) {
        return PredictionStore::open(data / "small").spec().ids_hash;
    };
    EXPECT_NE(hash(sample / "shapes-sample24"), hash(other / "shapes-sample24-seed1"));
    EXPECT_EQ(assay_run(predict_words(first, {"--first", "3", "--limit", "3"})).status, 2);
    // The manifest has everything that may change a number.
    const json provenance =
        json::parse(slurp(sample / "shapes-sample24/small/manifest.json")).at("provenance");
    for (const char* key : {"processor", "instruction_set", "commit"})
        EXPECT_TRUE(provenance.at(key).is_string()) << key;
    EXPECT_EQ(provenance.at("memory_format"), "channels_last");
    EXPECT_FALSE(provenance.at("processor").get<std::string>().empty());
    EXPECT_GE(provenance.at("threads"), 1);
}

// Each part has its own name, and all images together have the data set's name. So no store blocks
// another.
TEST_F(EndToEnd, APilotAndThenEverything) {
    const fs::path runs = fresh("pilot");
    const auto predict = [&](const std::vector<std::string>& more) {
        Outcome outcome = assay_run(predict_words(runs, more));
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome;
    };
    EXPECT_THAT(predict({"--limit", "24"}).err,
                HasSubstr("are named `shapes-sample24` (for another name, pass --dataset-name, "));
    EXPECT_THAT(predict({"--first", "8"}).err, HasSubstr("are named `shapes-first8`"));
    predict({"--limit", "24", "--sample-seed", "3"});
    predict({"--limit", "8", "--dataset-name", "mine"});
    EXPECT_THAT(predict({}).err, Not(HasSubstr("are called")));
    EXPECT_THAT(predict({"--limit", "240"}).err, HasSubstr("everything was already computed"));
    EXPECT_THAT(predict({"--first", "240"}).err, HasSubstr("everything was already computed"));
    EXPECT_THAT(predict({"--limit", "24"}).err, HasSubstr("everything was already computed"));
    std::map<std::string, std::uint64_t> rows;
    for (const fs::path& store : find_stores(runs))
        rows[store.parent_path().filename().string()] = PredictionStore::open(store).rows();
    EXPECT_EQ(rows, (std::map<std::string, std::uint64_t>{{"mine", 8},
                                                          {"shapes", 240},
                                                          {"shapes-first8", 8},
                                                          {"shapes-sample24", 24},
                                                          {"shapes-sample24-seed3", 24}}));
    // Each part keeps its own numbers.
    const Outcome scored = assay_run({"score", runs.string(), "--metrics", "top1", "--json"});
    ASSERT_EQ(scored.status, 0) << scored.err;
    std::map<std::string, int> n;
    const json result = json::parse(scored.out);
    for (const json& m : result.at("measurements")) n[m.at("dataset")] = m.at("n");
    EXPECT_EQ(n["shapes"], 240);
    EXPECT_EQ(n["shapes-sample24"], 24);
}

// The layout of stores from before parts had their own names.
TEST_F(EndToEnd, APilotUnderTheNameOfTheWholeGoesOn) {
    const fs::path runs = fresh("pilot-before");
    Outcome outcome = assay_run(predict_words(runs, {"--limit", "12", "--dataset-name", "shapes"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    outcome = assay_run(predict_words(runs, {"--limit", "12"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("resumes " + (runs / "shapes").string()));
    EXPECT_THAT(outcome.err, HasSubstr("everything was already computed"));
    EXPECT_FALSE(fs::exists(runs / "shapes-sample12"));
}

TEST_F(EndToEnd, APilotByAssayTomlAndThenEverything) {
    const fs::path folder = fresh("pilot-toml");
    make_folders(folder);
    const auto run = [&](const std::string& limit) {
        write_file_atomically(folder / "assay.toml",
                              "out = 'runs'\n[[model]]\npath = '" + (models / "small.pt").string() +
                                  "'\n[[data]]\npath = '" + images().string() + "'\n" + limit +
                                  "[score]\npath = 'runs/shapes'\nmetrics = ['top1']\n");
        const Outcome outcome = assay_run(
            {"run", (folder / "assay.toml").string(), "--out", (folder / "runs").string()});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_THAT(run("first = 8\n"), HasSubstr("shapes-first8"));
    const json recorded = json::parse(slurp(folder / "runs/run.json"));
    EXPECT_EQ(recorded.at("data").at(0).at("name"), "shapes-first8");
    run("");
    EXPECT_EQ(PredictionStore::open(folder / "runs/shapes/small").rows(), 240U);
    EXPECT_EQ(PredictionStore::open(folder / "runs/shapes-first8/small").rows(), 8U);
    // The name in the file is used for the pilot, even if a store of that name exists.
    const std::string again = run("first = 8\n");
    EXPECT_THAT(again, HasSubstr("shapes-first8"));
    EXPECT_THAT(again, Not(HasSubstr("240")));
}

TEST_F(EndToEnd, AttacksOfAPilotAndOfEverything) {
    const fs::path runs = fresh("pilot-attacked");
    const auto attack = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {
            "attack", "--model",         (models / "small.pt").string(),
            "--data", images().string(), "--attack",
            "fgsm",   "--eps",           "2/255",
            "--out",  runs.string(),     "-q"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
    };
    attack({"--limit", "12"});
    attack({"--limit", "24"});
    EXPECT_TRUE(fs::exists(runs / "shapes-sample12/small@fgsm-linf-2_255"));
    EXPECT_TRUE(fs::exists(runs / "shapes-sample24/small@fgsm-linf-2_255"));
}

TEST_F(EndToEnd, UntilIsWiderThanThePilot) {
    const fs::path runs = fresh("until");
    // 240 images are fewer than a pilot sample, so all are used.
    const Outcome all = assay_run(predict_words(runs, {"--until", "half_width(top1) <= 5%"}));
    ASSERT_EQ(all.status, 0) << all.err;
    EXPECT_THAT(all.err, HasSubstr("240 of 240 images"));
    EXPECT_EQ(PredictionStore::open(runs / "shapes/small").rows(), 240U);
    EXPECT_EQ(assay_run(predict_words(runs, {"--until", "top1 <= 5%"})).status, 2);
    EXPECT_EQ(assay_run(predict_words(runs, {"--until", "half_width(top1) <= 5%", "--limit", "9"}))
                  .status,
              2);
}

TEST_F(EndToEnd, AttackedImagesArePredictedAsTheReportSaysAfterAKillToo) {
    const fs::path runs = fresh("attacked"), images_of_pgd = fresh("adversarial/pgd-linf-2_255");
    make_folders(images_of_pgd.parent_path().parent_path());
    const auto attack = [&](const fs::path& out, const fs::path& folder) {
        return std::vector<std::string>{"attack",
                                        "--model",
                                        (models / "small.pt").string(),
                                        "--data",
                                        images().string(),
                                        "--attack",
                                        "pgd",
                                        "--eps",
                                        "2/255",
                                        "--out",
                                        out.string(),
                                        "--save-images",
                                        folder.string(),
                                        "--save-format",
                                        "png",
                                        "--shard-rows",
                                        "120",
                                        "-q",
                                        "--json"};
    };
    const auto words = attack(runs, images_of_pgd.parent_path());
    std::vector<std::string> program = {ASSAY_PROGRAM};
    program.insert(program.end(), words.begin(), words.end());
    {
        Program killed(program);
        killed.runs_until([&] { return fs::exists(runs / "shapes/small@pgd-linf-2_255/counts"); });
        ::kill(killed.pid(), SIGKILL);
        killed.wait();
    }
    const Outcome made = assay_run(words);
    ASSERT_EQ(made.status, 0) << made.err;
    const json cell = json::parse(made.out)["models"][0]["attacks"][1];
    EXPECT_EQ(cell["attacked"], json::parse(made.out)["models"][0]["correct"]);
    ASSERT_TRUE(cell["saved"].is_object()) << cell;
    const fs::path whole = fresh("whole-adversarial");
    const Outcome undisturbed = assay_run(attack(fresh("attacked-whole"), whole));
    ASSERT_EQ(undisturbed.status, 0) << undisturbed.err;
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(whole)) {
        if (!entry.is_regular_file()) continue;
        ++files;
        const fs::path other = images_of_pgd.parent_path() / fs::relative(entry.path(), whole);
        EXPECT_EQ(slurp(entry.path()), slurp(other)) << other;
    }
    EXPECT_GT(files, 40U);

    const Outcome predicted =
        assay_run({"predict", "--model", (models / "small.pt").string(), "--data",
                   images_of_pgd.string(), "--crop-mode", "none", "--out", runs.string(), "-q"});
    ASSERT_EQ(predicted.status, 0) << predicted.err;
    const json scored = score(runs / "pgd-linf-2_255");
    const auto top1 = std::ranges::find_if(scored.at("measurements"),
                                           [](const json& m) { return m.at("metric") == "top1"; });
    ASSERT_NE(top1, scored.at("measurements").end());
    EXPECT_EQ(top1->at("value"), cell["saved"]["accuracy"]["value"]);
}

TEST_F(EndToEnd, CheckSaysByItsStatusThatSomethingIsWrong) {
    const Outcome outcome = assay_run({"check", "--model", (models / "small.pt").string(), "--data",
                                       images().string(), "--outputs", "probabilities"});
    EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("outputs are declared as probabilities"), std::string::npos);
}

TEST_F(EndToEnd, CheckNamesDataSetsAsTheirResultsAre) {
    const fs::path folder = fresh("check-names");
    for (const char* name : {"blur", "noise"}) {
        fs::create_directories(folder / name);
        fs::copy(images(), folder / name / "1", fs::copy_options::recursive);
    }
    const auto named = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"check", "--model", (models / "small.pt").string(), "--sample",
                                     "8", "--json"});
        const Outcome outcome = assay_run(words);
        EXPECT_LE(outcome.status, 3) << outcome.err;
        const json result = json::parse(outcome.out);
        std::set<std::string> names;
        for (const json& finding : result.at("findings")) names.insert(finding.at("dataset"));
        return names;
    };
    const std::string blur = (folder / "blur/1").string(), noise = (folder / "noise/1").string();
    EXPECT_THAT(named({"--data", blur, "--data", noise}),
                testing::ElementsAre("blur_1", "noise_1"));
    EXPECT_THAT(named({"--data", blur + "/"}), testing::ElementsAre("1"));
    EXPECT_THAT(named({"--data", blur, "--dataset-name", "mine"}), testing::ElementsAre("mine"));
}

TEST_F(EndToEnd, CheckFindsASoundPairSound) {
    const Outcome outcome = assay_run(
        {"check", "--model", (models / "small.pt").string(), "--data", images().string()});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace assay
