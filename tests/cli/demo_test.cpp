// Runs the demo from end to end. Its classifiers must show their known properties beyond the error
// bars, and its numbers must equal a slow count from the known truth. All tests of this program
// share one synthetic data set, which takes long to make. So ctest runs the program as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "assay/store/prediction_store.h"
#include "containers/csv.h"
#include "core/hash.h"
#include "core/statistics.h"
#include "program.h"
#include "readme_blocks.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

const std::vector<std::string> networks = {"standard", "narrow",  "shape", "texture",
                                           "robust",   "overfit", "few"};

class Demo : public testing::Test {
protected:
    static void SetUpTestSuite() { scratch_ = new Scratch; }
    static void TearDownTestSuite() {
        delete scratch_;
        scratch_ = nullptr;
    }
    static fs::path world() { return *scratch_ / "my world"; }
    static std::vector<std::string> words() { return {"demo", "--dir", world().string()}; }

    /// The outcome of the demo. It is made on first use, after two runs that were stopped: one by a
    /// signal, and one killed.
    static const Outcome& walkthrough() {
        static const Outcome outcome = [] {
            stopped(SIGINT, 130, [] { return fs::exists(world() / "images/train"); });
            stopped(SIGKILL, 128 + SIGKILL,
                    [] { return fs::exists(world() / "models/few.training.json"); });
            return assay_run(words());
        }();
        return outcome;
    }
    static void stopped(int signal, int status, bool (*reached)()) {
        std::vector<std::string> all = words();
        all.insert(all.begin(), ASSAY_PROGRAM);
        Program program(all);
        EXPECT_TRUE(until([&] { return has_ended(program.pid()) || reached(); },
                          std::chrono::minutes(15)));  // the demo is training models by then
        ::kill(program.pid(), signal);
        const Outcome outcome = program.wait();
        EXPECT_EQ(outcome.status, status) << outcome.err;
    }
    static void SetUpWorld() { ASSERT_EQ(walkthrough().status, 0) << walkthrough().err; }
    void SetUp() override { SetUpWorld(); }

    static PredictionStore store(const std::string& dataset, const std::string& model) {
        return PredictionStore::open(world() / "runs" / dataset / model);
    }
    static std::vector<std::vector<float>> rows(const PredictionStore& store) {
        std::vector<std::vector<float>> all;
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const auto shard = store.shard(s);
            for (std::uint32_t i = 0; i < shard.rows; ++i) {
                EXPECT_EQ(shard.states()[i], RowState::ok);
                all.emplace_back(store.classes());
                shard.read_rows(i, 1, all.back());
            }
        }
        return all;
    }
    static std::int32_t best(const std::vector<float>& row) {
        return static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin());
    }
    static std::vector<bool> hits(const std::string& dataset, const std::string& model) {
        const PredictionStore s = store(dataset, model);
        const auto all = rows(s);
        std::vector<bool> right;
        for (std::size_t i = 0; i < all.size(); ++i)
            right.push_back(best(all[i]) == s.dataset().single_label(i));
        return right;
    }
    static std::uint64_t count(const std::vector<bool>& right) {
        return static_cast<std::uint64_t>(std::count(right.begin(), right.end(), true));
    }
    /// Newcombe's interval of the difference first - second on the same items.
    static PairedDifference difference(const std::vector<bool>& first,
                                       const std::vector<bool>& second) {
        std::uint64_t both = 0, b = 0, c = 0;
        for (std::size_t i = 0; i < first.size(); ++i) {
            both += first[i] && second[i] ? 1 : 0;
            b += first[i] && !second[i] ? 1 : 0;
            c += !first[i] && second[i] ? 1 : 0;
        }
        return paired_difference(both, b, c, first.size());
    }
    /// The ranking of the competition in the demo.
    static json ranking() {
        return assay_json({"mad", "rank", (world() / "mad").string(), "--against",
                           (world() / "truth/accuracy-unlabelled.csv").string()});
    }
    static std::map<std::string, json> by_classifier(const json& ranking) {
        std::map<std::string, json> all;
        for (const json& one : ranking.at("classifiers")) all[one.at("classifier")] = one;
        return all;
    }
    /// The accuracy on all unlabelled images, by their true labels.
    static std::map<std::string, double> known_accuracies() {
        const std::string text = slurp(world() / "truth/accuracy-unlabelled.csv");
        CsvReader row(text, "accuracies");
        std::map<std::string, double> of;
        while (row.next()) of[std::string(row[0])] = std::stod(std::string(row[1]));
        return of;
    }
    /// The rows of a table that a competition exports, by the names in its header.
    static std::vector<std::map<std::string, std::string>> exported(const fs::path& competition,
                                                                    const std::string& table) {
        const Scratch out;
        const Outcome outcome =
            assay_run({"mad", "export", competition.string(), "--out", (out / "x").string()});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const std::string text = slurp(out / "x" / table);
        CsvReader row(text, table);
        std::vector<std::map<std::string, std::string>> rows;
        while (row.next()) {
            rows.emplace_back();
            for (std::size_t c = 0; c < row.columns().size(); ++c)
                rows.back()[row.columns()[c]] = std::string(row[c]);
        }
        return rows;
    }
    static json assay_json(std::vector<std::string> command) {
        command.emplace_back("--json");
        const Outcome outcome = assay_run(command);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return json::parse(outcome.out);
    }

