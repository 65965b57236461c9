// Output files: what -o and similar options may name, and which files they never overwrite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view votes =
    "annotator,item,label,answer\n"
    "r1,a.jpg,cat,yes\nr2,a.jpg,cat,yes\nr1,b.jpg,dog,no\nr2,b.jpg,dog,yes\n";

std::string metrics() {
    return assay_run({"list", "metrics", "--csv"}).out;
}

Outcome metrics_to(const fs::path& file) {
    return assay_run({"list", "metrics", "--csv", "-o", file});
}

TEST(Output, ADashIsStdout) {
    EXPECT_EQ(metrics_to("-").out, metrics());
    EXPECT_FALSE(fs::exists("-"));
    const Scratch scratch;
    write_file_atomically(scratch / "votes.csv", votes);
    const Outcome sets = assay_run(
        {"labels", "aggregate", scratch / "votes.csv", "--to", "csv", "--label-sets", "-"});
    EXPECT_THAT(sets.out,
                AllOf(testing::StartsWith("path,"), testing::Not(HasSubstr("dawid-skene"))));
    EXPECT_FALSE(fs::exists("-"));
    EXPECT_EQ(
        assay_run({"labels", "aggregate", scratch / "votes.csv", "--json", "--label-sets", "-"})
            .status,
        2);
    EXPECT_EQ(assay_run({"labels", "aggregate", scratch / "votes.csv", "--posteriors", "-"}).status,
              2);
}

TEST(Output, TheFilesEndingSaysTheFormat) {
    const Scratch scratch;
    const auto written = [&](const std::string& name, std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"list", "metrics", "-o", scratch / name};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return slurp(scratch / name);
    };
    EXPECT_TRUE(nlohmann::json::accept(written("m.json")));
    EXPECT_EQ(written("m.csv"), assay_run({"list", "metrics", "--csv"}).out);
    EXPECT_EQ(written("m.md"), assay_run({"list", "metrics", "--format", "md"}).out);
    EXPECT_EQ(written("m.tex"), assay_run({"list", "metrics", "--format", "latex"}).out);
    EXPECT_EQ(written("m.txt"), assay_run({"list", "metrics"}).out);
    // --format overrides the extension of -o, wherever it is on the line.
    EXPECT_EQ(written("n.json", {"--format", "text"}), assay_run({"list", "metrics"}).out);
    EXPECT_EQ(assay_run({"list", "metrics", "--csv", "-o", scratch / "o.json"}).status, 0);
    EXPECT_EQ(slurp(scratch / "o.json"), written("m.csv"));
}

