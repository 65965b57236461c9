// Classifiers on devices, tested with fake devices (fake_device.h). Scores equal those of the
// processor for any order of waiting, and failures of a device are handled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "core/file.h"
#include "evaluate/coloured_images.h"
#include "fake_device.h"
#include "images.h"
#include "model/torch/lanes.h"
#include "model/torch/network.h"
#include "model/torch/newer_operators.h"
#include "model/torch/runtime.h"
#include "until.h"

namespace assay {
namespace {

using namespace torch_plugin;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t side = 16;

DeviceGroup fakes(int devices, Precision precision = Precision::fp32) {
    DeviceGroup group;
    group.devices.clear();
    for (int i = 0; i < devices; ++i) group.devices.push_back(fake_device::device(i));
    group.kind = "fake";
    group.precision = precision;
    return group;
}

std::unique_ptr<Classifier> opened(const ModelSpec& spec, const DeviceGroup& group) {
    static const bool prepared = (prepare_process(), define_newer_operators(), true);
    static_cast<void>(prepared);
    return make_classifier(load_copies(spec, group), spec, group);
}
std::unique_ptr<Classifier> opened(const std::string& name, const DeviceGroup& group) {
    return opened(fixture_spec(name), group);
}

void expect_near(const std::vector<float>& got, const std::vector<float>& want, float tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], want[i], tolerance * std::max(1.0F, std::abs(want[i]))) << i;
}

class Device : public testing::Test {
protected:
    void SetUp() override { fake_device::reset(); }
    void TearDown() override {
        EXPECT_EQ(fake_device::seen().on_default_stream, 0U);
        EXPECT_EQ(fake_device::seen().elsewhere, 0U);
        EXPECT_EQ(fake_device::seen().overwritten, 0U);
        fake_device::reset();
    }
};

TEST_F(Device, ScoresAreThoseOfTheProcessor) {
    // These models use channels last on the processor, which changes the last bits.
    for (const char* name : {"cnn.pt",
                             "vit.pt",
                             "dict.pt",
                             "frozen.pt",
                             "double.pt",
                             "in_place.pt",
                             "half.pt",
                             "conv_out.pt",
                             "fixed_batch.pt",
                             "auxiliary.pt",
                             "spectrum.pt",
                             "cnn_opset11.onnx",
                             "vit_opset13.onnx",
                             "conv_out.onnx",
                             "fixed_batch.onnx",
                             "quantised_cnn_qoperator.onnx",
                             "quantised_cnn_dynamic.onnx",
                             "quantised_vit_qdq.onnx",
                             "quantised_vit_qoperator.onnx",
                             "pt2_plain.pt2",
                             "pt2_vit.pt2",
                             "pt2_half.pt2",
                             "pt2_cuda.pt2",
                             "pt2_in_place.pt2",
                             "pt2_counting.pt2",
                             "pt2_fixed_batch.pt2"}) {
        SCOPED_TRACE(name);
        const auto processor = opened(name, {});
        const auto device = opened(name, fakes(1));
        for (const std::size_t n : {1, 3, 8})
            expect_near(run(*device, n, side), run(*processor, n, side), 2e-5F);
        EXPECT_EQ(device->facts().fixed_batch, processor->facts().fixed_batch);
        EXPECT_EQ(device->facts().parameters, processor->facts().parameters);
        EXPECT_EQ(device->facts().memory_format, "contiguous");
    }
}

TEST_F(Device, ScoresHaveTheProcessorsBitsWhereItsNumbersLieAlike) {
    const auto processor = opened("view.pt", {});
    ASSERT_EQ(processor->facts().memory_format, "contiguous");
    const auto device = opened("view.pt", fakes(2));
    EXPECT_EQ(run(*device, 9, side), run(*processor, 9, side));
    EXPECT_EQ(device->facts().device, "fake");
    EXPECT_EQ(device->facts().devices, 2U);
    EXPECT_EQ(device->facts().lanes, 4U);
    EXPECT_EQ(processor->facts().lanes, 0U);
    EXPECT_FALSE(processor->prefers_bytes());
}

/// Images as bytes, and as the equivalent floats.
struct BothForms {
    std::vector<std::uint8_t> bytes;
    std::vector<float> floats;
    ByteValues values;

    BothForms(std::size_t n, const Preprocess& preprocess) : values(byte_values(preprocess)) {
        const std::size_t plane = side * side;
        for (std::size_t k = 0; k < n * 3 * plane; ++k) {
            bytes.push_back(static_cast<std::uint8_t>(k * 7919 % 1009 % 256));
            floats.push_back(values[k / plane % 3][bytes.back()]);
        }
    }
};

