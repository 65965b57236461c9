// A labelling study behind HTTP: the pages, their interface (docs/labelling.md), the images.
//
// Nothing that comes from the network is believed: whatever is not in the interface is refused with
// its status, no name from a request reaches the file system, and a client that is slow, too big or
// too busy is cut off. Tokens are never written to a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "assay/labelling/service.h"

namespace assay::serve {

struct ServerOptions {
    std::string host = "127.0.0.1";  ///< an address of this machine; 0.0.0.0 or ::: all of them
    std::uint16_t port = 8750;       ///< 0: any that is free
    /// What links begin with where a proxy stands in front, as https://labels.example.org; "": what
    /// host and port say.
    std::string url;
    /// Whether X-Forwarded-For says who a request comes from: only where a proxy in front sets it.
    bool behind_proxy = false;
    std::size_t connections = 2000;
    /// JSON object of the pages' texts in another language; keys as in web/strings/en.json, those
    /// that are missing stay English. "": English.
    std::filesystem::path strings;
    /// Warnings while it runs (an image that cannot be read, a client that was cut off), a sentence
    /// each, on any thread; empty: none.
    std::function<void(std::string_view)> warn;
};

/// Throws what a Server with these options throws, but for a port that is taken: before something
/// is made that only a server needs.
void check_options(const ServerOptions& options);

class Server {
public:
    /// Listens. Throws usage: an address that is not this machine's, options out of range, a port
    /// that is taken (with who may have it and what to do); bad_input: strings with unknown keys
    /// (with the nearest), or that are no texts.
    Server(labelling::Service service, const ServerOptions& options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// What links begin with, without a slash at the end.
    const std::string& url() const;
    std::uint16_t port() const;
    /// Of this run; another one has another.
    std::string organiser_link() const;
    std::string link_of(const labelling::Person& person) const;
    /// A sentence where others can reach it unencrypted, with the missing step; "": nobody can.
    std::string network_warning() const;

    /// Answers requests until `stop` (asked ten times a second) says so; then those under way are
    /// finished. Throws io, busy where answers can no longer be kept.
    void run(const std::function<bool()>& stop);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::serve
