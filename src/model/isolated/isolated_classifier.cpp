#include "model/isolated/isolated_classifier.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "model/isolated/batch_layout.h"
#include "model/isolated/channel.h"
#include "model/isolated/cost_wire.h"
#include "model/isolated/launcher.h"
#include "model/isolated/shared_buffer.h"

namespace assay::isolated {
namespace {

/// The last line of what the process wrote to stderr, of the first megabyte; "" when it wrote
/// nothing.
std::string last_words(int errors) {
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t n = 0;
         text.size() < (std::size_t{1} << 20) &&
         (n = retried([&] { return ::read(errors, part.data(), part.size()); })) > 0;)
        text.append(part.data(), static_cast<std::size_t>(n));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const std::size_t line = text.rfind('\n');
    return text.substr(line == std::string::npos ? 0 : line + 1).substr(0, 300);
}

/// What happened, and what to try.
std::string end_text(std::optional<int> status, const std::string& words) {
    const std::string said = words.empty() ? "" : fmt::format(", saying \"{}\"", words);
    if (!status) return "is gone" + said;
    if (!WIFSIGNALED(*status))
        return fmt::format("ended with status {}{}", WEXITSTATUS(*status), said);
    const int signal = WTERMSIG(*status);
    if (signal == SIGKILL)
        return fmt::format(
            "was killed{}: somebody did it, or the system for want of memory; a smaller batch and "
            "fewer threads need less",
            said);
    return fmt::format(
        "ended by signal {} ({}){}: the file is damaged, or meets a defect of LibTorch; make it "
        "anew, or export the model to ONNX",
        signal, ::strsignal(signal), said);
}

class IsolatedClassifier final : public Classifier {
public:
    IsolatedClassifier(const ModelSpec& spec, const ClassifierOptions& options, bool limited,
                       bool tell_missing)
        : path_(spec.path), process_(start_model(request_for(spec, options, limited))) {
        const auto answer = receive_message(process_.control.get());
        if (!answer || kind_of(*answer) == MessageKind::ended)
            throw ended(answer ? std::optional(end_of(*answer)) : std::nullopt);
        if (kind_of(*answer) == MessageKind::failed) throw failure(*answer);
        Opened opened = isolated::opened(*answer);
        facts_ = std::move(opened.facts);
        if (tell_missing && !opened.missing.empty())
            facts_.notes.push_back(
                fmt::format("the model runs in a process of its own, which is not limited as it "
                            "could be elsewhere: {}",
                            fmt::join(opened.missing, ", ")));
    }

    const ModelFacts& facts() const override { return facts_; }

    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        if (out.size() != n * facts_.classes)
            throw Error(ErrorCode::internal,
                        "Classifier::scores called with buffers of the wrong size");
        const Batch asked{n, input.size(), out.size()};
        const BatchLayout layout(asked);
        const LaneInUse in_use(*this);
        compute(*in_use.lane, asked,
                [&](std::span<float> all) { std::ranges::copy(input, layout.input(all).begin()); });
        std::ranges::copy(layout.scores(in_use.lane->buffer->floats()), out.begin());
    }

    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t n = batch.labels.size();
        if (out.scores.size() != n * facts_.classes || out.losses.size() != n ||
            out.gradient.size() != batch.input.size() ||
            batch.targets.size() != (has_target(batch.loss) ? n : 0)) {
            throw Error(ErrorCode::internal,
                        "Classifier::gradients called with buffers of the wrong size");
        }
        const Batch asked{n, batch.input.size(), out.scores.size(), batch.loss};
        const BatchLayout layout(asked);
        const LaneInUse in_use(*this);
        compute(*in_use.lane, asked, [&](std::span<float> all) {
            std::ranges::copy(batch.input, layout.input(all).begin());
            copy_bits(std::as_bytes(batch.labels), std::as_writable_bytes(layout.labels(all)));
            copy_bits(std::as_bytes(batch.targets), std::as_writable_bytes(layout.targets(all)));
        });
        const std::span<float> all = in_use.lane->buffer->floats();
        std::ranges::copy(layout.scores(all), out.scores.begin());
        std::ranges::copy(layout.gradient(all), out.gradient.begin());
        copy_bits(std::as_bytes(layout.losses(all)), std::as_writable_bytes(out.losses));
    }

    ModelCost cost(const CostRequest& request) override {
        const LaneInUse in_use(*this);
        const int end = in_use.lane->end.get();
        if (!send_message(end, text_of(request))) throw ended();
        CostParts parts;
        for (;;) {
            const auto answer = receive_message(end);
            if (!answer) throw ended();
            if (kind_of(*answer) == MessageKind::failed) throw failure(*answer);
            if (parts.take(*answer)) return parts.joined(request);
        }
    }