TEST_F(Device, BytesGiveTheBitsOfTheirFloats) {
    for (const Precision precision : {Precision::fp32, Precision::bf16}) {
        for (const char* name :
             {"cnn.pt", "bytes.pt", "fixed_batch.pt", "pt2_bytes.pt2", "vit_opset13.onnx"}) {
            SCOPED_TRACE(fmt::format("{} {}", name, name_of(precision)));
            ModelSpec spec = fixture_spec(name);
            spec.preprocess.mean = {0.485, 0.456, 0.406};
            spec.preprocess.std = {0.229, 0.224, 0.225};
            if (std::string_view(name) == "bytes.pt") {
                spec.input_type = InputType::uint8;
                spec.layout = InputLayout::nhwc;
            }
            const auto device = opened(spec, fakes(1, precision));
            ASSERT_TRUE(device->prefers_bytes());
            for (const std::size_t n : {7, 1}) {
                const BothForms images(n, spec.preprocess);
                std::vector<float> by_bytes(n * device->facts().classes), by_floats(by_bytes);
                device->score_bytes({images.bytes, &images.values}, n, by_bytes);
                device->scores(images.floats, n, by_floats);
                EXPECT_EQ(by_bytes, by_floats);
                EXPECT_NE(by_bytes[0], 0);
            }
        }
    }
    EXPECT_GT(fake_device::seen().late_copies, 0U);
}

TEST_F(Device, ManyThreadsShareTheLanesOfAllDevices) {
    const auto device = opened("view.pt", fakes(fake_device::kDevices));
    const Preprocess preprocess = fixture_spec("view.pt").preprocess;
    std::vector<BothForms> images;
    std::vector<std::vector<float>> want;
    for (std::size_t n = 1; n <= 8; ++n) {
        images.emplace_back(n, preprocess);
        want.emplace_back(n * device->facts().classes);
        device->scores(images.back().floats, n, want.back());
    }
    fake_device::reset();
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < 12; ++t) {
            threads.emplace_back([&, t] {
                for (std::size_t i = 0; i < 12; ++i) {
                    const std::size_t which = (t + i) % 8;
                    std::vector<float> got(want[which].size());
                    device->score_bytes({images[which].bytes, &images[which].values}, which + 1,
                                        got);
                    if (got != want[which]) ++wrong;
                }
            });
        }
    }
    EXPECT_EQ(wrong, 0);
    const fake_device::Seen seen = fake_device::seen();
    EXPECT_EQ(seen.devices, (std::set<int>{0, 1, 2}));
    EXPECT_LE(seen.streams.size(), fake_device::kDevices * kLanesOfDevice);
    EXPECT_LE(seen.most_at_once, static_cast<int>(kLanesOfDevice));
}

TEST_F(Device, TheLeastBusyDeviceIsNextAndALaneTooManyWaits) {
    const std::vector<c10::Device> all = fakes(fake_device::kDevices).devices;
    std::vector<std::unique_ptr<LaneTurn>> turns;
    std::vector<int> order;
    std::set<std::pair<int, std::int64_t>> streams;
    for (std::size_t i = 0; i < all.size() * kLanesOfDevice; ++i) {
        turns.push_back(std::make_unique<LaneTurn>(all));
        order.push_back(turns.back()->device().index());
        streams.emplace(order.back(), turns.back()->lane().stream().id());
    }
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(streams.size(), order.size());
    std::atomic<int> got{-1};
    std::jthread late([&] { got = LaneTurn(all).device().index(); });
    EXPECT_TRUE(until([] { return LaneTurn::waiting() == 1; }));
    EXPECT_EQ(got, -1);
    turns.erase(turns.begin() + 1);
    late.join();
    EXPECT_EQ(got, 1);
    while (!turns.empty()) turns.pop_back();
}

TEST_F(Device, WhoIsAloneWaitsForTheOthersAndKeepsThemAway) {
    const c10::Device device = fake_device::device(0);
    std::atomic<int> step{0};
    auto first = std::make_unique<LaneTurn>(std::vector{device});
    std::jthread alone([&] {
        const LaneTurn turn = LaneTurn::alone_on(device);
        EXPECT_EQ(step.exchange(2), 1);
        EXPECT_EQ(LaneTurn::waiting(), 1U);  // the other device is used
        EXPECT_EQ(step.exchange(3), 2);
    });
    EXPECT_TRUE(until([] { return LaneTurn::waiting() == 1; }));
    // One lane is free, but a thread waits for exclusive use.
    std::jthread other([&] {
        const LaneTurn turn(std::vector{device});
        EXPECT_EQ(step.load(), 3);
    });
    EXPECT_TRUE(until([] { return LaneTurn::waiting() == 2; }));
    EXPECT_EQ(step.exchange(1), 0);
    first.reset();
}

