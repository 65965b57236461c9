#include "evaluate/batch_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"

namespace assay::prediction {
namespace {

/// Images [first, first + n) of the batch, as floats or bytes; the batch has only one of the two.
ImageBatch part_of(const ImageBatch& batch, std::size_t first, std::size_t n) {
    const auto part = [&](auto all) {
        const std::size_t each = all.size() / batch.n;
        return all.subspan(first * each, n * each);
    };
    return {batch.first_row + first,
            n,
            part(batch.input),
            batch.states.subspan(first, n),
            {part(batch.bytes.pixels), batch.bytes.values},
            batch.unscored};
}

void classify(Classifier& classifier, const ImageBatch& batch, std::span<float> out) {
    if (batch.bytes.values != nullptr) {
        classifier.score_bytes(batch.bytes, batch.n, out);
    } else {
        classifier.scores(batch.input, batch.n, out);
    }
}

/// True for errors that single images may cause. All other errors end the run.
bool may_be_an_image(const Error& error) {
    return error.code() == ErrorCode::bad_input || error.code() == ErrorCode::out_of_memory;
}

/// Runs a batch, in halves if memory is short; returns how often it halved.
std::uint64_t run_halving(const BatchRunner::Instead& run, const ImageBatch& batch,
                          std::span<float> out) {
    try {
        run(batch, out);
        return 0;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory || batch.n == 1) throw;
    }
    const std::size_t half = batch.n / 2;
    const std::size_t classes = out.size() / batch.n;
    return 1 + run_halving(run, part_of(batch, 0, half), out.first(half * classes)) +
           run_halving(run, part_of(batch, half, batch.n - half), out.subspan(half * classes));
}

isolated::BatchGate& gate_of(isolated::Supervised* supervised, isolated::BatchGate& own) {
    return supervised != nullptr ? supervised->gate() : own;
}

/// Copies one image to the places of others.
template <class Number>
std::vector<Number> filled(std::span<const Number> all, std::size_t n, std::size_t from,
                           const std::vector<std::size_t>& places) {
    std::vector<Number> copy(all.begin(), all.end());
    const std::size_t each = all.size() / n;
    for (const std::size_t place : places)
        std::ranges::copy(all.subspan(from * each, each),
                          copy.begin() + static_cast<std::ptrdiff_t>(place * each));
    return copy;
}

}  // namespace

/// The search for the failing images of one batch. No other thread computes meanwhile.
class BatchRunner::Search {
public:
    Search(BatchRunner& owner, const ImageBatch& batch, std::span<float> out, const Error& first)
        : owner_(owner),
          batch_(batch),
          out_(out),
          classes_(out.size() / batch.n),
          first_(first),
          computed_(batch.n, false) {}

    std::vector<FailedImage> run() {
        if (owner_.attempt(batch_, out_)) return {};
        const bool raised = owner_.last_raised_;
        halve(0, batch_.n);
        // A process may end because memory is short. An error for every image is the
        // model's.
        if (failed_places_.empty() && raised)
            give_up("each of its images can be computed alone; a smaller batch may work");
        if (failed_places_.empty()) {
            ++owner_.in_parts_;
            return {};
        }
        compute_without_the_failed();
        const std::scoped_lock lock(owner_.mutex_);
        for (const FailedImage& image : failed_) owner_.failed_.push_back(image);
        return std::move(failed_);
    }

private:
    /// Images [first, first + n), which fail together.
    void halve(std::size_t first, std::size_t n) {
        if (n == 1) return found(first);
        const std::size_t half = n / 2;
        for (const auto& [begin, count] :
             {std::pair{first, half}, std::pair{first + half, n - half}}) {
            if (owner_.attempt(part_of(batch_, begin, count),
                               out_.subspan(begin * classes_, count * classes_))) {
                std::fill_n(computed_.begin() + static_cast<std::ptrdiff_t>(begin), count, true);
            } else {
                halve(begin, count);
            }
        }
    }

