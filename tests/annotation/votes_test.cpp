#include "assay/annotation/votes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "annotation/votes_readers.h"
#include "assay/error.h"
#include "made_votes.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class VotesFiles : public ::testing::Test {
protected:
    Votes csv(const std::string& text, const VotesOptions& options = {}) {
        return read_votes(write(folder_ / "votes.csv", text), options);
    }
    Votes npz(const std::vector<std::pair<std::string, std::string>>& arrays,
              const VotesOptions& options = {}, int level = 0) {
        return read_votes(write(folder_ / "votes.npz", zip(arrays, level)), options);
    }
    std::string csv_error(const std::string& text, const VotesOptions& options = {}) {
        return message_of([&] { csv(text, options); });
    }
    std::string npz_error(const std::vector<std::pair<std::string, std::string>>& arrays) {
        return message_of([&] { npz(arrays); });
    }
    Scratch folder_;
};

// Two annotators, three questions of two images. Annotator 7 skips question 1.
//   q0: 7 yes (2), 9 no (0); q1: 9 maybe (1); q2: 7 no (0), 9 yes (2)
const std::vector<double> small_tensor = {0, 0, 1, 0, 0, 0, 1, 0, 0,   // answers of annotator 7
                                          1, 0, 0, 0, 1, 0, 0, 0, 1};  // answers of annotator 9
const std::vector<std::string> small_info = {"a.png", "3", "a.png", "11", "b.png", "3"};

std::vector<std::pair<std::string, std::string>> small_npz() {
    return {{"tensor.npy", npy("<f8", {2, 3, 3}, bytes_of(small_tensor))},
            {"info.npy", npy("<U8", {3, 2}, unicode(small_info, 8))},
            {"ids.npy", npy("<i8", {2}, bytes_of(std::vector<std::int64_t>{7, 9}))}};
}

void expect_small(const Votes& votes) {
    ASSERT_EQ(votes.questions(), 3U);
    ASSERT_EQ(votes.annotators.size(), 2U);
    EXPECT_EQ(votes.annotators[0], "7");
    EXPECT_EQ(votes.annotators[1], "9");
    EXPECT_EQ(votes.items.size(), 2U);
    EXPECT_EQ(votes.labels.size(), 2U);
    EXPECT_EQ(votes.labels[votes.question_label[1]], "11");
    EXPECT_THAT(std::vector(votes.of(0).begin(), votes.of(0).end()), ElementsAre(2U, 3U));
    EXPECT_THAT(std::vector(votes.of(1).begin(), votes.of(1).end()), ElementsAre(4U));
    EXPECT_THAT(std::vector(votes.of(2).begin(), votes.of(2).end()), ElementsAre(0U, 5U));
    EXPECT_EQ(votes.read, 5U);
    EXPECT_EQ(votes.problems.total(), 0U);
}

TEST_F(VotesFiles, CsvByNameAndByNumberIsTheSame) {
    expect_small(
        csv("annotator,item,label,answer\n7,a.png,3,yes\n9,a.png,11, "
            "maybe\n9,a.png,3,NO\n7,b.png,3,no\n"
            "9,b.png,3,Yes\n"));
    expect_small(
        csv("annotator\timage\tclass\tvote\n7\ta.png\t3\t2\n9\ta.png\t3\t0\n9\ta.png\t11\t1\n"
            "7\tb.png\t3\t0\n9\tb.png\t3\t2\n"));
}

TEST_F(VotesFiles, AnswersCanBeAnySet) {
    VotesOptions options;
    options.scale = answer_scale({"wrong", "right"});
    const Votes votes = csv("annotator,item,label,answer\na,p,0,right\nb,p,0,0\n", options);
    EXPECT_THAT(std::vector(votes.of(0).begin(), votes.of(0).end()), ElementsAre(1U, 2U));
    EXPECT_EQ(options.scale.worth(0), 0);
    EXPECT_EQ(options.scale.worth(1), 1);
    EXPECT_EQ(AnswerScale().worth(1), 0.5);  // the answer maybe
    // Answers may have numbers as names. Then "1" is the first answer, and not the answer with the
    // number 1.
    EXPECT_EQ(answer_scale({"1", "2", "3"}).find("1"), 0);
    EXPECT_EQ(answer_scale({"1", "2", "3"}).find("0"), -1);
    EXPECT_THAT(message_of([] { answer_scale({"yes"}); }, ErrorCode::usage),
                HasSubstr("1 answers"));
    EXPECT_THAT(message_of(
                    [] {
                        answer_scale({"yes", "Yes"});
                    },
                    ErrorCode::usage),
                HasSubstr("appears twice"));
    EXPECT_THAT(message_of(
                    [] {
                        answer_scale({"yes", " "});
                    },
                    ErrorCode::usage),
                HasSubstr("without a name"));
}

