// Logs for experiment trackers: names, lines, and the bytes of event files.
#include "assay/report/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "made_report.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Report report_with(std::vector<NamedValue> values) {
    Report report;
    report.values = std::move(values);
    return report;
}

std::vector<std::string> names_of(const Report& report) {
    std::vector<std::string> names;
    for (const LogEntry& entry : log_of(report).entries) names.push_back(entry.name);
    return names;
}

TEST(Log, NothingHasNoEntries) {
    EXPECT_TRUE(log_of(Report()).entries.empty());
    EXPECT_EQ(log_lines(log_of(Report()), 0), "");
}

TEST(Log, AValueHasItsEndsAndItsNumberBesideIt) {
    const Log log = log_of(report_with({{{"val", "resnet50", "top1"}, estimate(0.75, 0.5, 0.875)},
                                        {{"val", "resnet50", "ece"}, estimate(0.25)},
                                        {{"val", "resnet50", "aurc"}, undefined("no \"order\"")}}));
    EXPECT_EQ(log_lines(log, 7),
              "{\"name\":\"val/resnet50/top1\",\"step\":7,\"value\":0.75}\n"
              "{\"name\":\"val/resnet50/top1_low\",\"step\":7,\"value\":0.5}\n"
              "{\"name\":\"val/resnet50/top1_high\",\"step\":7,\"value\":0.875}\n"
              "{\"name\":\"val/resnet50/top1_n\",\"step\":7,\"value\":100.0}\n"
              "{\"name\":\"val/resnet50/ece\",\"step\":7,\"value\":0.25}\n"
              "{\"name\":\"val/resnet50/ece_n\",\"step\":7,\"value\":100.0}\n"
              "{\"name\":\"val/resnet50/aurc\",\"step\":7,\"undefined\":\"no \\\"order\\\"\"}\n");
    EXPECT_THAT(log.warnings, IsEmpty());
    // 1/3 is read back as the same double, even if the report rounds.
    EXPECT_THAT(log_lines(log_of(report_with({{{"a"}, estimate(1.0 / 3)}})), 0),
                HasSubstr("0.3333333333333333}"));
}

TEST(Log, NamesHaveWhatAllTrackersTake) {
    const auto name = [](std::vector<std::string> parts) {
        Estimate value;
        value.value = 1;
        return names_of(report_with({{std::move(parts), value}})).front();
    };
    EXPECT_EQ(name({"v-1.2_x", "ece (bins 20)"}), "v-1.2_x/ece_bins_20");
    EXPECT_EQ(name({"a/b", "<&>\"\x1b[31m", "Modèle\n"}), "a_b/31m/Mod_le");
    // These names would be read as paths, or have no valid character.
    EXPECT_EQ(name({"..", ".", "", "模型"}), "__/_/_/_");
    // Names may have 250 bytes with an ending. Two long names remain different.
    const std::string longest(240, 'x'), longer(241, 'x');
    EXPECT_EQ(name({longest}), longest);
    EXPECT_EQ(name({longer}).size(), 240U);
    EXPECT_EQ(name({longer}).substr(0, 224), longer.substr(0, 223) + "_");
    EXPECT_NE(name({longer}), name({longer + "x"}));
    EXPECT_EQ(name({std::string(222, 'x'), longer}).find("//"), std::string::npos);
}

TEST(Log, NoNameStandsTwice) {
    Estimate one = estimate(0.5);
    one.n = 0;
    const Report report = report_with({{{"a b"}, one},
                                       {{"a:b"}, one},
                                       {{"a_b_2"}, one},
                                       {{"c"}, estimate(0.5, 0.25, 0.75)},
                                       {{"c low"}, one}});
    EXPECT_THAT(names_of(report),
                ElementsAre("a_b", "a_b_2", "a_b_2_2", "c", "c_low", "c_high", "c_n", "c_low_2"));
    EXPECT_THAT(log_of(report).warnings,
                ElementsAre("two values would be logged as a_b: the later one is a_b_2",
                            "two values would be logged as a_b_2: the later one is a_b_2_2",
                            "two values would be logged as c_low: the later one is c_low_2"));
}

TEST(Log, EventsAreTensorBoards) {
    Estimate value;
    value.value = 0.5;
    const Log log = log_of(report_with({{{"a"}, value}, {{"b"}, undefined("why")}}));
    // Event {1: 0.0 (time), 3: "brain.Event:2"} has 9 + 15 bytes. Event {1: 0.0, 2: 300 = ac 02, 5:
    // {1: {1: "a", 2: 0.5f = 00 00 00 3f}}} has 9 + 3 + 2 + 2 + 8. The checksums are those of
    // google-crc32c: of the lengths 24 and 24, and of the two messages.
    const std::string bytes = event_file(log, 300, 0);
    ASSERT_EQ(bytes.size(), 2 * (8 + 4 + 24 + 4));
    EXPECT_EQ(bytes.substr(12, 24),
              std::string("\x09\0\0\0\0\0\0\0\0\x1a\x0d", 11) + "brain.Event:2");
    EXPECT_EQ(bytes.substr(52, 24),
              std::string("\x09\0\0\0\0\0\0\0\0\x10\xac\x02\x2a\x0a\x0a\x08\x0a\x01"
                          "a\x15\0\0\0\x3f",
                          24));
    EXPECT_EQ(event_file(log, 300, 0), bytes);
    EXPECT_NE(event_file(log, 300, 1), bytes);
    EXPECT_EQ(event_file_name(bytes, 12), event_file_name(bytes, 12));
    EXPECT_EQ(event_file_name("x", 12).substr(0, 37), "events.out.tfevents.0000000012.assay.");
    EXPECT_NE(event_file_name("x", 12), event_file_name("y", 12));
}

TEST(Log, TargetsAreFilesOfLinesAndFolders) {
    const LogTarget lines = log_target_named("runs/a.jsonl"),
                    folder = log_target_named("tensorboard:a");
    EXPECT_EQ(lines.kind, LogTarget::Kind::lines);
    EXPECT_EQ(lines.path, "runs/a.jsonl");
    EXPECT_EQ(folder.kind, LogTarget::Kind::tensorboard);
    EXPECT_EQ(folder.path, "a");
    for (const char* text : {"", "-", "a.json", "tensorboard:", "mlflow:run", "wandb"}) {
        try {
            log_target_named(text);
            ADD_FAILURE() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::usage);
            EXPECT_THAT(error.message(), HasSubstr("allowed: FILE.jsonl"));
            EXPECT_THAT(error.message(), HasSubstr("--log is `" + std::string(text) + "`"));
        }
    }
}

}  // namespace
}  // namespace assay
