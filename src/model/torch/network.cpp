#include "model/torch/network.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "assay/error.h"
#include "model/torch/blas.h"
#include "model/torch/cost_measure.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

std::string shape_text(c10::IntArrayRef sizes) {
    return sizes.empty() ? std::string("one number")
                         : fmt::format("{}", fmt::join(sizes.begin(), sizes.end(), " x "));
}

constexpr const char* kNoGradient =
    "the model has no gradient: an operator without a derivative (a rounding, an arg-max, a "
    "detach) stands between its input and its scores";

/// n x C floats, or an error that says what came instead. n x C x 1 x 1 (a convolution as the last
/// layer) is taken too.
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
    if (scores.dim() != 2 || scores.size(0) != n || scores.size(1) < 1) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the model returns {} for {} images; expected {} x classes",
                                shape_text(scores.sizes()), n, n));
    }
    return scores.to(at::kFloat);
}

class NetworkClassifier final : public Classifier {
public:
    NetworkClassifier(std::unique_ptr<Network> network, const ModelSpec& spec, c10::Device device)
        : network_(std::move(network)),
          device_(device),
          height_(spec.preprocess.height),
          width_(spec.preprocess.width),
          bytes_(takes_bytes(*network_, spec)),
          channels_last_(takes_channels_last(*network_, spec)) {
        if (bytes_) prepare_bytes(spec.preprocess);
        facts_.device = device.str();
        facts_.framework = framework_name();
        facts_.parameters = static_cast<std::int64_t>(network_->weights().parameters);
        facts_.data_files = network_->data_files();
        check_declared_input();
        probe();
        facts_.memory_format =
            layout_ == at::MemoryFormat::ChannelsLast ? "channels_last" : "contiguous";
        check_classes(spec);
        facts_.notes = network_->notes();
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
            run(input.subspan(first * image, count * image), count,
                out.subspan(first * facts_.classes));
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
        if (facts_.classes < least_classes(batch.loss)) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("the loss {} needs {} classes, the model has {}", name_of(batch.loss),
                            least_classes(batch.loss), facts_.classes));
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
        return translating("the model failed", [&] {
            const BlasTurn turn;
            const c10::InferenceMode guard;
            prepare_thread();
            return cost_of_network(
                *network_, [&] { return fed(empty_batch(request.batch).zero_()); }, request);
        });
    }

