#include "assay/serve/report_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/report/page.h"
#include "core/hash.h"
#include "report/packed.h"
#include "report/placed.h"
#include "serve/door.h"
#include "serve/files_state.h"
#include "serve/http.h"
#include "serve/refusal.h"
#include "serve/server_options.h"
#include "serve/site.h"
#include "study/secret.h"

namespace assay::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::string_view document_name = "document.json.gz";

/// Programs also read the report. Their requests have no body.
constexpr std::size_t no_body = 0;

/// The page includes its script and styles, which its own policy allows by digest.
HttpFields headers_of_report() {
    HttpFields fields = security_headers();
    for (auto& [name, value] : fields)
        if (name == "Content-Security-Policy") value = "frame-ancestors 'none'";
    return fields;
}

struct Packed {
    std::shared_ptr<const std::string> bytes;
    std::string etag;
};

Packed pack(const nlohmann::json& document) {
    Packed packed;
    packed.bytes = std::make_shared<const std::string>(
        gzipped(document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    const std::string hash = hash_text(*packed.bytes);
    packed.etag = "\"" + hash.substr(hash.find(':') + 1) + "\"";
    return packed;
}

}  // namespace

struct ReportServer::Impl {
    Impl(ReportOptions wanted, const ServerOptions& serving, const ProgressCallback& progress)
        : report(std::move(wanted)),
          options(checked_options(serving)),
          // The state is taken before reading, so that the next check finds changes made meanwhile.
          state(state_of_files(report.paths)),
          first(make_report(report, *self_comm(), progress)),
          now(pack(with_embedded_thumbnails(first))),
          listener(options.host, options.port),
          site(options.host, listener.port(), options.url),
          secret(study::new_secret()),
          page(std::make_shared<const std::string>(live_page(std::string(document_name)))),
          door(site, options.behind_proxy, DoorLimits()) {
        limits.connections = options.connections;
    }

    /// Runs on the thread of the connections.
    void handle(HttpRequest request, const HttpReply& reply) {
        try {
            door.admit(request, "");
            if (request.method != "GET" && request.method != "HEAD") {
                Refusal refusal(405, "method", "a report is read-only");
                refusal.fields = {{"Allow", "GET, HEAD"}};
                throw refusal;
            }
            reply(answer(request));
        } catch (const Refusal& refusal) {
            reply(response_of(refusal));
        }
    }

    HttpResponse answer(const HttpRequest& request) {
        const std::string_view path = request.path;
        // All clients that do not know the link get the same answer.
        if (path.size() < secret.size() + 2 || path[0] != '/' ||
            !study::same_secret(path.substr(1, secret.size()), secret) ||
            path[secret.size() + 1] != '/')
            throw Refusal(404, "not_found", "there is no such page");
        const std::string_view name = path.substr(secret.size() + 2);
        HttpResponse response;
        if (name.empty()) {
            response.type = "text/html; charset=utf-8";
            response.body = HttpBody(page);
            return response;
        }
        if (name != document_name) throw Refusal(404, "not_found", "there is no such page");
        const Packed packed = current();
        response.fields = {{"ETag", packed.etag}, {"Cache-Control", "no-cache"}};
        if (request.if_none_match.find(packed.etag) != std::string::npos) {
            response.status = 304;
            return response;
        }
        response.type = "application/gzip";
        response.body = HttpBody(packed.bytes);
        return response;
    }

    Packed current() {
        const std::lock_guard lock(mutex);
        return now;
    }

    /// Runs on a separate thread until `ended`.
    void follow(const std::atomic<bool>& ended) {
        std::string told;
        auto pause = Clock::duration(std::chrono::seconds(1));
        while (!wait(ended, pause)) {
            try {
                const auto begin = Clock::now();
                const std::string found = state_of_files(report.paths);
                pause =
                    std::max<Clock::duration>(std::chrono::seconds(1), 20 * (Clock::now() - begin));
                if (found == state) continue;
                const auto making = Clock::now();
                Packed made = pack(with_embedded_thumbnails(make_report(report, *self_comm())));
                pause = std::max(pause, Clock::now() - making);
                const std::lock_guard lock(mutex);
                now = std::move(made);
                state = found;
                told.clear();
            } catch (const Error& error) {
                if (error.code() == ErrorCode::interrupted) return;
                stay(error.message(), told, pause);
            } catch (const std::exception& problem) {  // no other code catches it on this thread
                stay(problem.what(), told, pause);
            }
        }
    }

    /// Keeps the current report. If files are being written or memory is short, a later attempt may
    /// succeed even if no file changes.
    void stay(const std::string& why, std::string& told, Clock::duration& pause) const {
        pause = std::max<Clock::duration>(pause, std::chrono::seconds(5));
        if (why == told) return;
        told = why;
        options.warn(fmt::format("the report is not updated: {}", why));
    }

    /// Returns true if the server ended meanwhile.
    static bool wait(const std::atomic<bool>& ended, Clock::duration pause) {
        const auto until = Clock::now() + pause;
        while (!ended && Clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return ended;
    }

    const ReportOptions report;
    const ServerOptions options;
    HttpLimits limits;
    std::string state;  ///< state of the files from which `now` was made
    const ReportDocument first;
    std::mutex mutex;
    Packed now;
    const HttpListener listener;
    const Site site;
    const std::string secret;
    const std::shared_ptr<const std::string> page;
    Door door;
};

ReportServer::ReportServer(ReportOptions report, const ServerOptions& options,
                           const ProgressCallback& progress)
    : impl_(std::make_unique<Impl>(std::move(report), options, progress)) {}
ReportServer::~ReportServer() = default;

const std::string& ReportServer::url() const {
    return impl_->site.url();
}
std::string ReportServer::link() const {
    return fmt::format("{}/{}/", url(), impl_->secret);
}
std::string ReportServer::network_warning() const {
    const Impl& self = *impl_;
    return serve::network_warning(self.options.host, self.options.url.empty() ? "" : url());
}
const ReportDocument& ReportServer::first() const {
    return impl_->first;
}

void ReportServer::run(const std::function<bool()>& stop) {
    Impl& self = *impl_;
    const auto refusal = [](int status, std::string_view message) {
        return response_of(
            Refusal(status, std::string(code_of_status(status)), std::string(message)));
    };
    HttpServer http(
        self.listener, self.limits, headers_of_report(), refusal,
        [&self](HttpRequest request, const HttpReply& reply) {
            self.handle(std::move(request), reply);
        },
        [](const HttpRequest&) { return no_body; });
    std::atomic<bool> ended{false};
    std::thread follower([&] { self.follow(ended); });
    while (!stop()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ended = true;
    follower.join();
}

}  // namespace assay::serve
