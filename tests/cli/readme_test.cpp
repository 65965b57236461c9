// The blocks of output in README.md have the same form and words as the program's output. The test
// uses stores of the same size and accuracy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "program.h"
#include "readme_blocks.h"

namespace assay {
namespace {

using testing::SizeIs;

/// A command, and the lines of output below it.
struct Session {
    std::vector<std::string> command;
    std::vector<std::string> lines;
};

/// Replaces nll and ece by #, because they depend on every score of a network.
std::vector<std::string> without_scores(const std::vector<std::string>& lines) {
    const std::regex number("[0-9]+\\.[0-9]+"),
        row("(\\S+ [0-9.]+ \\([0-9.]+ \u2013 [0-9.]+\\) [0-9.]+ \\([0-9.]+ \u2013 [0-9.]+\\) )"
            "(.*)");
    std::vector<std::string> out;
    for (const std::string& line : lines) {
        std::smatch parts;
        if (line.starts_with("nll ") || line.starts_with("ece ") || line.starts_with("ece: ")) {
            out.push_back(std::regex_replace(line, number, "#"));
        } else if (std::regex_match(line, parts, row)) {  // model, its top1, its top5
            out.push_back(parts[1].str() + std::regex_replace(parts[2].str(), number, "#"));
        } else {
            out.push_back(line);
        }
    }
    return out;
}

class Readme : public testing::Test {
protected:
    /// A store below `runs` with this number of images and ten classes. The label of `first` images
    /// has the highest score, and that of `five` images is among the best five.
    void add_store(const std::string& dataset, const std::string& model, int images, int first,
                   int five) {
        std::string scores = "c0,c1,c2,c3,c4,c5,c6,c7,c8,c9\n", items = "path,labels\n", classes;
        for (int c = 0; c < 10; ++c) classes += fmt::format("n{}\n", c);
        for (int i = 0; i < images; ++i) {
            // The label is n0, and the logits of the other classes decrease.
            const double label = i < first ? 5.4 + i % 3 : i < five ? 3.5 : -1;
            scores += fmt::format("{},4,3,2,1,0,0,0,0,0\n", label);
            items += fmt::format("{}.jpg,n0\n", i);
        }
        const Outcome made =
            assay_run({"import", put("scores.csv", scores), "--items", put("items.csv", items),
                       "--classes", put("classes.txt", classes), "--kind", "logits",
                       "--dataset-name", dataset, "--name", model, "--out", scratch_ / "runs"});
        ASSERT_EQ(made.status, 0) << made.err;
    }
    /// The output of `assay ...` in the scratch folder.
    std::vector<std::string> printed(std::vector<std::string> words) const {
        for (std::string& word : words) {
            if (word == "runs" || word.starts_with("runs/")) word = scratch_ / word;
        }
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return without_scores(unaligned(lines_of(outcome.out)));
    }

private:
    std::string put(const std::string& name, const std::string& text) const {
        std::ofstream(scratch_ / name, std::ios::binary) << text;
        return scratch_ / name;
    }
    Scratch scratch_;
};

TEST_F(Readme, TheFirstNumberHasTheFormOfTheProgram) {
    const std::vector<std::string> block = block_with("efficientnet_lite0 on photographs");
    ASSERT_THAT(block, SizeIs(6));
    add_store("photographs", "efficientnet_lite0", 20, 18, 19);
    EXPECT_THAT(printed({"score", "runs", "--metrics", "top1,top5,nll"}),
                testing::ElementsAreArray(without_scores(unaligned(block))));
}

TEST_F(Readme, SessionsPrintWhatItShows) {
    std::vector<Session> sessions;
    for (const std::string& line : block_with("$ assay score runs ")) {
        if (line.starts_with("$ assay ")) {
            sessions.push_back({words_of(line.substr(8)), {}});
        } else if (!sessions.empty()) {
            sessions.back().lines.push_back(line);
        }
    }
    ASSERT_THAT(sessions, SizeIs(2));
    add_store("imagenet_sample", "mobilenet_v1_0.50_160", 700, 476, 603);
    add_store("imagenet_sample", "mobilenet_v2_1.00_224", 700, 605, 680);
    for (const Session& session : sessions) {
        SCOPED_TRACE(fmt::format("{}", fmt::join(session.command, " ")));
        EXPECT_THAT(printed(session.command),
                    testing::ElementsAreArray(without_scores(unaligned(session.lines))));
    }
}

}  // namespace
}  // namespace assay