TEST_F(Device, AnErrorNamesItsDeviceAndTheNextBatchIsFine) {
    const auto device = opened("view.pt", fakes(1));
    const std::vector<float> want = run(*device, 4, side);
    const BothForms images(4, fixture_spec("view.pt").preprocess);
    for (int i = 0; i < 5; ++i) {
        fake_device::fail_once("aten::convolution");
        std::vector<float> out(want.size());
        const Error error = error_of([&] {
            device->score_bytes({images.bytes, &images.values}, 4, out);
        });
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_EQ(error.message(),
                  "the model failed on privateuseone:0: fake device: "
                  "aten::convolution failed");
        EXPECT_EQ(run(*device, 4, side), want);
    }
}

TEST_F(Device, GradientsAreThoseOfTheProcessor) {
    for (const char* name : {"view.pt", "vit.pt", "pt2_plain.pt2", "cnn_opset13.onnx"}) {
        SCOPED_TRACE(name);
        const std::size_t n = 3;
        const std::vector<float> input = images(n, side);
        const std::vector<std::uint32_t> labels = {0, 1, 2};
        std::vector<std::vector<float>> gradients;
        for (const DeviceGroup& group : {DeviceGroup{}, fakes(2)}) {
            const auto classifier = opened(name, group);
            std::vector<float> scores(n * classifier->facts().classes);
            std::vector<double> losses(n);
            gradients.emplace_back(input.size());
            classifier->gradients({Loss::cross_entropy, input, labels, {}},
                                  {scores, losses, gradients.back()});
            expect_near(scores, run(*classifier, n, side), 1e-5F);
            EXPECT_GT(losses[0], 0);
        }
        float largest = 0;
        for (const float x : gradients[0]) largest = std::max(largest, std::abs(x));
        EXPECT_GT(largest, 0);
        expect_near(gradients[1], gradients[0], 1e-4F * largest);
    }
    // Only on CUDA devices does LibTorch run the backward pass on the streams of the forward pass.
    EXPECT_GT(fake_device::seen().on_default_stream, 0U);
    fake_device::reset();
}

TEST_F(Device, ABatchForWhichThereIsMemoryAloneIsNotDivided) {
    const auto device = opened("view.pt", fakes(1));
    const std::vector<float> want = run(*device, 64, side);
    fake_device::limit_memory(fake_device::seen().most_bytes);
    EXPECT_EQ(run(*device, 64, side), want);
    std::atomic<int> wrong{0};
    const auto score = [&] {
        for (int i = 0; i < 400 && fake_device::seen().out_of_memory == 0; ++i) {
            if (run(*device, 64, side) != want) ++wrong;
        }
    };
    { std::jthread one(score), two(score), three(score); }
    EXPECT_GT(fake_device::seen().out_of_memory, 0U);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(error_of([&] { run(*device, 128, side); }).code(), ErrorCode::out_of_memory);
    EXPECT_EQ(run(*device, 64, side), want);
}

TEST_F(Device, HalvesRoundScoresOfEveryFormat) {
    for (const char* name :
         {"cnn.pt", "vit.pt", "double.pt", "half.pt", "dict.pt", "view.pt", "cnn_opset13.onnx",
          "vit_opset13.onnx", "pt2_vit.pt2", "pt2_half.pt2", "pt2_standardised.pt2"}) {
        SCOPED_TRACE(name);
        const std::vector<float> whole = run(*opened(name, {}), 4, side);
        const auto device = opened(name, fakes(1, Precision::bf16));
        EXPECT_EQ(device->facts().precision, Precision::bf16);
        const std::vector<float> rounded = run(*device, 4, side);
        // bfloat16 has 8 significant bits.
        expect_near(rounded, whole, 0.05F);
        EXPECT_NE(rounded, whole);
        for (const float score : rounded) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, &score, sizeof bits);
            EXPECT_EQ(bits & 0xffffU, 0U) << score;
        }
    }
}

