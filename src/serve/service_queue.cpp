#include "serve/service_queue.h"

#include <fmt/format.h>

#include <iterator>
#include <new>
#include <utility>

#include "serve/refusal.h"

namespace assay::serve {
namespace {

constexpr std::chrono::milliseconds between_refreshes{200};
constexpr std::chrono::minutes patience_with_failures{10};
constexpr std::chrono::minutes pause_between_failures{3};
constexpr std::chrono::minutes between_sentences{1};
constexpr int image_threads = 3;
/// The largest number of images that are sent at once. A page requests fewer images.
constexpr std::size_t most_images_of_a_person = 16;
constexpr std::size_t most_remembered = 10'000;

/// True if another attempt may succeed, because the request did not cause the error.
bool is_of_the_system(const Error& error) {
    return error.code() == ErrorCode::io || error.code() == ErrorCode::busy ||
           error.code() == ErrorCode::out_of_memory;
}

/// Runs `body`, and converts any exception to an Error.
template <class Body>
void as_error(Body&& body) {
    try {
        body();
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "not enough memory");
    } catch (const std::exception& error) {
        throw Error(ErrorCode::internal, error.what());
    }
}

}  // namespace

void ServiceQueue::add(WaitingRequest request) {
    {
        const std::lock_guard lock(mutex_);
        if (ended_) return;
        waiting_.push_back(std::move(request));
    }
    changed_.notify_one();
}

void ServiceQueue::end() {
    std::vector<WaitingRequest> dropped;
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        dropped.swap(waiting_);
    }
    pool_.reset();
}

ServiceQueue::ServiceQueue(labelling::Service& service, LabellingRoutes routes, Door& door,
                           Warn warn)
    : service_(service),
      routes_(std::move(routes)),
      door_(door),
      warn_(std::move(warn)),
      turns_(most_images_of_a_person) {
    expect_tokens();
}

void ServiceQueue::expect_tokens() {
    for (const labelling::Person& person : service_.people())
        if (!person.revoked) door_.expect(person.token);
}

void ServiceQueue::answer_waiting(std::chrono::milliseconds patience) {
    Batch batch;
    {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [this] { return !waiting_.empty() || !failed_.empty(); });
        batch.requests.swap(waiting_);
        batch.failed.swap(failed_);
    }
    if (batch.requests.empty() && batch.failed.empty()) return;
    batch.failed.insert(batch.failed.end(), std::make_move_iterator(not_kept_.begin()),
                        std::make_move_iterator(not_kept_.end()));
    not_kept_.clear();
    answer_batch(std::move(batch));
}

void ServiceQueue::run(const std::function<bool()>& stop) {
    pool_ = std::make_unique<ImagePool>(image_threads);
    {
        const std::lock_guard lock(mutex_);
        ended_ = false;
    }
    struct Ending {
        ServiceQueue& queue;
        ~Ending() { queue.end(); }
    };
    const Ending ending{*this};
    while (!stop()) answer_waiting(std::chrono::milliseconds(100));
    // If nothing can be stored, another attempt would only delay the end.
    if (!failing_since_) answer_waiting(std::chrono::milliseconds(0));
}

void ServiceQueue::refresh() {
    if (!abandoned_) {
        service_.abandon();
        abandoned_ = true;
    }
    const auto now = Clock::now();
    if (now - refreshed_ < between_refreshes) return;
    service_.refresh();
    refreshed_ = now;
}

void ServiceQueue::answer_batch(Batch batch) {
    std::vector<std::optional<HttpResponse>> responses;
    bool wrote = false;
    try {
        as_error([&] {
            refresh();
            abandoned_ = false;
            service_.begin();
            for (const FailedImage& image : batch.failed)
                service_.image_failed(image.question, image.why);
            for (const WaitingRequest& waiting : batch.requests)
                responses.push_back(answer_one(waiting));
            wrote = service_.commit();
            abandoned_ = true;
        });
    } catch (const Error& error) {
        const bool system = is_of_the_system(error);
        if (!system && batch.requests.size() + batch.failed.size() > 1) {
            answer_one_by_one(std::move(batch));
            return;
        }
        const Refusal refusal =
            system ? busy_refusal("answers cannot be saved now; nothing of this request was saved")
                   : Refusal(500, "failed", "the server failed on this request; nothing was saved");
        for (const WaitingRequest& waiting : batch.requests) waiting.reply(response_of(refusal));
        if (system && not_kept_.size() < most_remembered) {
            not_kept_.insert(not_kept_.end(), std::make_move_iterator(batch.failed.begin()),
                             std::make_move_iterator(batch.failed.end()));
        }
        note_failure(error);
        return;
    }
    // Requests that only read succeed even if nothing can be written.
    if (wrote) failing_since_.reset();
    batch_is_kept(batch);
    for (std::size_t i = 0; i < batch.requests.size(); ++i)
        if (responses[i]) batch.requests[i].reply(std::move(*responses[i]));
}

