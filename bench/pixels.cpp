// Decoding and resizing on one core. bench/pixels.py compares it with Pillow and OpenCV on the same
// images.
//   ASSAY_IMAGES   folder of images (default: the project's sample of photographs)
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "core/file.h"

namespace {

using namespace assay;

constexpr std::size_t most_images = 200;

const std::vector<std::vector<std::byte>>& files() {
    static const std::vector<std::vector<std::byte>> all = [] {
        const char* setting = std::getenv("ASSAY_IMAGES");
        const std::filesystem::path folder =
            setting != nullptr ? setting : ASSAY_SOURCE_DIR "/../shared/data/imagenet_sample";
        std::vector<std::filesystem::path> paths;
        if (std::filesystem::is_directory(folder)) {
            for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
                if (entry.is_regular_file()) paths.push_back(entry.path());
            }
        }
        std::sort(paths.begin(), paths.end());
        if (paths.size() > most_images) paths.resize(most_images);
        std::vector<std::vector<std::byte>> bytes;
        for (const auto& path : paths) bytes.push_back(read_file(path));
        return bytes;
    }();
    return all;
}

/// Runs `body` on each image's bytes; an item is an image.
template <class Body>
void for_each_file(benchmark::State& state, Body body) {
    if (files().empty()) return state.SkipWithError("no images: set ASSAY_IMAGES");
    for (auto _ : state) {
        for (const auto& bytes : files()) body(bytes);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(files().size()));
}

Preprocess input_of(int size, Interpolation filter) {
    Preprocess p;
    p.height = p.width = size;
    p.interpolation = filter;
    return p;
}

/// Smooth and noisy images of 500 x 375 pixels, like most of ImageNet.
const Image& photograph() {
    static const Image image = [] {
        Image made{500, 375, std::vector<std::uint8_t>(4 * 500 * 375)};
        for (std::size_t i = 0; i < made.pixels.size(); ++i)
            made.pixels[i] = static_cast<std::uint8_t>(i * 2654435761U >> 13);
        return made;
    }();
    return image;
}

void decode(benchmark::State& state) {
    Image image;
    for_each_file(state, [&](const auto& bytes) { decode_image_into(bytes, image); });
}

void decode_and_crop(benchmark::State& state) {
    const Preprocess p = input_of(static_cast<int>(state.range(0)), Interpolation::bicubic);
    Image image;
    for_each_file(state, [&](const auto& bytes) {
        decode_image_into(bytes, image);
        benchmark::DoNotOptimize(crop_window(image, p));
    });
}

void decode_to_floats(benchmark::State& state) {
    const Preprocess p = input_of(224, Interpolation::bicubic);
    std::vector<float> out(3 * 224 * 224);
    Image image;
    for_each_file(state, [&](const auto& bytes) {
        decode_image_into(bytes, image);
        preprocess_into(image, p, out);
    });
}

/// One image is decoded once, for the windows of five models.
void decode_and_crop_five(benchmark::State& state) {
    std::vector<Preprocess> models;
    for (const int size : {128, 160, 192, 224, 227})
        models.push_back(input_of(size, Interpolation::bicubic));
    Image image;
    for_each_file(state, [&](const auto& bytes) {
        decode_image_into(bytes, image);
        for (const Preprocess& p : models) benchmark::DoNotOptimize(crop_window(image, p));
    });
}

void crop_500x375(benchmark::State& state) {
    const Preprocess p = input_of(224, static_cast<Interpolation>(state.range(0)));
    state.SetLabel(std::string(name_of(p.interpolation)));
    for (auto _ : state) benchmark::DoNotOptimize(crop_window(photograph(), p));
    state.SetItemsProcessed(state.iterations());
}

void resize_500x375(benchmark::State& state) {
    const auto filter = static_cast<Interpolation>(state.range(0));
    state.SetLabel(std::string(name_of(filter)));
    for (auto _ : state) benchmark::DoNotOptimize(resize(photograph(), filter, {224, 224}));
    state.SetItemsProcessed(state.iterations());
}

void normalise(benchmark::State& state) {
    Preprocess p = input_of(224, Interpolation::bicubic);
    p.mean = {0.485, 0.456, 0.406};
    p.std = {0.229, 0.224, 0.225};
    const Image window = crop_window(photograph(), p);
    std::vector<float> out(3 * 224 * 224);
    for (auto _ : state) normalise_into(window, p, out);
    state.SetItemsProcessed(state.iterations());
}

/// From bytes to normalized floats, with PyTorch's resize of floats.
void float_input_500x375(benchmark::State& state) {
    Preprocess p = input_of(224, static_cast<Interpolation>(state.range(0)));
    p.resize_as = ResizeRule::torch_float;
    p.antialias = state.range(1) != 0;
    p.mean = {0.485, 0.456, 0.406};
    p.std = {0.229, 0.224, 0.225};
    state.SetLabel(fmt::format("{}{}", name_of(p.interpolation), p.antialias ? "" : " sharp"));
    std::vector<float> out(3 * 224 * 224);
    for (auto _ : state) preprocess_into(photograph(), p, out);
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK(decode)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_and_crop)->Arg(224)->Arg(128)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_and_crop_five)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_to_floats)->Unit(benchmark::kMillisecond);
BENCHMARK(crop_500x375)->DenseRange(0, 5)->Unit(benchmark::kMicrosecond);
BENCHMARK(resize_500x375)->DenseRange(0, 5)->Unit(benchmark::kMicrosecond);
BENCHMARK(float_input_500x375)
    ->ArgsProduct({{static_cast<int>(Interpolation::bilinear),
                    static_cast<int>(Interpolation::bicubic)},
                   {1, 0}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(normalise)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