TEST_F(Device, OneProcessHasOneAnswerForTf32) {
    compute_with(Precision::fp32);
    compute_with(Precision::bf16);
    const Error error = error_of([] { compute_with(Precision::tf32); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.message(),
                AllOf(HasSubstr("\"tf32\""), HasSubstr("already computes in bf16")));
}

class PredictOnDevices : public PredictImages {
protected:
    void SetUp() override { fake_device::reset(); }
    void TearDown() override { fake_device::reset(); }

    static LoadedModel model_on(const DeviceGroup& group) {
        LoadedModel model;
        model.spec = fixture_spec("view.pt");
        model.spec.name = "net";
        model.spec.preprocess.crop_mode = CropMode::none;
        model.spec.preprocess.mean = {0.485, 0.456, 0.406};
        model.classifier = opened(model.spec, group);
        std::vector<std::string> ids;
        for (std::uint32_t c = 0; c < model.classifier->facts().classes; ++c)
            ids.push_back(std::to_string(c));
        model.spec.classes = ClassList(std::move(ids));
        model.file_hash = "xxh128:1";
        return model;
    }
    Dataset unlabelled(int n, const LoadedModel& model) {
        Dataset dataset = images(n);
        dataset.classes = model.spec.classes;
        return dataset;
    }
    /// Names and bytes of the shards' files.
    std::map<std::string, std::string> shards_in(const std::string& runs) {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(scratch_ / runs / "d/net/shards"))
            files[entry.path().filename()] = read_text(entry.path(), 1 << 24);
        return files;
    }
};

TEST_F(PredictOnDevices, StoresHaveTheSameBytesForAnyNumberOfDevicesAndThreads) {
    std::map<std::string, std::string> first;
    for (const auto& [devices, threads] : {std::pair{1, 1}, {3, 7}, {2, 0}}) {
        const LoadedModel model = model_on(fakes(devices));
        const std::string runs = fmt::format("runs-{}", devices);
        PredictOptions how = options(runs);
        how.threads = threads;
        predict(std::span(&model, 1), unlabelled(61, model), how);
        if (first.empty()) first = shards_in(runs);
        EXPECT_EQ(shards_in(runs), first);
    }
    EXPECT_EQ(first.size(), 16U);
    EXPECT_EQ(PredictionStore::open(scratch_ / "runs-3/d/net").shard(0).computed_on().device,
              "fake");
    // The bits are the same as on the processor with floats.
    const LoadedModel processor = model_on({});
    predict(std::span(&processor, 1), unlabelled(61, processor), options("runs-cpu"));
    EXPECT_EQ(shards_in("runs-cpu").at("000003.npy"), first.at("000003.npy"));
}

TEST_F(PredictOnDevices, AnotherPrecisionIsAnotherStore) {
    const LoadedModel whole = model_on(fakes(1)), half = model_on(fakes(1, Precision::bf16));
    const Dataset dataset = unlabelled(9, whole);
    predict(std::span(&whole, 1), dataset, options("runs"));
    const Error error = error_of([&] { predict(std::span(&half, 1), dataset, options("runs")); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("the precision was `fp32` and is now `bf16`"),
                                    Not(HasSubstr("preprocessing differs"))));
    predict(std::span(&half, 1), dataset, options("runs-half"));
    const PredictionStore store = PredictionStore::open(scratch_ / "runs-half/d/net");
    EXPECT_EQ(store.shard(0).computed_on().precision, "bf16");
    EXPECT_EQ(describe(store.shard(0).computed_on()), "fake, " + framework_name() + ", bf16");
}

TEST_F(PredictOnDevices, WhatIsInterruptedGoesOnAndEndsAlike) {
    const LoadedModel model = model_on(fakes(3));
    const Dataset dataset = unlabelled(61, model);
    PredictOptions how = options("runs");
    how.threads = 6;
    predict(std::span(&model, 1), dataset, options("whole"));
    int batches = 0;
    const auto stop = [&](const Progress&) {
        if (++batches == 8) throw Error(ErrorCode::interrupted, "interrupted");
    };
    EXPECT_EQ(error_of([&] { predict(std::span(&model, 1), dataset, how, stop); }).code(),
              ErrorCode::interrupted);
    const auto results = predict(std::span(&model, 1), dataset, how);
    EXPECT_LT(results[0].predicted, 61U);
    EXPECT_EQ(shards_in("runs"), shards_in("whole"));
}

TEST_F(PredictOnDevices, BatchesAreHalvedWhereOneDoesNotFit) {
    const LoadedModel model = model_on(fakes(2));
    const Dataset dataset = unlabelled(16, model);
    fake_device::reset();
    PredictOptions how = options("whole");
    how.batch_size = 8;
    const auto whole = predict(std::span(&model, 1), dataset, how);
    EXPECT_EQ(whole[0].halved, 0U);
    fake_device::limit_memory(fake_device::seen().most_bytes - 1);
    how.runs = scratch_ / "halved";
    const auto halved = predict(std::span(&model, 1), dataset, how);
    EXPECT_GT(halved[0].halved, 0U);
    EXPECT_EQ(halved[0].bad_rows, 0U);
    expect_near(kept(halved[0].store), kept(whole[0].store), 1e-5F);
}

}  // namespace
}  // namespace assay
