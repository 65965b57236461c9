#include "model/torch/network.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstring>

#include "assay/error.h"
#include "model/fused_graph.h"
#include "model/torch/blas.h"
#include "model/torch/cost_measure.h"
#include "model/torch/lanes.h"
#include "model/torch/runtime.h"
#include "model/two_classes.h"

namespace assay::torch_plugin {
namespace {

std::string shape_text(c10::IntArrayRef sizes) {
    return sizes.empty() ? std::string("one number")
                         : fmt::format("{}", fmt::join(sizes.begin(), sizes.end(), " x "));
}

constexpr const char* kNoGradient =
    "the model has no gradient: an operator without a derivative (a rounding, an arg-max, a "
    "detach) is between its input and its scores";

constexpr const char* kOneChannel =
    "the model takes images of one channel: pass --channel-order gray with --mean and --std, or "
    "write channel_order = \"gray\" into its settings file";

/// By the words of the convolution that was given three. A trial with one channel is unsafe: the
/// optimised graphs of LibTorch 1.13 crash in it.
bool wants_one_channel(const Error& error) {
    return std::string_view(error.what()).find("to have 1 channels, but got 3 channels") !=
           std::string_view::npos;
}

/// n x C floats, or an error that says what came instead. n x C x 1 x 1 (a convolution as the last
/// layer) is taken too, and one score per image as n numbers: of one image that may be no list.
at::Tensor as_rows(at::Tensor scores, std::int64_t n) {
    if (!scores.defined())
        throw Error(ErrorCode::bad_input, "the model returns an undefined tensor");
    if (!scores.is_floating_point()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("the model returns numbers of type {} instead of scores; export it without "
                        "its last arg-max or quantisation step",
                        c10::toString(scores.scalar_type())));
    }
    if (scores.dim() == 4 && scores.size(2) == 1 && scores.size(3) == 1) scores = scores.flatten(1);
    if (scores.dim() < 2 && scores.numel() == n) scores = scores.reshape({n, 1});
    if (scores.dim() != 2 || scores.size(0) != n || scores.size(1) < 1) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the model returns {} for {} images; expected {} x classes",
                                shape_text(scores.sizes()), n, n));
    }
    return scores.to(at::kFloat);
}

/// A network on one device, with what images are made its input of.
struct NetworkCopy {
    std::unique_ptr<Network> network;
    c10::Device device;
    at::Tensor byte_std, byte_mean;  ///< 1 x 3 x 1 x 1: from a normalised number to its byte
    at::Tensor channel_starts;  ///< 1 x 3 x 1 x 1: where a channel's values begin among 3 x 256
};

class NetworkClassifier final : public Classifier {
public:
    NetworkClassifier(std::vector<std::unique_ptr<Network>> copies, const ModelSpec& spec,
                      DeviceGroup group)
        : group_(std::move(group)),
          height_(spec.preprocess.height),
          width_(spec.preprocess.width),
          channels_(spec.preprocess.channel_order == ChannelOrder::gray ? 1 : 3),
          bytes_(takes_bytes(*copies.front(), spec)),
          channels_last_(takes_channels_last(*copies.front(), spec, channels_)) {
        for (std::size_t i = 0; i < copies.size(); ++i)
            copies_.push_back(copy_on(group_.devices[i], std::move(copies[i]), spec.preprocess));
        facts_.device = group_.kind;
        facts_.devices = static_cast<std::uint32_t>(copies_.size());
        if (!group_.on_processor()) facts_.lanes = facts_.devices * kLanesOfDevice;
        facts_.precision = group_.precision;
        facts_.framework = framework_name(copies_.front().device);
        facts_.parameters = static_cast<std::int64_t>(network().weights().parameters);
        facts_.data_files = network().data_files();
        check_declared_input();
        probe();
        const bool alone = facts_.fixed_batch == 0 && batches_round_otherwise();
        if (alone) facts_.fixed_batch = 1;
        try_other_copies();
        facts_.memory_format =
            layout_ == at::MemoryFormat::ChannelsLast ? "channels_last" : "contiguous";
        if (network().fused()) facts_.memory_format += fused_graph_mark;
        check_classes(spec);
        facts_.notes = network().notes();
        facts_.notes.insert(facts_.notes.end(), group_.notes.begin(), group_.notes.end());
        if (alone) {
            facts_.notes.emplace_back(
                "the model rounds floats to int8, and their last bits depend on the size of a "
                "batch. It is given one image at a time, so that no score depends on other images");
        }
        if (bytes_ && !spec.input_type) {
            facts_.notes.emplace_back(
                "the model takes bytes: scale, mean and std of the preprocessing are not applied");
        }
        if (channels_last_ && !spec.layout)
            facts_.notes.emplace_back("the model takes images with the channels last");
    }