/// Answers each request separately, so that a failing request affects no other request.
void ServiceQueue::answer_one_by_one(Batch batch) {
    for (FailedImage& image : batch.failed) {
        Batch alone;
        alone.failed.push_back(std::move(image));
        answer_batch(std::move(alone));
    }
    for (WaitingRequest& waiting : batch.requests) {
        Batch alone;
        alone.requests.push_back(std::move(waiting));
        answer_batch(std::move(alone));
    }
}

void ServiceQueue::batch_is_kept(const Batch& batch) {
    bool links = false, retried = false;
    for (const WaitingRequest& waiting : batch.requests) {
        const LabellingRequest& request = waiting.request;
        links = links || std::holds_alternative<AddPerson>(request) ||
                std::holds_alternative<NewLink>(request) ||
                std::holds_alternative<RevokePerson>(request);
        retried = retried || std::holds_alternative<RetryImages>(request);
    }
    if (links) expect_tokens();
    {
        const std::lock_guard lock(mutex_);
        if (kept_failures_.size() > most_remembered) kept_failures_.clear();
        for (const FailedImage& image : batch.failed) kept_failures_.insert(image.question);
        if (retried) kept_failures_.clear();
    }
    for (const FailedImage& image : batch.failed) tell_of_image(image);
    if (retried) told_of_paths_.clear();
}

void ServiceQueue::tell_of_image(const FailedImage& image) {
    if (told_of_paths_.size() > most_remembered) told_of_paths_.clear();
    if (!told_of_paths_.insert(image.path).second) return;
    warn_(fmt::format("{}: its questions are skipped until the organiser retries", image.why));
}

std::optional<HttpResponse> ServiceQueue::answer_one(const WaitingRequest& waiting) {
    try {
        PersonId who = organiser_id;
        try {
            who = routes_.whose(waiting.token);
        } catch (const Refusal&) {
            door_.heard(waiting.head, waiting.token, false);
            throw;
        }
        door_.heard(waiting.head, waiting.token, true);
        if (const auto* image = std::get_if<GetImage>(&waiting.request)) {
            read_image(who, *image, waiting.reply);
            return std::nullopt;
        }
        return routes_.answer(who, waiting.request);
    } catch (const Refusal& refusal) {
        return response_of(refusal);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::usage) throw;
        return response_of(Refusal(400, "bad_request", error.message()));
    }
}

void ServiceQueue::read_image(PersonId who, const GetImage& request, const HttpReply& reply) {
    const std::filesystem::path path = routes_.image_of(who, request);
    auto turn = turns_.take(who);
    if (!turn) {
        Refusal refusal(
            429, "too_fast",
            fmt::format("{} images are already being sent to this link", most_images_of_a_person));
        refusal.fields = {{"Retry-After", "1"}};
        throw refusal;
    }
    if (!pool_->add(
            [this, path, request, turn, reply] { answer_image(path, request, turn, reply); }))
        throw busy_refusal("too many images are requested at once");
}

void ServiceQueue::answer_image(const std::filesystem::path& path, const GetImage& request,
                                const std::shared_ptr<const void>& turn, const HttpReply& reply) {
    try {
        as_error([&] {
            ServedImage image = images_.get(path, request.small);
            HttpResponse response;
            response.type = image.type;
            response.body.bytes = *image.bytes;
            // The turn ends when the client has received the last byte or disconnected.
            response.body.owner = std::make_shared<
                const std::pair<std::shared_ptr<const std::string>, std::shared_ptr<const void>>>(
                image.bytes, turn);
            response.fields = {{"Cache-Control", "private, max-age=3600, immutable"},
                               {"Vary", "Authorization"}};
            reply(std::move(response));
        });
    } catch (const Error& error) {
        if (is_of_the_system(error) || error.code() == ErrorCode::interrupted) {
            reply(response_of(busy_refusal("the image cannot be read now")));
            return;
        }
        {
            const std::lock_guard lock(mutex_);
            if (!ended_ && !kept_failures_.contains(request.question))
                failed_.push_back({request.question, path.string(), error.what()});
        }
        changed_.notify_one();
        reply(response_of(Refusal(404, "unreadable", "the image cannot be read")));
    }
}

void ServiceQueue::note_failure(const Error& error) {
    const auto now = Clock::now();
    if (!is_of_the_system(error)) {
        if (told_of_failure_ && now - *told_of_failure_ < between_sentences) return;
        told_of_failure_ = now;
        warn_(fmt::format("a request failed: {}", error.what()));
        return;
    }
    // Pages retry within a minute. If none failed for longer, the problem has ended.
    if (failing_since_ && now - failed_at_ > pause_between_failures) failing_since_.reset();
    failed_at_ = now;
    if (!failing_since_) {
        failing_since_ = now;
        warn_(fmt::format("answers cannot be saved, so annotators wait: {}", error.what()));
    }
    if (now - *failing_since_ > patience_with_failures) throw error;
}

}  // namespace assay::serve