private:
    static Scratch* scratch_;
};
Scratch* Demo::scratch_ = nullptr;

TEST_F(Demo, ShowsWhatItDoes) {
    const std::string& out = walkthrough().out;
    for (const char* part :
         {"1. A synthetic data set", "$ assay predict -m ", "$ assay score ", "$ assay compare ",
          "world.png", "overfit-scaled", "shape bias %", "$ assay mad init ", "$ assay mad select ",
          "$ assay mad questions ", "$ assay mad answers ", "$ assay mad rank ", "$ assay mad add ",
          "$ assay mad gallery ", "    assay serve "})
        EXPECT_THAT(out, HasSubstr(part));
    // The page that the last lines start has questions to answer.
    const json yours = assay_json({"mad", "status", (world() / "mad-yours").string()});
    EXPECT_GE(yours.at("open").get<int>(), 20);
    EXPECT_EQ(yours.at("settled"), 0);
    EXPECT_TRUE(fs::exists(world() / "world.png"));
    EXPECT_TRUE(fs::exists(world() / "mad-sheets/standard--few.png"));
}

// The accuracies of trained networks depend on the machine; their sizes and the columns do not.
TEST_F(Demo, TheTutorialShowsItsTable) {
    const std::vector<std::string> printed = unaligned(lines_of(walkthrough().out));
    const std::vector<std::string> shown = unaligned(block_with("shape bias %"));
    // On a terminal these are two tables. Each has a head, a line below it and eight models.
    ASSERT_EQ(shown.size(), 20U);
    EXPECT_THAT(printed, testing::Contains(shown[0] + shown[10].substr(shown[10].find(' '))));
    for (std::size_t i = 2; i < 10; ++i) {
        const std::string size = shown[i].substr(0, shown[i].find(" k ") + 3);
        EXPECT_THAT(printed, testing::Contains(testing::StartsWith(size)));
        const std::string model = shown[i].substr(0, shown[i].find(' ') + 1);
        EXPECT_THAT(shown[i + 10], testing::StartsWith(model));
    }
}

TEST_F(Demo, ThePrintedCommandsAreTheUsers) {
    // Runs the first `score` of the demo in a real shell, in the folder of the demo. The output
    // must be the same.
    const std::string& out = walkthrough().out;
    const std::size_t begin = out.find("\n$ assay score ");
    ASSERT_NE(begin, std::string::npos);
    const std::size_t line_end = out.find('\n', begin + 1);
    const std::string line = out.substr(begin + 3, line_end - begin - 3);
    const fs::path folder = fs::path(ASSAY_PROGRAM).parent_path();
    const Outcome again =
        Program({"/bin/sh", "-c", line}, {"PATH=" + folder.string() + ":/usr/bin:/bin"}).wait();
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(out.substr(line_end + 1, again.out.size()), again.out);
    EXPECT_THAT(slurp(world() / "commands.sh"), HasSubstr("\n" + line + "\n"));
    // The user runs all quality dimensions.
    const Outcome plan = assay_run({"quality", "run", (world() / "assay.toml").string(), "--plan"});
    EXPECT_EQ(plan.status, 0) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("cue-conflict"));
    EXPECT_THAT(plan.out, testing::Not(HasSubstr("Missing")));
}

