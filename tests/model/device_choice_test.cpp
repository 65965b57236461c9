// Tests which devices a process uses, and the names of precisions.
#include "model/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/model/classifier.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> alike(8, "H100");
const std::vector<std::string> mixed = {"H100", "T4", "H100", ""};

DeviceChoice chosen(const std::string& wanted, const std::vector<std::string>& visible,
                    std::uint32_t process = 0, std::uint32_t processes = 1) {
    return choose_devices(wanted, visible, process, processes, "LibTorch 9");
}

TEST(DeviceChoice, OneProcessHasAllDevicesOfTheFirstsType) {
    for (const char* wanted : {"cuda", "auto"}) {
        EXPECT_THAT(chosen(wanted, alike).numbers, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
        EXPECT_THAT(chosen(wanted, alike).notes, IsEmpty());
        const DeviceChoice some = chosen(wanted, mixed);
        EXPECT_THAT(some.numbers, ElementsAre(0, 2));
        EXPECT_EQ(some.type, "H100");
        EXPECT_THAT(some.notes,
                    ElementsAre(AllOf(HasSubstr("cuda:1 (T4) is not used"), HasSubstr("(H100)")),
                                HasSubstr("cuda:3 (a device of unknown name) is not used")));
    }
    // Devices with unknown names count as one type, because nothing distinguishes them.
    EXPECT_THAT(chosen("cuda", {"", ""}).numbers, ElementsAre(0, 1));
}

TEST(DeviceChoice, TheProcessorIsChosenByNameOrForWantOfDevices) {
    EXPECT_THAT(chosen("cpu", alike).numbers, IsEmpty());
    EXPECT_THAT(chosen("auto", {}).numbers, IsEmpty());
    EXPECT_THAT(message_of([] { chosen("cuda", {}); }, ErrorCode::usage),
                HasSubstr("LibTorch 9 finds no CUDA device here; use cpu or auto"));
}

TEST(DeviceChoice, ListsNameDevicesOfOneType) {
    EXPECT_THAT(chosen("cuda:3", alike).numbers, ElementsAre(3));
    EXPECT_THAT(chosen("cuda:5,1", alike).numbers, ElementsAre(1, 5));
    EXPECT_EQ(chosen("cuda:1", mixed).type, "T4");
    EXPECT_THAT(message_of([] { chosen("cuda:0,1", mixed); }, ErrorCode::usage),
                AllOf(HasSubstr("cuda:0 is H100 but cuda:1 is T4"), HasSubstr("one type")));
    EXPECT_THAT(message_of([] { chosen("cuda:0,8", alike); }, ErrorCode::usage),
                HasSubstr("there are 8 CUDA devices, cuda:0 to cuda:7"));
    EXPECT_THAT(message_of([] { chosen("cuda:1", {"T4"}); }, ErrorCode::usage),
                HasSubstr("the only CUDA device is cuda:0"));
    EXPECT_THAT(message_of([] { chosen("cuda:2,2", alike); }, ErrorCode::usage),
                HasSubstr("2 appears twice"));
    for (const char* wrong : {"cuda:", "cuda:,", "cuda:1,", "cuda:,1", "cuda:x", "cuda:-1",
                              "cuda:1 ", "cuda:1;2", "cuda:99999999999"})
        EXPECT_THAT(message_of([&] { chosen(wrong, alike); }, ErrorCode::usage),
                    AllOf(HasSubstr(wrong), HasSubstr("a number or a list must follow")));
    for (const char* unknown : {"", "gpu", "cuda0", "CUDA", "mps"})
        EXPECT_THAT(message_of([&] { chosen(unknown, alike); }, ErrorCode::usage),
                    HasSubstr("unknown device"));
}

TEST(DeviceChoice, ProcessesOfAMachineDealTheDevicesOut) {
    EXPECT_THAT(chosen("cuda", alike, 1, 8).numbers, ElementsAre(1));
    EXPECT_THAT(chosen("cuda", alike, 0, 3).numbers, ElementsAre(0, 3, 6));
    EXPECT_THAT(chosen("cuda", alike, 2, 3).numbers, ElementsAre(2, 5));
    // There are more processes than devices.
    EXPECT_THAT(chosen("cuda", alike, 9, 16).numbers, ElementsAre(1));
    EXPECT_THAT(chosen("auto", mixed, 1, 2).numbers, ElementsAre(2));
    EXPECT_THAT(chosen("cuda:4,6", alike, 1, 2).numbers, ElementsAre(6));
    EXPECT_THAT(chosen("cuda:4", alike, 1, 2).numbers, ElementsAre(4));
}

TEST(ClassifierOptions, WordsAreReadAndNamed) {
    const auto set = [](std::string_view name, const std::string& text) {
        ClassifierOptions options;
        for (const Field& field : description<ClassifierOptions>) {
            if (field.name == name)
                return std::pair(set_texts(field, &options, {&text, 1}), options);
        }
        return std::pair(std::string("no such field"), options);
    };
    for (const Precision one :
         {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
        const auto [fault, options] = set("precision", std::string(name_of(one)));
        EXPECT_EQ(fault, "");
        EXPECT_EQ(options.precision, one);
    }
    EXPECT_EQ(set("precision", "fp8").first, "is `fp8`; allowed: fp32, tf32, fp16, bf16");
    EXPECT_EQ(set("isolate", "yes").first, "is `yes`; allowed: auto, on, off");
    EXPECT_EQ(set("isolate", "off").second.isolate, Isolation::off);
}

}  // namespace
}  // namespace assay