TEST_F(VotesFiles, WhatIsWrongIsListedAndCounted) {
    VotesOptions options;
    options.annotators = {"anna", "bert"};
    const Votes votes =
        csv("annotator,item,label,answer\n"
            "anna,p,0,yes\n"
            "ann,p,0,yes\n"    // line 3: unknown annotator
            "bert,p,0,yess\n"  // line 4: unknown answer
            "bert,p,0,\n"      // line 5: no annotator
            "bert,,0,yes\n"    // line 6: no image
            "anna,p,0,yes\n"   // line 7: repeated
            "anna,p,0,no\n"    // line 8: repeated, contradicts
            "bert,p,0,3\n"     // line 9: number beyond the answers
            "bert,p,0,no\n",
            options);
    EXPECT_EQ(votes.read, 9U);
    EXPECT_EQ(votes.codes.size(), 2U);
    EXPECT_EQ(votes.problems.count("unknown annotator"), 1U);
    EXPECT_EQ(votes.problems.count("unknown answer"), 3U);
    EXPECT_EQ(votes.problems.count("vote without an annotator, image or label"), 1U);
    // Anna has three votes that contradict each other. One counts, and the two others are listed as
    // contradictions.
    EXPECT_EQ(votes.problems.count("repeated vote that contradicts"), 2U);
    EXPECT_EQ(votes.repeated, 2U);
    // all votes are either counted or listed
    EXPECT_EQ(votes.problems.total() + votes.codes.size(), votes.read);
    EXPECT_THAT(votes.problems.kinds()[0].examples[0],
                HasSubstr("votes.csv line 3: annotator `ann`; did you mean `anna`?"));
    EXPECT_THAT(votes.problems.kinds()[1].examples[0],
                HasSubstr("line 4: answer `yess`; did you mean `yes`?"));
}

TEST_F(VotesFiles, RepeatedVotesByRule) {
    const std::string text =
        "annotator,item,label,answer\nr,p,0,yes\nr,p,0,no\nr,q,0,yes\nr,q,0,yes\n";
    const auto with = [&](Repeats rule) {
        VotesOptions options;
        options.repeats = rule;
        return csv(text, options);
    };
    EXPECT_THAT(with(Repeats::first).codes, ElementsAre(2U, 2U));
    EXPECT_THAT(with(Repeats::last).codes, ElementsAre(0U, 2U));
    EXPECT_THAT(with(Repeats::all).codes, ElementsAre(0U, 2U, 2U, 2U));
    EXPECT_EQ(with(Repeats::all).problems.total(), 0U);
    EXPECT_EQ(with(Repeats::all).repeated, 2U);
    EXPECT_EQ(with(Repeats::first).problems.count("repeated vote"), 1U);
    EXPECT_THAT(message_of([&] { with(Repeats::refuse); }),
                HasSubstr("annotator `r` answered 2 times whether `0` fits `p`"));
    EXPECT_THAT(message_of([] { repeats_named("frst"); }, ErrorCode::usage),
                HasSubstr("did you mean `first`?"));
}

TEST_F(VotesFiles, CsvWithoutColumns) {
    EXPECT_THAT(csv_error("annotator,item,score\nr,p,0\n"),
                HasSubstr("no column is named answer, vote or response"));
    EXPECT_THAT(csv_error("who,item,label,answer\n"), HasSubstr("no column named annotator"));
    EXPECT_THAT(csv_error(""), HasSubstr("the table is empty"));
    EXPECT_THAT(csv_error("annotator,item,label,answer\nr,p,0\n"),
                HasSubstr("line 2: 3 fields; the header has 4"));
    EXPECT_EQ(csv("annotator,item,label,answer\n").questions(), 0U);
    EXPECT_THAT(message_of([&] { read_votes(write(folder_ / "votes.txt", "x")); }),
                HasSubstr("known are .csv"));
}

