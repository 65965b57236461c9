// assay serve RUNS: serves an up-to-date report until Ctrl-C.
#include <fmt/format.h>

#include "assay/serve/report_server.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/serve_result.h"
#include "cli/serving.h"
#include "core/parallel.h"

namespace assay::cli {

int serve_report(const std::vector<std::filesystem::path>& paths, const std::string& title,
                 serve::ServerOptions options, bool as_json) {
    allow_connections(options.connections);
    options.warn = [](std::string_view text) { warn(text); };
    ReportOptions report;
    report.paths = paths;
    report.title = title;
    report.command = command_line();
    ProgressLine line("report", "items");
    serve::ReportServer server(std::move(report), options, line);
    line.finish();
    for (const std::string& text : server.first().warnings) warn(text);
    if (const std::string text = server.network_warning(); !text.empty()) warn(text);
    if (as_json) {
        print_served({server.url(), server.link(), {}, {}});
    } else {
        write_result("-", server.link() + "\n");
    }
    announce(fmt::format("serving the report on {}; Ctrl-C stops it", server.url()));
    server.run(stop_requested);
    return Status::done;
}

}  // namespace assay::cli
