// The listener alone: limits of time and size, answers from other threads, and connections.
#include "serve/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "message_of.h"
#include "raw_client.h"
#include "until.h"

namespace assay::serve {
namespace {

using testing::HasSubstr;

HttpResponse text_response(int status, std::string_view text) {
    HttpResponse response;
    response.status = status;
    response.type = "text/plain";
    response.body = HttpBody(std::string(text));
    return response;
}

/// A server that answers with the request, unless a test sets another handler.
struct EchoServer {
    explicit EchoServer(const HttpLimits& limits = {}, HttpHandler handler = echo)
        : server(listener, limits, {{"X-Always", "yes"}}, text_response, std::move(handler)) {}
    static void echo(HttpRequest request, const HttpReply& reply) {
        reply(text_response(
            200, request.method + " " + request.path + "?" + request.query + " " + request.body));
    }
    HttpListener listener{"127.0.0.1", 0};
    HttpServer server;
};

std::string get(const std::string& path, const std::string& more = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
}
std::string post(const std::string& body, const std::string& more = "") {
    return "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n" + more + "\r\n" + body;
}

RawResponse ask(const EchoServer& server, const std::string& bytes) {
    RawClient client(server.listener.port());
    client.send(bytes);
    return client.receive();
}

TEST(Http, HandsOverARequestAsItCame) {
    const EchoServer server;
    const RawResponse response = ask(server, get("/a%2e%2e/b+c?d=%20&e"));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "GET /a%2e%2e/b+c?d=%20&e ");
    EXPECT_EQ(response.field("X-Always"), "yes");
    EXPECT_EQ(ask(server, post("body")).body, "POST /p? body");
    EXPECT_EQ(ask(server, post("")).body, "POST /p? ");
    EXPECT_EQ(ask(server, "BREW / HTTP/1.1\r\nHost: x\r\n\r\n").body, "BREW /? ");
    const std::string chunked =
        "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    EXPECT_EQ(ask(server, chunked).body, "POST /p? abcde");
}

TEST(Http, OneConnectionTakesManyRequestsAlsoAtOnce) {
    const EchoServer server;
    RawClient client(server.listener.port());
    std::string all;
    for (int i = 0; i < 50; ++i) all += i % 2 ? get("/" + std::to_string(i)) : post("12345");
    client.send(all);
    for (int i = 0; i < 50; ++i) {
        const RawResponse response = client.receive();
        EXPECT_EQ(response.body, i % 2 ? "GET /" + std::to_string(i) + "? " : "POST /p? 12345");
    }
    EXPECT_EQ(server.server.connections(), 1U);
}

TEST(Http, AnswersLaterFromAnotherThread) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::deque<HttpReply> waiting;
    EchoServer server({}, [&](const HttpRequest&, const HttpReply& reply) {
        const std::lock_guard lock(mutex);
        waiting.push_back(reply);
        changed.notify_one();
    });
    std::jthread answering([&](const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        while (changed.wait(lock, stop, [&] { return !waiting.empty(); })) {
            const HttpReply reply = waiting.front();
            waiting.pop_front();
            lock.unlock();
            reply(text_response(200, "later"));
            lock.lock();
        }
    });
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<RawClient>(server.listener.port()));
        clients.back()->send(get("/"));
    }
    // clients that disconnect before their answers
    clients.erase(clients.begin(), clients.begin() + 5);
    for (const auto& client : clients) EXPECT_EQ(client->receive().body, "later");
}

TEST(Http, AReplyThatIsLetGoIsA503AndAnExceptionA500) {
    const EchoServer forgetful({}, [](const HttpRequest&, const HttpReply&) {});
    EXPECT_EQ(ask(forgetful, get("/")).status, 503);
    const EchoServer failing(
        {}, [](const HttpRequest&, const HttpReply&) { throw std::runtime_error("no"); });
    EXPECT_EQ(ask(failing, get("/")).status, 500);
}