private:
    void check_cost_request(const CostRequest& request) const {
        const std::int64_t most = network_->largest_batch();
        const std::int64_t fixed = facts_.fixed_batch;
        if ((fixed > 0 && request.batch != fixed) || (most > 0 && request.batch > most)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes {} {} image{} at once; the batch is {}",
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
        return declared ? *declared == at::kByte : spec.input_type == InputType::uint8;
    }

    static bool takes_channels_last(const Network& network, const ModelSpec& spec) {
        const auto declared = network.declared_input();
        const bool last = declared && (*declared)[3] == 3 && (*declared)[1] != 3;
        const bool first = declared && (*declared)[1] == 3 && (*declared)[3] != 3;
        if ((last && spec.layout == InputLayout::nchw) ||
            (first && spec.layout == InputLayout::nhwc)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes images of {} x {} x {}, but layout is {}",
                                    (*declared)[1], (*declared)[2], (*declared)[3],
                                    spec.layout == InputLayout::nchw ? "nchw" : "nhwc"));
        }
        return spec.layout ? spec.layout == InputLayout::nhwc : last;
    }

    /// What turns a normalised number back into its byte.
    void prepare_bytes(const Preprocess& p) {
        const auto channels = [&](const std::array<double, 3>& values) {
            at::Tensor out = at::empty({1, 3, 1, 1}, at::kFloat);
            for (std::size_t c = 0; c < 3; ++c)
                out.data_ptr<float>()[c] = static_cast<float>(values[c] / p.scale);
            return out.to(device_);
        };
        byte_std_ = channels(p.std);
        byte_mean_ = channels(p.mean);
    }

    /// The batch as the model takes it.
    at::Tensor fed(const at::Tensor& batch) const {
        at::Tensor x = batch;
        if (bytes_) x = x.mul(byte_std_).add(byte_mean_).round().clamp(0, 255).to(at::kByte);
        if (channels_last_) x = x.permute({0, 2, 3, 1}).contiguous();
        return x;
    }

    /// Calls body(first, count) for parts of `n` images that the network takes at once.
    template <class Body>
    void in_parts(std::size_t n, Body&& body) const {
        std::size_t step = std::max<std::size_t>(n, 1);
        if (network_->largest_batch() > 0)
            step = std::min(step, static_cast<std::size_t>(network_->largest_batch()));
        if (facts_.fixed_batch > 0) step = static_cast<std::size_t>(facts_.fixed_batch);
        for (std::size_t first = 0; first < n; first += step)
            body(first, std::min(step, n - first));
    }

    /// A batch of the model's own: some models write into their input. Filled up with zeros to the
    /// batch that it takes.
    at::Tensor own_batch(std::span<const float> input, std::int64_t rows) const {
        // from_blob only wants a mutable pointer.
        const at::Tensor given =
            at::from_blob(const_cast<float*>(input.data()), {rows, 3, height_, width_}, at::kFloat);
        at::Tensor batch = empty_batch(std::max(rows, facts_.fixed_batch));
        batch.narrow(0, 0, rows).copy_(given);
        if (rows < facts_.fixed_batch) batch.narrow(0, rows, facts_.fixed_batch - rows).zero_();
        return batch;
    }

    /// The scores of the first `rows` images, on the processor.
    at::Tensor first_scores(const at::Tensor& all, std::int64_t rows) const {
        at::Tensor scores = all.narrow(0, 0, rows).to(at::kCPU).contiguous();
        if (scores.size(1) != facts_.classes) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("the model returns {} scores an image here and {} when it was opened",
                            scores.size(1), facts_.classes));
        }
        return scores;
    }

    void run(std::span<const float> input, std::size_t n, std::span<float> out) {
        translating("the model failed", [&] {
            const BlasTurn turn;
            const c10::InferenceMode guard;
            prepare_thread();
            const auto rows = static_cast<std::int64_t>(n);
            const at::Tensor batch = own_batch(input, rows);
            const at::Tensor scores =
                first_scores(as_rows(network_->forward(fed(batch)), batch.size(0)), rows);
            std::copy_n(scores.data_ptr<float>(), n * facts_.classes, out.data());
        });
    }

    /// Forward; the loss and its derivative by the scores in our own arithmetic; then that
    /// derivative back through the network.
    void run_back(const LossBatch& part, const LossGradients& out) {
        translating("the model failed", [&] {
            const BlasTurn turn;
            const at::AutoGradMode guard(true);
            prepare_thread();
            const std::size_t n = part.labels.size();
            const auto rows = static_cast<std::int64_t>(n);
            const at::Tensor batch = own_batch(part.input, rows).requires_grad_();
            // The network must not write into what the gradient is asked of.
            const at::Tensor all = as_rows(network_->forward(fed(batch.clone())), batch.size(0));
            const at::Tensor scores = first_scores(all.detach(), rows);
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
            const at::Tensor gradient =
                grads.front().narrow(0, 0, rows).to(at::kCPU, at::kFloat).contiguous();
            std::copy_n(gradient.data_ptr<float>(), out.gradient.size(), out.gradient.data());
        });
    }

    at::Tensor empty_batch(std::int64_t n) const {
        return at::empty({n, 3, height_, width_}, at::TensorOptions(at::kFloat).device(device_),
                         layout_);
    }

    void check_declared_input() {
        if (network_->one_at_a_time()) facts_.fixed_batch = 1;
        auto declared = network_->declared_input();
        if (!declared) return;
        if (channels_last_)
            std::rotate(declared->begin() + 1, declared->end() - 1, declared->end());
        const auto [batch, channels, height, width] = *declared;
        const auto open_or = [](std::int64_t size, std::int64_t wanted) {
            return size < 0 || size == wanted;
        };
        if (!open_or(channels, 3) || !open_or(height, height_) || !open_or(width, width_)) {
            const auto text = [](std::int64_t size) {
                return size < 0 ? std::string("any") : std::to_string(size);
            };
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes images of {} x {} x {} (channels, height, "
                                    "width), but input_size is [3, {}, {}]",
                                    text(channels), text(height), text(width), height_, width_));
        }
        if (batch > 0) facts_.fixed_batch = batch;
        if (batch > 1 && network_->one_at_a_time()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model takes batches of {} images, which would change each "
                                    "other's scores; export it with a batch of 1",
                                    batch));
        }
    }

    std::int64_t classes_for(std::int64_t n) {
        const c10::InferenceMode guard;
        prepare_thread();
        return as_rows(network_->forward(fed(empty_batch(n).zero_())), n).size(1);
    }

    /// Channels last is up to half faster on processors. Models that regroup channels with view()
    /// refuse it: they get the usual order.
    void probe() {
        if (device_.is_cpu()) {
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
            fmt::format("the model refuses a {} x 3 x {} x {} input",
                        std::max<std::int64_t>(facts_.fixed_batch, 1), height_, width_);
        std::int64_t classes = 0;
        try {
            classes = classes_for(std::max<std::int64_t>(facts_.fixed_batch, 1));
        } catch (...) {
            const Error error = translated(context);
            const bool shape = error.code() == ErrorCode::bad_input;
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
        if (spec.num_classes && *spec.num_classes != facts_.classes) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model returns {} scores an image, but num_classes is {}",
                                    facts_.classes, *spec.num_classes));
        }
        if (!spec.classes.empty() && spec.classes.size() != facts_.classes) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "the model returns {} scores an image, but its class list holds {} classes",
                    facts_.classes, spec.classes.size()));
        }
    }

    std::unique_ptr<Network> network_;
    c10::Device device_;
    std::int64_t height_;
    std::int64_t width_;
    bool bytes_;
    bool channels_last_;
    at::Tensor byte_std_, byte_mean_;  ///< 1 x 3 x 1 x 1
    at::MemoryFormat layout_ = at::MemoryFormat::Contiguous;
    ModelFacts facts_;
};

}  // namespace

std::unique_ptr<Classifier> make_classifier(std::unique_ptr<Network> network, const ModelSpec& spec,
                                            c10::Device device) {
    return std::make_unique<NetworkClassifier>(std::move(network), spec, device);
}

}  // namespace assay::torch_plugin
