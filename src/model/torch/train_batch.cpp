#include "model/torch/train_batch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"

namespace assay::torch_plugin {
namespace {

std::uint64_t visit(std::uint32_t item, std::int64_t epoch) {
    return (static_cast<std::uint64_t>(epoch) << 32) | item;
}

}  // namespace

Split split_images(std::size_t images, const TrainSpec& spec) {
    Split split;
    for (std::uint32_t i = 0; i < images; ++i) {
        if (RandomStream(spec.seed, "held out", i).uniform() < spec.held_out) {
            split.held_out.push_back(i);
        } else if (spec.share >= 1 || RandomStream(spec.seed, "share", i).uniform() < spec.share) {
            split.trained.push_back(i);
        }
    }
    return split;
}

void shuffle(std::span<std::uint32_t> items, std::uint64_t seed, std::uint64_t epoch) {
    RandomStream random(seed, "order", epoch);
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

void image_into(const TrainingImages& images, const TrainSpec& spec, std::uint32_t item,
                std::int64_t epoch, std::span<float> out) {
    const auto side = static_cast<std::int64_t>(spec.side);
    const auto plane = static_cast<std::size_t>(side * side);
    const std::uint8_t* in = images.pixels.data() + std::size_t{item} * 3 * plane;
    if (!spec.augment || epoch < 0) {
        for (std::size_t i = 0; i < 3 * plane; ++i) out[i] = static_cast<float>(in[i]) / 255.0F;
        return;
    }
    RandomStream random(spec.seed, "augment", visit(item, epoch));
    const auto between = [&](double low, double high) {
        return low + (high - low) * random.uniform();
    };
    const std::int64_t reach = side / 12;
    const bool mirror = random.below(2) == 1;
    const auto shift_x =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * reach + 1))) - reach;
    const auto shift_y =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * reach + 1))) - reach;
    const double contrast = between(0.7, 1.3);
    const double brightness = between(-0.15, 0.15);
    for (std::size_t channel = 0; channel < 3; ++channel) {
        const auto gain = static_cast<float>(contrast * between(0.85, 1.15) / 255);
        const auto offset = static_cast<float>(0.5 - 0.5 * contrast + brightness);
        for (std::int64_t y = 0; y < side; ++y) {
            const std::int64_t from_y = std::clamp<std::int64_t>(y + shift_y, 0, side - 1);
            const std::uint8_t* row =
                in + channel * plane + static_cast<std::size_t>(from_y * side);
            float* to = out.data() + channel * plane + static_cast<std::size_t>(y * side);
            for (std::int64_t x = 0; x < side; ++x) {
                const std::int64_t from_x =
                    std::clamp<std::int64_t>((mirror ? side - 1 - x : x) + shift_x, 0, side - 1);
                to[x] = std::clamp(static_cast<float>(row[from_x]) * gain + offset, 0.0F, 1.0F);
            }
        }
    }
}

RandomTexture random_texture(const TrainSpec& spec, std::uint32_t item, std::int64_t epoch) {
    RandomTexture texture;
    RandomStream random(spec.seed, "random texture", visit(item, epoch));
    if (random.uniform() >= spec.random_textures) return texture;
    const auto k = static_cast<int>(2 * random.below(4) + 1);
    texture.keep = static_cast<float>(random.uniform() * 0.3);
    texture.kernel.assign(std::size_t{9} * kTextureKernel * kTextureKernel, 0.0F);
    const double deviation = 1 / std::sqrt(3.0 * k * k);
    const int first = (kTextureKernel - k) / 2;
    for (std::size_t pair = 0; pair < 9; ++pair) {
        for (int y = 0; y < k; ++y) {
            for (int x = 0; x < k; ++x) {
                const auto place =
                    static_cast<std::size_t>((first + y) * kTextureKernel + first + x);
                texture.kernel[pair * kTextureKernel * kTextureKernel + place] =
                    static_cast<float>(deviation * random.normal());
            }
        }
    }
    return texture;
}

}  // namespace assay::torch_plugin
