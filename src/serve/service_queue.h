// Requests waiting for the single thread that owns the labeling service. All waiting requests form
// one transaction, and are answered after it was written to disk.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "assay/error.h"
#include "assay/labelling/service.h"
#include "serve/door.h"
#include "serve/http.h"
#include "serve/image_pool.h"
#include "serve/image_turns.h"
#include "serve/images.h"
#include "serve/labelling_requests.h"
#include "serve/labelling_routes.h"

namespace assay::serve {

struct WaitingRequest {
    LabellingRequest request;
    HttpRequest head;  ///< the request without its body
    std::string token;
    HttpReply reply;
};

class ServiceQueue {
public:
    using Warn = std::function<void(std::string_view)>;
    ServiceQueue(labelling::Service& service, LabellingRoutes routes, Door& door, Warn warn);

    /// Any thread.
    void add(WaitingRequest request);

    /// Answers requests until `stop` returns true, and then the remaining requests. Afterwards
    /// every reply is answered or destroyed, including replies to later requests. Throws io or busy
    /// if nothing could be stored for ten minutes.
    void run(const std::function<bool()>& stop);

private:
    struct FailedImage {
        std::string question, path, why;
    };
    struct Batch {
        std::vector<WaitingRequest> requests;
        std::vector<FailedImage> failed;
    };
    void answer_waiting(std::chrono::milliseconds patience);
    void answer_batch(Batch batch);
    void answer_one_by_one(Batch batch);
    void batch_is_kept(const Batch& batch);
    void expect_tokens();
    void tell_of_image(const FailedImage& image);
    std::optional<HttpResponse> answer_one(const WaitingRequest& waiting);
    void read_image(PersonId who, const GetImage& request, const HttpReply& reply);
    void answer_image(const std::filesystem::path& path, const GetImage& request,
                      const std::shared_ptr<const void>& turn, const HttpReply& reply);
    void note_failure(const Error& error);
    void refresh();
    void end();

    labelling::Service& service_;
    LabellingRoutes routes_;
    Door& door_;
    const Warn warn_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<WaitingRequest> waiting_;
    std::vector<FailedImage> failed_;
    std::unordered_set<std::string> kept_failures_;  ///< questions; bounded
    bool ended_ = false;

    using Clock = std::chrono::steady_clock;
    Clock::time_point refreshed_{};
    std::optional<Clock::time_point> failing_since_, told_of_failure_;
    Clock::time_point failed_at_{};                  ///< set with failing_since_: last
    std::vector<FailedImage> not_kept_;              ///< used while nothing can be stored
    std::unordered_set<std::string> told_of_paths_;  ///< bounded
    bool abandoned_ = true;                          ///< a failed transaction was cleaned up

    ServedImages images_;
    ImageTurns turns_;
    std::unique_ptr<ImagePool> pool_;  ///< exists while the queue runs
};

}  // namespace assay::serve