    void found(std::size_t place) {
        failed_places_.push_back(place);
        // An image that could not be read already has a reason.
        if (batch_.states[place] == RowState::ok) {
            failed_.push_back(owner_.last_);
            failed_.back().row = batch_.first_row + place;
        }
        if (owner_.failed_.size() + failed_.size() > most_failed_images)
            give_up(fmt::format("more than {} images could not be computed", most_failed_images));
        if (++owner_.in_a_row_ >= most_in_a_row && !still_works())
            give_up(fmt::format("{} images in a row could not be computed", most_in_a_row));
    }

    bool still_works() {
        const auto good = std::ranges::find(computed_, true);
        if (good == computed_.end()) return owner_.still_works(batch_);
        return owner_.classifier_computes(
            part_of(batch_, static_cast<std::size_t>(good - computed_.begin()), 1));
    }

    /// Batches that were computed in parts are computed whole, with another image in the place of
    /// each one that fails.
    void compute_without_the_failed() {
        const auto good = std::ranges::find(computed_, true);
        if (good == computed_.end()) {
            // Only another image can show whether these images or the model caused the failure.
            if (!owner_.still_works(batch_)) give_up("no other image could be computed either");
            return;
        }
        const auto from = static_cast<std::size_t>(good - computed_.begin());
        const auto input = filled(batch_.input, batch_.n, from, failed_places_);
        const auto pixels = filled(batch_.bytes.pixels, batch_.n, from, failed_places_);
        std::vector<RowState> states(batch_.states.begin(), batch_.states.end());
        for (const std::size_t place : failed_places_) {
            if (states[place] == RowState::ok) states[place] = RowState::not_finite;
        }
        std::vector<float> scores(out_.size());
        if (owner_.attempt({batch_.first_row,
                            batch_.n,
                            input,
                            states,
                            {pixels, batch_.bytes.values},
                            batch_.unscored},
                           scores)) {
            std::ranges::copy(scores, out_.begin());
            return;
        }
        ++owner_.in_parts_;  // the parts have scores
        if (!still_works()) give_up("it also failed on images that it had computed before");
    }

    [[noreturn]] void give_up(const std::string& why) {
        Error error(first_.code(), fmt::format("{}; {}", first_.message(), why));
        for (const std::string& note : first_.notes()) error.add_note(note);
        owner_.given_up_ = error;
        throw error;
    }

    BatchRunner& owner_;
    const ImageBatch& batch_;
    std::span<float> out_;
    std::size_t classes_;
    const Error& first_;
    std::vector<bool> computed_;
    std::vector<std::size_t> failed_places_;
    std::vector<FailedImage> failed_;
};

ImageBatch BatchRunner::Proof::batch() const {
    static constexpr RowState ok = RowState::ok;
    return {0, 1, input, {&ok, 1}, {bytes, bytes.empty() ? nullptr : &values}};
}

BatchRunner::BatchRunner(const LoadedModel& model)
    : BatchRunner(*model.classifier, model.spec.name, model.scores) {}

BatchRunner::BatchRunner(Classifier& classifier, std::string name, const Instead& instead)
    : classifier_(classifier),
      name_(std::move(name)),
      instead_(instead),
      supervised_(dynamic_cast<isolated::Supervised*>(&classifier)),
      gate_(gate_of(supervised_, own_gate_)) {}

std::vector<FailedImage> BatchRunner::run(const ImageBatch& batch, std::span<float> out) {
    std::optional<Error> first;
    try {
        const auto pass = gate_.beside_others();
        compute(batch, out);
        return {};
    } catch (const Error& error) {
        if (!may_be_an_image(error)) throw;
        if (supervised_ != nullptr && supervised_->process_end() && !supervised_->can_restart())
            throw;
        first = error;
    }
    const auto pass = gate_.alone();
    if (given_up_) throw *given_up_;
    return Search(*this, batch, out, *first).run();
}

void BatchRunner::compute(const ImageBatch& batch, std::span<float> out) {
    const Instead by_classifier = [&](const ImageBatch& images, std::span<float> scores) {
        classify(classifier_, images, scores);
    };
    halved_ += run_halving(instead_ ? instead_ : by_classifier, batch, out);
    in_a_row_ = 0;
    if (!has_proof_) keep_proof(batch);
}

