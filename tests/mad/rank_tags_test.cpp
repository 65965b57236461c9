// Errors by tag, places without the images of a tag, and what two classifiers gain together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/mad/rank.h"
#include "core/hash.h"
#include "core/random.h"
#include "core/statistics.h"
#include "mad/rank_counts.h"
#include "message_of.h"
#include "rank_world.h"
#include "scratch.h"
#include "study/table_csv.h"

namespace assay::mad {
namespace {

using rank_test::RankWorld;
using rank_test::write_world;
using testing::Contains;
using testing::HasSubstr;

RankOptions without_bootstraps() {
    RankOptions options;
    options.bootstraps = 0;
    options.posterior.draws = 200;
    options.threads = 1;
    return options;
}

TEST(MadRankTags, TagsShowWhatTheRankingIsWithoutTheirImages) {
    RankWorld world({"a", "b", "c"});
    // a beats b only by images 1 to 6; c is the worst.
    world.counts({.first = 0, .second = 1, .only_first = 6, .only_second = 4});
    world.counts({.first = 0, .second = 2, .only_first = 9, .only_second = 1});
    world.counts({.first = 1, .second = 2, .only_first = 9, .only_second = 1});
    const Scratch scratch;
    const Competition competition = write_world(scratch / "mad", world);
    RankOptions options = without_bootstraps();
    options.tags = scratch / "tags.csv";
    // The table of answers: most rows have no tag, and some images appear in several rows.
    std::string csv = "image,label,annotator,answer,mode\ni7,c1,p1,no,\n";
    for (int i = 0; i < 6; ++i)
        csv += fmt::format("i{0},c1,p1,yes,background\ni{0},c2,p1,no, background\n",
                           world.selected[i].image);
    csv += fmt::format("i{},c1,p1,yes,small\n", world.selected[10].image);
    csv += "elsewhere,c1,p1,yes,small\n";
    write_file_atomically(options.tags, csv);
    const Ranking found = rank_classifiers(competition, options);
    ASSERT_EQ(found.tags.size(), 2U);
    const RankedTag& background = found.tags[0];
    EXPECT_EQ(background.tag, "background");
    EXPECT_EQ(background.images, 6U);
    const auto& a_b_c = background.classifiers;
    ASSERT_EQ(a_b_c.size(), 3U);
    EXPECT_EQ(a_b_c[0].images, 6U);
    EXPECT_EQ(a_b_c[0].wrong, 0U);
    EXPECT_EQ(a_b_c[1].wrong, 6U);
    EXPECT_EQ(a_b_c[2].images, 0U);
    EXPECT_EQ(a_b_c[0].place, 1);
    EXPECT_EQ(a_b_c[1].place, 2);
    EXPECT_EQ(a_b_c[0].without, 2);
    EXPECT_EQ(a_b_c[1].without, 1);
    EXPECT_EQ(found.tags[1].images, 1U);
    EXPECT_EQ(found.tags[1].classifiers[0].without, 1);
    EXPECT_THAT(found.warnings, Contains(HasSubstr("1 image with a tag is not selected")));
    // Without the pairs' images, nobody can be compared.
    csv = "image,tag\n";
    for (const SelectedRow& row : world.selected) csv += fmt::format("i{},all\n", row.image);
    write_file_atomically(options.tags, csv);
    const Ranking none = rank_classifiers(competition, options);
    EXPECT_EQ(none.tags[0].images, 30U);
    EXPECT_EQ(none.tags[0].classifiers[0].place, 1);
    EXPECT_FALSE(none.tags[0].classifiers[0].without);
    const auto refused = [&](const std::string& text) {
        write_file_atomically(options.tags, text);
        return message_of([&] { rank_classifiers(competition, options); });
    };
    EXPECT_THAT(refused("image,tag\nelsewhere,small\n"), HasSubstr("`elsewhere` is not selected"));
    EXPECT_THAT(refused("image,tag\n"), HasSubstr("no selected image has a tag"));
    EXPECT_THAT(refused("image,label\n"), HasSubstr("no column named tag or mode"));
    EXPECT_THAT(refused("label,tag\n"), HasSubstr("no column named image"));
}

TEST(MadRankTags, TablesOfAnswersAreReadAsTheAnswersAre) {
    RankWorld world({"a", "b"});
    world.counts({.first = 0, .second = 1, .only_first = 6, .only_second = 4});
    const std::int64_t excluded = world.selected[9].image;
    world.selected[9].state = SelectedState::replaced;
    const std::int64_t control = 90;
    world.images = 100;
    world.labels.assign(2, std::vector<std::uint16_t>(100, 1));
    world.control = {{control, 1, 50, 1}};
    const Scratch scratch;
    const Competition competition = write_world(scratch / "mad", world);
    RankOptions options = without_bootstraps();
    options.tags = scratch / "answers.csv";
    // Label Studio's tables have an address in `image`. Spreadsheets get a quote before a formula.
    std::string csv = "image,image_id,tag\n";
    for (int i = 0; i < 3; ++i)
        csv +=
            fmt::format("https://images.example/{0}.png,i{0},'-small\n", world.selected[i].image);
    csv += fmt::format("i{},,'-small\n", world.selected[3].image);
    csv += fmt::format("i{0},i{0},'-small\ni{1},i{1},other\n", excluded, control);
    write_file_atomically(options.tags, csv);
    const Ranking found = rank_classifiers(competition, options);
    ASSERT_EQ(found.tags.size(), 1U);
    EXPECT_EQ(found.tags[0].tag, "-small");
    EXPECT_EQ(found.tags[0].images, 4U);
    EXPECT_THAT(found.warnings, Contains(HasSubstr("2 images with a tag are not selected")));
}

TEST(MadRankTags, ImagesAreFoundByAddress) {
    RankWorld world({"a", "b"});
    world.counts({.first = 0, .second = 1, .only_first = 6, .only_second = 4});
    const Scratch scratch;
    write_world(scratch / "mad", world);
    std::string items = "id,path\n";
    for (std::uint64_t i = 0; i < world.images; ++i) items += fmt::format("i{0},i{0}\n", i);
    write_file_atomically(scratch / "mad/items.csv", items);
    {
        Database database(scratch / "mad/competition.sqlite", Database::Access::write);
        write_setting(database, "items_hash", hash_text(items), "");
    }
    const Competition competition = Competition::open(scratch / "mad");
    RankOptions options = without_bootstraps();
    options.tags = scratch / "tags.csv";
    std::string csv = "image,tag\n";
    for (int i = 0; i < 3; ++i)
        csv += fmt::format("s3://bucket/i{},small\n", world.selected[i].image);
    write_file_atomically(options.tags, csv + "s3://bucket/elsewhere,small\n");
    const Ranking found = rank_classifiers(competition, options);
    ASSERT_EQ(found.tags.size(), 1U);
    EXPECT_EQ(found.tags[0].images, 3U);
    EXPECT_THAT(found.warnings, Contains(HasSubstr("1 image with a tag is not selected")));
}

TEST(MadRankTags, TagsOfAnswersAreUsedWithoutATable) {
    RankWorld world({"a", "b"});
    world.counts({.first = 0, .second = 1, .only_first = 6, .only_second = 4});
    const Scratch scratch;
    const Competition competition = write_world(scratch / "mad", world);
    EXPECT_TRUE(rank_classifiers(competition, without_bootstraps()).tags.empty());
    const std::int64_t first = world.selected[0].image, second = world.selected[1].image;
    {
        Database database(scratch / "mad/competition.sqlite", Database::Access::write);
        Statement tag = database.prepare(
            "UPDATE answer SET tags = ? WHERE id = (SELECT min(answer.id) FROM answer JOIN "
            "question ON question.id = answer.question WHERE question.image = ?)");
        tag.bind("background\nsmall").bind(first).run();
        tag.bind("small").bind(second).run();
    }
    const Ranking found = rank_classifiers(competition, without_bootstraps());
    ASSERT_EQ(found.tags.size(), 2U);
    EXPECT_EQ(found.tags[0].tag, "background");
    EXPECT_EQ(found.tags[0].images, 1U);
    EXPECT_EQ(found.tags[1].tag, "small");
    EXPECT_EQ(found.tags[1].images, 2U);
    EXPECT_EQ(found.tags[1].classifiers[1].wrong, 2U);
    // A table takes their place, also one with several tags in a field.
    RankOptions options = without_bootstraps();
    options.tags = scratch / "tags.csv";
    write_file_atomically(options.tags, fmt::format("image,tags\ni{},dark; far\n", first));
    const Ranking other = rank_classifiers(competition, options);
    ASSERT_EQ(other.tags.size(), 2U);
    EXPECT_EQ(other.tags[0].tag, "dark");
    EXPECT_EQ(other.tags[1].tag, "far");
}

TEST(MadRankTags, AnExportOfAnswersGivesTheTagsOfTheAnswers) {
    RankWorld world({"a", "b"}, 5);
    world.counts({.first = 0, .second = 1, .only_first = 6, .only_second = 4});
    const Scratch scratch;
    const Competition competition = write_world(scratch / "mad", world);
    RankOptions options = without_bootstraps();
    options.tags = scratch / "answers.csv";
    {
        Database database(scratch / "mad/competition.sqlite", Database::Access::write);
        Statement tag = database.prepare(
            "UPDATE answer SET tags = ?, counts = ? WHERE annotator = ? AND question IN "
            "(SELECT id FROM question WHERE image = ?)");
        const auto tags = [&](std::string_view text, std::int64_t counts, std::int64_t annotator,
                              std::size_t image) {
            tag.bind(text).bind(counts).bind(annotator).bind(world.selected[image].image).run();
        };
        tags("-far\nsmall", 1, 1, 0);
        tags("small", 1, 2, 1);
        tags("small\nwithdrawn", 0, 4, 2);
        tags("of a blocked annotator\nsmall", 1, 5, 3);
        database.prepare("UPDATE annotator SET blocked = 1 WHERE id = 5").run();
        write_file_atomically(options.tags, study::answers_csv(database));
    }
    const Ranking of_answers = rank_classifiers(competition, without_bootstraps());
    ASSERT_EQ(of_answers.tags.size(), 2U);
    EXPECT_EQ(of_answers.tags[1].images, 2U);
    EXPECT_EQ(report_of(rank_classifiers(competition, options)).result["tags"],
              report_of(of_answers).result["tags"]);
}

TEST(MadRankTags, TheMostUsedTagsOfAnswersAreShown) {
    RankWorld world({"a", "b"});
    world.counts({.first = 0, .second = 1, .only_first = 6, .only_second = 4});
    const Scratch scratch;
    const Competition competition = write_world(scratch / "mad", world);
    {
        Database database(scratch / "mad/competition.sqlite", Database::Access::write);
        Statement tag = database.prepare(
            "UPDATE answer SET tags = ? WHERE id = (SELECT min(answer.id) FROM answer JOIN "
            "question ON question.id = answer.question WHERE question.image = ?)");
        std::string many;
        for (int t = 0; t < 52; ++t) many += fmt::format("t{:02}\n", t);
        tag.bind(many + "z").bind(world.selected[0].image).run();
        tag.bind("z").bind(world.selected[1].image).run();
    }
    const Ranking found = rank_classifiers(competition, without_bootstraps());
    ASSERT_EQ(found.tags.size(), 50U);
    EXPECT_EQ(found.tags[48].tag, "t48");
    EXPECT_EQ(found.tags[49].tag, "z");  // has two images
    EXPECT_THAT(found.warnings, Contains(HasSubstr("53 tags; only the 50 with the most images")));
    EXPECT_THAT(found.warnings, Contains(HasSubstr("3 are omitted")));
    RankOptions none = without_bootstraps();
    none.by_tag = false;
    EXPECT_TRUE(rank_classifiers(competition, none).tags.empty());
}

TEST(MadRankCombined, GainIsTheSmallerOfTwoProportions) {
    const PairCounts counts{.both = 2, .only_first = 12, .only_second = 5, .neither = 1};
    const Estimate gain = combined_gain(counts, .95);
    EXPECT_DOUBLE_EQ(gain.value.value(), .25);
    // Wilson's limits of 5 and 12 of 20 at 1 - .05 * 2 / 3.
    EXPECT_NEAR(gain.interval->low, wilson(5, 20, 1 - .05 * 2 / 3).low, 1e-12);
    EXPECT_NEAR(gain.interval->high, wilson(5, 20, 1 - .05 * 2 / 3).high, 1e-12);
    EXPECT_FALSE(combined_gain({}, .95).value);
    // Its interval covers, also where both proportions are equal.
    for (const auto& [p, q] : {std::pair{.3, .3}, {.2, .5}, {.1, .15}}) {
        int covered = 0;
        constexpr int times = 4000;
        for (int t = 0; t < times; ++t) {
            RandomStream random(static_cast<std::uint64_t>(t), "gain");
            PairCounts drawn;
            for (int i = 0; i < 30; ++i) {
                const double u = random.uniform();
                ++(u < p ? drawn.only_first : u < p + q ? drawn.only_second : drawn.neither);
            }
            const Interval found = *combined_gain(drawn, .95).interval;
            covered += found.low <= p && p <= found.high ? 1 : 0;
        }
        EXPECT_GE(covered, .94 * times) << p << " " << q;
    }
    RankWorld world({"a", "b", "c"});
    world.counts({.first = 0, .second = 1, .only_first = 15, .only_second = 14});
    world.counts({.first = 0, .second = 2, .only_first = 29});
    world.counts({.first = 1, .second = 2, .only_first = 29});
    const Scratch scratch;
    const Report report =
        report_of(rank_classifiers(write_world(scratch / "mad", world), without_bootstraps()));
    EXPECT_THAT(std::get<Table>(report.sections[0].blocks.back()).notes,
                Contains("a and b would gain most by being combined."));
    EXPECT_NEAR(report.result["pairs"][0]["combined_gain"]["value"].get<double>(), 14. / 29, 1e-12);
}

}  // namespace
}  // namespace assay::mad