TEST_F(Demo, EveryImageHasAScore) {
    std::size_t stores = 0;
    for (const auto& folder : find_stores(world() / "runs")) {
        const PredictionStore s = PredictionStore::open(folder);
        EXPECT_TRUE(s.complete()) << folder;
        EXPECT_TRUE(verify_store(folder).empty()) << folder;
        std::size_t images = 0;
        const std::string name = s.spec().dataset_name;
        const fs::path made = world() / (name.starts_with("patchml") ? "patchml" : "images") / name;
        for (const auto& entry : fs::recursive_directory_iterator(made))
            images += entry.path().extension() == ".png" ? 1 : 0;
        EXPECT_EQ(s.rows(), images) << folder;
        if (s.spec().storage == StorageFormat::label)
            EXPECT_EQ(name, "unlabelled");
        else
            EXPECT_EQ(rows(s).size(), images);
        ++stores;
    }
    // Every network predicts thirteen data sets, and two networks predict the composites.
    EXPECT_EQ(stores, 13U * (networks.size() + 1) + 2);
}

TEST_F(Demo, TheNewCollectionIsHarder) {
    // For each image, the proportion of networks that are correct on it. The two data sets are
    // independent samples of images.
    const auto shares = [](const std::string& dataset) {
        std::vector<double> sum;
        for (const std::string& model : networks) {
            const auto right = hits(dataset, model);
            sum.resize(right.size());
            for (std::size_t i = 0; i < right.size(); ++i)
                sum[i] += right[i] ? 1.0 / static_cast<double>(networks.size()) : 0;
        }
        return sum;
    };
    const auto mean = [](const std::vector<double>& x) {
        return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    };
    const auto variance_of_mean = [&](const std::vector<double>& x) {
        double sum = 0;
        for (const double v : x) sum += (v - mean(x)) * (v - mean(x));
        const auto n = static_cast<double>(x.size());
        return sum / (n - 1) / n;
    };
    const std::vector<double> v1 = shares("v1"), v2 = shares("v2");
    const double error = std::sqrt(variance_of_mean(v1) + variance_of_mean(v2));
    EXPECT_GT(mean(v1) - mean(v2), 2.0 * error)
        << mean(v1) << " and " << mean(v2) << ", standard error " << error;
}

TEST_F(Demo, TheGapOfTheNewCollectionIsSelection) {
    const auto path = [](const std::string& name) { return (world() / name).string(); };
    const json report = assay_json({"replicate", "adjust", path("truth/selections-v1.csv"),
                                    path("truth/selections-v2.csv"), "--hits", path("runs/v1"),
                                    path("runs/v2"), "--clean"});
    const json& gap = report["methods"][0]["mean"]["gap"];
    EXPECT_GT(gap["gap"]["interval"]["low"], 0.0);
    EXPECT_GT(gap["selection_bias"]["interval"]["low"], 0.0);
    // Computes the selection bias from the true selection rates, which no annotator knows, as the
    // accuracy on v2 in each fiftieth of the rates of v1.
    const auto rates = [&](const std::string& set) {
        const std::string text = slurp(world() / "truth" / (set + ".csv"));
        CsvReader reader(text, set);
        std::map<std::string, double> of;
        while (reader.next())
            of[std::string(reader[0])] =
                std::stod(std::string(reader[reader.column({"selection_rate"})]));
        return of;
    };
    const auto one = rates("v1"), two = rates("v2");
    std::vector<double> edges;
    for (const auto& [image, rate] : one) edges.push_back(rate);
    std::sort(edges.begin(), edges.end());
    constexpr std::size_t bins = 50;
    const auto bin_of = [&](double rate) {
        const auto below = std::lower_bound(edges.begin(), edges.end(), rate) - edges.begin();
        return std::min(bins - 1, static_cast<std::size_t>(below) * bins / edges.size());
    };
    const json& classifiers = report["methods"][0]["classifiers"];
    double selection = 0;  // the part of the gap, averaged over the classifiers
    for (const json& classifier : classifiers) {
        const std::string name = classifier["name"];
        const PredictionStore s = store("v2", name);
        const auto right = hits("v2", name);
        std::vector<double> sum(bins, 0), size(bins, 0);
        double raw = 0;
        for (std::size_t i = 0; i < right.size(); ++i) {
            const std::size_t bin = bin_of(two.at(std::string(s.dataset().ids[i])));
            sum[bin] += right[i] ? 1 : 0;
            size[bin] += 1;
            raw += right[i] ? 1.0 / static_cast<double>(right.size()) : 0;
        }
        double truth = 0;
        for (std::size_t b = 0; b < bins; ++b) {
            ASSERT_GT(size[b], 0);
            truth += sum[b] / size[b] / bins;
        }
        selection += (truth - raw) / static_cast<double>(classifiers.size());
    }
    const double found = gap["selection_bias"]["value"],
                 error = gap["selection_bias"]["standard_error"];
    EXPECT_LT(std::abs(found - selection), 3 * error) << found << " and in truth " << selection;
    // The trivial answers fail: that selection explains nothing of the gap, or all of it.
    EXPECT_GT(selection, 3 * error);
    EXPECT_GT(gap["gap"]["value"].get<double>() - selection, 3 * error);
}