    const ModelFacts& facts() const override { return facts_; }

    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        const std::size_t image = 3 * static_cast<std::size_t>(height_ * width_);
        if (input.size() != n * image || out.size() != n * facts_.classes)
            throw Error(ErrorCode::internal,
                        "Classifier::scores called with buffers of the wrong size");
        in_parts(n, [&](std::size_t first, std::size_t count) {
            run(count, out.subspan(first * facts_.classes),
                [&](const NetworkCopy& copy, LaneTurn*) {
                    return fed(copy, own_batch(copy, input.subspan(first * image, count * image),
                                               static_cast<std::int64_t>(count)));
                });
        });
    }

    bool prefers_bytes() const override { return !group_.on_processor(); }

    void score_bytes(const ByteBatch& batch, std::size_t n, std::span<float> out) override {
        if (group_.on_processor()) return Classifier::score_bytes(batch, n, out);
        const std::size_t image = 3 * static_cast<std::size_t>(height_ * width_);
        if (batch.pixels.size() != n * image || out.size() != n * facts_.classes)
            throw Error(ErrorCode::internal,
                        "Classifier::score_bytes called with buffers of the wrong size");
        in_parts(n, [&](std::size_t first, std::size_t count) {
            run(count, out.subspan(first * facts_.classes),
                [&](const NetworkCopy& copy, LaneTurn* turn) {
                    return fed_bytes(
                        copy, turn->lane(),
                        {batch.pixels.subspan(first * image, count * image), batch.values},
                        static_cast<std::int64_t>(count));
                });
        });
    }

    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t image = 3 * static_cast<std::size_t>(height_ * width_);
        const std::size_t n = batch.labels.size();
        if (batch.input.size() != n * image || out.gradient.size() != n * image ||
            out.scores.size() != n * facts_.classes || out.losses.size() != n ||
            batch.targets.size() != (has_target(batch.loss) ? n : 0)) {
            throw Error(ErrorCode::internal,
                        "Classifier::gradients called with buffers of the wrong size");
        }
        if (bytes_)
            throw Error(ErrorCode::bad_input, "the model takes bytes, so it has no gradient");
        if (facts_.classes > 1 && facts_.classes < least_classes(batch.loss)) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("the loss {} needs {} classes, but the model has {}",
                            name_of(batch.loss), least_classes(batch.loss), facts_.classes));
        }
        in_parts(n, [&](std::size_t first, std::size_t count) {
            const std::size_t classes = facts_.classes;
            const LossBatch part = {
                batch.loss, batch.input.subspan(first * image, count * image),
                batch.labels.subspan(first, count),
                batch.targets.empty() ? batch.targets : batch.targets.subspan(first, count)};
            run_back(part, {out.scores.subspan(first * classes, count * classes),
                            out.losses.subspan(first, count),
                            out.gradient.subspan(first * image, count * image)});
        });
    }

    ModelCost cost(const CostRequest& request) override {
        check_cost_request(request);
        ModelCost cost;
        on_a_copy([&](const NetworkCopy& copy, LaneTurn*) {
            const c10::InferenceMode guard;
            cost = cost_of_network(
                *copy.network, [&] { return fed(copy, empty_batch(copy, request.batch).zero_()); },
                request);
        });
        return cost;
    }

