// The parts of `assay serve` that labelling pages and reports share.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/serve/server.h"

namespace assay::cli {

/// Adds --host, --port, --url, --behind-proxy and --connections.
void add_network_options(CLI::App& app, serve::ServerOptions& options);

/// Each connection needs a descriptor, and systems allow about 1,000 by default. If there are
/// fewer, databases and images get theirs first, because connections need them.
void allow_connections(std::size_t& connections);

/// Serves a report on the paths until Ctrl-C; returns the exit status.
int serve_report(const std::vector<std::filesystem::path>& paths, const std::string& title,
                 serve::ServerOptions options, bool as_json);

}  // namespace assay::cli
