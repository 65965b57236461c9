// Small parts of the server: names, origins, rates, tokens, pages, texts, bounded memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "message_of.h"
#include "scratch.h"
#include "serve/door.h"
#include "serve/image_turns.h"
#include "serve/pages.h"
#include "serve/rate_limit.h"
#include "serve/recent.h"
#include "serve/refusal.h"
#include "serve/site.h"
#include "serve/strings.h"
#include "serve/tokens.h"

namespace assay::serve {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(Site, KnowsItsNamesAndNoOthers) {
    const Site site("127.0.0.1", 8750, "");
    EXPECT_EQ(site.url(), "http://127.0.0.1:8750");
    for (const char* own : {"127.0.0.1:8750", "localhost:8750", "LOCALHOST:8750", "[::1]:8750"})
        EXPECT_TRUE(site.knows_host(own)) << own;
    for (const char* other : {"", "127.0.0.1", "localhost", "127.0.0.1:8751", "evil.example:8750",
                              "127.0.0.1:8750.", "127.0.0.1:8750@evil.example", " 127.0.0.1:8750"})
        EXPECT_FALSE(site.knows_host(other)) << other;
    EXPECT_TRUE(Site("127.0.0.1", 80, "").knows_host("localhost"));
    EXPECT_EQ(Site("127.0.0.1", 80, "").url(), "http://127.0.0.1");
    EXPECT_EQ(Site("::1", 9, "").url(), "http://[::1]:9");
    EXPECT_TRUE(Site("0.0.0.0", 9, "").knows_host("localhost:9"));
}

TEST(Site, KnowsTheNameThatItIsTold) {
    const Site site("127.0.0.1", 8750, "https://Labels.example.org/");
    EXPECT_EQ(site.url(), "https://labels.example.org");
    EXPECT_TRUE(site.knows_host("labels.example.org"));
    EXPECT_TRUE(site.knows_host("127.0.0.1:8750"));  // a proxy may send these names
    for (const char* bad : {"labels.example.org",
                            "ftp://a",
                            "https://",
                            "https://a/b",
                            "https://a b",
                            "https://a?b",
                            "javascript://a\n",
                            "https://:5",
                            "https://a:b:c",
                            "https://a:",
                            "https://a:0",
                            "https://a:65536",
                            "https://a:99999999999999999999",
                            "https://[",
                            "https://[]",
                            "https://[::1",
                            "https://[::1]x",
                            "https://[a]",
                            "https://::1",
                            "https://a]",
                            "https://"})
        EXPECT_THAT(message_of([&] { Site("127.0.0.1", 1, bad); }, ErrorCode::usage),
                    HasSubstr("the url is"))
            << bad;
}

TEST(Site, SaysWhoCanListenOnTheWay) {
    for (const char* host : {"127.0.0.1", "127.1.2.3", "::1", "localhost"}) {
        EXPECT_EQ(network_warning(host, ""), "") << host;
        EXPECT_EQ(network_warning(host, "https://labels.example.org"), "") << host;
    }
    EXPECT_THAT(network_warning("127.0.0.1", "http://labels.example.org"),
                testing::AllOf(HasSubstr("--url https://"), testing::Not(HasSubstr("--host"))));
    EXPECT_THAT(network_warning("0.0.0.0", ""), HasSubstr("--url https://"));
    // A proxy provides TLS, so this server must not be reachable without it.
    EXPECT_THAT(network_warning("0.0.0.0", "https://labels.example.org"),
                testing::AllOf(HasSubstr("--host 127.0.0.1"), testing::Not(HasSubstr("in front"))));
}

TEST(Site, LeavesOutThePortThatBrowsersLeaveOut) {
    const auto url = [](const std::string& given) { return Site("127.0.0.1", 1, given).url(); };
    EXPECT_EQ(url("https://x:443"), "https://x");
    EXPECT_EQ(url("http://x:80/"), "http://x");
    EXPECT_EQ(url("https://x:80"), "https://x:80");
    EXPECT_EQ(url("https://x:65535"), "https://x:65535");
    EXPECT_EQ(url("https://x:08443"), "https://x:8443");
    EXPECT_EQ(url("https://[2001:DB8::0:1]:443"), "https://[2001:db8::1]");
    EXPECT_EQ(url("http://[::1]:8080"), "http://[::1]:8080");
    EXPECT_TRUE(Site("127.0.0.1", 1, "https://x:443").knows_host("x"));
}

TEST(Site, TakesChangesFromItsOwnPagesAlone) {
    const Site site("127.0.0.1", 8750, "https://labels.example.org");
    const auto own = [&](const std::string& origin, const std::string& fetch_site) {
        HttpRequest request;
        request.origin = origin;
        request.fetch_site = fetch_site;
        return site.is_own_origin(request);
    };
    EXPECT_TRUE(own("", ""));  // the client is not a browser
    EXPECT_TRUE(own("http://127.0.0.1:8750", "same-origin"));
    EXPECT_TRUE(own("https://labels.example.org", "same-origin"));
    EXPECT_FALSE(own("https://labels.example.org.evil.example", ""));
    EXPECT_FALSE(own("http://labels.example.org", ""));
    EXPECT_FALSE(own("null", ""));
    EXPECT_FALSE(own("http://127.0.0.1:8751", ""));
    EXPECT_FALSE(own("", "cross-site"));
    EXPECT_FALSE(own("http://127.0.0.1:8750", "same-site"));
}

TEST(Site, BelievesForwardedAddressesOnlyBehindAProxy) {
    HttpRequest request;
    request.address = "10.0.0.1";
    request.forwarded_for = "1.2.3.4, 5.6.7.8";
    EXPECT_EQ(client_of(request, false), "10.0.0.1");
    EXPECT_EQ(client_of(request, true), "5.6.7.8");  // this value comes from the proxy itself
    request.forwarded_for = "";
    EXPECT_EQ(client_of(request, true), "10.0.0.1");
    request.address = "2001:db8:1:2:3:4:5:6";
    EXPECT_EQ(client_of(request, false), "2001:db8:1:2::");
    const std::vector<std::pair<std::string, std::string>> written = {
        {"192.0.2.1:5678", "192.0.2.1"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"::FFFF:192.0.2.1", "192.0.2.1"},
        {"[::ffff:192.0.2.1]:80", "192.0.2.1"},
        {"1.1.1.1, [2001:db8:5:6::7]:99", "2001:db8:5:6::"},
        {"[2001:db8:5:6::7]", "2001:db8:5:6::"},
        {"2001:db8:5:6::7", "2001:db8:5:6::"},
        // Without an address in the header, the sender's own address counts.
        {"unknown", "10.0.0.1"},
        {"_hidden", "10.0.0.1"},
        {"192.0.2.1.", "10.0.0.1"},
        {"[", "10.0.0.1"},
        {"1.2.3.4,", "10.0.0.1"},
        {std::string(9000, 'a'), "10.0.0.1"},
    };
    request.address = "10.0.0.1";
    for (const auto& [forwarded, client] : written) {
        request.forwarded_for = forwarded;
        EXPECT_EQ(client_of(request, true), client) << forwarded;
    }
}

TEST(ImageTurns, AreSoManyForEachPerson) {
    std::shared_ptr<const void> kept;
    {
        ImageTurns turns(2);
        kept = turns.take(1);
        auto second = turns.take(1);
        EXPECT_NE(kept, nullptr);
        EXPECT_NE(second, nullptr);
        EXPECT_EQ(turns.take(1), nullptr);
        EXPECT_NE(turns.take(2), nullptr);
        second.reset();
        EXPECT_NE(turns.take(1), nullptr);
    }
    kept.reset();  // a response may outlive the cache
}

TEST(RateLimit, FillsSteadily) {
    RateLimit limit({.per_second = 2, .burst = 3});
    const RateLimit::Time start{1000s};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("a", start), 0);
    EXPECT_DOUBLE_EQ(limit.take("a", start), 0.5);  // one token at 2 per second
    EXPECT_EQ(limit.take("b", start), 0);           // another client has its own limit
    EXPECT_EQ(limit.take("a", start + 500ms), 0);
    EXPECT_GT(limit.look("a", start + 500ms), 0);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("a", start + 1h), 0);  // the burst at most
    EXPECT_GT(limit.take("a", start + 1h), 0);
}