private:
    const Network& network() const { return *copies_.front().network; }

    const NetworkCopy& own_copy_of(c10::Device device) const {
        return *std::ranges::find(copies_, device, &NetworkCopy::device);
    }

    /// Calls body(copy, turn) on the processor, where there is no turn, or on the device whose turn
    /// it is.
    template <class Body>
    void on_a_copy(Body&& body) const {
        if (group_.on_processor()) {
            translating("the model failed", [&] {
                const BlasTurn turn;
                prepare_thread();
                body(copies_.front(), nullptr);
            });
            return;
        }
        c10::Device device = group_.devices.front();
        const auto attempt = [&](LaneTurn& turn) {
            device = turn.device();
            translating(fmt::format("the model failed on {}", device.str()), [&] {
                prepare_thread();
                body(own_copy_of(device), &turn);
            });
        };
        try {
            LaneTurn turn(group_.devices);
            return attempt(turn);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
        }
        // Which batches are on a device together is chance, and must decide about no score: only
        // one for which there is no memory even alone is the caller's to divide.
        LaneTurn turn = LaneTurn::alone_on(device);
        attempt(turn);
    }

    void check_cost_request(const CostRequest& request) const {
        const std::int64_t most = network().largest_batch();
        const std::int64_t fixed = facts_.fixed_batch;
        if ((fixed > 0 && request.batch != fixed) || (most > 0 && request.batch > most)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes {} {} image{} at once, but the batch has {}",
                                    fixed > 0 ? "exactly" : "at most", fixed > 0 ? fixed : most,
                                    (fixed > 0 ? fixed : most) == 1 ? "" : "s", request.batch));
        }
    }

    static bool takes_bytes(const Network& network, const ModelSpec& spec) {
        const auto declared = network.declared_type();
        if (declared && spec.input_type &&
            (*declared == at::kByte) != (*spec.input_type == InputType::uint8)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes {}, but input_type is {}",
                                    *declared == at::kByte ? "bytes (uint8)" : "floats",
                                    *spec.input_type == InputType::uint8 ? "uint8" : "float32"));
        }
        const bool bytes = declared ? *declared == at::kByte : spec.input_type == InputType::uint8;
        if (bytes && !resizes_to_bytes(spec.preprocess)) {
            throw Error(ErrorCode::bad_input,
                        "the model takes bytes, but torch_float resizes to floats: pass "
                        "--resize-as torch_rounded");
        }
        return bytes;
    }

    static bool takes_channels_last(const Network& network, const ModelSpec& spec,
                                    std::int64_t channels) {
        const auto declared = network.declared_input();
        const bool last = declared && (*declared)[3] == channels && (*declared)[1] != channels;
        const bool first = declared && (*declared)[1] == channels && (*declared)[3] != channels;
        if ((last && spec.layout == InputLayout::nchw) ||
            (first && spec.layout == InputLayout::nhwc)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes images of {} x {} x {}, but layout is {}",
                                    (*declared)[1], (*declared)[2], (*declared)[3],
                                    spec.layout == InputLayout::nchw ? "nchw" : "nhwc"));
        }
        return spec.layout ? spec.layout == InputLayout::nhwc : last;
    }

    static NetworkCopy copy_on(c10::Device device, std::unique_ptr<Network> network,
                               const Preprocess& p) {
        NetworkCopy copy{std::move(network), device, {}, {}, {}};
        std::optional<LaneTurn> turn;
        if (!device.is_cpu()) turn.emplace(std::vector{device});
        const auto channels = [&](auto&& value) {
            at::Tensor out = at::empty({1, 3, 1, 1}, at::kFloat);
            for (std::size_t c = 0; c < 3; ++c)
                out.data_ptr<float>()[c] = static_cast<float>(value(c));
            return out.to(device);
        };
        copy.byte_std = channels([&](std::size_t c) { return p.std[c] / p.scale; });
        copy.byte_mean = channels([&](std::size_t c) { return p.mean[c] / p.scale; });
        copy.channel_starts = channels([](std::size_t c) { return 256 * c; }).to(at::kInt);
        return copy;
    }

    at::Tensor laid_out(const at::Tensor& given) const {
        const at::Tensor x = channels_ == 1 ? given.narrow(1, 0, 1).contiguous() : given;
        return channels_last_ ? x.permute({0, 2, 3, 1}).contiguous() : x;
    }

    /// The batch as the model takes it.
    at::Tensor fed(const NetworkCopy& copy, const at::Tensor& batch) const {
        if (!bytes_) return laid_out(batch);
        return laid_out(
            batch.mul(copy.byte_std).add(copy.byte_mean).round().clamp(0, 255).to(at::kByte));
    }

    /// Copies the bytes to the device and makes of them what the model takes. Their numbers are
    /// looked up among those that the preprocessing computed, so that no division's rounding
    /// matters.
    at::Tensor fed_bytes(const NetworkCopy& copy, Lane& lane, const ByteBatch& batch,
                         std::int64_t rows) const {
        const auto count = static_cast<std::int64_t>(batch.pixels.size());
        const at::Tensor pinned = lane.bytes(count);
        std::memcpy(pinned.data_ptr(), batch.pixels.data(), batch.pixels.size());
        const at::Tensor pixels = on_device(copy, pinned).view({rows, 3, height_, width_});
        at::Tensor x = pixels;
        if (!bytes_) {
            const at::Tensor values = lane.values(3 * 256);
            std::memcpy(values.data_ptr(), batch.values->data(), sizeof *batch.values);
            const at::Tensor places = pixels.to(at::kInt).add_(copy.channel_starts);
            x = at::index_select(on_device(copy, values), 0, places.view({-1}))
                    .view(pixels.sizes());
        }
        if (rows < facts_.fixed_batch) {
            x = at::cat(
                {x,
                 at::empty({facts_.fixed_batch - rows, 3, height_, width_}, x.options()).zero_()});
        }
        return laid_out(x);
    }

    static at::Tensor on_device(const NetworkCopy& copy, const at::Tensor& pinned) {
        const at::Tensor there =
            at::empty(pinned.sizes(), pinned.options().device(copy.device).pinned_memory(false));
        return there.copy_(pinned, /*non_blocking=*/true);
    }

    /// Calls body(first, count) for parts of `n` images that the network takes at once.
    template <class Body>
    void in_parts(std::size_t n, Body&& body) const {
        std::size_t step = std::max<std::size_t>(n, 1);
        if (network().largest_batch() > 0)
            step = std::min(step, static_cast<std::size_t>(network().largest_batch()));
        if (facts_.fixed_batch > 0) step = static_cast<std::size_t>(facts_.fixed_batch);
        for (std::size_t first = 0; first < n; first += step)
            body(first, std::min(step, n - first));
    }

    /// A batch of the model's own: some models write into their input. Filled up with zeros to the
    /// batch that it takes.
    at::Tensor own_batch(const NetworkCopy& copy, std::span<const float> input,
                         std::int64_t rows) const {
        // from_blob only wants a mutable pointer.
        const at::Tensor given =
            at::from_blob(const_cast<float*>(input.data()), {rows, 3, height_, width_}, at::kFloat);
        at::Tensor batch = empty_batch(copy, std::max(rows, facts_.fixed_batch));
        batch.narrow(0, 0, rows).copy_(given);
        if (rows < facts_.fixed_batch) batch.narrow(0, rows, facts_.fixed_batch - rows).zero_();
        return batch;
    }

    /// The scores of the first `rows` images.
    at::Tensor first_scores(const at::Tensor& all, std::int64_t rows) const {
        at::Tensor scores = all.narrow(0, 0, rows);
        if (scores.size(1) != facts_.classes) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("the model returns {} scores per image here, but {} when it was opened",
                            scores.size(1), facts_.classes));
        }
        return scores;
    }

    /// Scores on the processor, once they are there.
    static at::Tensor fetched(const at::Tensor& scores, LaneTurn* turn) {
        if (turn == nullptr) return scores.contiguous();
        const at::Tensor pinned = turn->lane().scores(scores.numel()).view(scores.sizes());
        pinned.copy_(scores.contiguous(), /*non_blocking=*/true);
        turn->wait();
        return pinned;
    }

    /// The scores of `n` images, the input of which `input(copy, turn)` makes.
    template <class Input>
    void run(std::size_t n, std::span<float> out, Input&& input) {
        on_a_copy([&](const NetworkCopy& copy, LaneTurn* turn) {
            const c10::InferenceMode guard;
            const at::Tensor x = input(copy, turn);
            const at::Tensor all = as_rows(copy.network->forward(x), x.size(0));
            const at::Tensor scores =
                fetched(first_scores(all, static_cast<std::int64_t>(n)), turn);
            std::copy_n(scores.data_ptr<float>(), n * facts_.classes, out.data());
        });
    }

    /// Forward; the loss and its derivative by the scores in our own arithmetic; then that
    /// derivative back through the network.
    void run_back(const LossBatch& part, const LossGradients& out) {
        on_a_copy([&](const NetworkCopy& copy, LaneTurn* turn) {
            const at::AutoGradMode guard(true);
            const std::size_t n = part.labels.size();
            const auto rows = static_cast<std::int64_t>(n);
            const at::Tensor batch = own_batch(copy, part.input, rows).requires_grad_();
            // The network must not write into what the gradient is asked of.
            const at::Tensor all =
                as_rows(copy.network->forward(fed(copy, batch.clone())), batch.size(0));
            const at::Tensor scores = fetched(first_scores(all.detach(), rows), turn);
            if (!all.requires_grad()) throw Error(ErrorCode::bad_input, kNoGradient);
            std::copy_n(scores.data_ptr<float>(), n * facts_.classes, out.scores.data());
            const at::Tensor derivative = at::zeros({all.size(0), all.size(1)}, at::kFloat);
            const std::size_t classes = facts_.classes;
            for (std::size_t i = 0; i < n; ++i) {
                out.losses[i] =
                    loss_of(part.loss, out.scores.subspan(i * classes, classes), part.labels[i],
                            part.targets.empty() ? 0 : part.targets[i],
                            std::span(derivative.data_ptr<float>() + i * classes, classes));
            }
            const auto grads = torch::autograd::grad({all}, {batch}, {derivative.to(all.device())},
                                                     {}, false, /*allow_unused=*/true);
            if (!grads.front().defined()) throw Error(ErrorCode::bad_input, kNoGradient);
            if (turn != nullptr) turn->wait();
            const at::Tensor gradient =
                grads.front().narrow(0, 0, rows).to(at::kCPU, at::kFloat).contiguous();
            std::copy_n(gradient.data_ptr<float>(), out.gradient.size(), out.gradient.data());
        });
    }

    at::Tensor empty_batch(const NetworkCopy& copy, std::int64_t n) const {
        return at::empty({n, 3, height_, width_}, at::TensorOptions(at::kFloat).device(copy.device),
                         layout_);
    }

    void check_declared_input() {
        if (network().one_at_a_time()) facts_.fixed_batch = 1;
        auto declared = network().declared_input();
        if (!declared) return;
        if (channels_last_)
            std::rotate(declared->begin() + 1, declared->end() - 1, declared->end());
        const auto [batch, channels, height, width] = *declared;
        const auto open_or = [](std::int64_t size, std::int64_t wanted) {
            return size < 0 || size == wanted;
        };
        if (channels == 1 && channels_ != 1) throw Error(ErrorCode::bad_input, kOneChannel);
        if (!open_or(channels, channels_) || !open_or(height, height_) || !open_or(width, width_)) {
            const auto text = [](std::int64_t size) {
                return size < 0 ? std::string("any") : std::to_string(size);
            };
            throw Error(
                ErrorCode::bad_input,
                fmt::format("the model takes images of {} x {} x {} (channels, height, "
                            "width), but input_size is [{}, {}, {}]",
                            text(channels), text(height), text(width), channels_, height_, width_));
        }
        if (batch > 0) facts_.fixed_batch = batch;
        if (batch > 1 && network().one_at_a_time()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes batches of {} images, which would change each "
                                    "other's scores; export it with a batch of 1",
                                    batch));
        }
    }

    std::int64_t classes_for(const NetworkCopy& copy, std::int64_t n) const {
        std::optional<LaneTurn> turn;
        if (!copy.device.is_cpu()) turn.emplace(std::vector{copy.device});
        const c10::InferenceMode guard;
        prepare_thread();
        return as_rows(copy.network->forward(fed(copy, empty_batch(copy, n).zero_())), n).size(1);
    }
    std::int64_t classes_for(std::int64_t n) const { return classes_for(copies_.front(), n); }

    /// A device that fails does so before images are read.
    void try_other_copies() const {
        for (std::size_t i = 1; i < copies_.size(); ++i) {
            translating(fmt::format("the model failed on {}", copies_[i].device.str()), [&] {
                classes_for(copies_[i], std::max<std::int64_t>(facts_.fixed_batch, 1));
            });
        }
    }

    /// Whether images of a model that rounds get other scores beside others than alone: the
    /// products of matrices are added up in another order for another number of rows.
    bool batches_round_otherwise() const {
        if (!network().rounds() || !group_.on_processor()) return false;
        std::int64_t count = 8;  // the size of a run's batches
        if (const std::int64_t most = network().largest_batch(); most > 0)
            count = std::min(count, most);
        const NetworkCopy& copy = copies_.front();
        const c10::InferenceMode guard;
        prepare_thread();
        const at::Tensor images = empty_batch(copy, count);
        // Any numbers, and always the same ones.
        images.copy_(at::arange(images.numel(), at::kLong)
                         .mul(7919)
                         .remainder(1009)
                         .to(at::kFloat)
                         .div(504.5)
                         .sub(1)
                         .view(images.sizes()));
        const auto scores = [&](const at::Tensor& some) {
            return as_rows(copy.network->forward(fed(copy, some.clone())), some.size(0)).clone();
        };
        try {
            const at::Tensor together = scores(images);
            for (std::int64_t i = 0; i < count; ++i) {
                if (!scores(images.narrow(0, i, 1)).equal(together.narrow(0, i, 1))) return true;
            }
        } catch (...) {
            // A batch that the model refuses: a run meets it too and tells.
        }
        return false;
    }

    /// Channels last is up to half faster on processors. Models that regroup channels with view()
    /// refuse it: they get the usual order.
    void probe() {
        if (group_.on_processor()) {
            layout_ = at::MemoryFormat::ChannelsLast;
            try {
                const std::int64_t classes =
                    classes_for(std::max<std::int64_t>(facts_.fixed_batch, 1));
                facts_.classes = static_cast<std::uint32_t>(classes);
                if (facts_.fixed_batch > 0 || takes(2)) return;
            } catch (...) {
                // Whatever it was, the usual order will meet it too and tell.
            }
        }
        layout_ = at::MemoryFormat::Contiguous;
        probe_sizes();
    }

    /// One image, then two: a model traced with a fixed batch fails one of them. Then the sizes
    /// that exports usually fix.
    void probe_sizes() {
        const std::string context =
            fmt::format("the model refuses a {} x {} x {} x {} input",
                        std::max<std::int64_t>(facts_.fixed_batch, 1), channels_, height_, width_);
        std::int64_t classes = 0;
        try {
            classes = classes_for(std::max<std::int64_t>(facts_.fixed_batch, 1));
        } catch (...) {
            const Error error = translated(context);
            const bool shape = error.code() == ErrorCode::bad_input;
            if (shape && wants_one_channel(error)) throw Error(ErrorCode::bad_input, kOneChannel);
            if (!shape || facts_.fixed_batch > 0 || !find_fixed_batch(classes)) throw error;
        }
        if (facts_.fixed_batch == 0 && !takes(2)) facts_.fixed_batch = 1;
        facts_.classes = static_cast<std::uint32_t>(classes);
    }

    bool takes(std::int64_t n) {
        try {
            classes_for(n);
            return true;
        } catch (...) {
            // Out of memory for two images says nothing about the model; it will be met again, and
            // named, when it runs.
            return translated("").code() != ErrorCode::bad_input;
        }
    }

    bool find_fixed_batch(std::int64_t& classes) {
        for (const std::int64_t n : {2, 4, 8, 10, 16, 32, 50, 64, 100, 128, 256}) {
            try {
                classes = classes_for(n);
                facts_.fixed_batch = n;
                return true;
            } catch (...) {
                if (translated("").code() == ErrorCode::out_of_memory) return false;
            }
        }
        return false;
    }

    void check_classes(const ModelSpec& spec) const {
        if (spec.num_classes && !fits_classes(facts_.classes, *spec.num_classes)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model returns {} scores per image, but num_classes is {}",
                                    facts_.classes, *spec.num_classes));
        }
        if (!spec.classes.empty() && !fits_classes(facts_.classes, spec.classes.size())) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "the model returns {} scores per image, but its class list holds {} classes",
                    facts_.classes, spec.classes.size()));
        }
    }

    DeviceGroup group_;
    std::vector<NetworkCopy> copies_;
    std::int64_t height_;
    std::int64_t width_;
    std::int64_t channels_;  ///< 1: of gray images, it takes the first of three equal channels
    bool bytes_;
    bool channels_last_;
    at::MemoryFormat layout_ = at::MemoryFormat::Contiguous;
    ModelFacts facts_;
};

}  // namespace

