#include "model/isolated/channel.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "assay/error.h"

namespace assay::isolated {
namespace {

constexpr std::size_t most_descriptors = 2;

[[noreturn]] void refused_by_system(std::string_view what) {
    throw Error(ErrorCode::io, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

std::pair<Descriptor, Descriptor> connected_ends() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        refused_by_system("cannot make a connection to the process of a model");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool send_message(int end, std::string_view bytes, std::vector<int> descriptors) {
    if (bytes.size() > most_message || descriptors.size() > most_descriptors)
        throw Error(ErrorCode::usage,
                    fmt::format("the settings of a model have {} bytes; allowed: at most {}",
                                bytes.size(), most_message));
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int) * most_descriptors)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        const std::size_t size = sizeof(int) * descriptors.size();
        message.msg_control = room;
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(header), descriptors.data(), size);
    }
    if (retried([&] { return ::sendmsg(end, &message, MSG_NOSIGNAL); }) >= 0) return true;
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) return false;
    refused_by_system("cannot send to the process of a model");
}

std::optional<std::string> receive_message(int end, std::vector<Descriptor>* descriptors) {
    std::string bytes(most_message, '\0');
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int) * most_descriptors)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    // Without room for descriptors, the kernel closes those that arrive unexpectedly.
    if (descriptors != nullptr) {
        message.msg_control = room;
        message.msg_controllen = sizeof room;
    }
    const auto size = retried([&] { return ::recvmsg(end, &message, MSG_CMSG_CLOEXEC); });
    if (size < 0) {
        if (errno == ECONNRESET || errno == ENOTCONN) return std::nullopt;
        refused_by_system("cannot receive from the process of a model");
    }
    if (descriptors != nullptr) {
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
             header = CMSG_NXTHDR(&message, header)) {
            if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
            const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < count; ++i) {
                int fd = -1;
                std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
                descriptors->emplace_back(fd);
            }
        }
    }
    // We send no empty messages, so an empty one means that the other end is closed.
    if (size == 0) return std::nullopt;
    if ((message.msg_flags & MSG_TRUNC) != 0)
        throw Error(
            ErrorCode::bad_input,
            fmt::format("a model's process sent a message of more than {} bytes", most_message));
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
}

}  // namespace assay::isolated
