// What `assay serve` shares between labelling pages and reports.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/serve/server.h"

namespace assay::cli {

/// --host, --port, --url, --behind-proxy, --connections.
void add_network_options(CLI::App& app, serve::ServerOptions& options);

/// Each connection is a descriptor, and systems begin with some 1,000. Where there are fewer,
/// databases and images come first: without them there is nothing to connect to.
void allow_connections(std::size_t& connections);

/// A report of the paths, until Ctrl-C; returns the exit status.
int serve_report(const std::vector<std::filesystem::path>& paths, const std::string& title,
                 serve::ServerOptions options, bool as_json);

}  // namespace assay::cli
