#include "serve/http.h"

#include <algorithm>
#include <charconv>
#include <exception>

#include "assay/error.h"
#include "serve/http_connections.h"
#include "serve/http_exchange.h"

namespace assay::serve {

/// If the last copy of a reply is destroyed without an answer, the destructor answers.
struct HttpReply::Once {
    explicit Once(std::shared_ptr<Exchange> of) : exchange(std::move(of)) {}
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;
    ~Once() {
        HttpResponse none;
        none.status = 503;
        none.close = true;
        exchange->answer(std::move(none));
    }
    std::shared_ptr<Exchange> exchange;
};

HttpReply::HttpReply(std::shared_ptr<Exchange> exchange)
    : once_(std::make_shared<Once>(std::move(exchange))) {}

void HttpReply::operator()(HttpResponse response) const {
    once_->exchange->answer(std::move(response));
}

namespace {

using ExchangePointer = std::shared_ptr<HttpReply::Exchange>;

/// A body that is too large is read up to this length, so that its sender can read the answer.
/// Senders of longer bodies are disconnected.
constexpr std::uint64_t most_left_out = std::uint64_t{1} << 20;

HttpConnection* state_of(MHD_Connection* connection) {
    const MHD_ConnectionInfo* info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == nullptr ? nullptr : static_cast<HttpConnection*>(info->socket_context);
}

std::uint64_t declared_length(MHD_Connection* connection) {
    const char* text = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    if (text == nullptr) return 0;
    const std::string_view digits(text);
    std::uint64_t length = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), length);
    return problem == std::errc() ? length : UINT64_MAX;
}

void forget_owner(void* owner) {
    delete static_cast<std::shared_ptr<const void>*>(owner);
}

}  // namespace

struct HttpServer::Impl {
    Impl(const HttpLimits& limits_given, HttpFields always_given,
         std::function<HttpResponse(int, std::string_view)> refusal_given,
         HttpHandler handler_given, HttpMostBody most_body_given)
        : limits(limits_given),
          always(std::move(always_given)),
          refusal(std::move(refusal_given)),
          handler(std::move(handler_given)),
          most_body(std::move(most_body_given)) {}

    static MHD_Result may_connect(void* self, const sockaddr*, socklen_t) {
        Impl& server = *static_cast<Impl*>(self);
        return server.connections.make_room() ? MHD_YES : MHD_NO;
    }

    static void connection_changed(void* self, MHD_Connection* connection, void** state,
                                   MHD_ConnectionNotificationCode what) {
        Impl& server = *static_cast<Impl*>(self);
        if (what == MHD_CONNECTION_NOTIFY_STARTED) {
            const MHD_ConnectionInfo* info =
                MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
            *state = server.connections.add(info == nullptr ? -1 : info->connect_fd);
        } else {
            server.connections.remove(static_cast<HttpConnection*>(*state));
            *state = nullptr;
        }
    }

    /// The request line has arrived. The connection owns the request's data, because libmicrohttpd
    /// reports no end for requests whose headers it refuses.
    static void* request_began(void* self, const char* uri, MHD_Connection* connection) {
        Impl& server = *static_cast<Impl*>(self);
        if (HttpConnection* state = state_of(connection)) {
            const std::string_view whole(uri);
            state->uri.assign(whole.substr(0, server.limits.uri + 1));
            server.connections.enter(state, HttpPhase::reading);
        }
        return nullptr;
    }

    static void request_ended(void* self, MHD_Connection* connection, void** slot,
                              MHD_RequestTerminationCode) {
        Impl& server = *static_cast<Impl*>(self);
        delete static_cast<ExchangePointer*>(*slot);
        *slot = nullptr;
        if (HttpConnection* state = state_of(connection))
            server.connections.enter(state, HttpPhase::idle);
    }

    static MHD_Result called(void* self, MHD_Connection* connection, const char*,
                             const char* method, const char*, const char* data, size_t* size,
                             void** slot) {
        Impl& server = *static_cast<Impl*>(self);
        try {
            auto* exchange = static_cast<ExchangePointer*>(*slot);
            if (exchange == nullptr) {
                auto made = std::make_shared<HttpReply::Exchange>(connection);
                exchange = new ExchangePointer(std::move(made));
                *slot = exchange;
                return server.begin(**exchange, method);
            }
            if (*size > 0) return server.take(**exchange, data, *size);
            return server.finish(*exchange);
        } catch (const std::exception&) {
            return MHD_NO;  // no memory: only this connection ends
        }
    }

    /// Called when the headers have arrived.
    MHD_Result begin(HttpReply::Exchange& exchange, const char* method) {
        HttpRequest& request = exchange.request;
        request.method = method;
        request.address = address_of(exchange.connection);
        const HttpConnection* state = state_of(exchange.connection);
        const std::string_view uri = state == nullptr ? std::string_view() : state->uri;
        const std::size_t question = std::min(uri.find('?'), uri.size());
        request.path = uri.substr(0, question);
        request.query = uri.substr(std::min(question + 1, uri.size()));

        const std::uint64_t length = declared_length(exchange.connection);
        auto fault = fault_of_head(exchange.connection, limits, request);
        if (!fault && uri.size() > limits.uri) fault = {414, "the address is too long"};
        if (!fault && length > 0 && (request.method == "GET" || request.method == "HEAD"))
            fault = {400, "a GET or HEAD request must not have a body"};
        exchange.most_body = fault || !most_body ? limits.body : most_body(request);
        if (!fault && length > exchange.most_body) fault = {413, "the request is too large"};
        if (!fault) return MHD_YES;
        refuse_request(exchange, fault->first, fault->second);
        // Reads the rest of a small request, so that its sender gets the answer, unless its length
        // is unclear.
        return length > most_left_out || fault->first == 400 ? queue(exchange) : MHD_YES;
    }

