// Models of torch.export through the plug-in's interface, compared with PyTorch 2.6's scores
// (make_pt2.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string_view>
#include <thread>

#include "assay/error.h"
#include "core/file.h"
#include "export_archives.h"
#include "images.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const nlohmann::json& exported_scores() {
    static const nlohmann::json all = nlohmann::json::parse(std::ifstream(fixture("pt2.json")));
    return all;
}

/// Compares scores of `name` for four images at once with PyTorch's, relative to their size.
void expect_exported(Classifier& classifier, const std::string& name, float tolerance = 1e-5F) {
    const auto& rows = exported_scores().at(name);
    const std::vector<float> got = run(classifier, rows.size(), 16);
    const std::size_t classes = rows[0].size();
    ASSERT_EQ(got.size(), rows.size() * classes);
    for (std::size_t i = 0; i < got.size(); ++i) {
        const float want = rows[i / classes][i % classes];
        EXPECT_NEAR(got[i], want, tolerance * std::max(1.0F, std::abs(want)))
            << name << " at " << i;
    }
}

TEST(TorchExport, ScoresEqualPyTorchs) {
    for (const char* name :
         {"pt2_plain.pt2", "pt2_vit.pt2", "pt2_decomposed.pt2", "pt2_decomposed_cnn.pt2",
          "pt2_sizes.pt2", "pt2_no_grad.pt2", "pt2_in_place.pt2", "pt2_through_reshape.pt2",
          "pt2_standardised.pt2", "pt2_tied.pt2", "pt2_fixed_arguments.pt2", "pt2_double.pt2",
          "pt2_quantised.pt2"}) {
        SCOPED_TRACE(name);
        const auto classifier = open_classifier(fixture_spec(name), {"cpu"});
        expect_exported(*classifier, name);
        // Some processors multiply matrices of other sizes with other kernels. Rounding to 8 bits
        // then depends on the batch, and the model gets one image at a time.
        if (std::string_view(name) == "pt2_quantised.pt2")
            EXPECT_THAT(classifier->facts().fixed_batch, testing::AnyOf(0, 1));
        else
            EXPECT_EQ(classifier->facts().fixed_batch, 0);
    }
}

TEST(TorchExport, EveryKindOfArgument) {
    for (const char* name : {"pt2_arguments.pt2", "pt2_loose.pt2", "pt2_kernels.pt2"}) {
        SCOPED_TRACE(name);
        const auto classifier = open_classifier(fixture_spec(name), {"cpu"});
        expect_exported(*classifier, name, 2e-5F);
        EXPECT_THAT(classifier->facts().notes, IsEmpty());
    }
    // The model was exported on a device other than the requested one.
    const auto classifier = open_classifier(fixture_spec("pt2_cuda.pt2"), {"cpu"});
    EXPECT_EQ(run(*classifier, 4, 16),
              run(*open_classifier(fixture_spec("pt2_arguments.pt2"), {"cpu"}), 4, 16));
}

/// A spec for an archive that is written to `scratch`.
ModelSpec spec_of(const Scratch& scratch, const std::string& archive) {
    ModelSpec spec = fixture_spec("pt2_plain.pt2");
    spec.path = scratch / "model.pt2";
    write(spec.path, archive);
    return spec;
}

TEST(TorchExport, Facts) {
    const auto classifier = open_classifier(fixture_spec("pt2_plain.pt2"), {"cpu"});
    // conv 6*3*9, norm 2*6, depthwise 6*9 + 6, and fc 5*6 + 5 give 162 + 12 + 60 + 35
    EXPECT_EQ(classifier->facts().parameters, 269);
    EXPECT_EQ(classifier->facts().classes, 5U);
    EXPECT_EQ(classifier->facts().device, "cpu");
    EXPECT_THAT(classifier->facts().notes, IsEmpty());
    // Two layers of 48 * 48 + 48 share their weights.
    EXPECT_EQ(open_classifier(fixture_spec("pt2_tied.pt2"), {"cpu"})->facts().parameters,
              48 * 48 + 2 * 48);
}

TEST(TorchExport, TheNewerLayoutGivesTheSameScores) {
    const Scratch scratch;
    for (const char* name : {"pt2_plain.pt2", "pt2_vit.pt2", "pt2_tied.pt2", "pt2_arguments.pt2"}) {
        SCOPED_TRACE(name);
        const ModelSpec spec = spec_of(scratch, zipped(newer_layout(name)));
        EXPECT_EQ(run(*open_classifier(spec, {"cpu"}), 4, 16),
                  run(*open_classifier(fixture_spec(name), {"cpu"}), 4, 16));
    }
}