TEST_F(VotesFiles, NpzOfAnyNumberTypeAndOrder) {
    expect_small(npz(small_npz()));
    expect_small(npz(small_npz(), {}, 9));
    auto arrays = small_npz();
    std::vector<std::uint8_t> bytes(small_tensor.begin(), small_tensor.end());
    arrays[0].second = npy("|u1", {2, 3, 3}, bytes_of(bytes));
    expect_small(npz(arrays));
    std::vector<float> floats(small_tensor.begin(), small_tensor.end());
    floats[0] = -0.0F;
    arrays[0].second = npy("<f4", {2, 3, 3}, bytes_of(floats));
    expect_small(npz(arrays));
    std::vector<double> fortran(18);
    for (std::size_t r = 0; r < 2; ++r) {
        for (std::size_t q = 0; q < 3; ++q) {
            for (std::size_t a = 0; a < 3; ++a)
                fortran[(a * 3 + q) * 2 + r] = small_tensor[(r * 3 + q) * 3 + a];
        }
    }
    arrays[0].second = npy("<f8", {2, 3, 3}, bytes_of(fortran), true);
    expect_small(npz(arrays));
    arrays[1].second = npy("|S5", {3, 2}, [] {
        std::string out;
        for (std::string text : small_info) {
            text.resize(5);
            out += text;
        }
        return out;
    }());
    arrays[2].second = npy("<U2", {2}, unicode({"7", "9"}, 2));
    expect_small(npz(arrays));
    arrays.pop_back();  // without ids, the names are numbers
    EXPECT_EQ(npz(arrays).annotators[1], "1");
}

TEST_F(VotesFiles, NpzCountsAreAnswersOfTheirOwn) {
    auto arrays = small_npz();
    auto tensor = small_tensor;
    tensor[2] = 3;  // annotator 7 said yes three times
    arrays[0].second = npy("<f8", {2, 3, 3}, bytes_of(tensor));
    const Votes votes = npz(arrays);
    EXPECT_THAT(std::vector(votes.of(0).begin(), votes.of(0).end()), ElementsAre(2U, 2U, 2U, 3U));
    EXPECT_EQ(votes.repeated, 2U);
}

TEST_F(VotesFiles, NpzQuestionsThatRepeatOrLackTexts) {
    auto arrays = small_npz();
    arrays[1].second = npy("<U8", {3, 2}, unicode({"a.png", "3", "a.png", "3", "", "3"}, 8));
    const Votes votes = npz(arrays);
    EXPECT_EQ(votes.questions(), 1U);
    EXPECT_EQ(votes.problems.count("question that appears twice"), 1U);
    EXPECT_EQ(votes.problems.count("question without an image or label"), 1U);
    EXPECT_EQ(votes.problems.count("vote without an annotator, image or label"), 2U);
    EXPECT_EQ(votes.codes.size(), 3U);
}

TEST_F(VotesFiles, NpzUnknownAnnotators) {
    VotesOptions options;
    options.annotators = {"7"};
    const Votes votes = npz(small_npz(), options);
    EXPECT_EQ(votes.problems.count("unknown annotator"), 3U);
    EXPECT_EQ(votes.annotators.size(), 1U);
    EXPECT_EQ(votes.codes.size(), 2U);
}