void BatchRunner::keep_proof(const ImageBatch& batch) {
    const auto ok = std::ranges::find(batch.states, RowState::ok);
    const std::scoped_lock lock(mutex_);
    if (proof_ || ok == batch.states.end()) return;
    const ImageBatch one = part_of(batch, static_cast<std::size_t>(ok - batch.states.begin()), 1);
    Proof proof;
    proof.input.assign(one.input.begin(), one.input.end());
    proof.bytes.assign(one.bytes.pixels.begin(), one.bytes.pixels.end());
    if (one.bytes.values != nullptr) proof.values = *one.bytes.values;
    proof_ = std::move(proof);
    has_proof_ = true;
}

bool BatchRunner::still_works(const ImageBatch& like) {
    if (has_proof_) return classifier_computes(proof_->batch());
    Proof black;
    black.input.resize(like.input.size() / like.n);
    black.bytes.resize(like.bytes.pixels.size() / like.n);
    if (like.bytes.values != nullptr) black.values = *like.bytes.values;
    return classifier_computes(black.batch());
}

bool BatchRunner::classifier_computes(const ImageBatch& batch) {
    std::vector<float> scores(batch.n * classifier_.facts().classes);
    return attempted([&] {
        classify(classifier_, batch, scores);
        in_a_row_ = 0;
    });
}

void BatchRunner::start_again() {
    {
        const std::scoped_lock lock(mutex_);
        if (restarts_ == most_restarts) {
            given_up_ = Error(ErrorCode::bad_input,
                              fmt::format("`{}` was restarted {} times, which is the limit, and {}",
                                          name_, restarts_, supervised_->process_end()->how));
            throw *given_up_;
        }
        ++restarts_;
    }
    try {
        with_note("restarting the model's process", [&] { supervised_->restart(); });
    } catch (const Error& error) {
        given_up_ = error;
        throw;
    }
}

bool BatchRunner::attempt(const ImageBatch& batch, std::span<float> out) {
    return attempted([&] { compute(batch, out); });
}

bool BatchRunner::attempted(const std::function<void()>& work) {
    throw_if_stopped();
    if (supervised_ != nullptr && supervised_->process_end()) start_again();
    try {
        work();
        return true;
    } catch (const Error& error) {
        if (!may_be_an_image(error)) throw;
        last_ = {0, error.message(), ""};
        last_raised_ = error.code() == ErrorCode::bad_input;
        if (supervised_ == nullptr) return false;
        if (const auto end = supervised_->process_end()) {
            if (!supervised_->can_restart()) throw;
            last_ = {0, end->how, end->said};
            last_raised_ = false;
        }
    }
    return false;
}

std::vector<std::string> BatchRunner::notes(const Dataset& dataset) const {
    std::vector<std::string> notes;
    const std::scoped_lock lock(mutex_);
    if (!failed_.empty()) {
        auto sorted = failed_;
        std::ranges::sort(sorted, {}, &FailedImage::row);
        std::vector<std::string> images;
        for (const FailedImage& image : sorted) {
            images.push_back(fmt::format(
                "{} ({}{})", dataset.ids[static_cast<std::size_t>(image.row)], image.why,
                image.said.empty() ? "" : fmt::format(", saying \"{}\"", image.said)));
        }
        notes.push_back(fmt::format("{} could not be computed: {}; --retry-failed tries {} again",
                                    how_many(images.size(), "image"), fmt::join(images, ", "),
                                    images.size() == 1 ? "it" : "them"));
    }
    if (restarts_ > 0)
        notes.push_back(fmt::format("the model's process ended and was restarted {}",
                                    how_many(static_cast<std::uint64_t>(restarts_), "time")));
    if (const std::uint64_t parts = in_parts_; parts > 0)
        notes.push_back(
            fmt::format("{} failed, so {} computed in parts: scores may differ from those of whole "
                        "batches by about 1e-5",
                        how_many(parts, "batch", "batches"), parts == 1 ? "it was" : "they were"));
    return notes;
}

}  // namespace assay::prediction
