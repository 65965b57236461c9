#include "model/isolated/isolated_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "model/isolated/batch_layout.h"
#include "model/isolated/channel.h"
#include "model/isolated/cost_wire.h"
#include "model/isolated/file_at_path.h"
#include "model/isolated/launcher.h"
#include "model/isolated/shared_buffer.h"
#include "model/isolated/wire_fields.h"
#include "model/two_classes.h"

namespace assay::isolated {
namespace {

class IsolatedClassifier final : public Classifier, public Supervised {
public:
    /// `request` is empty if the process was asked to open the model when it started.
    IsolatedClassifier(LoadedProcess loaded, const ModelSpec& spec,
                       const ClassifierOptions& options, std::optional<OpenRequest> request,
                       bool tell_missing, std::vector<std::filesystem::path> data_files = {})
        : path_(spec.path),
          chosen_timeout_(options.model_timeout),
          loaded_(std::move(loaded)),
          process_(loaded_.process),
          request_(std::move(request)),
          limits_{BatchLimit(options.model_timeout), BatchLimit(options.model_timeout)} {
        Opened opened = open();
        facts_ = std::move(opened.facts);
        facts_.data_files = std::move(data_files);
        facts_.runtime = options.runtime;
        if (request_ && spec.num_classes && !fits_classes(facts_.classes, *spec.num_classes)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} returns {} scores, but its settings have {} classes",
                                    path_.string(), facts_.classes, *spec.num_classes));
        }
        if (tell_missing && !opened.missing.empty())
            facts_.notes.push_back(
                fmt::format("the model's process runs with fewer limits than usual: {}",
                            fmt::join(opened.missing, ", ")));
    }

    BatchGate& gate() override { return *loaded_.gate; }

    std::optional<ProcessEnd> process_end() override {
        const std::scoped_lock lock(end_mutex_);
        if (!end_) return std::nullopt;
        return ProcessEnd{"the model's process " + how_it_ended_, process_->words.line()};
    }

    bool can_restart() const override { return static_cast<bool>(loaded_.again); }

    void restart() override {
        process_->end();
        // Waits half a second at a time until the process is gone, so that no other code treats it
        // as running.
        constexpr int most_waits = 120;
        for (int i = 0; i < most_waits && !process_->status() && process_->gone() >= 0; ++i)
            throw_if_stopped();
        {
            const std::scoped_lock lock(mutex_, end_mutex_);
            free_.clear();
            lanes_ = 0;
            may_grow_ = true;
            end_.reset();
        }
        process_ = loaded_.again();
        const Opened opened = open();
        if (opened.facts.classes != facts_.classes || opened.facts.device != facts_.device ||
            opened.facts.framework != facts_.framework ||
            opened.facts.precision != facts_.precision) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the model {} changed when it was restarted", path_.string()));
        }
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
        in_use.lane->broken = true;
        if (!send_message(end, text_of(request))) throw ended();
        CostParts parts;
        for (bool whole = false; !whole;) {
            const auto begin = WaitClock::now();
            const Answer answer =
                answer_of(wait_while_it_works(*process_, end, silence()), end, begin);
            if (!answer) throw ended();
            if (kind_of(*answer) == MessageKind::failed) {
                in_use.lane->broken = false;
                throw failure(*answer);
            }
            whole = parts.take(*answer);
        }
        in_use.lane->broken = false;
        return parts.joined(request);
    }

