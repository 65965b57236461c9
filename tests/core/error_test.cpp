#include "assay/error.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Error, NotesReadInnermostFirst) {
    try {
        with_note("scoring runs", [] {
            with_note("reading shard 3", [] { throw Error(ErrorCode::bad_input, "no rows"); });
        });
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_STREQ(error.what(), "no rows (while reading shard 3; while scoring runs)");
    }
}

TEST(Error, WithNoteReturnsTheBodysValue) {
    EXPECT_EQ(with_note("counting", [] { return 7; }), 7);
}

TEST(NearestName, FindsOneTypingErrorInAShortWord) {
    const std::vector<std::string> names = {"top1", "top5", "ece", "brier"};
    EXPECT_EQ(nearest_name("topp1", names), "top1");
    EXPECT_EQ(nearest_name("BRIER", names), "brier");  // upper and lower case are the same
    EXPECT_EQ(nearest_name("accuracy", names), "");    // nothing is similar enough
    EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(Suggest, ListsAtMostTwelveNames) {
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i) names.push_back("name_of_item_" + std::to_string(i));
    const std::string text = suggest("zzz", names);
    EXPECT_NE(text.find("name_of_item_11"), std::string::npos);
    EXPECT_EQ(text.find("name_of_item_12"), std::string::npos);
    EXPECT_TRUE(text.ends_with(", ..."));
    EXPECT_EQ(suggest("name_of_item_3x", names), "; did you mean `name_of_item_3`?");
}

}  // namespace
}  // namespace assay