TEST(RateLimit, ForgetsThoseWhoRest) {
    RateLimit limit({.per_second = 1, .burst = 2});
    RateLimit::Time now{1000s};
    for (int i = 0; i < 100'000; ++i) (void)limit.take(std::to_string(i), now += 10ms);
    EXPECT_LT(limit.size(), 3000U);
    RateLimit flood({.per_second = 1e-9, .burst = 2});
    for (int i = 0; i < 300'000; ++i) (void)flood.take(std::to_string(i), now);
    EXPECT_LE(flood.size(), std::size_t{1} << 18);
}

HttpRequest asked(const std::string& method) {
    HttpRequest request;
    request.method = method;
    request.host = "localhost:1";
    request.address = "127.0.0.1";
    if (method == "POST") request.content_type = "application/json";
    return request;
}

int status_at(Door& door, const HttpRequest& request, std::string_view token = "") {
    try {
        door.pass(request, token);
        return 200;
    } catch (const Refusal& refusal) {
        return refusal.status();
    }
}

TEST(Door, HasAStatusForEachFault) {
    const Site site("127.0.0.1", 1, "");
    Door door(site, false, {});
    EXPECT_EQ(status_at(door, asked("GET")), 200);
    EXPECT_EQ(status_at(door, asked("POST")), 200);
    for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", ""})
        EXPECT_EQ(status_at(door, asked(method)), 405) << method;
    HttpRequest request = asked("POST");
    request.host = "evil.example";
    EXPECT_EQ(status_at(door, request), 421);
    request = asked("POST");
    request.origin = "http://evil.example";
    EXPECT_EQ(status_at(door, request), 403);
    for (const char* type : {"", "text/plain", "application/jsonp", "multipart/form-data"}) {
        request = asked("POST");
        request.content_type = type;
        EXPECT_EQ(status_at(door, request), 415) << type;
    }
    request.content_type = "Application/JSON; charset=UTF-8";
    EXPECT_EQ(status_at(door, request), 200);
}

TEST(Door, HoldsWhoGuessesTokensAndNoOneElse) {
    const Site site("127.0.0.1", 1, "");
    DoorLimits limits;
    limits.unknown = {0.001, 5};
    limits.token = {0.001, 10};
    Door door(site, false, limits);
    door.heard(asked("GET"), "good", true);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(status_at(door, asked("GET"), "bad"), 200);
        door.heard(asked("GET"), "bad", false);
    }
    EXPECT_EQ(status_at(door, asked("GET"), "bad"), 429);
    EXPECT_EQ(status_at(door, asked("GET"), "other"), 429);
    HttpRequest elsewhere = asked("GET");
    elsewhere.address = "10.0.0.9";
    EXPECT_EQ(status_at(door, elsewhere, "bad"), 200);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(status_at(door, asked("GET"), "good"), 200);
    EXPECT_EQ(status_at(door, asked("GET"), "good"), 429);
}

TEST(Door, ATokenThatIsExpectedIsNoGuess) {
    const Site site("127.0.0.1", 1, "");
    DoorLimits limits;
    limits.unknown = {0.001, 1};
    Door door(site, false, limits);
    door.expect("new");
    door.heard(asked("GET"), "bad", false);
    EXPECT_EQ(status_at(door, asked("GET"), "bad"), 429);
    EXPECT_EQ(status_at(door, asked("GET"), "new"), 200);
}

TEST(Tokens, AreReadFromTheirHeader) {
    EXPECT_EQ(token_in("Bearer abc"), "abc");
    EXPECT_EQ(token_in("bearer  a-b_9 "), "a-b_9");
    EXPECT_EQ(token_in("Bearer 12.abc"), "12.abc");
    for (const std::string& none :
         {std::string(), std::string("Bearer"), std::string("Bearer "), std::string("Basic abc"),
          std::string("Bearer a b"), "Bearer " + std::string(65, 'a'), std::string("Bearer ä"),
          std::string("Bearer ../x"), std::string("Bearer 1.2.3"), std::string("Bearer .a"),
          std::string("Bearer 1."), std::string("Bearer a\0b", 10)})
        EXPECT_EQ(token_in(none), "") << none;
}

TEST(Pages, AreThereWithTypesAndWithoutOthers) {
    const Page* index = page_at("/");
    ASSERT_NE(index, nullptr);
    EXPECT_EQ(index->type, "text/html; charset=utf-8");
    EXPECT_EQ(index->bytes, read_text(ASSAY_SOURCE_DIR "/web/built/index.html"));
    ASSERT_NE(page_at("/organiser"), nullptr);
    for (const char* none :
         {"", "/index.html", "/../pages.cpp", "/assets", "/strings/en.json", "//"})
        EXPECT_EQ(page_at(none), nullptr) << none;
    const HttpResponse whole = response_of(*index, "");
    EXPECT_EQ(whole.status, 200);
    const HttpResponse known = response_of(*index, "W/\"x\", " + std::string(index->etag));
    EXPECT_EQ(known.status, 304);
    EXPECT_EQ(known.body.bytes, "");
}

TEST(Strings, AreEnglishWithWhatTheOrganiserGives) {
    using nlohmann::json;
    const json english = json::parse(strings_json({}));
    EXPECT_EQ(english["lang"], "en");
    EXPECT_EQ(english["dir"], "ltr");
    EXPECT_FALSE(english["strings"].contains("lang"));
    const Scratch scratch;
    const auto given = [&](const std::string& text) {
        write_file_atomically(scratch / "strings.json", text);
        return strings_json(scratch / "strings.json");
    };
    const json german =
        json::parse(given(R"({"lang": "de", "question": "Zeigt das Bild {label}?"})"));
    EXPECT_EQ(german["lang"], "de");
    EXPECT_EQ(german["strings"]["question"], "Zeigt das Bild {label}?");
    EXPECT_EQ(german["strings"].size(), english["strings"].size());

    const auto fault = [&](const std::string& text) { return message_of([&] { given(text); }); };
    EXPECT_THAT(fault(R"({"questoin": "x"})"), HasSubstr("did you mean `question`?"));
    EXPECT_THAT(fault(R"({"question": "x"})"), HasSubstr("{label} is missing"));
    EXPECT_THAT(fault(R"({"question": "{label} {lable}"})"), HasSubstr("{lable}"));
    EXPECT_THAT(fault(R"({"question": 3})"), HasSubstr("`question` is 3; allowed: a text"));
    EXPECT_THAT(fault(R"({"dir": "up"})"), HasSubstr("ltr, rtl"));
    for (const char* key : {"key_yes", "key_no", "key_undo", "key_zoom", "key_tag"})
        for (const char* text : {"", "ja", " ", "ää"})
            EXPECT_THAT(fault("{\"" + std::string(key) + "\": \"" + text + "\"}"),
                        HasSubstr(std::string(key) + "` is"))
                << text;
    EXPECT_THAT(fault(R"({"key_no": "y"})"), HasSubstr("they must differ"));
    EXPECT_THAT(fault(R"({"key_no": "Z"})"), HasSubstr("`key_zoom`"));
    EXPECT_EQ(json::parse(given(R"({"key_no": "ä"})"))["strings"]["key_no"], "ä");
    // A file without `key_tag` may use its letter.
    EXPECT_EQ(english["strings"]["key_tag"], "t");
    EXPECT_EQ(json::parse(given(R"({"key_yes": "T"})"))["strings"]["key_tag"], "g");
    EXPECT_EQ(json::parse(given(R"({"key_yes": "t", "key_no": "g", "key_undo": "l",
                                    "key_zoom": "k"})"))["strings"]["key_tag"],
              "b");
    EXPECT_THAT(fault(R"({"key_yes": "t", "key_tag": "t"})"), HasSubstr("they must differ"));
    EXPECT_THAT(fault("[]"), HasSubstr("a JSON object of texts"));
    EXPECT_THAT(fault("{"), HasSubstr("strings.json"));
    EXPECT_THAT(message_of([&] { strings_json(scratch / "none.json"); }), HasSubstr("none.json"));
}

TEST(Recent, KeepsWhatWasAskedForLast) {
    Recent<int> recent(10);
    recent.keep("a", 1, 4);
    recent.keep("b", 2, 4);
    EXPECT_EQ(recent.find("a"), 1);
    recent.keep("c", 3, 4);  // b is removed from the cache
    EXPECT_EQ(recent.find("a"), 1);
    EXPECT_EQ(recent.find("b"), std::nullopt);
    EXPECT_EQ(recent.size(), 8U);
    recent.keep("d", 4, 11);
    EXPECT_EQ(recent.find("d"), std::nullopt);
    EXPECT_EQ(recent.find("c"), 3);
}

}  // namespace
}  // namespace assay::serve