TEST(TorchExport, RepeatedCallsAndThreadsGiveTheSameBits) {
    // pt2_counting.pt2 changes its buffers at each call, and in place.
    for (const char* name : {"pt2_plain.pt2", "pt2_vit.pt2", "pt2_counting.pt2"}) {
        SCOPED_TRACE(name);
        const auto classifier = open_classifier(fixture_spec(name), {"cpu"});
        const std::vector<float> want = run(*classifier, 3, 16);
        std::array<std::vector<float>, 4> got;
        {
            std::vector<std::jthread> threads;
            for (auto& mine : got)
                threads.emplace_back([&] {
                    for (int i = 0; i < 10; ++i) mine = run(*classifier, 3, 16);
                });
        }
        for (const auto& mine : got) EXPECT_EQ(mine, want);
    }
}

TEST(TorchExport, BuffersThatACallChangesStartFromTheStoredOnes) {
    const auto classifier = open_classifier(fixture_spec("pt2_counting.pt2"), {"cpu"});
    expect_exported(*classifier, "pt2_counting.pt2");
    expect_exported(*classifier, "pt2_counting.pt2");
}

TEST(TorchExport, TheCallersInputIsLeftAlone) {
    const auto classifier = open_classifier(fixture_spec("pt2_in_place.pt2"), {"cpu"});
    const std::vector<float> input = images(2, 16);
    std::vector<float> copy = input;
    std::vector<float> out(10);
    classifier->scores(copy, 2, out);
    EXPECT_EQ(copy, input);
}

TEST(TorchExport, OutputsAreChosenAsForOtherFormats) {
    const auto dict = open_classifier(fixture_spec("pt2_dict.pt2"), {"cpu"});
    expect_exported(*dict, "pt2_dict.pt2");
    EXPECT_THAT(dict->facts().notes, ElementsAre(HasSubstr("\"logits\" are its scores")));
    ModelSpec spec = fixture_spec("pt2_dict.pt2");
    spec.output = "features";
    EXPECT_EQ(open_classifier(spec, {"cpu"})->facts().classes, 6U);
    spec.output = "scores";
    EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(),
                AllOf(HasSubstr("no output \"scores\""), HasSubstr("more.0 (tensor 1)"),
                      HasSubstr("more.1 (None)")));

    for (const char* name : {"pt2_tuple.pt2", "pt2_struct.pt2"}) {
        spec = fixture_spec(name);
        EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(),
                    HasSubstr("0 (tensor 1 x 6), 1 (tensor 1 x 5)"));
        spec.output = "1";
        expect_exported(*open_classifier(spec, {"cpu"}), name);
    }
    spec = fixture_spec("pt2_plain.pt2");
    spec.output = "logits";
    EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(),
                HasSubstr("returns one tensor"));
}

TEST(TorchExport, HalfPrecisionIsComputedInSingleOnACpu) {
    for (const auto& [name, type] :
         {std::pair{"pt2_half.pt2", "(float16)"}, std::pair{"pt2_bfloat16.pt2", "(bfloat16)"}}) {
        SCOPED_TRACE(name);
        const auto classifier = open_classifier(fixture_spec(name), {"cpu"});
        EXPECT_THAT(classifier->facts().notes,
                    ElementsAre(AllOf(HasSubstr(type),
                                      HasSubstr("on a CPU Assay computes in single precision"))));
        // PyTorch's own scores are rounded at every step.
        expect_exported(*classifier, name, std::string(name) == "pt2_half.pt2" ? 3e-3F : 3e-2F);
    }
}

TEST(TorchExport, MixedPrecisionIsComputedInSingle) {
    const auto classifier = open_classifier(fixture_spec("pt2_autocast.pt2"), {"cpu"});
    EXPECT_THAT(classifier->facts().notes, ElementsAre(HasSubstr("mixed precision (autocast)")));
    expect_exported(*classifier, "pt2_autocast.pt2", 3e-2F);
}

