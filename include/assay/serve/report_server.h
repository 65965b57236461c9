// Serves a report that stays up to date over HTTP while models are still running.
//
// As with the labeling pages, all network input is untrusted. Every path contains a secret from the
// link, and there is nothing to change.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "assay/progress.h"
#include "assay/report/document.h"
#include "assay/serve/server.h"

namespace assay::serve {

class ReportServer {
public:
    /// Makes the report and opens the port. Throws as make_report() and Server do.
    ReportServer(ReportOptions report, const ServerOptions& options,
                 const ProgressCallback& progress = {});
    ~ReportServer();
    ReportServer(const ReportServer&) = delete;
    ReportServer& operator=(const ReportServer&) = delete;

    const std::string& url() const;
    /// The link of this run; every run has a different link.
    std::string link() const;
    std::string network_warning() const;
    const ReportDocument& first() const;

    /// Answers requests until `stop` (called ten times a second) returns true. Makes the report
    /// again if files of its stores, competitions and tables have changed. Checks take at most a
    /// twentieth of the time, and new reports at most half. If one fails, it warns and keeps the
    /// previous report.
    void run(const std::function<bool()>& stop);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::serve