TEST_F(Demo, FewImagesMakeTheWorst) {
    const auto few = hits("v1", "few");
    for (const std::string& other : networks) {
        if (other == "few") continue;
        EXPECT_GT(difference(hits("v1", other), few).interval.low, 0) << other;
    }
}

TEST_F(Demo, ShapeAndTextureShowInTheCueConflict) {
    struct Cues {
        std::uint64_t shape = 0, texture = 0;
        double bias() const {
            return static_cast<double>(shape) / static_cast<double>(shape + texture);
        }
        double variance() const {
            return bias() * (1 - bias()) / static_cast<double>(shape + texture);
        }
    };
    std::map<std::string, Cues> cues;
    for (const std::string& model : networks) {
        const PredictionStore s = store("cue-conflict", model);
        const auto all = rows(s);
        for (std::size_t i = 0; i < all.size(); ++i) {
            // an id such as "bird/bird3-cat12.png"
            const std::string name = fs::path(std::string(s.dataset().ids[i])).stem().string();
            const auto class_of = [&](std::string part) {
                part.resize(part.find_first_of("0123456789"));
                return s.dataset().classes.find(part).value();
            };
            const std::int32_t outline = class_of(name.substr(0, name.find('-')));
            const std::int32_t surface = class_of(name.substr(name.find('-') + 1));
            ASSERT_NE(outline, surface) << name;
            cues[model].shape += best(all[i]) == outline ? 1 : 0;
            cues[model].texture += best(all[i]) == surface ? 1 : 0;
        }
        ASSERT_GT(cues[model].shape + cues[model].texture, 20U) << model;
    }
    // The number of standard errors by which the first value is above the second.
    const auto above = [&](const std::string& first, const std::string& second) {
        return (cues[first].bias() - cues[second].bias()) /
               std::sqrt(cues[first].variance() + cues[second].variance());
    };
    for (const std::string& model : networks) {
        SCOPED_TRACE(model + " " + std::to_string(cues[model].bias()));
        // One-sided tests at 5 %. The network `shape` has the largest shape bias of all. The
        // network `texture` has the smallest of those that learned from all images.
        if (model != "shape") {
            EXPECT_GT(above("shape", model), 1.645);
        }
        if (model != "texture" && model != "few") {
            EXPECT_GT(above(model, "texture"), 1.645);
        }
    }
}

TEST_F(Demo, TrainingOnAttackedImagesHelpsUnderAttack) {
    std::map<std::string, json> report;
    for (const std::string& model : networks)
        report[model] =
            json::parse(slurp(world() / "models" / (model + ".training.json"))).at("report");
    const auto kept =
        // of the images that were correct before the attack, the proportion that is correct after
        // it
        [&](const std::string& model) {
            return wilson(report[model]["held_out_right_attacked"],
                          report[model]["held_out_right"]);
        };
    for (const std::string& model : networks) {
        if (model == "robust") continue;
        EXPECT_GT(kept("robust").low, kept(model).high) << model;
    }
}

