// `assay corrupt` as a user runs it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/file.h"
#include "data/temp_folder.h"
#include "patchml/made_images.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class CorruptCommand : public testing::Test {
protected:
    CorruptCommand() {
        for (std::size_t i = 0; i < 3; ++i) {
            save(one_colour(40, 30, colour_of(i)),
                 folder_ / ("pics/cat/" + std::to_string(i) + ".png"));
        }
    }
    Outcome run(std::vector<std::string> more) {
        more.insert(more.begin(), {"corrupt", (folder_ / "pics").string()});
        return assay_run(more);
    }
    TempFolder folder_;
};

TEST_F(CorruptCommand, WritesATreeAndListsIt) {
    const std::string out = (folder_ / "out").string();
    const Outcome made =
        run({"--out", out, "--corruptions", "fog,digital", "--severities", "2,4", "--json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const json listed = json::parse(made.out);
    EXPECT_EQ(listed["schema"], "assay.corrupt/1");
    EXPECT_EQ(listed["files"], 3 * 2 * 6);
    EXPECT_THAT(listed["pipeline"].get<std::string>(),
                testing::StartsWith("corruption with the parameters of CIFAR-10-C, cut to 8 bit"));
    EXPECT_EQ(listed["profile"], "cifar");
    EXPECT_THAT(made.err, HasSubstr("parameters of CIFAR-10-C (profile cifar), chosen by the first "
                                    "image, of 40 x 30 pixels"));
    for (const json& version : listed["versions"]) {
        EXPECT_TRUE(fs::exists(fs::path(version["folder"].get<std::string>()) / "cat/2.png"));
    }
    EXPECT_THAT(made.err, HasSubstr("assay predict --model MODEL --data "));
    const Outcome again =
        run({"--out", out, "--corruptions", "digital,fog", "--severities", "4,2"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr("was finished before"));
}

TEST_F(CorruptCommand, TakesTheProfileThatIsNamed) {
    const std::string out = (folder_ / "out").string();
    const std::vector<std::string> words = {"--out",        out, "--corruptions", "contrast",
                                            "--severities", "2", "--json"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), words.begin(), words.end());
        return run(more);
    };
    const Outcome made = with({"--profile", "imagenet"});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(json::parse(made.out)["pipeline"].get<std::string>(),
                HasSubstr("short side to 256 pixels (bilinear), centre crop 224 x 224"));
    EXPECT_THAT(made.err, HasSubstr("for another input, replace 224 by its side"));
    EXPECT_THAT(made.err, Not(HasSubstr("chosen by")));
    const Outcome other = with({});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("was made with other settings"));
    EXPECT_EQ(with({"--profile", "cifra"}).status, 2);
    EXPECT_EQ(with({"--crop", "-1"}).status, 2);
}

TEST_F(CorruptCommand, VersionsThatDoNotFitEndWith3) {
    const Outcome made =
        run({"--out", (folder_ / "out").string(), "--profile", "imagenet", "--resize", "0",
             "--crop", "0", "--corruptions", "motion_blur,contrast", "--json"});
    EXPECT_EQ(made.status, 3);
    EXPECT_THAT(made.err, HasSubstr("motion_blur 2 (31 x 31 pixels), motion_blur 3"));
    const json listed = json::parse(made.out);
    EXPECT_EQ(listed["files"], 3 * 6);
    EXPECT_EQ(listed["versions"].size(), 6U);
    EXPECT_EQ(listed["versions_left_out"].size(), 4U);
}

TEST_F(CorruptCommand, WritesASheetOfOneImage) {
    const std::string sheet = (folder_ / "sheet.png").string();
    const Outcome made = run({"--sheet", sheet, "--image", "cat/1.png", "-q"});
    ASSERT_EQ(made.status, 0) << made.err;
    const Image image = load_image(sheet);
    EXPECT_EQ(image.width, 214 + 5 * 42 - 2);
    EXPECT_EQ(image.height, 20 + 19 * 32 - 2);
    EXPECT_THAT(run({"--sheet", sheet, "--image", "cat/7.png"}).err,
                HasSubstr("has no image `cat/7.png`"));
}

TEST_F(CorruptCommand, SaysWhatIsMissing) {
    const Outcome none = run({});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("no --out and no --sheet given"));
    const Outcome unknown = run({"--sheet", (folder_ / "s.png").string(), "--corruptions", "fogg"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("did you mean `fog`?"));
}

}  // namespace
}  // namespace assay