std::string precision_note(at::ScalarType given, const ComputeOn& where) {
    if (!is_half(given) || is_half(where.type)) return "";
    return fmt::format(
        "the model's weights have half precision ({}); {}Assay computes in single precision",
        given == at::kHalf ? "float16" : "bfloat16",
        where.device.is_cpu() ? "on a CPU " : "unless another precision is set, ");
}

ComputeOn DeviceGroup::copy(std::size_t i) const {
    return {devices[i], precision == Precision::fp16   ? at::kHalf
                        : precision == Precision::bf16 ? at::kBFloat16
                                                       : at::kFloat};
}

std::vector<std::unique_ptr<Network>> load_copies(const ModelSpec& spec, const DeviceGroup& group) {
    std::vector<std::unique_ptr<Network>> copies;
    for (std::size_t i = 0; i < group.devices.size(); ++i) {
        std::optional<LaneTurn> turn;
        if (!group.on_processor()) turn.emplace(std::vector{group.devices[i]});
        const ComputeOn where = group.copy(i);
        if (spec.format == ModelFormat::torchscript) {
            copies.push_back(load_torchscript(spec, where));
        } else if (spec.format == ModelFormat::torch_export) {
            copies.push_back(load_pt2(spec, where));
        } else {
#ifdef ASSAY_HAS_ONNX
            copies.push_back(load_onnx(spec, where));
#else
            throw Error(ErrorCode::usage,
                        framework_name() +
                            "'s plug-in has no ONNX: type `pip install onnxruntime` and add "
                            "--runtime onnxruntime, or save the model with torch.export");
#endif
        }
    }
    return copies;
}

std::unique_ptr<Classifier> make_classifier(std::vector<std::unique_ptr<Network>> copies,
                                            const ModelSpec& spec, DeviceGroup group) {
    return std::make_unique<NetworkClassifier>(std::move(copies), spec, std::move(group));
}

}  // namespace assay::torch_plugin