TEST(Http, RefusesWhatIsTooLarge) {
    const EchoServer server;
    EXPECT_EQ(ask(server, get("/" + std::string(2047, 'a'))).status, 200);
    EXPECT_EQ(ask(server, get("/" + std::string(2048, 'a'))).status, 414);
    EXPECT_EQ(ask(server, get("/" + std::string(100'000, 'a'))).status, 414);
    EXPECT_EQ(ask(server, get("/", "X: " + std::string(9000, 'a') + "\r\n")).status, 431);
    EXPECT_EQ(ask(server, get("/", "X: " + std::string(90'000, 'a') + "\r\n")).status, 431);
    std::string many;
    for (int i = 0; i < 100; ++i) many += "X" + std::to_string(i) + ": y\r\n";
    EXPECT_EQ(ask(server, get("/", many)).status, 431);

    EXPECT_EQ(ask(server, post(std::string(524288, 'a'))).status, 200);
    const RawResponse large = ask(server, post(std::string(524289, 'a')));
    EXPECT_EQ(large.status, 413);
    EXPECT_EQ(large.body, "the request is too large");
    EXPECT_EQ(large.field("X-Always"), "yes");
    // A large body that the server refuses before it is sent.
    EXPECT_EQ(
        ask(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n").status,
        413);
    std::string chunks = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 65; ++i) chunks += "2000\r\n" + std::string(0x2000, 'a') + "\r\n";
    EXPECT_EQ(ask(server, chunks + "0\r\n\r\n").status, 413);
}

TEST(Http, AnEndlessBodyIsCutOff) {
    const EchoServer server;
    RawClient client(server.listener.port());
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
    int chunks = 0;
    while (chunks < 1000 && client.send(chunk)) ++chunks;
    EXPECT_LT(chunks, 1000);
}

TEST(Http, RefusesWhatTwoReadersCouldReadDifferently) {
    const EchoServer server;
    for (const char* fields : {"Host: y\r\n", "Origin: a\r\nOrigin: b\r\n",
                               "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"})
        EXPECT_EQ(ask(server, get("/", fields)).status, 400) << fields;
    EXPECT_EQ(ask(server, post("abc", "Content-Length: 4\r\n")).status, 400);
    EXPECT_EQ(ask(server, post("abc", "Transfer-Encoding: chunked\r\n")).status, 400);
    EXPECT_EQ(ask(server, get("/", "Content-Length: 3\r\n") + "abc").status, 400);
    EXPECT_EQ(ask(server, "GET / HTTP/1.1\r\n\r\n").status, 400);  // the request has no host
    for (const char* fields :
         {"X Y: 1\r\n", "X(: 1\r\n", "X\x01: 1\r\n", "X\xe9: 1\r\n", "Host : y\r\n"})
        EXPECT_EQ(ask(server, get("/", fields)).status, 400) << fields;
    EXPECT_EQ(ask(server, "GET / HTTP/1.1\r\nHost:\r\nHost: x\r\n\r\n").status, 400);
    for (const char* coding : {"gzip", "gzip, chunked", "identity", "chunked, chunked", "xchunked"})
        EXPECT_EQ(ask(server, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " +
                                  std::string(coding) + "\r\n\r\n0\r\n\r\n")
                      .status,
                  400)
            << coding;
    RawClient client(server.listener.port());
    client.send("nonsense\r\n\r\n");
    EXPECT_TRUE(client.is_ended());
}

TEST(Http, SlowAndSilentClientsAreCutOff) {
    const auto begin = std::chrono::steady_clock::now();
    std::atomic<int> passed{0};  // the server's clock measures milliseconds since then
    HttpLimits limits;
    limits.now = [&] { return begin + std::chrono::milliseconds(passed.load()); };
    limits.request_seconds = 0.04;
    EchoServer server(limits, [](const HttpRequest& request, const HttpReply& reply) {
        reply(text_response(200, request.path == "/large" ? std::string(64 << 20, 'a') : "short"));
    });
    const std::uint16_t port = server.listener.port();
    RawClient silent(port), half(port), idle(port), deaf(port), slow(port);
    half.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
    idle.send(get("/"));
    EXPECT_EQ(idle.receive().status, 200);
    deaf.send(get("/large"));
    slow.send("GET / HTTP/1.1\r\nHost: x\r\nX: ");
    const auto in = [&](HttpPhase phase) { return server.server.connections(phase); };
    ASSERT_TRUE(until([&] {
        return in(HttpPhase::connected) == 1 && in(HttpPhase::reading) == 2 &&
               in(HttpPhase::idle) == 1 && in(HttpPhase::sending) == 1;
    }));
    // The client sends one byte from time to time, so the library does not count it as idle.
    for (int i = 0; i < 3; ++i) {
        passed += 10;
        EXPECT_TRUE(slow.send("a"));
    }
    EXPECT_EQ(server.server.connections(), 5U);
    passed += 10;
    EXPECT_TRUE(silent.is_ended());
    EXPECT_TRUE(half.is_ended());
    EXPECT_TRUE(slow.is_ended());
    ASSERT_TRUE(until([&] { return server.server.connections() == 2; }));
    passed += 74'000;
    EXPECT_EQ(in(HttpPhase::idle), 1U);
    passed += 1'000;
    EXPECT_TRUE(idle.is_ended());
    ASSERT_TRUE(until([&] { return server.server.connections() == 1; }));
    EXPECT_EQ(in(HttpPhase::sending), 1U);
    passed += 45'000;
    // this includes the client that does not read
    EXPECT_TRUE(until([&] { return server.server.connections() == 0; }));
    // There are half of a request, a request in single bytes, and a response that nobody reads.
    EXPECT_EQ(server.server.counts().slow, 3U);
}

TEST(Http, AFullServerKeepsThoseWhoWaitForAnAnswer) {
    HttpLimits limits;
    limits.connections = 10;
    std::mutex mutex;
    std::vector<HttpReply> waiting;
    const EchoServer server(limits, [&](const HttpRequest&, const HttpReply& reply) {
        const std::lock_guard lock(mutex);
        waiting.push_back(reply);
    });
    std::vector<std::unique_ptr<RawClient>> held;
    for (int i = 0; i < 10; ++i) {
        held.push_back(std::make_unique<RawClient>(server.listener.port()));
        held.back()->send(get("/"));
    }
    const auto handled = [&] {
        const std::lock_guard lock(mutex);
        return waiting.size();
    };
    ASSERT_TRUE(until([&] { return handled() == 10; }));
    for (int i = 0; i < 100; ++i) {
        RawClient further(server.listener.port());
        EXPECT_TRUE(further.is_ended()) << i;
    }
    EXPECT_EQ(server.server.counts().beyond, 100U);
    for (const HttpReply& reply : waiting) reply(text_response(200, "later"));
    for (const auto& client : held) EXPECT_EQ(client->receive().body, "later");
}

TEST(Http, AFullServerMakesRoomForWhoComes) {
    HttpLimits limits;
    limits.connections = 10;
    const EchoServer server(limits);
    std::vector<std::unique_ptr<RawClient>> silent;
    for (int i = 0; i < 9; ++i)
        silent.push_back(std::make_unique<RawClient>(server.listener.port()));
    ASSERT_TRUE(until([&] { return server.server.connections() == 9; }));
    RawClient busy(server.listener.port());
    busy.send(get("/"));
    EXPECT_EQ(busy.receive().status, 200);
    // One client holds all connections, and another one connects, repeatedly.
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(ask(server, get("/")).status, 200) << i;
        silent.push_back(std::make_unique<RawClient>(server.listener.port()));
    }
    EXPECT_TRUE(silent.front()->is_ended());  // the connection that was longest without a request
    EXPECT_GT(server.server.counts().beyond, 0U);
    EXPECT_LE(server.server.connections(), 10U + 16U);
}

TEST(Http, AFullServerEndsPausesBeforeRequestsThatComeSlowly) {
    HttpLimits limits;
    limits.connections = 2;
    const EchoServer server(limits);
    RawClient half(server.listener.port());
    half.send("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na");
    ASSERT_TRUE(until([&] { return server.server.connections(HttpPhase::reading) == 1; }));
    RawClient idle(server.listener.port());
    idle.send(get("/"));
    EXPECT_EQ(idle.receive().status, 200);
    EXPECT_EQ(ask(server, get("/")).status, 200);
    EXPECT_TRUE(idle.is_ended());
    half.send("b");
    EXPECT_EQ(half.receive().body, "POST /p? ab");
}

std::size_t resident_kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t kilobytes = 0;
        if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
    }
    return 0;
}

TEST(Http, MemoryIsFlatOverHostileRequests) {
    HttpLimits limits;
    limits.request_seconds = 0.2;
    limits.body = 65536;
    const EchoServer server(limits);
    const std::vector<std::string> hostile = {
        get("/../../etc/passwd"),
        get("/" + std::string(40'000, '%')),
        get("/", "X: " + std::string(40'000, 'a') + "\r\n"),
        post(std::string(70'000, 'a')),
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n",
        std::string("\0\xff\x16\x03\x01", 5),
        "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    };
    const auto round = [&](int times) {
        for (int i = 0; i < times; ++i) {
            for (const std::string& bytes : hostile) {
                RawClient client(server.listener.port());
                client.send(bytes);
                if (i % 2) client.end_sending();
                (void)client.receive(false, i % 100 ? 1 : 50);
            }
        }
    };
    const auto all_gone = [&] { return until([&] { return server.server.connections() == 0; }); };
    round(100);
    EXPECT_TRUE(all_gone());
    const std::size_t before = resident_kilobytes();
    round(1000);
    EXPECT_TRUE(all_gone());
    EXPECT_LT(resident_kilobytes(), before + 4096);
    EXPECT_EQ(ask(server, get("/")).status, 200);
}

TEST(Http, EndsWithRequestsUnderWay) {
    std::promise<HttpReply> held;
    auto server = std::make_unique<EchoServer>(
        HttpLimits{}, [&](const HttpRequest&, const HttpReply& reply) { held.set_value(reply); });
    RawClient client(server->listener.port()), half(server->listener.port());
    client.send(get("/"));
    half.send("GET /");
    (void)held.get_future().get();  // and releases the request
    EXPECT_EQ(client.receive().status, 503);
    server.reset();
    EXPECT_TRUE(half.is_ended());
}

TEST(Listener, WritesAnAddressInOneWay) {
    for (const char* loopback :
         {"127.0.0.1", "0x7f000001", "2130706433", "127.1", "::ffff:127.0.0.1", "::FFFF:127.0.0.1"})
        EXPECT_EQ(plain_host(loopback), "127.0.0.1") << loopback;
    EXPECT_EQ(plain_host("0"), "0.0.0.0");
    EXPECT_EQ(plain_host("0:0:0:0:0:0:0:0"), "::");
    EXPECT_EQ(plain_host("0:0::1"), "::1");
    for (const char* other : {"localhost", "example.org", ""}) EXPECT_EQ(plain_host(other), other);
}

TEST(Listener, SaysWhatIsWrongWithAnAddress) {
    const HttpListener first("127.0.0.1", 0);
    EXPECT_GT(first.port(), 0);
    EXPECT_THAT(
        message_of([&] { HttpListener("127.0.0.1", first.port()); }, ErrorCode::usage),
        testing::AllOf(HasSubstr("port " + std::to_string(first.port())), HasSubstr("--port")));
    EXPECT_THAT(message_of([] { HttpListener("example.org", 0); }, ErrorCode::usage),
                HasSubstr("`example.org`"));
    EXPECT_THAT(message_of([] { HttpListener("192.0.2.1", 0); }, ErrorCode::usage),
                HasSubstr("not an address of this machine"));
}

}  // namespace
}  // namespace assay::serve