TEST_F(Demo, TrainingOnAttackedImagesHelpsUnderAStrongerAttack) {
    const json all = assay_json({"attack", "--model", (world() / "models/standard.pt").string(),
                                 "--model", (world() / "models/robust.pt").string(), "--data",
                                 (world() / "images/v1").string(), "--limit", "64", "--attack",
                                 "apgd-ce", "--eps", "4/255", "--shard-rows", "64", "--out",
                                 (world() / "attacked").string(), "-q"});
    // About 45 images are classified correctly without an attack. Under attack, about 20 % and 75 %
    // of them still are.
    const auto ratio = [&](std::size_t model) {
        const json& cell = all.at("models").at(model).at("attacks").at(1);
        EXPECT_EQ(cell.at("attack"), "apgd-ce");
        return cell.at("ratio").at("interval");
    };
    EXPECT_LT(ratio(0).at("high"), ratio(1).at("low"));
}

TEST_F(Demo, TheTemperatureMendsTheProbabilitiesAndNoAnswer) {
    const json all =
        assay_json({"compare", (world() / "runs/v1/overfit").string(),
                    (world() / "runs/v1/overfit-scaled").string(), "--metrics", "top1,nll,ece"});
    std::map<std::string, json> by_metric;
    for (const json& m : all.at("pairs").at(0).at("metrics")) by_metric[m.at("metric")] = m;
    EXPECT_EQ(by_metric.at("top1").at("difference").at("value"), 0);
    EXPECT_LT(by_metric.at("nll").at("difference").at("interval").at("high"), 0);
    EXPECT_LT(by_metric.at("ece").at("difference").at("interval").at("high"), 0);
}

TEST_F(Demo, MultiLabelRecallIsTheCountByHand) {
    const PredictionStore s = store("multi", "standard");
    const auto all = rows(s);
    double sum = 0;
    std::size_t items = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto labels = s.dataset().labels[i];
        if (labels.empty()) continue;
        std::vector<std::int32_t> order(all[i].size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return all[i][a] > all[i][b]; });
        double found = 0;
        for (std::size_t k = 0; k < labels.size(); ++k)
            found += std::count(labels.begin(), labels.end(), order[k]) > 0 ? 1 : 0;
        sum += found / static_cast<double>(labels.size());
        ++items;
    }
    ASSERT_GT(items, 100U);
    const json score = assay_json(
        {"score", (world() / "runs/multi/standard").string(), "--metrics", "variable_topk"});
    EXPECT_NEAR(score.at("measurements").at(0).at("value"), sum / static_cast<double>(items),
                1e-12);
}

TEST_F(Demo, TheCompetitionRanksAsTheTruthDoes) {
    const json all = ranking();
    std::map<std::string, json> of = by_classifier(all);
    ASSERT_EQ(of.size(), networks.size() + 1);
    EXPECT_EQ(all.at("settled"), all.at("questions"));
    EXPECT_EQ(of.at("few").at("place"), 8);
    EXPECT_GE(of.at("few").at("rank").at("interval").at("low"), 7);
    EXPECT_LE(of.at("standard").at("rank").at("interval").at("low"), 1);
    EXPECT_LE(of.at("standard").at("place_interval").at("low"), 1);
    bool compared = false;
    for (const json& one : all.at("comparisons")) {
        if (one.at("with").get<std::string>().find("accuracy-unlabelled") == std::string::npos)
            continue;
        compared = true;
        // The correlation is .97 here. It is .95 and .92 in the data sets of the seeds 2 and 3, and
        // .85 to .99 on halves of the images.
        EXPECT_GE(one.at("srcc").at("value"), 0.8);
    }
    EXPECT_TRUE(compared);
}