private:
    /// A channel for one batch at a time, and the process's thread that serves it.
    struct Lane {
        Descriptor end;
        std::unique_ptr<SharedBuffer> buffer;
        bool broken = false;  ///< if its state is unknown, it is not used again
    };
    using Answer = std::optional<std::string>;

    static void copy_bits(std::span<const std::byte> from, std::span<std::byte> to) {
        std::ranges::copy(from, to.begin());
    }

    /// Lets the process compute the batch that `fill` writes to the lane's buffer.
    template <class Fill>
    void compute(Lane& lane, const Batch& asked, Fill&& fill) {
        const std::size_t floats = BatchLayout(asked).floats();
        std::vector<int> larger;
        // The buffer is stored only after the other side has received it.
        std::unique_ptr<SharedBuffer> buffer = std::move(lane.buffer);
        if (!buffer || buffer->floats().size() < floats) {
            buffer.reset();
            buffer = SharedBuffer::made(floats);
            larger.push_back(buffer->descriptor());
        }
        fill(buffer->floats());
        lane.broken = true;
        const auto begin = WaitClock::now();
        const auto limit = limit_of(asked);
        if (!send_message(lane.end.get(), text_of(asked), larger)) throw ended();
        lane.buffer = std::move(buffer);
        const Answer answer = next_at(lane.end.get(), begin + limit, asked.images);
        if (!answer) throw ended();
        if (kind_of(*answer) == MessageKind::failed) {
            lane.broken = false;
            lane.buffer.reset();  // the other side may have failed to map the buffer
            throw failure(*answer);
        }
        if (kind_of(*answer) != MessageKind::done)
            wire_nonsense("the model did not answer a batch");
        lane.broken = false;
        const std::scoped_lock lock(mutex_);
        limits_[asked.loss ? 1 : 0].took(asked.images, WaitClock::now() - begin);
    }

    WaitClock::duration limit_of(const Batch& asked) {
        const std::scoped_lock lock(mutex_);
        return std::chrono::ceil<WaitClock::duration>(limits_[asked.loss ? 1 : 0].of(asked.images));
    }

    /// The next message at an end; nothing if the process is gone. After the deadline the process
    /// is killed.
    Answer next_at(int end, WaitClock::time_point deadline, std::size_t images = 0) {
        const auto begin = WaitClock::now();
        return answer_of(wait_at(*process_, end, deadline), end, begin, images);
    }
    Answer answer_of(Arrival arrival, int end, WaitClock::time_point begin,
                     std::size_t images = 0) {
        switch (arrival) {
            case Arrival::message:
                return receive_message(end);
            case Arrival::gone:
                return std::nullopt;
            case Arrival::late:
                break;
        }
        const auto seconds = std::chrono::round<std::chrono::seconds>(WaitClock::now() - begin);
        Error late(
            ErrorCode::bad_input,
            images == 0
                ? fmt::format("the process of the model {} did not answer for {} s, so it was "
                              "ended; allow more with --model-timeout SECONDS",
                              path_.string(), seconds.count())
                : fmt::format("the model {} computed {} for {} s, so its process was ended; allow "
                              "more with --model-timeout SECONDS, or use a smaller batch",
                              path_.string(), how_many(images, "image"), seconds.count()));
        {
            const std::scoped_lock lock(end_mutex_);
            if (!end_) {
                end_ = late;
                how_it_ended_ = "did not answer in time and was ended";
            }
        }
        process_->end();
        throw late;
    }

    std::chrono::seconds silence() const {
        return chosen_timeout_.count() > 0 ? chosen_timeout_ : longest_silence;
    }

    /// Waits until the process has opened the model.
    Opened open() {
        const Answer answer = opening_answer();
        if (!answer || kind_of(*answer) == MessageKind::ended)
            throw ended(answer ? std::optional(end_of(*answer)) : process_->status());
        if (kind_of(*answer) == MessageKind::failed) throw failure(*answer);
        return isolated::opened(*answer);
    }

    /// The result of opening. Sends the request if there is one.
    Answer opening_answer() {
        const std::scoped_lock lock(process_->asking);
        // The process still has to load the file, so a limit for batches may only lengthen this
        // limit.
        if (!request_)
            return next_at(process_->control(),
                           WaitClock::now() + std::max(chosen_timeout_, longest_silence));
        if (!send_message(process_->control(), text_of(*request_))) return std::nullopt;
        return next_at(process_->control(), WaitClock::now() + silence());
    }

    /// Each concurrent caller has a lane, so that one thread computes per caller.
    struct LaneInUse {
        explicit LaneInUse(IsolatedClassifier& classifier)
            : owner(classifier), lane(classifier.taken_lane()) {}
        ~LaneInUse() { owner.give_back(std::move(lane)); }
        LaneInUse(const LaneInUse&) = delete;
        LaneInUse& operator=(const LaneInUse&) = delete;
        IsolatedClassifier& owner;
        std::unique_ptr<Lane> lane;
    };

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
                if (lanes_ == 0) {
                    freed_.notify_all();
                    throw ended();
                }
                // The process has no more threads or descriptors, so callers share the existing
                // lanes.
                may_grow_ = false;
            }
            // A signal handler cannot wake this thread.
            freed_.wait_for(lock, std::chrono::milliseconds(100));
            throw_if_stopped();
        }
    }

    void give_back(std::unique_ptr<Lane> lane) {
        const std::scoped_lock lock(mutex_);
        if (lane->broken) {
            --lanes_;
            may_grow_ = true;
        } else {
            free_.push_back(std::move(lane));
        }
        // Wakes all waiting threads, because no other code would wake them after the last lane of a
        // dead process is returned.
        freed_.notify_all();
    }

    /// Returns nothing if the process has ended or cannot start another thread.
    std::unique_ptr<Lane> new_lane() {
        try {
            auto ends = connected_ends();
            {
                const Descriptor theirs(std::move(ends.second));
                if (!send_message(process_->control(), text_of(MessageKind::lane), {theirs.get()}))
                    return nullptr;
            }
            const Answer answer = next_at(ends.first.get(), WaitClock::now() + longest_silence);
            if (!answer || kind_of(*answer) != MessageKind::ready) return nullptr;
            return std::make_unique<Lane>(Lane{std::move(ends.first), nullptr});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::io) throw;
            return nullptr;
        }
    }

    Error ended() {
        const std::scoped_lock lock(end_mutex_);
        if (!end_) {
            const std::optional<int> status = process_->status();
            end_ = ended(status);
            how_it_ended_ = end_in_short(status);
        }
        return *end_;
    }
    Error ended(std::optional<int> status) {
        return Error(ErrorCode::bad_input,
                     fmt::format("the process that runs the model {} {}", path_.string(),
                                 process_->end_in_words(status)));
    }

    std::filesystem::path path_;
    std::chrono::seconds chosen_timeout_;
    LoadedProcess loaded_;
    std::shared_ptr<RunningProcess> process_;
    std::optional<OpenRequest> request_;
    ModelFacts facts_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Lane>> free_;
    std::size_t lanes_ = 0;
    bool may_grow_ = true;
    std::array<BatchLimit, 2> limits_;  ///< one limit for scores, one for gradients
    std::mutex end_mutex_;
    std::optional<Error> end_;
    std::string how_it_ended_;
};

}  // namespace

std::unique_ptr<Classifier> open_isolated(const ModelSpec& spec, const ClassifierOptions& options,
                                          bool limited, bool tell_missing) {
    OpenRequest request{spec, options, limited};
    // The launcher may have started in another folder.
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(spec.path, error);
    if (!error) request.spec.path = absolute;
    const FileAtPath file(request.spec.path);
    LoadedProcess loaded{start_model(request), std::make_shared<BatchGate>()};
    loaded.again = [request, file]() -> std::shared_ptr<RunningProcess> {
        if (FileAtPath(request.spec.path) != file) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has changed since it was opened; run the command again",
                                    request.spec.path.string()));
        }
        return start_model(request);
    };
    return std::make_unique<IsolatedClassifier>(std::move(loaded), spec, options, std::nullopt,
                                                tell_missing);
}

std::unique_ptr<Classifier> open_in(LoadedProcess loaded, const ModelSpec& spec,
                                    const ClassifierOptions& options, bool tell_missing,
                                    std::vector<std::filesystem::path> data_files) {
    return std::make_unique<IsolatedClassifier>(std::move(loaded), spec, options,
                                                OpenRequest{spec, options, false}, tell_missing,
                                                std::move(data_files));
}

}  // namespace assay::isolated
