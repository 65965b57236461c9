#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "core/text.h"
#include "program.h"

namespace assay::cli {
namespace {

// Help that was lost is no success.
TEST(Help, AFullDiskIsTold) {
    const int full = ::open("/dev/full", O_WRONLY);
    if (full < 0) GTEST_SKIP() << "no /dev/full";
    const std::vector<std::vector<std::string>> all = {
        {"--help"},           {"--version"},           {"score", "--help"},
        {"labels", "--help"}, {"replicate", "--help"}, {"labels", "stats", "--help"}};
    for (const auto& words : all) {
        const Outcome outcome = assay_run(words, {}, full);
        EXPECT_EQ(outcome.status, 2) << words.front();
        EXPECT_THAT(outcome.err, testing::HasSubstr("cannot write to stdout"));
    }
    ::close(full);
}

TEST(Help, FoldsAtBlanks) {
    EXPECT_EQ(folded("", 5), "");
    EXPECT_EQ(folded("aa bb", 5), "aa bb");
    EXPECT_EQ(folded("aa bbb", 5), "aa\nbbb");
    EXPECT_EQ(folded("aaaaaaa b", 5), "aaaaaaa\nb");  // a word is never broken
    EXPECT_EQ(folded("a b c d", 3), "a b\nc d");
}

TEST(Help, OptionsAreFoldedBesideTheirNames) {
    CLI::App app("What it does.", "assay made");
    app.formatter(std::make_shared<FoldedHelp>());
    std::string value, text;
    for (int i = 0; i < 30; ++i) text += "word ";
    app.add_option("--made", value, text);
    const std::string help = app.help();
    EXPECT_NE(help.find("What it does.\nUsage: assay made"), std::string::npos) << help;
    // 66 columns beside the names hold 13 words of 4 letters.
    const std::string line = "word word word word word word word word word word word word word\n";
    EXPECT_NE(help.find("  --made TEXT                     " + line + std::string(34, ' ') + line),
              std::string::npos)
        << help;
}

}  // namespace
}  // namespace assay::cli