TEST_F(Demo, TheControlSampleShowsTheAccuracyOnAllImages) {
    const std::map<std::string, double> known = known_accuracies();
    const json all = ranking();
    for (const auto& [name, one] : by_classifier(all)) {
        const json& accuracy = one.at("accuracy");
        const double half = (accuracy.at("interval").at("high").get<double>() -
                             accuracy.at("interval").at("low").get<double>()) /
                            2;
        // Four standard errors are twice the half width of a 95 % interval.
        EXPECT_NEAR(accuracy.at("value"), known.at(name), 2 * half) << name;
        EXPECT_LT(half, 0.12) << name;
    }
}

TEST_F(Demo, TheCrowdIsSettledAndMostlyCorrect) {
    std::map<std::string, std::string> labels;  // the annotators of each image, separated by blanks
    {
        const std::string text = slurp(world() / "truth/unlabelled.csv");
        CsvReader row(text, "truth");
        while (row.next()) labels[std::string(row[0])] = " " + std::string(row[2]) + " ";
    }
    std::size_t questions = 0, correct = 0;
    std::map<std::string, bool> there;
    for (auto& row : exported(world() / "mad", "questions.csv")) {
        there[row["question"]] =
            labels.at(row["image"]).find(" " + row["label"] + " ") != std::string::npos;
        EXPECT_EQ(row["open"], "0");
        ++questions;
        correct += row["outcome"] == (there[row["question"]] ? "yes" : "no") ? 1 : 0;
    }
    EXPECT_GT(questions, 300U);
    EXPECT_GT(static_cast<double>(correct), 0.95 * static_cast<double>(questions));
    std::string text = slurp(world() / "truth/answers-1.csv");
    const std::string second = slurp(world() / "truth/answers-2.csv");
    text += second.substr(second.find('\n') + 1);
    CsvReader row(text, "answers");
    std::map<std::string, std::vector<std::string>> who;
    std::size_t answers = 0, wrong = 0;
    while (row.next()) {
        who[std::string(row[0])].emplace_back(row[1]);
        ++answers;
        const std::string_view said = row[2];
        wrong += (said == "yes" && !there.at(std::string(row[0]))) ||
                         (said == "no" && there.at(std::string(row[0])))
                     ? 1
                     : 0;
    }
    EXPECT_EQ(who.size(), questions);
    for (auto& [question, annotators] : who) {
        std::sort(annotators.begin(), annotators.end());
        EXPECT_LE(annotators.size(), 5U);
        EXPECT_EQ(std::adjacent_find(annotators.begin(), annotators.end()), annotators.end());
    }
    // Not all annotators are careful, so most questions need no fifth answer.
    EXPECT_GT(static_cast<double>(wrong), 0.02 * static_cast<double>(answers));
    EXPECT_LT(static_cast<double>(wrong), 0.2 * static_cast<double>(answers));
    EXPECT_LT(answers, 4 * questions);
}

TEST_F(Demo, OneMoreClassifierLeavesTheOthersPairsAlone) {
    const Scratch folder;
    std::vector<std::string> init = {"mad", "init", (folder / "mad").string()};
    for (const std::string& name : networks) {
        if (name != "few") init.push_back((world() / "runs/unlabelled" / name).string());
        if (name == "overfit")
            init.push_back((world() / "runs/unlabelled/overfit-scaled").string());
    }
    init.insert(init.end(),
                {"--hierarchy", (world() / "hierarchy.json").string(), "--confident", "0.5"});
    ASSERT_EQ(assay_run(init).status, 0);
    ASSERT_EQ(assay_run({"mad", "select", (folder / "mad").string()}).status, 0);
    const auto places = [](const fs::path& competition) {
        std::vector<std::string> rows;
        for (auto& row : exported(competition, "selected.csv")) {
            if (row["first"] != "few" && row["second"] != "few" && row["state"] == "accepted")
                rows.push_back(row["first"] + " " + row["second"] + " " + row["image"] + " " +
                               row["first_label"] + " " + row["second_label"]);
        }
        std::sort(rows.begin(), rows.end());
        return rows;
    };
    const std::vector<std::string> seven = places(folder / "mad");
    EXPECT_GT(seven.size(), 200U);
    EXPECT_EQ(places(world() / "mad"), seven);
    // overfit-scaled makes the same predictions as overfit, so no image was selected for this pair.
    for (const std::string& row : seven) EXPECT_FALSE(row.starts_with("overfit overfit-scaled"));
}

