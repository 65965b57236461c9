#include "model/torch/train.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <ctime>
#include <numbers>

#include "assay/error.h"
#include "core/random.h"
#include "model/torch/runtime.h"
#include "model/torch/train_batch.h"
#include "model/torch/train_network.h"

namespace assay::torch_plugin {
namespace {

/// AdamW with decoupled decay (Loshchilov, Hutter: "Decoupled weight decay regularization", ICLR
/// 2019, algorithm 2).
class AdamW {
public:
    explicit AdamW(const TrainableNetwork& network) : network_(network) {
        for (const at::Tensor& parameter : network.parameters()) {
            first_.push_back(at::zeros_like(parameter));
            second_.push_back(at::zeros_like(parameter));
        }
    }

    void step(const std::vector<at::Tensor>& gradients, double rate, double decay) {
        const c10::AutoGradMode off(false);
        ++steps_;
        const double whole_first = 1 - std::pow(kFirst, steps_);
        const double whole_second = 1 - std::pow(kSecond, steps_);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            at::Tensor parameter = network_.parameters()[i];
            if (network_.decays(i)) parameter.mul_(1 - rate * decay);
            first_[i].mul_(kFirst).add_(gradients[i], 1 - kFirst);
            second_[i].mul_(kSecond).addcmul_(gradients[i], gradients[i], 1 - kSecond);
            const at::Tensor spread = second_[i].div(whole_second).sqrt_().add_(1e-8);
            parameter.addcdiv_(first_[i], spread, -rate / whole_first);
        }
    }

private:
    static constexpr double kFirst = 0.9;
    static constexpr double kSecond =
        0.99;  // the usual 0.999 averages over more steps than these trainings have
    const TrainableNetwork& network_;
    std::vector<at::Tensor> first_, second_;
    double steps_ = 0;
};

/// The mode of this thread, because a training never leaves it.
double processor_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Training {
public:
    Training(const TrainingImages& images, const TrainSpec& spec)
        : images_(images),
          spec_(spec),
          split_(split_images(images.labels.size(), spec)),
          network_(spec, images.classes),
          optimiser_(network_) {
        if (split_.trained.size() < 2)
            throw Error(ErrorCode::usage,
                        "`share` and `held_out` leave fewer than two images for training");
    }

    TrainedNetwork run(double attack, const TrainTick& tick) {
        const double start = processor_seconds();
        double loss = 0;
        for (int epoch = 0; epoch < spec_.epochs; ++epoch) loss = run_epoch(epoch, tick);
        TrainedNetwork out;
        TrainReport& report = out.report;
        report.name = spec_.name;
        report.loss = loss;
        report.trained_on = split_.trained.size();
        report.parameters = network_.folded_parameters();
        const at::Tensor scores = judge(attack, report);
        out.file = network_.torchscript(1);
        if (!spec_.calibrated_copy.empty()) {
            report.temperature = temperature(scores);
            out.calibrated_file = network_.torchscript(report.temperature);
        }
        report.seconds = processor_seconds() - start;
        return out;
    }

private:
    struct Batch {
        at::Tensor pixels;  ///< n x 3 x side x side in [0, 1]
        at::Tensor labels;
    };

    at::Tensor normalised(const at::Tensor& pixels) const {
        return pixels.sub(images_.mean).div_(images_.std);
    }

    at::Tensor loss_of(const Batch& batch, const at::Tensor& input, bool training,
                       double smoothing) const {
        return at::cross_entropy_loss(network_.forward(input, training), batch.labels, {},
                                      at::Reduction::Mean, -100, smoothing);
    }

    Batch batch_of(std::span<const std::uint32_t> items, std::int64_t epoch) const {
        const auto n = static_cast<std::int64_t>(items.size());
        const auto numbers = static_cast<std::size_t>(3 * spec_.side * spec_.side);
        Batch batch{at::empty({n, 3, spec_.side, spec_.side}, at::kFloat),
                    at::empty({n}, at::kLong)};
        for (std::size_t i = 0; i < items.size(); ++i) {
            image_into(images_, spec_, items[i], epoch,
                       {batch.pixels.data_ptr<float>() + i * numbers, numbers});
            batch.labels.data_ptr<std::int64_t>()[i] = images_.labels[items[i]];
        }
        return batch;
    }

    /// Passes the chosen images of a normalized batch through their random convolutions, and
    /// restores each image's mean and spread.
    at::Tensor retextured(at::Tensor input, std::span<const std::uint32_t> items,
                          std::int64_t epoch) const {
        for (std::size_t i = 0; i < items.size(); ++i) {
            const RandomTexture texture = random_texture(spec_, items[i], epoch);
            if (texture.kernel.empty()) continue;
            at::Tensor weight = at::empty({3, 3, kTextureKernel, kTextureKernel}, at::kFloat);
            std::copy(texture.kernel.begin(), texture.kernel.end(), weight.data_ptr<float>());
            const at::Tensor one = input.narrow(0, static_cast<std::int64_t>(i), 1);
            const at::Tensor changed = at::conv2d(one, weight, {}, 1, kTextureKernel / 2);
            const at::Tensor centred = changed.sub(changed.mean({2, 3}, true));
            const at::Tensor spread = centred.mul(centred).mean({1, 2, 3}, true).sqrt_().add_(0.05);
            one.mul_(texture.keep).add_(centred.div(spread), 1 - texture.keep);
        }
        return input;
    }

    /// One signed gradient step of size `reach`, in [0, 1] units, from `start`, kept within `reach`
    /// of `pixels`.
    at::Tensor attacked(const Batch& batch, const at::Tensor& start, double reach,
                        bool training) const {
        const at::Tensor moving = start.detach().clone().requires_grad_(true);
        const at::Tensor loss = loss_of(batch, normalised(moving), training, 0);
        const at::Tensor slope = torch::autograd::grad({loss}, {moving}).front();
        const c10::AutoGradMode off(false);
        const at::Tensor moved = start.add(at::sign(slope), reach);
        return at::minimum(at::maximum(moved, batch.pixels.sub(reach)), batch.pixels.add(reach))
            .clamp_(0, 1);
    }

    at::Tensor random_start(const Batch& batch, std::span<const std::uint32_t> items,
                            std::int64_t epoch) const {
        at::Tensor out = batch.pixels.clone();
        const std::int64_t numbers = out.numel() / out.size(0);
        for (std::size_t i = 0; i < items.size(); ++i) {
            RandomStream random(spec_.seed, "attack",
                                (static_cast<std::uint64_t>(epoch) << 32) | items[i]);
            float* values = out.data_ptr<float>() + static_cast<std::int64_t>(i) * numbers;
            const auto reach = static_cast<float>(spec_.adversarial);
            for (std::int64_t j = 0; j < numbers; ++j)
                values[j] += reach * (static_cast<float>(random.next_u32() >> 8) * 0x1p-23F - 1);
        }
        return out.clamp_(0, 1);
    }

    double rate_at(double place) const {
        constexpr double rise = 0.2;
        if (place < rise) return spec_.learning_rate * (0.05 + 0.95 * place / rise);
        return spec_.learning_rate * 0.5 *
               (1 + std::cos(std::numbers::pi * (place - rise) / (1 - rise)));
    }

    double run_epoch(int epoch, const TrainTick& tick) {
        std::vector<std::uint32_t> order = split_.trained;
        shuffle(order, spec_.seed, static_cast<std::uint64_t>(epoch));
        const auto size = static_cast<std::size_t>(spec_.batch);
        double sum = 0;
        for (std::size_t first = 0; first < order.size(); first += size) {
            const std::span<const std::uint32_t> items =
                std::span(order).subspan(first, std::min(size, order.size() - first));
            if (items.size() < 2) break;  // batch norm needs more than one image
            const double place =
                (epoch + static_cast<double>(first) / static_cast<double>(order.size())) /
                spec_.epochs;
            const Batch batch = batch_of(items, epoch);
            at::Tensor input;
            if (spec_.adversarial > 0) {
                input = normalised(
                    attacked(batch, random_start(batch, items, epoch), spec_.adversarial, true));
            } else {
                input = normalised(batch.pixels);
            }
            if (spec_.random_textures > 0) input = retextured(std::move(input), items, epoch);
            const at::Tensor loss = loss_of(batch, input, true, spec_.label_smoothing);
            optimiser_.step(torch::autograd::grad({loss}, network_.parameters()), rate_at(place),
                            spec_.weight_decay);
            sum += loss.item<double>() * static_cast<double>(items.size());
            tick(items.size());
        }
        return sum / static_cast<double>(order.size());
    }

    static std::uint64_t right(const at::Tensor& scores, const Batch& batch) {
        return static_cast<std::uint64_t>(
            at::sum(at::eq(at::argmax(scores, 1), batch.labels)).item<std::int64_t>());
    }

    /// Evaluates the held-out images and returns their scores.
    at::Tensor judge(double attack, TrainReport& report) const {
        std::vector<at::Tensor> all;
        const auto size = static_cast<std::size_t>(spec_.batch);
        const std::span<const std::uint32_t> items = split_.held_out;
        report.held_out = items.size();
        for (std::size_t first = 0; first < items.size(); first += size) {
            const Batch batch =
                batch_of(items.subspan(first, std::min(size, items.size() - first)), -1);
            const at::Tensor moved =
                attack > 0 ? attacked(batch, batch.pixels, attack, false) : batch.pixels;
            const c10::AutoGradMode off(false);
            all.push_back(network_.forward(normalised(batch.pixels), false));
            report.held_out_right += right(all.back(), batch);
            report.held_out_right_attacked +=
                right(network_.forward(normalised(moved), false), batch);
        }
        return all.empty() ? at::empty({0, images_.classes}, at::kFloat) : at::cat(all);
    }

    /// The loss is convex in 1 / temperature, so it uses a golden section search over its
    /// logarithm.
    double temperature(const at::Tensor& scores) const {
        if (scores.size(0) == 0)
            throw Error(ErrorCode::usage,
                        "a temperature needs held-out images; held_out left none");
        const c10::AutoGradMode off(false);
        at::Tensor labels = at::empty({scores.size(0)}, at::kLong);
        for (std::size_t i = 0; i < split_.held_out.size(); ++i)
            labels.data_ptr<std::int64_t>()[i] = images_.labels[split_.held_out[i]];
        const at::Tensor exact = scores.to(at::kDouble);
        const auto loss = [&](double log_temperature) {
            return at::cross_entropy_loss(exact.div(std::exp(log_temperature)), labels)
                .item<double>();
        };
        const double golden = 1 / std::numbers::phi;
        double low = std::log(0.05), high = std::log(20.0);
        while (high - low > 1e-5) {
            const double left = high - golden * (high - low), right = low + golden * (high - low);
            if (loss(left) < loss(right)) {
                high = right;
            } else {
                low = left;
            }
        }
        return std::exp((low + high) / 2);
    }

    const TrainingImages& images_;
    const TrainSpec& spec_;
    Split split_;
    TrainableNetwork network_;
    AdamW optimiser_;
};

}  // namespace

TrainedNetwork train(const TrainingImages& images, const TrainSpec& spec, double attack,
                     const TrainTick& tick) {
    prepare_thread();
    return Training(images, spec).run(attack, tick);
}

}  // namespace assay::torch_plugin
