// A labelling study behind HTTP: the pages, their interface (docs/labelling.md), the images.
//
// All network input is untrusted. Anything outside the interface is refused with its status, and no
// name from a request reaches the file system. Clients that are slow, or send too much or too
// often, are disconnected. Tokens are never written to a log.
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
    std::string host = "127.0.0.1";  ///< an address of this machine; 0.0.0.0 or :: means all
    std::uint16_t port = 8750;       ///< 0 means any free port
    /// The beginning of links if there is a proxy, such as https://labels.example.org; "" uses host
    /// and port.
    std::string url;
    /// True if X-Forwarded-For gives the client's address. Set it only if a proxy sets that header.
    bool behind_proxy = false;
    std::size_t connections = 2000;
    /// JSON object with the pages' texts in another language. The keys are those of
    /// web/strings/en.json; missing texts stay English. "" means English.
    std::filesystem::path strings;
    /// Receives warnings while it runs (an unreadable image, a disconnected client), one sentence
    /// each, on any thread; may be empty.
    std::function<void(std::string_view)> warn;
};

/// Throws what a Server with these options throws, except for a port in use. Call it before work
/// that only a server needs.
void check_options(const ServerOptions& options);

class Server {
public:
    /// Opens the port. Throws usage for an address of another machine, options out of range, a port
    /// in use (with the likely owner and advice). Throws bad_input for strings with unknown keys
    /// (with the nearest), or values that are no texts.
    Server(labelling::Service service, const ServerOptions& options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// The beginning of links, without a slash at the end.
    const std::string& url() const;
    std::uint16_t port() const;
    /// The link of this run; every run has a different link.
    std::string organiser_link() const;
    std::string link_of(const labelling::Person& person) const;
    /// A warning if others can reach the server unencrypted, with the missing step; "" if no other
    /// machine can.
    std::string network_warning() const;

    /// Answers requests until `stop` (called ten times a second) returns true, and then finishes
    /// the requests in progress. Throws io, busy if answers can no longer be stored.
    void run(const std::function<bool()>& stop);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::serve
