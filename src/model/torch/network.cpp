#include "model/torch/network.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "model/fused_graph.h"
#include "model/torch/blas.h"
#include "model/torch/cost_measure.h"
#include "model/torch/lanes.h"
#include "model/torch/network_input.h"
#include "model/torch/runtime.h"
#include "model/torch/scores.h"
#include "model/two_classes.h"

namespace assay::torch_plugin {
namespace {

constexpr const char* kNoGradient =
    "the model has no gradient: an operator without a derivative (a rounding, an arg-max, a "
    "detach) is between its input and its scores";

/// Recognizes the error of a convolution that got three channels. A trial with one channel is
/// unsafe, because LibTorch 1.13's optimized graphs crash.
bool wants_one_channel(const Error& error) {
    return std::string_view(error.what()).find("to have 1 channels, but got 3 channels") !=
           std::string_view::npos;
}

class NetworkClassifier final : public Classifier {
public:
    NetworkClassifier(std::vector<std::unique_ptr<Network>> copies, const ModelSpec& spec,
                      DeviceGroup group)
        : group_(std::move(group)), input_(*copies.front(), spec) {
        for (std::size_t i = 0; i < copies.size(); ++i)
            copies_.emplace_back(group_.devices[i], std::move(copies[i]), spec.preprocess);
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
            input_.layout() == at::MemoryFormat::ChannelsLast ? "channels_last" : "contiguous";
        if (network().fused()) facts_.memory_format += fused_graph_mark;
        check_classes(spec);
        facts_.notes = network().notes();
        facts_.notes.insert(facts_.notes.end(), group_.notes.begin(), group_.notes.end());
        if (alone) {
            facts_.notes.emplace_back(
                "the model rounds floats to int8, and their last bits depend on the size of a "
                "batch. It is given one image at a time, so that no score depends on other images");
        }
        if (input_.bytes() && !spec.input_type) {
            facts_.notes.emplace_back(
                "the model takes bytes: scale, mean and std of the preprocessing are not applied");
        }
        if (input_.channels_last() && !spec.layout)
            facts_.notes.emplace_back("the model takes images with the channels last");
    }

    const ModelFacts& facts() const override { return facts_; }

    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        const std::size_t image = input_.image_size();
        if (input.size() != n * image || out.size() != n * facts_.classes)
            throw Error(ErrorCode::internal,
                        "Classifier::scores called with buffers of the wrong size");
        in_parts(n, [&](std::size_t first, std::size_t count) {
            run(count, out.subspan(first * facts_.classes),
                [&](const NetworkCopy& copy, LaneTurn*) {
                    return input_.fed(
                        copy,
                        input_.own_batch(copy, input.subspan(first * image, count * image),
                                         static_cast<std::int64_t>(count), facts_.fixed_batch));
                });
        });
    }

    bool prefers_bytes() const override { return !group_.on_processor(); }

    void score_bytes(const ByteBatch& batch, std::size_t n, std::span<float> out) override {
        if (group_.on_processor()) return Classifier::score_bytes(batch, n, out);
        const std::size_t image = input_.image_size();
        if (batch.pixels.size() != n * image || out.size() != n * facts_.classes)
            throw Error(ErrorCode::internal,
                        "Classifier::score_bytes called with buffers of the wrong size");
        in_parts(n, [&](std::size_t first, std::size_t count) {
            run(count, out.subspan(first * facts_.classes),
                [&](const NetworkCopy& copy, LaneTurn* turn) {
                    return input_.fed_bytes(
                        copy, turn->lane(),
                        {batch.pixels.subspan(first * image, count * image), batch.values},
                        static_cast<std::int64_t>(count), facts_.fixed_batch);
                });
        });
    }

    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t image = input_.image_size();
        const std::size_t n = batch.labels.size();
        if (batch.input.size() != n * image || out.gradient.size() != n * image ||
            out.scores.size() != n * facts_.classes || out.losses.size() != n ||
            batch.targets.size() != (has_target(batch.loss) ? n : 0)) {
            throw Error(ErrorCode::internal,
                        "Classifier::gradients called with buffers of the wrong size");
        }
        if (input_.bytes())
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
                *copy.network,
                [&] { return input_.fed(copy, input_.empty_batch(copy, request.batch).zero_()); },
                request);
        });
        return cost;
    }