TEST_F(Demo, AgainNothingIsMadeAnew) {
    const json ranked = ranking();
    const auto bits = [] {
        std::map<std::string, std::string> files;
        for (const char* name : {"answers-1", "answers-2"})
            files[name] = slurp(world() / "truth" / (std::string(name) + ".csv"));
        for (const char* folder : {"models", "runs"}) {
            for (const auto& entry : fs::recursive_directory_iterator(world() / folder)) {
                if (entry.is_regular_file() && entry.path().filename() != "lock")
                    files[entry.path().string()] = hash_file(entry.path());
            }
        }
        return files;
    };
    const auto before = bits();
    const Outcome again = assay_run(words());
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr("Trained by an earlier run."));
    EXPECT_EQ(bits(), before);
    EXPECT_EQ(ranking(), ranked);
}

/// A space after a backslash is part of a word.
std::vector<std::string> words_of_a_shell(const std::string& line) {
    std::vector<std::string> words(1);
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == ' ') {
            words.emplace_back();
        } else {
            if (line[at] == '\\') ++at;
            words.back() += line.at(at);
        }
    }
    return words;
}

TEST_F(Demo, TheCompetitionsCommandsCanBeTypedAgain) {
    const Scratch scratch;
    const std::string from = world().string() + "/mad", to = (scratch / "mad").string();
    // An interrupted demo resumes its competition, so some of its commands were not repeated.
    std::vector<std::string> init = {"mad", "init", to};
    for (const std::string& name : networks) {
        if (name != "few") init.push_back((world() / "runs/unlabelled" / name).string());
        if (name == "overfit")
            init.push_back((world() / "runs/unlabelled/overfit-scaled").string());
    }
    init.insert(init.end(), {"--hierarchy", (world() / "hierarchy.json").string(), "--confident",
                             "0.5", "--gold", "0"});
    ASSERT_EQ(assay_run(init).status, 0);
    std::istringstream commands(slurp(world() / "commands.sh"));
    int typed = 0;
    for (std::string line; std::getline(commands, line);) {
        if (!line.starts_with("assay mad ") || line.starts_with("assay mad init ")) continue;
        if (line.find("/mad-yours") != std::string::npos) continue;
        std::vector<std::string> arguments = words_of_a_shell(line);
        arguments.erase(arguments.begin());
        for (std::string& argument : arguments) {
            if (const std::size_t at = argument.find(from); at != std::string::npos)
                argument.replace(at, from.size(), to);
        }
        const Outcome outcome = assay_run(arguments);
        EXPECT_TRUE(outcome.status == 0 || outcome.status == 3) << line << "\n" << outcome.err;
        ++typed;
    }
    EXPECT_GT(typed, 9);
    EXPECT_EQ(assay_json({"mad", "status", to}).at("open"), 0);
    EXPECT_EQ(assay_json({"mad", "rank", to}).at("classifiers").size(),
              ranking().at("classifiers").size());
}

TEST_F(Demo, RefusesAnotherWorldInItsFolder) {
    std::vector<std::string> other = words();
    other.insert(other.end(), {"--seed", "2"});
    const Outcome outcome = assay_run(other);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("seed 1"));
    EXPECT_EQ(assay_run({"demo", "--size", "huge"}).status, 2);
}

#ifdef ASSAY_NOTEBOOK
// Runs the notebook of the Python package cell by cell, on this data set.
TEST_F(Demo, TheNotebookRuns) {
    Program program({ASSAY_NOTEBOOK_PYTHON, ASSAY_NOTEBOOK, "notebook"},
                    {"ASSAY_DEMO=" + world().string(), "ASSAY_LIBRARY=" ASSAY_LIBRARY_FILE,
                     "ASSAY_PROGRAM=" ASSAY_PROGRAM});
    const Outcome outcome = program.wait();
    if (outcome.status == 77) GTEST_SKIP() << outcome.out;
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("cells ran"));
}
#endif