private:
    /// A channel for one batch at a time, and the thread of the process behind it.
    struct Lane {
        Descriptor end;
        std::unique_ptr<SharedBuffer> buffer;
    };

    static void copy_bits(std::span<const std::byte> from, std::span<std::byte> to) {
        std::ranges::copy(from, to.begin());
    }

    /// Has the process compute what `fill` puts into the lane's buffer.
    template <class Fill>
    void compute(Lane& lane, const Batch& asked, Fill&& fill) {
        const std::size_t floats = BatchLayout(asked).floats();
        std::vector<int> larger;
        // Kept once the other side has been told of it.
        std::unique_ptr<SharedBuffer> buffer = std::move(lane.buffer);
        if (!buffer || buffer->floats().size() < floats) {
            buffer.reset();
            buffer = SharedBuffer::made(floats);
            larger.push_back(buffer->descriptor());
        }
        fill(buffer->floats());
        if (!send_message(lane.end.get(), text_of(asked), larger)) throw ended();
        lane.buffer = std::move(buffer);
        const auto answer = receive_message(lane.end.get());
        if (!answer) throw ended();
        if (kind_of(*answer) == MessageKind::failed) {
            lane.buffer.reset();  // the other side may not have been able to see it
            throw failure(*answer);
        }
    }

    /// Callers at the same time have a lane each, so that as many threads compute as call.
    struct LaneInUse {
        explicit LaneInUse(IsolatedClassifier& classifier)
            : owner(classifier), lane(classifier.taken_lane()) {}
        ~LaneInUse() { owner.give_back(std::move(lane)); }
        LaneInUse(const LaneInUse&) = delete;
        LaneInUse& operator=(const LaneInUse&) = delete;
        IsolatedClassifier& owner;
        std::unique_ptr<Lane> lane;
    };

    static OpenRequest request_for(const ModelSpec& spec, const ClassifierOptions& options,
                                   bool limited) {
        OpenRequest request{spec, options, limited};
        // The launcher may have been started from another folder.
        std::error_code error;
        const std::filesystem::path absolute = std::filesystem::absolute(spec.path, error);
        if (!error) request.spec.path = absolute;
        return request;
    }

    std::unique_ptr<Lane> taken_lane() {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (!free_.empty()) {
                std::unique_ptr<Lane> lane = std::move(free_.back());
                free_.pop_back();
                return lane;
            }
            if (may_grow_) {
                if (auto lane = new_lane()) {
                    ++lanes_;
                    return lane;
                }
                if (lanes_ == 0) throw ended_locked();
                // Threads or descriptors are used up: those that are there take turns.
                may_grow_ = false;
            }
            freed_.wait(lock);
        }
    }

    void give_back(std::unique_ptr<Lane> lane) {
        const std::scoped_lock lock(mutex_);
        free_.push_back(std::move(lane));
        freed_.notify_one();
    }

    /// Nothing where the process cannot start one more thread, or is gone.
    std::unique_ptr<Lane> new_lane() {
        try {
            auto ends = connected_ends();
            {
                const Descriptor theirs(std::move(ends.second));
                if (!send_message(process_.control.get(), text_of(MessageKind::lane),
                                  {theirs.get()}))
                    return nullptr;
            }
            const auto answer = receive_message(ends.first.get());
            if (!answer || kind_of(*answer) != MessageKind::ready) return nullptr;
            return std::make_unique<Lane>(Lane{std::move(ends.first), nullptr});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::io) throw;
            return nullptr;
        }
    }

    Error ended() {
        const std::scoped_lock lock(mutex_);
        return ended_locked();
    }
    /// The launcher tells over `control` how the process ended.
    Error ended_locked() {
        if (!end_) {
            std::optional<int> status;
            pollfd told{process_.control.get(), POLLIN, 0};
            if (retried([&] { return ::poll(&told, 1, 2000); }) > 0) {
                const auto answer = receive_message(process_.control.get());
                if (answer && kind_of(*answer) == MessageKind::ended) status = end_of(*answer);
            }
            end_ = ended(status);
        }
        return *end_;
    }
    Error ended(std::optional<int> status) const {
        return Error(ErrorCode::bad_input,
                     fmt::format("the process that runs the model {} {}", path_.string(),
                                 end_text(status, last_words(process_.errors.get()))));
    }

    std::filesystem::path path_;
    ModelProcess process_;
    ModelFacts facts_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Lane>> free_;
    std::size_t lanes_ = 0;
    bool may_grow_ = true;
    std::optional<Error> end_;
};

}  // namespace

std::unique_ptr<Classifier> open_isolated(const ModelSpec& spec, const ClassifierOptions& options,
                                          bool limited, bool tell_missing) {
    return std::make_unique<IsolatedClassifier>(spec, options, limited, tell_missing);
}

}  // namespace assay::isolated