private:
    const Network& network() const { return *copies_.front().network; }

    const NetworkCopy& own_copy_of(c10::Device device) const {
        return *std::ranges::find(copies_, device, &NetworkCopy::device);
    }

    /// Calls body(copy, turn) on the next free device, or without a turn on the processor.
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
        // Batches share a device at random, which must not affect results. So the caller only
        // splits a batch that does not fit even alone.
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

    /// Calls body(first, count) for parts of `n` images that fit the network's batch.
    template <class Body>
    void in_parts(std::size_t n, Body&& body) const {
        std::size_t step = std::max<std::size_t>(n, 1);
        if (network().largest_batch() > 0)
            step = std::min(step, static_cast<std::size_t>(network().largest_batch()));
        if (facts_.fixed_batch > 0) step = static_cast<std::size_t>(facts_.fixed_batch);
        for (std::size_t first = 0; first < n; first += step)
            body(first, std::min(step, n - first));
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

    /// The scores on the processor, after a wait for them.
    static at::Tensor fetched(const at::Tensor& scores, LaneTurn* turn) {
        if (turn == nullptr) return scores.contiguous();
        const at::Tensor pinned = turn->lane().scores(scores.numel()).view(scores.sizes());
        pinned.copy_(scores.contiguous(), /*non_blocking=*/true);
        turn->wait();
        return pinned;
    }

    /// The scores of `n` images. `input(copy, turn)` makes the input.
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

    /// Runs forward. Computes the loss and its derivative by the scores with our own arithmetic.
    /// Passes that derivative back through the network.
    void run_back(const LossBatch& part, const LossGradients& out) {
        on_a_copy([&](const NetworkCopy& copy, LaneTurn* turn) {
            const at::AutoGradMode guard(true);
            const std::size_t n = part.labels.size();
            const auto rows = static_cast<std::int64_t>(n);
            const at::Tensor batch =
                input_.own_batch(copy, part.input, rows, facts_.fixed_batch).requires_grad_();
            // The network must not write into the tensor whose gradient is requested.
            const at::Tensor all = rows_of(copy, batch.clone());
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

    void check_declared_input() {
        if (network().one_at_a_time()) facts_.fixed_batch = 1;
        const std::int64_t batch = input_.declared_batch(network());
        if (batch > 0) facts_.fixed_batch = batch;
        if (batch > 1 && network().one_at_a_time()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes batches of {} images, which would change each "
                                    "other's scores; export it with a batch of 1",
                                    batch));
        }
    }

    at::Tensor rows_of(const NetworkCopy& copy, const at::Tensor& batch) const {
        return as_rows(copy.network->forward(input_.fed(copy, batch)), batch.size(0));
    }

    std::int64_t classes_for(const NetworkCopy& copy, std::int64_t n) const {
        std::optional<LaneTurn> turn;
        if (!copy.device.is_cpu()) turn.emplace(std::vector{copy.device});
        const c10::InferenceMode guard;
        prepare_thread();
        return rows_of(copy, input_.empty_batch(copy, n).zero_()).size(1);
    }
    std::int64_t classes_for(std::int64_t n) const { return classes_for(copies_.front(), n); }

    /// Tries the other devices, so that a faulty one fails before images are read.
    void try_other_copies() const {
        for (std::size_t i = 1; i < copies_.size(); ++i) {
            translating(fmt::format("the model failed on {}", copies_[i].device.str()), [&] {
                classes_for(copies_[i], std::max<std::int64_t>(facts_.fixed_batch, 1));
            });
        }
    }

    /// True if a model that rounds gives an image other scores in a batch than alone. This happens
    /// because the order of the sums in a matrix product depends on the number of rows.
    bool batches_round_otherwise() const {
        if (!network().rounds() || !group_.on_processor()) return false;
        std::int64_t count = 8;  // the batch size of a normal run
        if (const std::int64_t most = network().largest_batch(); most > 0)
            count = std::min(count, most);
        const NetworkCopy& copy = copies_.front();
        const c10::InferenceMode guard;
        prepare_thread();
        const at::Tensor images = input_.empty_batch(copy, count);
        // Numbers that are arbitrary but always the same.
        images.copy_(at::arange(images.numel(), at::kLong)
                         .mul(7919)
                         .remainder(1009)
                         .to(at::kFloat)
                         .div(504.5)
                         .sub(1)
                         .view(images.sizes()));
        const auto scores = [&](const at::Tensor& some) {
            return rows_of(copy, some.clone()).clone();
        };
        try {
            const at::Tensor together = scores(images);
            for (std::int64_t i = 0; i < count; ++i) {
                if (!scores(images.narrow(0, i, 1)).equal(together.narrow(0, i, 1))) return true;
            }
        } catch (...) {
            // The model refuses the batch. A run will get the same error and report it.
        }
        return false;
    }

    /// Uses the channels-last order on CPUs, because it is up to half faster. Models that regroup
    /// channels with view() refuse this order and get the usual one.
    void probe() {
        if (group_.on_processor()) {
            input_.set_layout(at::MemoryFormat::ChannelsLast);
            try {
                const std::int64_t classes =
                    classes_for(std::max<std::int64_t>(facts_.fixed_batch, 1));
                facts_.classes = static_cast<std::uint32_t>(classes);
                if (facts_.fixed_batch > 0 || takes(2)) return;
            } catch (...) {
                // A run in the usual order gets the same error and reports it.
            }
        }
        input_.set_layout(at::MemoryFormat::Contiguous);
        probe_sizes();
    }

    /// Tries one image, then two: a model traced with a fixed batch fails one of them. Then tries
    /// the usual fixed sizes.
    void probe_sizes() {
        const std::string context = fmt::format("the model refuses a {} x {} x {} x {} input",
                                                std::max<std::int64_t>(facts_.fixed_batch, 1),
                                                input_.channels(), input_.height(), input_.width());
        std::int64_t classes = 0;
        try {
            classes = classes_for(std::max<std::int64_t>(facts_.fixed_batch, 1));
        } catch (...) {
            const Error error = translated(context);
            const bool shape = error.code() == ErrorCode::bad_input;
            if (shape && wants_one_channel(error))
                throw Error(ErrorCode::bad_input, one_channel_only);
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
            // A lack of memory for two images is no fault of the model. A run would report it with
            // the model's name.
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
    NetworkInput input_;
    ModelFacts facts_;
};

}  // namespace

std::unique_ptr<Classifier> make_classifier(std::vector<std::unique_ptr<Network>> copies,
                                            const ModelSpec& spec, DeviceGroup group) {
    return std::make_unique<NetworkClassifier>(std::move(copies), spec, std::move(group));
}

}  // namespace assay::torch_plugin
