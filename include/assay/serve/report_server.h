// A report that stays up to date: its page over HTTP while models are still being run.
//
// As with the labelling pages, nothing that comes from the network is believed. All that is asked
// for lies below a secret of the link, and there is nothing to change.
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
    /// Makes the report, and listens. Throws as make_report() and Server do.
    ReportServer(ReportOptions report, const ServerOptions& options,
                 const ProgressCallback& progress = {});
    ~ReportServer();
    ReportServer(const ReportServer&) = delete;
    ReportServer& operator=(const ReportServer&) = delete;

    const std::string& url() const;
    /// Of this run; another one has another.
    std::string link() const;
    std::string network_warning() const;
    const ReportDocument& first() const;

    /// Answers requests until `stop` (asked ten times a second) says so, and makes the report again
    /// when files of its stores, competitions and tables have changed: looking takes at most a
    /// twentieth of the time, making at most half. What cannot be made is a warning, and the
    /// report before it stays.
    void run(const std::function<bool()>& stop);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::serve