#ifdef ASSAY_TUTORIALS
// Runs each command of docs/tutorial-*.md on this data set.
TEST_F(Demo, TheTutorialsPrintWhatTheyShow) {
    walkthrough();
    Program program({ASSAY_TUTORIALS_PYTHON, ASSAY_TUTORIALS, ASSAY_PROGRAM, world().string()});
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("tutorial-first-evaluation.md: 6 commands, 0 problems"));
}
#endif

TEST_F(Demo, SaysWhatIsMissingWithoutThePlugin) {
    const Scratch empty;
    const Outcome outcome = assay_run(words(), {"ASSAY_PLUGIN_DIR=" + empty.path().string()});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("libassay_torch.so"));
    EXPECT_THAT(outcome.err, HasSubstr("the images are in"));
}

// Must be one of the last tests, because it damages the folder and lets the demo repair it.
TEST_F(Demo, MendsItsOwnStoresAndLeavesTheUsers) {
    const fs::path runs = world() / "runs", own = runs / "edges/few", mine = runs / "sketch/mine";
    const std::string scores = slurp(own / "shards/000000.npy");
    fs::copy(runs / "sketch/few", mine, fs::copy_options::recursive);
    const Scratch elsewhere;
    fs::copy(runs / "edges/few", elsewhere / "few", fs::copy_options::recursive);
    fs::create_directory_symlink(elsewhere.path(), runs / "elsewhere");
    fs::remove(own / "manifest.json");                          // an interrupted removal
    std::ofstream(runs / "original/few/manifest.json") << "{";  // a damaged file
    fs::copy(world() / "models/standard.pt", world() / "models/few.pt",
             fs::copy_options::overwrite_existing);
    const json ranked = ranking();
    fs::remove_all(world() / "mad");
    fs::remove_all(runs / "unlabelled/narrow");
    ASSERT_EQ(assay_run({"predict", "-m", (world() / "models/standard.pt").string(), "--name",
                         "narrow", "-d", (world() / "images/unlabelled").string(), "--storage",
                         "label", "--out", runs.string(), "-q"})
                  .status,
              0);
    ASSERT_EQ(assay_run({"mad", "init", (world() / "mad").string(),
                         (runs / "unlabelled/narrow").string(), (runs / "unlabelled/few").string(),
                         "--hierarchy", (world() / "hierarchy.json").string()})
                  .status,
              0);
    const Outcome again = assay_run(words());
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(slurp(own / "shards/000000.npy"), scores);
    EXPECT_TRUE(store("original", "few").complete());
    EXPECT_TRUE(fs::exists(mine / "manifest.json"));
    EXPECT_TRUE(fs::exists(elsewhere / "few/manifest.json"));
    // The competition used the scores of another network, so it was repeated.
    EXPECT_THAT(
        again.err,
        HasSubstr("deleted the competition, because it used predictions of earlier networks"));
    EXPECT_EQ(ranking(), ranked);
    EXPECT_FALSE(fs::exists(world() / ".stale-mad"));
}

// Runs after all other tests, because it changes the answers of the competition.
TEST_F(Demo, OthersAreAskedInPlaceOfABlockedAnnotator) {
    std::map<std::string, int> said;
    for (auto& row : exported(world() / "mad", "answers.csv"))
        if (row["counts"] == "1") ++said[row["annotator"]];
    const auto most = std::max_element(
        said.begin(), said.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    ASSERT_EQ(assay_run({"mad", "block", (world() / "mad").string(), most->first}).status, 0);
    ASSERT_GT(assay_json({"mad", "status", (world() / "mad").string()}).at("open"), 0);
    // Status 3: the ranking of the first round is partial, because other annotators are asked in
    // the second one.
    const int status = assay_run(words()).status;
    ASSERT_TRUE(status == 0 || status == 3) << status;
    EXPECT_EQ(assay_json({"mad", "status", (world() / "mad").string()}).at("open"), 0);
    std::map<std::string, int> after;
    for (auto& row : exported(world() / "mad", "answers.csv"))
        if (row["counts"] == "1") ++after[row["annotator"]];
    EXPECT_EQ(after[most->first], most->second);
}

}  // namespace
}  // namespace assay
