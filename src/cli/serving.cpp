#include "cli/serving.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command.h"
#include "core/text.h"

namespace assay::cli {

void add_network_options(CLI::App& app, serve::ServerOptions& options) {
    const std::string network = "Network";
    app.add_option("--host", options.host,
                   "Address of this machine to listen on; 0.0.0.0 means all, so that other "
                   "machines can connect")
        ->type_name("ADDRESS")
        ->capture_default_str()
        ->group(network);
    app.add_option("--port", options.port, "Port; 0: any free one")
        ->type_name("N")
        ->capture_default_str()
        ->group(network);
    app.add_option("--url", options.url, "Beginning of the links, if a server with TLS is in front")
        ->type_name("URL")
        ->group(network);
    app.add_flag("--behind-proxy", options.behind_proxy,
                 "Trust X-Forwarded-For, which a server in front sets")
        ->group(network);
    app.add_option("--connections", options.connections, "Maximum number of connections")
        ->type_name("N")
        ->capture_default_str()
        ->group(network);
}

void allow_connections(std::size_t& connections) {
    constexpr rlim_t others = 48;  // for databases, images, and connections about to be closed
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t wanted = connections + 256;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= connections + others) return;
    const std::size_t left = limit.rlim_cur > others ? limit.rlim_cur - others : 1;
    warn(fmt::format("the system allows {} open files (ulimit -n): {} connections instead of {}",
                     limit.rlim_cur, how_many(left, "connection"), connections));
    connections = left;
}

}  // namespace assay::cli