TEST(TorchExport, BatchesThatTheExporterFixed) {
    const auto fixed = open_classifier(fixture_spec("pt2_fixed_batch.pt2"), {"cpu"});
    EXPECT_EQ(fixed->facts().fixed_batch, 4);
    expect_exported(*fixed, "pt2_fixed_batch.pt2");
    const std::vector<float> four = run(*fixed, 4, 16);
    const std::vector<float> six = run(*fixed, 6, 16);
    EXPECT_EQ(std::vector<float>(six.begin(), six.begin() + 20), four);
    EXPECT_EQ(six.size(), 30U);
    // At least three images are needed.
    const auto least = open_classifier(fixture_spec("pt2_least_batch.pt2"), {"cpu"});
    EXPECT_EQ(least->facts().fixed_batch, 3);
    expect_exported(*least, "pt2_least_batch.pt2");
    // At most three images are allowed, so no call gets more.
    const Scratch scratch;
    const auto most = open_classifier(
        spec_of(scratch,
                with_program("pt2_plain.pt2",
                             [](auto& p) { p["range_constraints"]["s0"]["max_val"] = 3; })),
        {"cpu"});
    EXPECT_EQ(most->facts().fixed_batch, 0);
    const std::vector<float> all = run(*most, 4, 16);
    const std::vector<float> three = run(*most, 3, 16);
    EXPECT_EQ(std::vector<float>(all.begin(), all.begin() + 15), three);
    expect_exported(*most, "pt2_plain.pt2");
}

TEST(TorchExport, Sides) {
    ModelSpec spec = fixture_spec("pt2_open_sides.pt2");
    expect_exported(*open_classifier(spec, {"cpu"}), "pt2_open_sides.pt2");
    spec.preprocess.height = 20;
    EXPECT_EQ(open_classifier(spec, {"cpu"})->facts().classes, 5U);
    spec.preprocess.height = 64;
    EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(),
                HasSubstr("images with sides from 12 to 40, but input_size is [3, 64, 16]"));
    spec = fixture_spec("pt2_plain.pt2");
    spec.preprocess.height = 20;
    EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(),
                HasSubstr("takes images of 3 x 16 x 16 (channels, height, width), but input_size "
                          "is [3, 20, 16]"));
}

TEST(TorchExport, BytesWithTheChannelsLastAreSeen) {
    ModelSpec spec = fixture_spec("pt2_bytes.pt2");
    spec.preprocess.mean = {0.5, 0.5, 0.5};
    spec.preprocess.std = {0.25, 0.25, 0.25};
    const auto bytes = open_classifier(spec, {"cpu"});
    EXPECT_THAT(bytes->facts().notes,
                ElementsAre(HasSubstr("takes bytes"), HasSubstr("channels last")));
    // Byte k of the fixture's input is 37 k modulo 256, in the order of the channels-last image.
    std::vector<float> input(std::size_t{4} * 3 * 16 * 16);
    for (std::size_t k = 0; k < input.size(); ++k) {
        const std::size_t channel = k % 3, pixel = k / 3 % 256, image = k / 768;
        const float byte = static_cast<float>(k * 37 % 256);
        input[image * 768 + channel * 256 + pixel] = (byte / 255.0F - 0.5F) / 0.25F;
    }
    std::vector<float> got(20);
    bytes->scores(input, 4, got);
    const auto& rows = exported_scores().at("pt2_bytes.pt2");
    for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], rows[i / 5][i % 5].get<float>(), 1e-5F) << i;
}

TEST(TorchExport, WhatWouldGiveOtherScoresIsRefused) {
    for (const auto& [name, said] :
         {std::pair{"pt2_train.pt2", "batch norm in training mode"},
          std::pair{"pt2_dropout.pt2", "dropout in training mode"},
          std::pair{"pt2_batch_statistics.pt2", "batch norm in training mode"},
          std::pair{"pt2_random.pt2", "it draws random numbers"}}) {
        const Error error = error_of([&] { open_classifier(fixture_spec(name), {"cpu"}); });
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.message(), AllOf(HasSubstr("node `"), HasSubstr(said),
                                           HasSubstr("export the model after eval()")));
    }
}

TEST(TorchExport, WhatIsNotSupportedIsNamed) {
    const auto refusal = [](const char* name) {
        const Error error = error_of([&] { open_classifier(fixture_spec(name), {"cpu"}); });
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return std::string(error.what());
    };
    EXPECT_THAT(refusal("pt2_two_inputs.pt2"), HasSubstr("several tensors (x, y); one"));
    EXPECT_THAT(refusal("pt2_condition.pt2"), AllOf(HasSubstr("torch.ops.higher_order.cond"),
                                                    HasSubstr("chooses between graphs")));
    EXPECT_THAT(
        refusal("pt2_foreign.pt2"),
        AllOf(HasSubstr("operators that " + model_framework() + " does not have: acme::wobble"),
              HasSubstr("1 node, first `linear`"), HasSubstr("belongs to \"acme\"")));
}