    MHD_Result take(HttpReply::Exchange& exchange, const char* data, size_t& size) const {
        std::string& body = exchange.request.body;
        if (exchange.seen || body.size() + size > exchange.most_body) {
            exchange.left_out += size;
            if (exchange.left_out > most_left_out) return MHD_NO;
            if (!exchange.seen) {
                body = {};
                refuse_request(exchange, 413, "the request is too large");
            }
        } else {
            body.append(data, size);
        }
        size = 0;
        return MHD_YES;
    }

    /// Called when the whole request has arrived, or the answer exists.
    MHD_Result finish(const ExchangePointer& exchange) {
        HttpConnection* state = state_of(exchange->connection);
        if (!exchange->seen) {
            exchange->seen = true;
            if (state != nullptr) connections.enter(state, HttpPhase::handling);
            const HttpReply reply(exchange);  // stays alive if the handler throws
            try {
                handler(std::move(exchange->request), reply);
            } catch (const std::exception&) {
                exchange->answer(refusal(500, "the server failed on this request"));
            }
        }
        {
            const std::lock_guard lock(exchange->mutex);
            if (!exchange->response) {
                exchange->asleep = true;
                MHD_suspend_connection(exchange->connection);
                return MHD_YES;
            }
        }
        return queue(*exchange);
    }

    void refuse_request(HttpReply::Exchange& exchange, int status, std::string_view message) const {
        exchange.seen = true;
        HttpResponse response = refusal(status, message);
        response.close = true;
        exchange.answer(std::move(response));
    }

    MHD_Result queue(HttpReply::Exchange& exchange) {
        const HttpResponse given = std::move(*exchange.response);
        const std::string_view bytes = given.body.bytes;
        auto owner = std::make_unique<std::shared_ptr<const void>>(given.body.owner);
        MHD_Response* response = MHD_create_response_from_buffer_with_free_callback_cls(
            bytes.size(), const_cast<char*>(bytes.data()), forget_owner, owner.get());
        if (response == nullptr) return MHD_NO;
        (void)owner.release();
        const auto add = [&](const std::string& name, const std::string& value) {
            MHD_add_response_header(response, name.c_str(), value.c_str());
        };
        if (!given.type.empty()) add("Content-Type", given.type);
        for (const auto& [name, value] : given.fields) add(name, value);
        for (const auto& field : always) {
            const bool given_already = std::ranges::any_of(
                given.fields, [&](const auto& other) { return other.first == field.first; });
            if (!given_already) add(field.first, field.second);
        }
        if (given.close) add("Connection", "close");
        if (HttpConnection* state = state_of(exchange.connection))
            connections.enter(state, HttpPhase::sending);
        const MHD_Result queued =
            MHD_queue_response(exchange.connection, static_cast<unsigned>(given.status), response);
        MHD_destroy_response(response);
        return queued;
    }

    const HttpLimits limits;
    const HttpFields always;
    const std::function<HttpResponse(int, std::string_view)> refusal;
    const HttpHandler handler;
    const HttpMostBody most_body;
    HttpCounts counts;
    HttpConnections connections{limits, counts};
    MHD_Daemon* daemon = nullptr;
};

HttpServer::HttpServer(const HttpListener& listener, const HttpLimits& limits, HttpFields always,
                       std::function<HttpResponse(int, std::string_view)> refusal,
                       HttpHandler handler, HttpMostBody most_body)
    : impl_(std::make_unique<Impl>(limits, std::move(always), std::move(refusal),
                                   std::move(handler), std::move(most_body))) {
    const double longest =
        std::max({limits.request_seconds, limits.idle_seconds, limits.response_seconds});
    Impl* self = impl_.get();
    // libmicrohttpd's own limit is never reached, because it would then stop accepting connections.
    impl_->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME, 0, &Impl::may_connect, self,
        &Impl::called, self, MHD_OPTION_LISTEN_SOCKET, listener.descriptor(),
        MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(limits.connections + 64),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, std::size_t{32} << 10, MHD_OPTION_CONNECTION_TIMEOUT,
        static_cast<unsigned>(longest) + 10, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_CONNECTION, &Impl::connection_changed, self, MHD_OPTION_NOTIFY_COMPLETED,
        &Impl::request_ended, self, MHD_OPTION_URI_LOG_CALLBACK, &Impl::request_began, self,
        MHD_OPTION_END);
    if (impl_->daemon == nullptr)
        throw Error(ErrorCode::io,
                    "the server cannot start: the system has too few threads, descriptors (`ulimit "
                    "-n`) or memory");
}

HttpServer::~HttpServer() {
    (void)MHD_quiesce_daemon(impl_->daemon);  // the listener closes its socket itself
    impl_->connections.settle(3);
    MHD_stop_daemon(impl_->daemon);
}

const HttpCounts& HttpServer::counts() const {
    return impl_->counts;
}

std::size_t HttpServer::connections() const {
    return impl_->connections.count();
}

std::size_t HttpServer::connections(HttpPhase phase) const {
    return impl_->connections.count(phase);
}

}  // namespace assay::serve
