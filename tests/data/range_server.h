// A web server on loopback whose answers a test controls: correct, late, wrong, or none.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace assay {

struct WebRequest {
    std::string method, path;
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::uint64_t first = 0, last = 0;           ///< value of the header Range
};

/// The answer: a head without the final empty line, and the body. If empty, the connection is
/// closed.
struct WebAnswer {
    std::string head, body;
    bool silent = false;  ///< if true, nothing is sent after the head until the server ends
    bool end = false;     ///< if true, the connection ends after the answer
};

class RangeServer {
public:
    using Handler = std::function<WebAnswer(const WebRequest&)>;

    RangeServer() {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int yes = 1;
        ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            ::listen(listener_, 64) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            throw std::runtime_error("no port to listen on");
        port_ = ntohs(address.sin_port);
        accepting_ = std::thread([this] { accept_all(); });
    }
    ~RangeServer() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        ended_.notify_all();
        ::shutdown(listener_, SHUT_RDWR);
        accepting_.join();
        {
            const std::lock_guard lock(mutex_);
            for (const int open : open_) ::shutdown(open, SHUT_RDWR);
        }
        for (std::thread& thread : threads_) thread.join();
        ::close(listener_);
    }
    RangeServer(const RangeServer&) = delete;
    RangeServer& operator=(const RangeServer&) = delete;

    std::string url(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }
    void add(const std::string& path, std::string bytes, std::string etag = "\"1\"") {
        const std::lock_guard lock(mutex_);
        files_[path] = {std::move(bytes), std::move(etag)};
    }
    /// Called before each usual answer. If it returns an answer with a head, that is sent instead.
    void instead(Handler handler) {
        const std::lock_guard lock(mutex_);
        handler_ = std::move(handler);
    }
    std::vector<WebRequest> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    void forget_requests() {
        const std::lock_guard lock(mutex_);
        requests_.clear();
    }
    /// The answer of a correct server.
    WebAnswer usual(const WebRequest& request) const {
        const std::lock_guard lock(mutex_);
        const auto found = files_.find(request.path);
        if (found == files_.end()) return {"HTTP/1.1 404 Not Found\r\nContent-Length: 0", ""};
        const auto& [bytes, etag] = found->second;
        if (request.first >= bytes.size())
            return {"HTTP/1.1 416 Range\r\nContent-Length: 0\r\nContent-Range: bytes */" +
                        std::to_string(bytes.size()),
                    ""};
        const std::uint64_t last = std::min<std::uint64_t>(request.last, bytes.size() - 1);
        return {"HTTP/1.1 206 Partial\r\nETag: " + etag +
                    "\r\nContent-Length: " + std::to_string(last - request.first + 1) +
                    "\r\nContent-Range: bytes " + std::to_string(request.first) + "-" +
                    std::to_string(last) + "/" + std::to_string(bytes.size()),
                bytes.substr(request.first, last - request.first + 1)};
    }

private:
    void accept_all() {
        while (!ending_) {
            const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (connection < 0) continue;
            const std::lock_guard lock(mutex_);
            open_.insert(connection);
            threads_.emplace_back([this, connection] { serve(connection); });
        }
    }

    static bool send_all(int connection, std::string_view text) {
        while (!text.empty()) {
            const ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    static WebRequest parse(const std::string& head) {
        WebRequest request;
        std::size_t at = head.find(' ');
        request.method = head.substr(0, at);
        request.path = head.substr(at + 1, head.find(' ', at + 1) - at - 1);
        for (at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
            const std::size_t colon = head.find(':', at), end = head.find("\r\n", at + 2);
            if (colon == std::string::npos) break;
            std::string name = head.substr(at + 2, colon - at - 2);
            for (char& c : name) c = static_cast<char>(std::tolower(c));
            std::string value =
                head.substr(colon + 1, end == std::string::npos ? end : end - colon - 1);
            value.erase(0, value.find_first_not_of(' '));
            request.headers[name] = value;
        }
        const std::string range = request.headers["range"];  // the form is "bytes=A-B"
        if (const std::size_t dash = range.find('-'); dash != std::string::npos) {
            request.first = std::stoull(range.substr(6));
            request.last = std::stoull(range.substr(dash + 1));
        }
        return request;
    }

    void serve(int connection) {
        std::string got;
        for (bool go_on = true; go_on && !ending_;) {
            const std::size_t end = got.find("\r\n\r\n");
            if (end == std::string::npos) {
                char part[4096];
                const ssize_t n = ::recv(connection, part, sizeof part, 0);
                if (n <= 0) break;
                got.append(part, static_cast<std::size_t>(n));
                continue;
            }
            const WebRequest request = parse(got.substr(0, end));
            got.erase(0, end + 4);
            Handler handler;
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request);
                handler = handler_;
            }
            WebAnswer answer = handler ? handler(request) : usual(request);
            go_on = !answer.head.empty();
            if (go_on && answer.silent) {
                send_all(connection, answer.head + "\r\n\r\n");
                std::unique_lock lock(mutex_);
                ended_.wait(lock, [this] { return ending_.load(); });
                break;
            }
            go_on = go_on && send_all(connection, answer.head + "\r\n\r\n" + answer.body) &&
                    !answer.end;
        }
        const std::lock_guard lock(mutex_);
        open_.erase(connection);
        ::close(connection);
    }

    struct Served {
        std::string bytes, etag;
    };
    int listener_ = -1;
    unsigned port_ = 0;
    std::atomic<bool> ending_{false};
    mutable std::mutex mutex_;
    std::condition_variable ended_;
    std::map<std::string, Served> files_;
    Handler handler_;
    std::vector<WebRequest> requests_;
    std::set<int> open_;
    std::vector<std::thread> threads_;
    std::thread accepting_;
};

}  // namespace assay