TEST(TorchExport, DamagedCalls) {
    const Scratch scratch;
    const auto refusal = [&](auto&& edit) {
        const ModelSpec spec = spec_of(scratch, with_program("pt2_plain.pt2", [&](auto& p) {
                                           edit(p["graph_module"]["graph"]["nodes"]);
                                       }));
        const Error error = error_of([&] { open_classifier(spec, {"cpu"}); });
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(std::string(error.what()), HasSubstr("model.pt2"));
        return error.message();
    };
    const std::string conv = "node `conv2d` (torch.ops.aten.conv2d.default): ";
    EXPECT_THAT(refusal([](auto& n) { n[0]["inputs"].erase(1); }),
                HasSubstr(conv + "its argument `weight` is missing"));
    EXPECT_THAT(refusal([](auto& n) {
                    n[0]["inputs"][3]["arg"] = {{"as_string", "x"}};
                }),
                HasSubstr(conv + "its argument `stride`"));
    EXPECT_THAT(refusal([](auto& n) { n[0]["inputs"][3]["name"] = "strides"; }),
                HasSubstr(conv + "its argument `strides` is not known"));
    EXPECT_THAT(refusal([](auto& n) {
                    n[0]["inputs"][3]["arg"] = {{"as_layout", 1}};
                }),
                HasSubstr("layout 1 is not supported"));
    EXPECT_THAT(refusal([](auto& n) {
                    n[0]["inputs"][3]["arg"] = {{"as_operator", "f"}};
                }),
                HasSubstr("kind `as_operator` is not supported"));
    EXPECT_THAT(refusal([](auto& n) {
                    n[0]["inputs"][3]["arg"]["as_ints"] = {1, -1};
                }),
                HasSubstr(conv));
    EXPECT_THAT(refusal([](auto& n) { n[0]["target"] = "torch.ops.aten.conv2d.nothing"; }),
                HasSubstr("does not have: aten::conv2d.nothing"));
    for (const char* op : {"from_file", "save"}) {
        EXPECT_THAT(refusal([&](auto& n) {
                        n[0]["target"] = std::string("torch.ops.aten.") + op + ".default";
                    }),
                    HasSubstr("it reads or writes a file, which is not allowed"));
    }
    EXPECT_THAT(refusal([](auto& n) { n[0]["target"] = "torch.ops.prim.ListConstruct.default"; }),
                HasSubstr("does not have: prim::ListConstruct"));
    EXPECT_THAT(refusal([](auto& n) { n[0]["target"] = "print"; }),
                HasSubstr("does not have: print (1 node, first `conv2d`: only Python can run it)"));
    EXPECT_THAT(refusal([](auto& n) {
                    n[0]["outputs"] = {{{"as_tensors", {{{"name", "conv2d"}}, {{"name", "b"}}}}}};
                }),
                HasSubstr(conv));
}

TEST(TorchExport, DamagedFiles) {
    const Scratch scratch;
    const std::string whole = read_text(fixture("pt2_plain.pt2"));
    for (const double share : {0.0, 0.1, 0.5, 0.9, 0.999}) {
        const ModelSpec spec = spec_of(
            scratch,
            whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
        const Error error = error_of([&] { open_classifier(spec, {"cpu"}); });
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << share;
        EXPECT_THAT(std::string(error.what()), HasSubstr("model.pt2"));
    }
    EntryTexts entries = newer_layout("pt2_plain.pt2");
    entries.erase("model/data/weights/weight_0");
    EXPECT_THAT(
        error_of([&] { open_classifier(spec_of(scratch, zipped(entries)), {"cpu"}); }).message(),
        HasSubstr("no entry `model/data/weights/weight_0`"));
    // The signature names a tensor that the archive does not have.
    const ModelSpec renamed = spec_of(
        scratch, with_program("pt2_plain.pt2", [](auto& p) {
            p["graph_module"]["signature"]["input_specs"][0]["parameter"]["parameter_name"] =
                "nothing";
        }));
    EXPECT_THAT(error_of([&] { open_classifier(renamed, {"cpu"}); }).message(),
                HasSubstr("lacks the tensor `nothing`"));
}

}  // namespace
}  // namespace assay