TEST_F(VotesFiles, NpzOfAnotherForm) {
    const auto with = [](std::size_t index, const std::string& array) {
        auto arrays = small_npz();
        arrays[index].second = array;
        return arrays;
    };
    auto arrays = small_npz();
    arrays[0].first = "votes.npy";
    EXPECT_THAT(npz_error(arrays), HasSubstr("no array `tensor`"));
    EXPECT_THAT(npz_error(arrays), HasSubstr("the file holds: votes.npy, info.npy, ids.npy"));
    EXPECT_THAT(npz_error(with(0, npy("<f8", {6, 3}, bytes_of(small_tensor)))),
                HasSubstr("shape (6, 3); expected"));
    EXPECT_THAT(npz_error(with(0, npy("<f8", {3, 3, 2}, bytes_of(small_tensor)))),
                HasSubstr("has 2 answers (shape (3, 3, 2)), the scale has 3"));
    EXPECT_THAT(npz_error(with(0, npy("<f8", {3, 2, 3}, bytes_of(small_tensor)))),
                HasSubstr("`tensor` has 2 questions, `info` has 3 rows"));
    EXPECT_THAT(
        npz_error(with(0, npy("<U1", {2, 3, 3}, unicode(std::vector<std::string>(18, "0"), 1)))),
        HasSubstr("`tensor` contains text"));
    EXPECT_THAT(npz_error(with(0, npy("<c8", {2, 3, 3}, bytes_of(small_tensor)))),
                HasSubstr("dtype `<c8`"));
    EXPECT_THAT(npz_error(with(0, npy("<f8", {2, 4, 3}, bytes_of(small_tensor)))),
                HasSubstr("needs 320 bytes"));
    EXPECT_THAT(npz_error(with(0, "no array at all")), HasSubstr("npy"));
    EXPECT_THAT(npz_error(with(0, "")), HasSubstr("npy"));
    // A file with no question and a huge number of annotators. No memory may be allocated for each
    // of them.
    EXPECT_THAT(npz_error({{"tensor.npy", npy("|u1", {1ULL << 50, 0, 3}, "")},
                           {"info.npy", npy("<U1", {0, 2}, "")}}),
                HasSubstr("at most 1000000 annotators"));
    for (const double wrong : {0.5, -1.0, 256.0, std::numeric_limits<double>::quiet_NaN()}) {
        auto tensor = small_tensor;
        tensor[17] = wrong;
        EXPECT_THAT(npz_error(with(0, npy("<f8", {2, 3, 3}, bytes_of(tensor)))),
                    HasSubstr(fmt::format("element (1, 2, 2) is {}", wrong)));
    }
    EXPECT_THAT(npz_error(with(1, npy("<i8", {3, 2}, bytes_of(std::vector<std::int64_t>(6))))),
                HasSubstr("`info` holds numbers"));
    EXPECT_THAT(npz_error(with(1, npy("<U8", {6}, unicode(small_info, 8)))),
                HasSubstr("expected (questions, 2)"));
    EXPECT_THAT(npz_error(with(1, npy("<U99999999", {3, 2}, ""))), HasSubstr("dtype"));
    EXPECT_THAT(npz_error(with(2, npy("<i8", {3}, bytes_of(std::vector<std::int64_t>{1, 2, 3})))),
                HasSubstr("2 annotators, `ids` has 3 names"));
    EXPECT_THAT(npz_error(with(2, npy("<i8", {2}, bytes_of(std::vector<std::int64_t>{4, 4})))),
                HasSubstr("holds annotator `4` twice"));
    EXPECT_THAT(npz_error(with(2, npy("<f8", {2}, bytes_of(std::vector<double>{1, 2.5})))),
                HasSubstr("2.5"));
    EXPECT_THAT(message_of([&] { read_votes(write(folder_ / "x.npz", "PK no zip")); }),
                HasSubstr("zip"));
}

TEST_F(VotesFiles, DamagedArchivesAreErrorsNeverMore) {
    for (const int level : {0, 6}) {
        const std::string whole = zip(small_npz(), level);
        for (std::size_t at = 0; at < whole.size(); at += 3) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            try {
                read_votes_npz(std::as_bytes(std::span(damaged)), "votes.npz", {});
            } catch (const Error&) {
            }
            // Keeps the last bytes, which are zeros: the high bytes of an offset, and the length of
            // a comment that is missing.
            const std::string cut = whole.substr(0, std::min(at, whole.size() - 8));
            EXPECT_THROW(read_votes_npz(std::as_bytes(std::span(cut)), "votes.npz", {}), Error)
                << at;
        }
    }
}

TEST_F(VotesFiles, UnicodeTexts) {
    auto arrays = small_npz();
    std::vector<std::uint32_t> info(48, 0);
    info[0] = 0xE9;     // é is C3 A9
    info[1] = 0x1F600;  // the character is F0 9F 98 80
    info[2] = 0xD800;   // this code point is not a character
    info[8] = '3';
    for (std::size_t row : {1U, 2U}) info[row * 16] = info[row * 16 + 8] = 'x';
    arrays[1].second = npy("<U8", {3, 2}, bytes_of(info));
    EXPECT_EQ(npz(arrays).items[0], "\xC3\xA9\xF0\x9F\x98\x80?");
}

}  // namespace
}  // namespace assay
