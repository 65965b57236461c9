// A client that sends the given bytes, also invalid requests.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

struct RawResponse {
    int status = 0;  ///< 0 if the connection ended without a response
    std::string head, body;

    /// The value of the first header with that name, or "" for none.
    std::string field(const std::string& name) const {
        const std::size_t at = head.find("\r\n" + name + ": ");
        if (at == std::string::npos) return "";
        const std::size_t begin = at + name.size() + 4;
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

class RawClient {
public:
    explicit RawClient(std::uint16_t port) {
        socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int on = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
    ~RawClient() { ::close(socket_); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    bool connected() const { return connected_; }
    /// Returns false if the other side has closed the connection.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    void end_sending() { ::shutdown(socket_, SHUT_WR); }

    /// Reads the next response. A response to HEAD has no body.
    RawResponse receive(bool head = false, int milliseconds = 60'000) {
        RawResponse response;
        std::size_t end = std::string::npos;
        while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
            if (!more(milliseconds)) return response;
        response.head = buffer_.substr(0, end + 2);
        if (response.head.starts_with("HTTP/1."))
            response.status = std::stoi(response.head.substr(9, 3));
        std::size_t length = 0;
        if (const std::string given = response.field("Content-Length"); !given.empty() && !head)
            length = std::stoul(given);
        buffer_.erase(0, end + 4);
        while (buffer_.size() < length)
            if (!more(milliseconds)) break;
        response.body = buffer_.substr(0, length);
        buffer_.erase(0, length);
        return response;
    }
    /// Whether the server closes the connection within this time, after any response.
    bool is_ended(int milliseconds = 60'000) {
        while (more(milliseconds)) buffer_.clear();
        return ended_;
    }

private:
    bool more(int milliseconds) {
        pollfd waiting{socket_, POLLIN, 0};
        if (::poll(&waiting, 1, milliseconds) <= 0) return false;
        char bytes[65536];
        const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
        ended_ = got <= 0;
        if (got > 0) buffer_.append(bytes, static_cast<std::size_t>(got));
        return got > 0;
    }
    int socket_ = -1;
    bool connected_ = false, ended_ = false;
    std::string buffer_;
};

}  // namespace assay
