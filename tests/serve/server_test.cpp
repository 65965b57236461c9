// The server with a real study, over sockets.
#include "assay/serve/server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "assay/image/encode.h"
#include "assay/labelling/folder.h"
#include "core/file.h"
#include "message_of.h"
#include "raw_client.h"
#include "scratch.h"

namespace assay::serve {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A folder with twelve questions and its server. The last image cannot be read.
class ServedStudy {
public:
    ServedStudy() {
        std::string csv = "item,label\n";
        for (int i = 0; i < 12; ++i) {
            const std::string name = fmt::format("p{}.png", i);
            csv += name + ",cat\n";
            const auto shade = static_cast<std::uint8_t>(20 * i);
            save_png({8, 8, std::vector<std::uint8_t>(std::size_t{8} * 8 * 4, shade)},
                     scratch_ / name);
        }
        write_file_atomically(scratch_ / "p11.png", "no image");
        write_file_atomically(scratch_ / "questions.csv", csv);
        labelling::FolderOptions options;
        options.questions = scratch_ / "questions.csv";
        options.votes = 3;
        options.title = "Cats";
        labelling::make_folder(folder(), options);
        start();
    }
    ~ServedStudy() { stop(); }

    std::filesystem::path folder() const { return scratch_ / "study"; }
    void start() {
        labelling::Service service(folder());
        people.clear();
        for (const char* name : {"anna", "ben", "cleo"}) people.push_back(service.add_person(name));
        ServerOptions options;
        options.port = 0;
        options.warn = [this](std::string_view text) {
            const std::lock_guard lock(mutex_);
            warnings_ += std::string(text) + "\n";
        };
        server_ = std::make_unique<Server>(std::move(service), options);
        const std::string link = server_->organiser_link();
        organiser = link.substr(link.find('#') + 1);
        stop_ = false;
        running_ = std::thread([this] { server_->run([this] { return stop_.load(); }); });
    }
    void stop() {
        if (!running_.joinable()) return;
        stop_ = true;
        running_.join();
        server_.reset();
    }
    Server& server() { return *server_; }
    std::string warnings() {
        const std::lock_guard lock(mutex_);
        return warnings_;
    }

    std::string head(const std::string& method, const std::string& path, const std::string& token,
                     const std::string& more = "") const {
        return fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}{}", method, path,
                           server_->port(),
                           token.empty() ? "" : "Authorization: Bearer " + token + "\r\n", more);
    }
    RawResponse get(const std::string& path, const std::string& token = "",
                    const std::string& more = "") const {
        RawClient client(server_->port());
        client.send(head("GET", path, token, more) + "\r\n");
        return client.receive();
    }
    RawResponse post(const std::string& path, const std::string& token, const json& body,
                     const std::string& more = "") const {
        const std::string text = body.dump();
        RawClient client(server_->port());
        client.send(head("POST", path, token,
                         fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n",
                                     text.size()) +
                             more) +
                    "\r\n" + text);
        return client.receive();
    }
    json status() const { return json::parse(get("/api/organiser/status", organiser).body); }

    std::vector<labelling::Person> people;
    std::string organiser;

private:
    Scratch scratch_;
    std::unique_ptr<Server> server_;
    std::atomic<bool> stop_{false};
    std::thread running_;
    std::mutex mutex_;
    std::string warnings_;
};

json given(const json& screen, const std::string& key, const std::string& answer = "yes") {
    json answers = json::array();
    for (const json& cell : screen["cells"])
        answers.push_back({{"question", cell["question"]}, {"answer", answer}});
    return {{"screen", screen["screen"]}, {"key", key}, {"answers", answers}};
}

json work_of(const std::vector<json>& all, int wanted, const json& holding = json::array()) {
    return {{"given", all}, {"holding", holding}, {"wanted", wanted}};
}

std::string code_of(const RawResponse& response) {
    return fmt::format("{} {}", response.status,
                       json::parse(response.body, nullptr, false).value("code", ""));
}

