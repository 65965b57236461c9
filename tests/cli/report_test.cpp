// assay report as a user types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/paths.h"
#include "program.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Two models on one data set, where the second misses every third image.
class ReportCommand : public testing::Test {
protected:
    void SetUp() override {
        std::string items = "path,labels\n";
        for (int i = 0; i < 30; ++i)
            items += "p" + std::to_string(i) + ".png," + (i % 2 == 0 ? "cat" : "dog") + "\n";
        write_file_atomically(folder_ / "items.csv", items);
        import("good", 30);
        import("bad", 3);
    }
    void import(const std::string& name, int every) {
        std::string scores = "path,cat,dog\n";
        for (int i = 0; i < 30; ++i) {
            const bool cat = (i % 2 == 0) != (i % every == 0);
            scores += "p" + std::to_string(i) + ".png," + (cat ? "2,0\n" : "0,2\n");
        }
        write_file_atomically(folder_ / "scores.csv", scores);
        const Outcome made = assay_run({"import", folder_ / "scores.csv", "--items",
                                        folder_ / "items.csv", "--dataset-name", "val", "--name",
                                        name, "--kind", "logits", "--out", folder_ / "runs", "-q"});
        ASSERT_EQ(made.status, 0) << made.err;
    }
    Scratch folder_;
};

TEST_F(ReportCommand, WritesAPageAndSaysWhatItHolds) {
    const std::vector<std::string> words = {"report", folder_ / "runs", "--out", folder_ / "x.html",
                                            "-q"};
    const Outcome made = assay_run(words);
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.out, HasSubstr("assay.scores/2"));
    EXPECT_THAT(made.out, HasSubstr("2 results of 2 stores"));
    EXPECT_THAT(made.out, HasSubstr("The report is " + (folder_ / "x.html").string()));
    const std::string page = read_text(folder_ / "x.html");
    EXPECT_THAT(page, HasSubstr("<title>Assay report</title>"));
    EXPECT_EQ(assay_run(words).status, 0);
    EXPECT_EQ(read_text(folder_ / "x.html"), page);
}

TEST_F(ReportCommand, PrintsTheDocumentAndWritesNoPageUnlessAsked) {
    const Outcome made = assay_run({"report", folder_ / "runs", "--json", "-q", "--title", "T"});
    EXPECT_EQ(made.status, 0) << made.err;
    const json document = json::parse(made.out);
    EXPECT_EQ(document["schema"], "assay.report/1");
    EXPECT_EQ(document["title"], "T");
    EXPECT_THAT(document["provenance"]["command"].get<std::string>(), HasSubstr("report"));
    EXPECT_EQ(document["best"][0]["best"], "good");
    EXPECT_FALSE(is_there("report.html"));
    const Outcome both =
        assay_run({"report", folder_ / "runs", "--json", "--out", folder_ / "both.html", "-q"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_TRUE(is_there(folder_ / "both.html"));
}

TEST_F(ReportCommand, TakesWhatOtherCommandsPrinted) {
    const Outcome scored =
        assay_run({"score", folder_ / "runs", "--json", "-o", folder_ / "scores.json"});
    ASSERT_EQ(scored.status, 0) << scored.err;
    const Outcome made = assay_run({"report", folder_ / "scores.json", "--json", "-q"});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(json::parse(made.out)["results"][0]["result"],
              json::parse(read_text(folder_ / "scores.json")));
}

TEST_F(ReportCommand, RefusesBeforeItMeasures) {
    write_file_atomically(folder_ / "mine.html", "<title>Mine</title>");
    const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
        {{"--out", folder_ / "mine.html"}, "is not a report"},
        {{"--out", folder_ / "runs"}, "other files than a report"},
        {{"--out", folder_ / "none/x.html"}, "does not exist"},
        {{"-o", folder_ / "x.html"}, "--out"},
        {{"--out", "-"}, "--json"},
        {{"--tags", folder_ / "none.csv"}, "none.csv"},
        {{"--gate", "top1 >= 0"}, "unexpected"},
        {{"--metrics", "tpo1"}, "top1"},
    };
    for (const auto& [options, message] : refused) {
        std::vector<std::string> words = {"report", folder_ / "runs", "-q"};
        words.insert(words.end(), options.begin(), options.end());
        const Outcome made = assay_run(words);
        EXPECT_EQ(made.status, 2) << options[0] << made.out;
        EXPECT_THAT(made.err, HasSubstr(message));
    }
    EXPECT_EQ(read_text(folder_ / "mine.html"), "<title>Mine</title>");
}

TEST_F(ReportCommand, AFullDiskLeavesTheReportBeforeIt) {
    const std::string page = folder_ / "x.html";
    const std::string command =
        std::string(ASSAY_PROGRAM) + " report " + (folder_ / "runs").string() + " -q --out " + page;
    ASSERT_EQ(Program({"/bin/sh", "-c", command}).wait().status, 0);
    const std::string before = read_text(page);
    import("third", 5);
    const Outcome stopped = Program({"/bin/sh", "-c", "ulimit -f 8; exec " + command}).wait();
    EXPECT_EQ(stopped.status, 2) << stopped.out;
    EXPECT_EQ(read_text(page), before);
    for (const auto& entry : entries_of(folder_.path()))
        EXPECT_THAT(entry.filename().string(), Not(HasSubstr(".tmp")));
    ASSERT_EQ(Program({"/bin/sh", "-c", command}).wait().status, 0);
    EXPECT_NE(read_text(page), before);
}

TEST_F(ReportCommand, UnreadScoresEndWithStatus3) {
    std::filesystem::remove(folder_ / "runs/val/bad/shards/000000.json");
    const Outcome made = assay_run({"report", folder_ / "runs", "--out", folder_ / "x.html", "-q"});
    EXPECT_EQ(made.status, 3) << made.err;
    EXPECT_TRUE(is_there(folder_ / "x.html"));
}

}  // namespace
}  // namespace assay
