// A served report over sockets: who can read it, and updates when its stores change.
#include "assay/serve/report_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "core/file.h"
#include "raw_client.h"
#include "report/made_document.h"
#include "serve/files_state.h"
#include "until.h"

namespace assay::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

class ServedReport {
public:
    explicit ServedReport(const Scratch& folder) {
        ServerOptions options;
        options.port = 0;
        options.warn = [this](std::string_view text) {
            const std::lock_guard lock(mutex_);
            warnings_ += std::string(text) + "\n";
        };
        server_ = std::make_unique<ReportServer>(report_options({folder.path() / "runs"}), options);
        const std::string link = server_->link();
        path = link.substr(server_->url().size());
        port_ = static_cast<std::uint16_t>(
            std::stoi(server_->url().substr(server_->url().rfind(':') + 1)));
        running_ = std::thread([this] { server_->run([this] { return stop_.load(); }); });
    }
    ~ServedReport() {
        stop_ = true;
        running_.join();
    }

    RawResponse ask(const std::string& method, const std::string& where,
                    const std::string& more = "", const std::string& host = "127.0.0.1") const {
        RawClient client(port_);
        client.send(fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\n{}\r\n", method, where, host,
                                port_, more));
        return client.receive(method == "HEAD");
    }
    RawResponse get(const std::string& where, const std::string& more = "") const {
        return ask("GET", where, more);
    }
    std::string warnings() {
        const std::lock_guard lock(mutex_);
        return warnings_;
    }

    std::string path;  ///< of the form "/<secret>/"

private:
    std::unique_ptr<ReportServer> server_;
    std::uint16_t port_ = 0;
    std::atomic<bool> stop_{false};
    std::thread running_;
    std::mutex mutex_;
    std::string warnings_;
};

TEST(ReportServer, IsSeenByWhoKnowsTheLinkAndChangedByNobody) {
    const Scratch folder;
    save_models(folder, {"a", "b"});
    const ServedReport report(folder);
    const RawResponse page = report.get(report.path);
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.body, HasSubstr("data-live=\"document.json.gz\""));
    EXPECT_THAT(page.body, HasSubstr("connect-src 'self'"));
    EXPECT_THAT(page.field("Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
    EXPECT_EQ(page.field("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(report.ask("HEAD", report.path).status, 200);

    std::string other = report.path;
    other[1] = other[1] == 'a' ? 'b' : 'a';
    for (const std::string& path :
         {std::string("/"), std::string("/document.json.gz"), other, other + "document.json.gz",
          report.path.substr(0, report.path.size() - 1), report.path + "../", report.path + "x"})
        EXPECT_EQ(report.get(path).status, 404) << path;
    for (const char* method : {"DELETE", "POST", "PUT"}) {
        const RawResponse refused = report.ask(method, report.path);
        EXPECT_EQ(refused.status, 405) << method;
        EXPECT_EQ(refused.field("Allow"), "GET, HEAD") << method;
        EXPECT_EQ(report.ask(method, report.path, "", "attacker.example").status, 421) << method;
    }
    // A host name that resolves to this server may belong to an attacker.
    EXPECT_EQ(report.ask("GET", report.path, "", "attacker.example").status, 421);
}

TEST(ReportServer, RequestsThatChangeCountForTheRate) {
    const Scratch folder;
    save_models(folder, {"a"});
    const ServedReport report(folder);
    int status = 405;
    for (int i = 0; i < 20'000 && status == 405; ++i) status = report.ask("POST", "/").status;
    EXPECT_EQ(status, 429);
}

TEST(ReportServer, TheDocumentIsAskedForOnceAndAgainWhenItChanges) {
    const Scratch folder;
    save_models(folder, {"a", "b"});
    const ServedReport report(folder);
    const std::string document = report.path + "document.json.gz";
    const RawResponse first = report.get(document);
    ASSERT_EQ(first.status, 200);
    EXPECT_EQ(first.field("Content-Type"), "application/gzip");
    EXPECT_EQ(first.body.substr(0, 2), "\x1f\x8b");
    const std::string etag = first.field("ETag");
    const std::string same = "If-None-Match: " + etag + "\r\n";
    EXPECT_EQ(report.get(document, same).status, 304);

    save_models(folder, {"a", "b"}, "another");
    RawResponse now;
    EXPECT_TRUE(until([&] { return (now = report.get(document, same)).status == 200; }));
    EXPECT_NE(now.field("ETag"), etag);
    EXPECT_NE(now.body, first.body);
}

TEST(ReportServer, WhatCannotBeReadIsAWarningAndTheReportStays) {
    const Scratch folder;
    save_models(folder, {"a", "b"});
    ServedReport report(folder);
    const std::string document = report.path + "document.json.gz";
    const std::string before = report.get(document).body;
    write_file_atomically(folder.path() / "runs/val/a/manifest.json", "{");
    EXPECT_TRUE(until([&] { return !report.warnings().empty(); }));
    EXPECT_THAT(report.warnings(), HasSubstr("the report is not updated:"));
    EXPECT_EQ(report.get(document).body, before);
}

TEST(ReportServer, WhatWasMendedWithoutATraceIsFoundAllTheSame) {
    const Scratch folder;
    save_models(folder, {"a", "b"});
    const auto manifest = folder.path() / "runs/val/a/manifest.json";
    const std::string good = read_text(manifest);
    ServedReport report(folder);
    const std::string document = report.path + "document.json.gz";
    const std::string etag = report.get(document).field("ETag");
    std::string bad = good;
    bad[0] = 'x';
    write_file_atomically(manifest, bad);
    const auto time = std::filesystem::last_write_time(manifest);
    save_models(folder, {"a", "b"}, "another");
    EXPECT_TRUE(until([&] { return !report.warnings().empty(); }));
    EXPECT_THAT(report.warnings(), HasSubstr("the report is not updated:"));
    // The new file has the size and time of the damaged file.
    write_file_atomically(manifest, good);
    std::filesystem::last_write_time(manifest, time);
    const std::string same = "If-None-Match: " + etag + "\r\n";
    EXPECT_TRUE(until([&] { return report.get(document, same).status == 200; }));
}

TEST(FilesState, AFolderThatCannotBeListedHidesNothingElse) {
    const Scratch folder;
    std::filesystem::create_directories(folder.path() / "a");
    std::filesystem::create_symlink("loop", folder.path() / "a/loop");
    std::filesystem::create_symlink("b", folder.path() / "b");  // the link points to itself
    write_file_atomically(folder.path() / "z", "1");
    const std::string first = state_of_files({folder.path()});
    write_file_atomically(folder.path() / "z", "12");
    EXPECT_NE(state_of_files({folder.path()}), first);
}

TEST(FilesState, SeesWhatChangesAndNotWhatIsHidden) {
    const Scratch folder;
    write_file_atomically(folder.path() / "one", "1");
    const auto state = [&] { return state_of_files({folder.path()}); };
    const std::string first = state();
    EXPECT_EQ(state(), first);
    write_file_atomically(folder.path() / ".temporary", "written");
    EXPECT_EQ(state(), first);
    write_file_atomically(folder.path() / "two", "2");
    const std::string second = state();
    EXPECT_THAT(second, Not(first));
    write_file_atomically(folder.path() / "two", "22");
    EXPECT_THAT(state(), Not(second));
    // A link in a cycle is followed without an endless loop.
    std::filesystem::create_directory_symlink(folder.path(), folder.path() / "again");
    EXPECT_FALSE(state().empty());
    EXPECT_EQ(state_of_files({folder.path() / "missing"}), "0:0");
}

}  // namespace
}  // namespace assay::serve