TEST(Server, PagesHaveEveryHeaderAndAreAskedForOnce) {
    const ServedStudy study;
    for (const char* path : {"/", "/organiser", "/api/strings", "/nothing"}) {
        const RawResponse response = study.get(path);
        EXPECT_EQ(response.status, path == std::string("/nothing") ? 404 : 200) << path;
        EXPECT_THAT(response.field("Content-Security-Policy"), HasSubstr("default-src 'none'"));
        EXPECT_EQ(response.field("X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(response.field("Referrer-Policy"), "no-referrer");
        EXPECT_EQ(response.field("Cross-Origin-Opener-Policy"), "same-origin");
        EXPECT_EQ(response.field("Cross-Origin-Resource-Policy"), "same-origin");
        EXPECT_NE(response.field("Permissions-Policy"), "");
        EXPECT_NE(response.field("Cache-Control"), "");
    }
    const RawResponse page = study.get("/");
    EXPECT_EQ(page.field("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(study.get("/", "", "If-None-Match: " + page.field("ETag") + "\r\n").status, 304);
}

TEST(Server, SomebodyAnswersEverythingAndItIsOnTheDisk) {
    ServedStudy study;
    const std::string& token = study.people[0].token;
    const json welcome = json::parse(study.get("/api/welcome", token).body);
    EXPECT_EQ(welcome["version"], 1);
    EXPECT_TRUE(welcome["study"].is_string());
    EXPECT_EQ(welcome["title"], "Cats");
    EXPECT_EQ(welcome["name"], "anna");
    EXPECT_EQ(welcome["task"], "yes-no");

    json work = json::parse(study.post("/api/work", token, work_of({}, 1)).body);
    ASSERT_EQ(work["screens"].size(), 1U);
    const json first = work["screens"][0];
    std::set<std::string> questions;
    for (int i = 0; i < 30 && !work["screens"].empty(); ++i) {
        const json screen = work["screens"][0];
        questions.insert(screen["cells"][0]["question"]);
        work = json::parse(
            study.post("/api/work", token, work_of({given(screen, fmt::format("key-{:04}", i))}, 1))
                .body);
        ASSERT_EQ(work["taken"][0]["state"], "recorded") << work;
    }
    EXPECT_EQ(questions.size(), 12U);
    EXPECT_EQ(work["state"], "nothing");
    EXPECT_EQ(work["answered"], 12);
    // The same answer again counts once. Another answer under the same key is refused.
    work = json::parse(study.post("/api/work", token, work_of({given(first, "key-0000")}, 0)).body);
    EXPECT_EQ(work["taken"][0]["state"], "repeated");
    work = json::parse(
        study.post("/api/work", token, work_of({given(first, "key-0000", "no")}, 0)).body);
    EXPECT_EQ(work["taken"][0]["state"], "refused");
    const json again =
        json::parse(study.get("/api/screen/" + first["screen"].get<std::string>(), token).body);
    EXPECT_EQ(again["said"], json({"yes"}));

    EXPECT_EQ(study.status()["answers"], 12);
    study.stop();
    EXPECT_EQ(labelling::folder_summary(study.folder()).answers, 12U);
    EXPECT_THAT(labelling::verify_folder(study.folder()).problems, testing::IsEmpty());
    study.start();
    EXPECT_EQ(study.status()["answers"], 12);
    work = json::parse(study.post("/api/work", token, work_of({given(first, "key-0000")}, 4)).body);
    EXPECT_EQ(work["taken"][0]["state"], "repeated");
    const RawResponse csv = study.get("/api/organiser/answers.csv", study.organiser);
    EXPECT_EQ(csv.field("Content-Type"), "text/csv; charset=utf-8");
    EXPECT_THAT(csv.field("Content-Disposition"), HasSubstr("attachment"));
    EXPECT_EQ(std::count(csv.body.begin(), csv.body.end(), '\n'), 13);
}

TEST(Server, TokensThatAreForgedTakenBackOrOfAnotherKindAreRefused) {
    const ServedStudy study;
    const labelling::Person& anna = study.people[0];
    EXPECT_EQ(code_of(study.get("/api/welcome")), "401 unknown_token");
    EXPECT_EQ(code_of(study.get("/api/welcome", std::string(32, 'a'))), "401 unknown_token");
    EXPECT_EQ(code_of(study.get("/api/welcome", anna.token.substr(0, 31))), "401 unknown_token");
    EXPECT_EQ(code_of(study.get("/api/welcome", anna.token + "a")), "401 unknown_token");
    EXPECT_EQ(code_of(study.get("/api/welcome?" + anna.token)), "400 bad_request");
    EXPECT_EQ(code_of(study.get("/api/welcome", study.organiser)), "401 unknown_token");
    for (const char* path : {"/api/organiser/status", "/api/organiser/answers.csv"})
        EXPECT_EQ(code_of(study.get(path, anna.token)), "403 not_organiser") << path;
    EXPECT_EQ(code_of(study.post("/api/organiser/pause", anna.token, {{"pause", true}})),
              "403 not_organiser");

    const std::string path = fmt::format("/api/organiser/people/{}", anna.id);
    json person = json::parse(study.post(path, study.organiser, {{"revoke", true}}).body);
    EXPECT_EQ(person["revoked"], true);
    EXPECT_EQ(code_of(study.get("/api/welcome", anna.token)), "403 revoked");
    EXPECT_EQ(code_of(study.post("/api/work", anna.token, work_of({}, 1))), "403 revoked");
    study.post(path, study.organiser, {{"revoke", false}});
    EXPECT_EQ(study.get("/api/welcome", anna.token).status, 200);
    person = json::parse(study.post(path, study.organiser, {{"new_link", true}}).body);
    const std::string link = person["link"];
    EXPECT_NE(study.get("/api/welcome", anna.token).status, 200);
    EXPECT_EQ(study.get("/api/welcome", link.substr(link.find('#') + 1)).status, 200);
    EXPECT_EQ(code_of(study.post("/api/organiser/people/999", study.organiser, {{"revoke", true}})),
              "404 not_found");
}

TEST(Server, StrangersFillNoMemory) {
    const ServedStudy study;
    const json large = {{"given", std::string(100'000, 'a')}};
    EXPECT_EQ(study.post("/api/work", study.people[0].token, large).status, 400);
    EXPECT_EQ(study.post("/api/work", "", large).status, 413);
    EXPECT_EQ(study.post("/api/work", std::string(32, 'a'), large).status, 413);
    EXPECT_EQ(code_of(study.post("/api/work", "", work_of({}, 1))), "401 unknown_token");
}

TEST(Server, GuessesRunIntoALimitThatOthersDoNotFeel) {
    const ServedStudy study;
    EXPECT_EQ(study.get("/api/welcome", study.people[0].token).status, 200);
    std::set<int> statuses;
    RawResponse last;
    for (int i = 0; i < 60; ++i) {
        last = study.get("/api/welcome", fmt::format("guess{:027}", i));
        statuses.insert(last.status);
    }
    EXPECT_EQ(statuses, (std::set<int>{401, 429}));
    EXPECT_EQ(code_of(last), "429 too_fast");
    EXPECT_NE(last.field("Retry-After"), "");
    EXPECT_EQ(study.get("/api/welcome", study.people[0].token).status, 200);
}

TEST(Server, OtherSitesAndOtherNamesAreRefused) {
    ServedStudy study;
    const std::string& token = study.people[0].token;
    RawClient client(study.server().port());
    client.send("GET /api/welcome HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer " +
                token + "\r\n\r\n");
    EXPECT_EQ(code_of(client.receive()), "421 other_host");
    EXPECT_EQ(
        code_of(study.post("/api/work", token, work_of({}, 1), "Origin: http://evil.example\r\n")),
        "403 other_origin");
    EXPECT_EQ(
        code_of(study.post("/api/work", token, work_of({}, 1), "Sec-Fetch-Site: cross-site\r\n")),
        "403 other_origin");
    EXPECT_EQ(study
                  .post("/api/work", token, work_of({}, 1),
                        "Sec-Fetch-Site: same-origin\r\nOrigin: " + study.server().url() + "\r\n")
                  .status,
              200);
}

TEST(Server, HostilePathsAndMethodsHaveTheirStatus) {
    ServedStudy study;
    for (const char* path :
         {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../index.html",
          "/api/image/../../etc/passwd", "//etc/passwd", "/.", "/~", "/index.html",
          "/api/image/..%2f..%2fetc%2fpasswd", "/\\..\\x"})
        EXPECT_EQ(study.get(path, study.people[0].token).status, 404) << path;
    for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"}) {
        RawClient client(study.server().port());
        client.send(study.head(method, "/", "") + "\r\n");
        const RawResponse response = client.receive();
        EXPECT_EQ(response.status, 405) << method;
        EXPECT_EQ(response.field("Allow"), "GET, HEAD, POST");
    }
    RawClient client(study.server().port());
    client.send(study.head("HEAD", "/", "") + "\r\n" + study.head("GET", "/", "") + "\r\n");
    EXPECT_EQ(client.receive(true).status, 200);  // without a body: the next request is read
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_EQ(study.post("/", "", {}).status, 405);
    EXPECT_EQ(code_of(study.post("/api/work", study.people[0].token, {{"x", 1}})),
              "400 bad_request");
    EXPECT_EQ(code_of(study.get("/" + std::string(3000, 'a'))), "414 headers");
}

TEST(Server, ImagesAreServedToThoseWhoHoldThemAndDamageIsTold) {
    ServedStudy study;
    const std::string &anna = study.people[0].token, &ben = study.people[1].token;
    int served = 0, damaged = 0;
    json work = json::parse(study.post("/api/work", anna, work_of({}, 1)).body);
    for (int i = 0; i < 12 && !work["screens"].empty(); ++i) {
        const json screen = work["screens"][0];
        const std::string path = "/api/image/" + screen["cells"][0]["question"].get<std::string>();
        const RawResponse image = study.get(path, anna);
        if (image.status == 200) {
            ++served;
            EXPECT_EQ(image.field("Content-Type"), "image/png");
            EXPECT_EQ(image.field("Cache-Control"), "private, max-age=3600, immutable");
            EXPECT_EQ(image.field("Vary"), "Authorization");
            EXPECT_EQ(image.field("X-Content-Type-Options"), "nosniff");
            EXPECT_EQ(image.body.substr(1, 3), "PNG");
            EXPECT_EQ(study.get(path + "?size=small", anna).status, 200);
            EXPECT_EQ(study.get(path, study.organiser).status, 200);
            EXPECT_EQ(code_of(study.get(path, ben)), "404 not_found");
        } else {
            ++damaged;
            EXPECT_EQ(code_of(image), "404 unreadable");
            // The message appears once for any number of requests.
            for (int again = 0; again < 5; ++again)
                EXPECT_EQ(code_of(study.get(path, study.organiser)), "404 unreadable");
        }
        work = json::parse(
            study.post("/api/work", anna, work_of({given(screen, fmt::format("key-{:04}", i))}, 1))
                .body);
    }
    EXPECT_EQ(served, 11);
    ASSERT_EQ(damaged, 1);
    const json problems = study.status()["problems"];
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_THAT(problems[0]["path"], HasSubstr("p11.png"));
    const std::string warnings = study.warnings();
    EXPECT_THAT(warnings, HasSubstr("p11.png"));
    EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 1) << warnings;
    EXPECT_EQ(study.post("/api/organiser/retry", study.organiser, json::object()).status, 200);
    EXPECT_EQ(study.status()["problems"].size(), 0U);
}

TEST(Server, WhoeverHasALinkIsServedWhileOthersGuess) {
    const ServedStudy study;
    const auto guess = [&] {
        int status = 0;
        for (int i = 0; i < 60 && status != 429; ++i)
            status = study.get("/api/welcome", fmt::format("guess{:027}", i)).status;
        EXPECT_EQ(status, 429);
    };
    guess();
    // None of these clients was seen before, and all have the address of the client that guesses
    // tokens.
    EXPECT_EQ(study.get("/api/organiser/status", study.organiser).status, 200);
    for (const labelling::Person& person : study.people)
        EXPECT_EQ(study.get("/api/welcome", person.token).status, 200) << person.name;
    const auto token_of = [](const RawResponse& response) {
        const std::string link = json::parse(response.body)["link"];
        return link.substr(link.find('#') + 1);
    };
    const std::string added =
        token_of(study.post("/api/organiser/people", study.organiser, {{"add", "dora"}}));
    const std::string path = fmt::format("/api/organiser/people/{}", study.people[0].id);
    const std::string renewed = token_of(study.post(path, study.organiser, {{"new_link", true}}));
    guess();
    EXPECT_EQ(study.get("/api/welcome", added).status, 200);
    EXPECT_EQ(study.get("/api/welcome", renewed).status, 200);
    // The answer was revoked and is given again.
    study.post(path, study.organiser, {{"revoke", true}});
    EXPECT_NE(study.get("/api/welcome", renewed).status, 200);
    study.post(path, study.organiser, {{"revoke", false}});
    guess();
    EXPECT_EQ(study.get("/api/welcome", renewed).status, 200);
}

TEST(Server, TheOrganiserAddsBlocksAndPauses) {
    const ServedStudy study;
    const auto organise = [&](const std::string& what, const json& body) {
        return study.post("/api/organiser/" + what, study.organiser, body);
    };
    const json person = json::parse(organise("people", {{"add", "dora"}}).body);
    EXPECT_EQ(person["name"], "dora");
    EXPECT_EQ(code_of(organise("people", {{"add", ""}})), "400 bad_request");
    EXPECT_EQ(code_of(organise("people", {{"add", "a\nb"}})), "400 bad_request");
    EXPECT_EQ(organise("pause", {{"pause", true}}).status, 200);
    EXPECT_EQ(
        json::parse(study.post("/api/work", study.people[0].token, work_of({}, 1)).body)["state"],
        "paused");
    EXPECT_EQ(organise("pause", {{"pause", false}}).status, 200);
    EXPECT_EQ(organise("block", {{"name", "ben"}, {"block", true}, {"reason", "too fast"}}).status,
              200);
    const json status = study.status();
    std::set<std::string> blocked;
    for (const json& one : status["people"]) {
        if (one["blocked"]) blocked.insert(one["name"]);
        EXPECT_THAT(one.value("link", ""), HasSubstr("/#"));
        EXPECT_TRUE(one["gold"].contains("value"));
    }
    EXPECT_EQ(blocked, std::set<std::string>{"ben"});
    std::vector<std::string> names;
    const auto ordered =
        nlohmann::ordered_json::parse(study.get("/api/organiser/status", study.organiser).body);
    for (const auto& entry : ordered.items()) names.push_back(entry.key());
    EXPECT_THAT(names,
                testing::ElementsAre("title", "task", "folder", "questions", "known", "settled",
                                     "open", "untouched", "unclear", "skipped", "answers",
                                     "answers_left", "hours_left", "agreement", "paused", "people",
                                     "problems", "outlook", "warnings", "seconds_old"));
}

TEST(Server, ManyAtOnceLoseAndDoubleNothing) {
    ServedStudy study;
    std::atomic<int> recorded{0};
    std::vector<std::thread> people;
    for (const labelling::Person& person : study.people) {
        people.emplace_back([&study, &recorded, token = person.token] {
            RawClient client(study.server().port());
            std::vector<json> answers;
            for (int i = 0; i < 40; ++i) {
                const std::string body = work_of(answers, 1).dump();
                const std::string request =
                    study.head("POST", "/api/work", token,
                               fmt::format("Content-Type: application/json\r\nContent-Length: {}"
                                           "\r\n\r\n{}",
                                           body.size(), body));
                client.send(request + request);  // like a page that did not get the first response
                json work = json::parse(client.receive().body);
                const json twice = json::parse(client.receive().body);
                for (const json& taken : work["taken"]) recorded += taken["state"] == "recorded";
                for (const json& taken : twice["taken"]) EXPECT_EQ(taken["state"], "repeated");
                answers.clear();
                const json& screens = twice["screens"].empty() ? work["screens"] : twice["screens"];
                if (screens.empty()) break;
                answers.push_back(given(screens[0], fmt::format("key-{:08}", i)));
            }
        });
    }
    for (std::thread& person : people) person.join();
    EXPECT_EQ(study.status()["answers"], recorded.load());
    study.stop();
    const labelling::FolderSummary summary = labelling::folder_summary(study.folder());
    EXPECT_EQ(summary.answers, static_cast<std::uint64_t>(recorded.load()));
    EXPECT_LE(summary.answers, 36U);
    EXPECT_GE(summary.answers, 30U);
}

TEST(Server, SaysWhatIsWrongWithItsOptions) {
    ServedStudy study;
    EXPECT_THAT(message_of([&] { labelling::Service again(study.folder()); }, ErrorCode::busy),
                HasSubstr("study"));
    study.stop();
    const auto fault = [&](const ServerOptions& options) {
        return message_of([&] { Server(labelling::Service(study.folder()), options); },
                          ErrorCode::usage);
    };
    ServerOptions options;
    options.port = 0;
    options.connections = 0;
    EXPECT_THAT(fault(options), HasSubstr("0 connections"));
    options = {};
    options.port = 0;
    options.url = "labels.example.org";
    EXPECT_THAT(fault(options), HasSubstr("the url is"));
    Server server(labelling::Service(study.folder()), [] {
        ServerOptions any;
        any.port = 0;
        return any;
    }());
    EXPECT_EQ(server.network_warning(), "");
    EXPECT_THAT(server.organiser_link(), HasSubstr("/organiser#"));
}

}  // namespace
}  // namespace assay::serve