// In every command, -o is the file of the report. Results of labels aggregate and labels propose
// have other options, and the old meaning of -o there is not applied silently.
TEST(Output, TheReportGoesWhereTheOptionSays) {
    const Scratch scratch;
    const fs::path file = scratch / "votes.csv", report = scratch / "report.txt";
    write_file_atomically(file, votes);
    const Outcome both = assay_run(
        {"labels", "aggregate", file, "-o", report, "--label-sets", scratch / "sets.csv"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_EQ(both.out, "");
    EXPECT_THAT(slurp(report), HasSubstr("dawid-skene"));
    EXPECT_THAT(slurp(scratch / "sets.csv"), testing::StartsWith("path,"));
    const Outcome split =
        assay_run({"labels", "aggregate", file, "-o", report, "--to", "csv", "--label-sets", "-"});
    EXPECT_THAT(split.out, testing::StartsWith("path,"));
    EXPECT_THAT(slurp(report), HasSubstr("dawid-skene"));
    for (const char* name : {"labels.csv", "real.json"}) {
        const Outcome old = assay_run({"labels", "aggregate", file, "-o", scratch / name});
        EXPECT_EQ(old.status, 2);
        EXPECT_THAT(old.err, AllOf(HasSubstr("write label sets with --label-sets"),
                                   HasSubstr("the report in that format with --")));
        EXPECT_FALSE(fs::exists(scratch / name));
    }
    EXPECT_THAT(assay_run({"labels", "aggregate", file, "--to", "csv", "-o", report}).err,
                HasSubstr("--to is the format of --label-sets"));
    EXPECT_THAT(assay_run({"labels", "propose", scratch.path(), "-o", scratch / "q.csv"}).err,
                HasSubstr("write questions with --questions"));
    EXPECT_EQ(assay_run({"labels", "aggregate", file, "--csv", "-o", scratch / "r.csv"}).status, 0);
    EXPECT_TRUE(fs::exists(scratch / "r.csv"));
}

TEST(Output, APipeIsWrittenTo) {
    const Scratch scratch;
    const fs::path pipe = scratch / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader =
        ::open(pipe.c_str(),
               O_RDONLY | O_NONBLOCK);  // the output stays in the pipe, which holds 64 KiB
    EXPECT_EQ(metrics_to(pipe).status, 0);
    std::string got(1 << 16, '\0');
    got.resize(
        static_cast<std::size_t>(std::max<ssize_t>(0, ::read(reader, got.data(), got.size()))));
    ::close(reader);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_EQ(got, metrics());
}

TEST(Output, APipeWithoutAReaderIsNotWaitedForAfterASignal) {
    const Scratch scratch;
    const fs::path pipe = scratch / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Program program({ASSAY_PROGRAM, "list", "metrics", "-o", pipe});
    EXPECT_TRUE(program.runs_until([&] { return handles_and_waits(program.pid()); }));
    ::kill(program.pid(), SIGINT);
    EXPECT_EQ(program.wait().status, 130);
    EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(Output, ASymbolicLinkStays) {
    const Scratch scratch;
    fs::create_directory(scratch / "results");
    write_file_atomically(scratch / "results/old.csv", "old");
    for (const char* target : {"results/old.csv", "results/new.csv"}) {
        const fs::path link = scratch / ("link-" + fs::path(target).filename().string());
        fs::create_symlink(target, link);
        EXPECT_EQ(metrics_to(link).status, 0);
        EXPECT_TRUE(fs::is_symlink(link));
        EXPECT_EQ(slurp(scratch / target), metrics());
    }
}

// In a container every run may have process id 1. A temporary file of a killed run must not block
// the next one.
TEST(Output, ProcessOneWritesWhereAnotherProcessOneWasKilled) {
    const auto in_namespace = [](std::vector<std::string> words) {
        std::vector<std::string> all = {"/usr/bin/env",    "unshare", "--user",
                                        "--map-root-user", "--pid",   "--fork"};
        all.insert(all.end(), words.begin(), words.end());
        return Program(all).wait();
    };
    if (const Outcome first = in_namespace({"/bin/sh", "-c", "echo $$"}); first.out != "1\n")
        GTEST_SKIP() << "no process namespaces here: " << first.err;
    const Scratch scratch;
    for (int i = 0; i < 20; ++i)
        std::ofstream(scratch / (".m.csv.1." + std::to_string(i) + ".tmp")) << "half";
    for (int run = 0; run < 2; ++run) {
        const Outcome outcome =
            in_namespace({ASSAY_PROGRAM, "list", "metrics", "--csv", "-o", scratch / "m.csv"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(slurp(scratch / "m.csv"), metrics());
    }
}

TEST(Output, AFileThatIsReplacedKeepsItsPermissions) {
    const Scratch scratch;
    const fs::path file = scratch / "m.csv";
    write_file_atomically(file, "old");
    for (const mode_t mode : {mode_t{0600}, mode_t{0664}}) {
        ASSERT_EQ(::chmod(file.c_str(), mode), 0);
        EXPECT_EQ(metrics_to(file).status, 0);
        struct stat info {};
        ASSERT_EQ(::stat(file.c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777, mode);
    }
}

TEST(Output, AFolderIsRefusedByName) {
    const Scratch scratch;
    const Outcome outcome = metrics_to(scratch.path());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr(scratch.path().string()), HasSubstr("this is a folder")));
}

TEST(Output, AMissingFolderIsToldBeforeTheWork) {
    const Scratch scratch;
    const Outcome outcome = metrics_to(scratch / "gone/metrics.txt");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("there is no folder `" + (scratch / "gone").string() + "`"));
}

TEST(Output, AnInputIsNotOverwritten) {
    const Scratch scratch;
    const fs::path file = scratch / "votes.csv";
    write_file_atomically(file, votes);
    fs::create_symlink("votes.csv", scratch / "link.csv");
    fs::create_hard_link(file, scratch / "hard.csv");
    for (const fs::path& same :
         {file, scratch / "./votes.csv", scratch / "link.csv", scratch / "hard.csv"}) {
        for (const char* option : {"-o", "--posteriors", "--annotator-quality"}) {
            const Outcome outcome = assay_run({"labels", "aggregate", file, option, same});
            EXPECT_EQ(outcome.status, 2) << option << " " << same;
            EXPECT_THAT(outcome.err, AllOf(HasSubstr("this file is also the command's votes"),
                                           HasSubstr(same.string())));
            EXPECT_EQ(slurp(file), votes);
        }
    }
    // The value of an option is an input like any other argument.
    EXPECT_THAT(assay_run({"gap", "--table", file, "-o", file}).err,
                HasSubstr("this file is also the command's --table"));
}

TEST(Output, TwoOutputsAreTwoFiles) {
    const Scratch scratch;
    write_file_atomically(scratch / "votes.csv", votes);
    const Outcome outcome = assay_run({"labels", "aggregate", scratch / "votes.csv", "-o",
                                       scratch / "z.csv", "--posteriors", scratch / "./z.csv"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--posteriors"));
    EXPECT_FALSE(fs::exists(scratch / "z.csv"));
}

TEST(Output, NothingIsWrittenIntoAStore) {
    const Scratch scratch;
    fs::create_directories(scratch / "val/net/shards");
    for (const char* name : {"val/dataset.json", "val/items.csv", "val/net/manifest.json",
                             "val/net/shards/000000.npy"})
        write_file_atomically(scratch / name, "kept");
    for (const char* name :
         {"val/dataset.json", "val/items.csv", "val/net/manifest.json", "val/net/shards/000000.npy",
          "val/net/new.csv", "val/net/shards/new.csv"}) {
        const Outcome outcome = metrics_to(scratch / name);
        EXPECT_EQ(outcome.status, 2) << name;
        EXPECT_THAT(outcome.err, HasSubstr("inside a prediction store")) << name;
        EXPECT_THAT(slurp(scratch / name), testing::AnyOf("kept", ""));
    }
    EXPECT_FALSE(fs::exists(scratch / "val/net/new.csv"));
    EXPECT_EQ(metrics_to(scratch / "val/report.csv").status, 0);
}

TEST(Output, LogsAndOutcomesOfGatesAreCheckedBeforeTheWork) {
    const Scratch scratch;
    const auto refused = [&](std::vector<std::string> words) {
        // No store exists, so the errors must be about the options.
        words.insert(words.begin(), {"score", scratch / "runs"});
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    write_file_atomically(scratch / "file", "x");
    EXPECT_THAT(refused({"--log", scratch / "log.txt"}), HasSubstr("allowed: FILE.jsonl"));
    EXPECT_THAT(refused({"--log", "mlflow:run"}), HasSubstr("docs/tools.md"));
    EXPECT_THAT(refused({"--log", scratch / "absent/log.jsonl"}), HasSubstr("there is no folder"));
    EXPECT_THAT(refused({"--log", "tensorboard:" + (scratch / "file").string()}),
                HasSubstr("this is not a folder"));
    EXPECT_THAT(refused({"--log", scratch / "a.jsonl", "--log", scratch / "a.jsonl"}),
                HasSubstr("write the result to another name"));
    EXPECT_THAT(refused({"--log", scratch / "a.jsonl", "-o", scratch / "a.jsonl"}),
                HasSubstr("write the result to another name"));
    EXPECT_THAT(refused({"--log-step", "-1"}), HasSubstr("--log-step: -1 is not a whole number"));
    EXPECT_THAT(refused({"--log-step", "9223372036854775808"}), HasSubstr("--log-step"));
    EXPECT_THAT(refused({"--junit", scratch / "a.xml"}), HasSubstr("--junit needs --gate"));
    EXPECT_THAT(refused({"--junit", "-", "--gate", "top1 >= 0"}), HasSubstr("name a file"));
    const Outcome time = assay_run(
        {"score", scratch / "runs", "--log", "tensorboard:" + (scratch / "events").string()},
        {"SOURCE_DATE_EPOCH=yesterday"});
    EXPECT_EQ(time.status, 2);
    EXPECT_THAT(time.err,
                HasSubstr("SOURCE_DATE_EPOCH is `yesterday`; allowed: whole seconds since 1970"));
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 1);
}

// The next command would read the file as the model's settings.
TEST(Output, NoResultTakesTheNameOfAModelsSettings) {
    const Scratch scratch;
    write_file_atomically(scratch / "stair.pt", "");
    for (const std::string name : {"stair.json", "stair.pt.json", "stair.toml"}) {
        const Outcome refused = metrics_to(scratch / name);
        EXPECT_EQ(refused.status, 2);
        EXPECT_THAT(refused.err, AllOf(HasSubstr("--output"), HasSubstr("stair.pt`"),
                                       HasSubstr(name.substr(0, name.rfind('.')) + "-result.")));
        EXPECT_FALSE(fs::exists(scratch / name));
    }
    // The error comes before anything is read or computed.
    EXPECT_THAT(assay_run({"score", scratch / "nowhere", "-o", scratch / "stair.json"}).err,
                HasSubstr("stair.pt"));
    for (const std::string name : {"stair-result.json", "stair.csv", "other.json"})
        EXPECT_EQ(metrics_to(scratch / name).status, 0) << name;
    fs::create_symlink("stair.json", scratch / "link.json");
    EXPECT_EQ(metrics_to(scratch / "link.json").status, 2);
}

TEST(Output, NothingIsWrittenIntoACompetition) {
    const Scratch scratch;
    fs::create_directories(scratch / "mad/predictions");
    for (const char* name : {"mad/competition.sqlite", "mad/items.csv"})
        write_file_atomically(scratch / name, "kept");
    for (const char* name :
         {"mad/competition.sqlite", "mad/items.csv", "mad/new.csv", "mad/predictions/a.npy"}) {
        for (const char* option : {"--out", "--label-studio", "--config"}) {
            const Outcome outcome =
                assay_run({"mad", "questions", scratch / "mad", option, scratch / name});
            EXPECT_EQ(outcome.status, 2) << name;
            EXPECT_THAT(outcome.err, HasSubstr("inside a competition")) << name;
        }
        EXPECT_THAT(metrics_to(scratch / name).err, HasSubstr("inside a competition")) << name;
        EXPECT_THAT(slurp(scratch / name), testing::AnyOf("kept", ""));
    }
    EXPECT_FALSE(fs::exists(scratch / "mad/new.csv"));
}

TEST(Output, NothingIsWrittenIntoAFolderOfQuestions) {
    const Scratch scratch;
    fs::create_directories(scratch / "study");
    write_file_atomically(scratch / "study/labelling.sqlite", "kept");
    for (const char* name : {"study/labelling.sqlite", "study/new.csv"}) {
        const Outcome outcome =
            assay_run({"labels", "export", scratch / "study", "--out", scratch / name});
        EXPECT_EQ(outcome.status, 2) << name;
        EXPECT_THAT(outcome.err, HasSubstr("a folder of questions")) << name;
        EXPECT_THAT(slurp(scratch / name), testing::AnyOf("kept", ""));
    }
    EXPECT_FALSE(fs::exists(scratch / "study/new.csv"));
}

TEST(Output, QuestionsGoIntoFilesOfTheirOwnThatCanBeWritten) {
    const Scratch scratch;
    const Outcome twice = assay_run({"mad", "questions", scratch / "mad", "--out", scratch / "x",
                                     "--label-studio", scratch / "./x"});
    EXPECT_EQ(twice.status, 2);
    EXPECT_THAT(twice.err, HasSubstr("this file is also the command's --out"));
    // Relative paths to files that do not exist yet are resolved, also in the root folder.
    const Outcome relative = assay_run({"mad", "questions", scratch / "mad", "--out",
                                        "none-such.csv", "--label-studio", "./none-such.csv"});
    EXPECT_THAT(relative.err, HasSubstr("this file is also the command's --out"));
    const Outcome nowhere =
        assay_run({"mad", "questions", scratch / "mad", "--out", scratch / "none/q.csv"});
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("there is no folder"));
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(scratch / ".")), {}), 0);
}

}  // namespace
}  // namespace assay
