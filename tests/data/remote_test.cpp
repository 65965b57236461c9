// Archives at URLs, from a server that fails, stalls, truncates answers or sends wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "containers/remote/files.h"
#include "containers/source_file.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/url.h"
#include "data/archives.h"
#include "message_of.h"
#include "range_server.h"
#include "scratch.h"
#include "sha256.h"
#include "tar_writer.h"
#include "zip_writer.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

/// Sets an environment variable for the lifetime of the object.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        if (value != nullptr) {
            ::setenv(name, value, 1);
        } else {
            ::unsetenv(name);
        }
    }
    ~Variable() {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

remote::FilesLimits quick(std::uint64_t block = 1000) {
    remote::FilesLimits limits;
    limits.block = block;
    limits.kept = 40 * block;
    limits.patience = {.tries = 4,
                       .first_pause = 5ms,
                       .longest_pause = 20ms,
                       .connecting = 2000ms,
                       .silence = 1000ms};
    return limits;
}

std::string made_bytes(std::size_t size, const std::string& name = "bytes") {
    std::string bytes;
    RandomStream random(1, name);
    while (bytes.size() < size) bytes += static_cast<char>(random.below(256));
    return bytes;
}

std::string read_at(const SourceFile& file, std::uint64_t offset, std::size_t size) {
    std::string out(size, '\0');
    file.read(offset, std::as_writable_bytes(std::span(out.data(), out.size())));
    return out;
}

class Remote : public testing::Test {
protected:
    std::string failure(const std::function<void()>& body) {
        return message_of(body, ErrorCode::unreachable);
    }
    /// The error after a server sends this answer to a request for the first 1,000 of 5,000 bytes.
    std::string said_of(const std::string& head, const std::string& body = std::string(1000, 'x')) {
        server_.add("/lie", made_bytes(5000));
        server_.instead([&](const WebRequest&) { return WebAnswer{head, body}; });
        const remote::FilesInstead own(quick());
        return failure([&] { SourceFile file(server_.url("/lie")); });
    }
    const Variable no_proxy_{"http_proxy", nullptr}, no_home_{"HOME", "/nonexistent"};
    RangeServer server_;
    Scratch folder_;
};

TEST(Url, IsToldFromPathsAndShownWithoutSecrets) {
    for (const char* url : {"https://h/x", "s3://b/k", "HTTP://h", "gs://b", "a+b-c.d://x"})
        EXPECT_TRUE(is_url(url)) << url;
    for (const char* path : {"a/b", "C://x", "://x", "/a://b", "a b://c", "", "https:/x"})
        EXPECT_FALSE(is_url(path)) << path;
    EXPECT_EQ(shown_url("https://me:pass@h:8/x@y?sig=1#z"), "https://h:8/x@y");
    EXPECT_EQ(shown_url("s3://b/k"), "s3://b/k");
}

TEST_F(Remote, AnyRangeIsThatOfTheBytes) {
    const std::string bytes = made_bytes(123'457);
    server_.add("/f", bytes);
    for (const std::uint64_t block :
         {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 20}) {
        remote::FilesLimits limits = quick(block == 1 ? 997 : block);
        if (block == 1) limits.kept = 997;  // hardly any blocks remain in memory
        const remote::FilesInstead own(limits);
        const SourceFile file(server_.url("/f"));
        ASSERT_EQ(file.size(), bytes.size());
        parallel_blocks(300, 4, [&](std::size_t i) {
            RandomStream random(block, "ranges", i);
            const std::uint64_t at = random.below(bytes.size());
            const std::size_t n =
                random.below(std::min<std::uint64_t>(bytes.size() - at, 9000) + 1);
            EXPECT_EQ(read_at(file, at, n), bytes.substr(at, n)) << at << " " << n;
        });
        EXPECT_THAT(message_of([&] { read_at(file, bytes.size() - 1, 2); }),
                    HasSubstr("it ends at byte 123457"));
    }
}

TEST_F(Remote, ReadsInOrderAreFewRequestsAndEachByteComesOnce) {
    const std::string bytes = made_bytes(100'000);
    server_.add("/f", bytes);
    const remote::FilesInstead own(quick());
    const SourceFile file(server_.url("/f"));
    for (std::size_t at = 0; at < bytes.size(); at += 250)
        ASSERT_EQ(read_at(file, at, 250), bytes.substr(at, 250));
    EXPECT_LE(server_.requests().size(), 15U);  // the first block is read, then 8 blocks at once
    EXPECT_EQ(remote::files().counts().bytes, bytes.size());
}

TEST_F(Remote, SingleReadsFetchNoMoreThanTheirBlocks) {
    server_.add("/f", made_bytes(200'000));
    const remote::FilesInstead own(quick());
    const SourceFile file(server_.url("/f"));
    for (const std::uint64_t at : {150'500, 50'100, 101'999}) read_at(file, at, 2);
    EXPECT_EQ(remote::files().counts().bytes, 1000U + 1000 + 1000 + 2000);
}

TEST_F(Remote, WhatPassesIsAskedAgain) {
    const std::string bytes = made_bytes(3000);
    server_.add("/f", bytes);
    const auto failing = [&](const RangeServer::Handler& bad) {
        std::atomic<int> asked{0};
        server_.instead([&](const WebRequest& request) {
            return asked++ % 3 != 2 ? bad(request) : server_.usual(request);
        });
        const remote::FilesInstead own(quick());
        const SourceFile file(server_.url("/f"));
        EXPECT_EQ(read_at(file, 0, 3000), bytes);
        EXPECT_EQ(asked, 6);
        server_.instead(nullptr);
    };
    for (const int status : {408, 429, 500, 502, 503, 504}) {
        failing([&](const WebRequest&) {
            return WebAnswer{"HTTP/1.1 " + std::to_string(status) + " Later\r\nContent-Length: 4",
                             "wait"};
        });
    }
    failing([](const WebRequest&) { return WebAnswer{}; });  // the connection is closed
    const auto cut_off = [&](const WebRequest& request) {
        WebAnswer answer = server_.usual(request);
        answer.body.resize(10);
        answer.end = true;
        return answer;
    };
    failing(cut_off);
    // Without a length, the answer ends with the connection, and is too short.
    failing([&](const WebRequest& request) {
        WebAnswer answer = cut_off(request);
        const std::size_t at = answer.head.find("Content-Length"),
                          end = answer.head.find("\r\n", at);
        answer.head.erase(at, end + 2 - at);
        return answer;
    });
}

TEST_F(Remote, ASilentServerIsAskedAgain) {
    server_.add("/f", made_bytes(900));
    std::atomic<int> asked{0};
    server_.instead([&](const WebRequest& request) {
        WebAnswer answer = server_.usual(request);
        if (asked++ == 0) answer.silent = true;
        return answer;
    });
    const remote::FilesInstead own(quick());
    EXPECT_EQ(read_at(SourceFile(server_.url("/f")), 0, 900), made_bytes(900));
    EXPECT_EQ(asked, 2);
}

TEST_F(Remote, WhatDoesNotPassIsToldWithTheRange) {
    EXPECT_THAT(
        said_of("HTTP/1.1 503 Busy\r\nContent-Length: 1000"),
        AllOf(HasSubstr("bytes 0 to 999: the server answers 503"), HasSubstr("(asked 4 times)")));
    EXPECT_EQ(server_.requests().size(), 4U);
    server_.forget_requests();
    EXPECT_THAT(said_of("HTTP/1.1 404 No\r\nContent-Length: 1000"),
                HasSubstr("there is no such file"));
    EXPECT_EQ(server_.requests().size(), 1U);
    EXPECT_THAT(said_of("HTTP/1.1 403 No\r\nContent-Length: 1000"), HasSubstr("~/.netrc"));
    EXPECT_THAT(said_of("HTTP/1.1 200 Fine\r\nContent-Length: 5000", std::string(5000, 'x')),
                HasSubstr("does not support byte ranges"));
    EXPECT_THAT(said_of("HTTP/1.1 206 P\r\nContent-Length: 1000"),
                HasSubstr("without a Content-Range"));
    EXPECT_THAT(said_of("HTTP/1.1 206 P\r\nContent-Length: 1000\r\nContent-Range: bytes 0-x/y"),
                HasSubstr("its Content-Range cannot be read"));
    EXPECT_THAT(
        said_of("HTTP/1.1 206 P\r\nContent-Length: 1000\r\nContent-Range: bytes 7-1006/5000"),
        HasSubstr("answers with bytes 7-1006 of 5000"));
    EXPECT_THAT(said_of("HTTP/1.1 206 P\r\nContent-Length: 500\r\nContent-Range: bytes 0-499/5000",
                        std::string(500, 'x')),
                HasSubstr("answers with bytes 0-499 of 5000"));
    EXPECT_THAT(said_of("HTTP/1.1 206 P\r\nContent-Length: 2000\r\nContent-Range: bytes 0-999/5000",
                        std::string(2000, 'x')),
                HasSubstr("longer than requested"));
    EXPECT_THAT(said_of("HTTP/1.1 206 P\r\nContent-Length: 1000\r\nContent-Range: bytes "
                        "0-999/5000\r\nContent-Encoding: gzip"),
                HasSubstr("compresses what it sends (gzip)"));
    EXPECT_THAT(said_of("HTTP/1.1 302 F\r\nContent-Length: 1000\r\nLocation: /lie"),
                HasSubstr("redirects"));
    EXPECT_THAT(said_of("HTTP/1.1 302 F\r\nContent-Length: 1000\r\nLocation: ftp://h/lie"),
                HasSubstr("ftp"));
}

TEST_F(Remote, RedirectionsAreFollowed) {
    const std::string bytes = made_bytes(2500);
    server_.add("/there", bytes);
    server_.instead([&](const WebRequest& request) {
        return request.path == "/f" ? WebAnswer{"HTTP/1.1 302 Found\r\nContent-Length: "
                                                "3\r\nETag: \"other\"\r\nLocation: /there",
                                                "see"}
                                    : server_.usual(request);
    });
    const remote::FilesInstead own(quick());
    EXPECT_EQ(read_at(SourceFile(server_.url("/f")), 0, 2500), bytes);
}

TEST_F(Remote, SmallFilesNeedNoRanges) {
    server_.instead([](const WebRequest&) {
        return WebAnswer{"HTTP/1.1 200 Fine\r\nContent-Length: 6", "whole\n"};
    });
    const remote::FilesInstead own(quick());
    EXPECT_EQ(read_at(SourceFile(server_.url("/f")), 1, 4), "hole");
}

TEST_F(Remote, AnEmptyFileHasNoBytes) {
    server_.add("/f", "");
    const remote::FilesInstead own(quick());
    EXPECT_EQ(SourceFile(server_.url("/f")).size(), 0U);
}

TEST_F(Remote, AFileThatChangesMeanwhileIsRefused) {
    const std::string bytes = made_bytes(5000);
    for (const bool same_size : {true, false}) {
        server_.add("/f", bytes, "\"1\"");
        const remote::FilesInstead own(quick());
        const SourceFile file(server_.url("/f"));
        server_.add("/f", same_size ? bytes : bytes + "x", same_size ? "\"2\"" : "\"1\"");
        EXPECT_THAT(failure([&] { read_at(file, 3000, 5); }),
                    AllOf(HasSubstr("it changed on the server"),
                          HasSubstr(same_size ? "its version is \"2\"; it was \"1\""
                                              : "5001 bytes; it had 5000 before")));
        server_.add("/f", bytes.substr(0, 10), "\"1\"");
        EXPECT_THAT(failure([&] { read_at(file, 3000, 5); }), HasSubstr("it is shorter"));
    }
}

TEST_F(Remote, AfterAFailureTheServerIsAskedAnew) {
    const std::string bytes = made_bytes(5000);
    server_.add("/f", bytes);
    const remote::FilesInstead own(quick());
    const SourceFile file(server_.url("/f"));
    server_.instead([](const WebRequest&) { return WebAnswer{}; });
    EXPECT_THAT(failure([&] { read_at(file, 3000, 500); }), HasSubstr("asked 4 times"));
    server_.instead(nullptr);
    EXPECT_EQ(read_at(file, 3000, 500), bytes.substr(3000, 500));
}

TEST_F(Remote, NoOneThereIsTold) {
    std::string url;
    {
        const RangeServer gone;
        url = gone.url("/f");
    }
    const remote::FilesInstead own(quick());
    EXPECT_THAT(failure([&] { SourceFile file(url); }), HasSubstr("(asked 4 times)"));
}

TEST_F(Remote, UrlsThatAreNotReadAreRefusedWithoutTheirSecrets) {
    const auto refusal = [](const std::string& url) {
        return message_of([&] { open_dataset(url, {}); });
    };
    EXPECT_THAT(refusal("gs://b/x.tar"), HasSubstr("gs:// is not supported"));
    EXPECT_THAT(refusal("https://h/x"), HasSubstr("archives can be read (.tar, .parquet, .zip)"));
    EXPECT_THAT(refusal("https://h/x.tar?X-Amz-Signature=secret"),
                AllOf(HasSubstr("`?`"), Not(HasSubstr("secret"))));
    EXPECT_THAT(refusal("https://me:secret@h/x.tar"),
                AllOf(HasSubstr("~/.netrc"), Not(HasSubstr("secret"))));
    const Variable key("AWS_ACCESS_KEY_ID", nullptr), file("AWS_SHARED_CREDENTIALS_FILE", nullptr);
    EXPECT_THAT(refusal("s3://b/x.tar"), HasSubstr("no credentials for S3"));
    EXPECT_THAT(refusal("s3:///x.tar"), HasSubstr("s3://BUCKET/KEY"));
}

std::string field(const std::string& text, const std::string& name) {
    const std::size_t at = text.find(name + "=") + name.size() + 1;
    return text.substr(at, text.find_first_of(", ", at) - at);
}

/// The signature of a request that a server received, by Amazon's description of version 4.
std::string signature_of(const WebRequest& request, const std::string& secret,
                         const std::string& region) {
    const auto header = [&](const std::string& name) {
        const auto found = request.headers.find(name);
        return found == request.headers.end() ? std::string() : found->second;
    };
    const std::string signed_names = field(header("authorization"), "SignedHeaders");
    std::string canonical = request.method + "\n" + request.path + "\n\n";
    for (std::size_t at = 0; at < signed_names.size();) {
        const std::size_t end = std::min(signed_names.find(';', at), signed_names.size());
        const std::string name = signed_names.substr(at, end - at);
        canonical += name + ":" + header(name) + "\n";
        at = end + 1;
    }
    canonical += "\n" + signed_names + "\n" + header("x-amz-content-sha256");
    const std::string time = header("x-amz-date"), day = time.substr(0, 8);
    const std::string scope = day + "/" + region + "/s3/aws4_request";
    const std::string to_sign =
        "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + hex(sha256(canonical));
    std::string key = "AWS4" + secret;
    for (const std::string& part : {day, region, std::string("s3"), std::string("aws4_request")})
        key = hmac_sha256(key, part);
    return hex(hmac_sha256(key, to_sign));
}

TEST_F(Remote, RequestsToS3AreSigned) {
    // The example of FIPS 180-4, and the second example of RFC 4231.
    ASSERT_EQ(hex(sha256("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ASSERT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    const std::string bytes = made_bytes(2500);
    server_.add("/bucket/a%20b/x%2By%3D.tar", bytes);
    const std::string end_point = server_.url("");
    const Variable point("AWS_ENDPOINT_URL", end_point.c_str()), region("AWS_REGION", "eu-test-1"),
        key("AWS_ACCESS_KEY_ID", "AKID"), secret("AWS_SECRET_ACCESS_KEY", "s3cr/et");
    for (const char* token : {static_cast<const char*>(nullptr), "session/token=="}) {
        server_.forget_requests();
        const Variable session("AWS_SESSION_TOKEN", token);
        const remote::FilesInstead own(quick());
        EXPECT_EQ(read_at(SourceFile("s3://bucket/a b/x+y=.tar"), 0, 2500), bytes);
        const auto requests = server_.requests();
        ASSERT_EQ(requests.size(), 2U);
        for (const WebRequest& request : requests) {
            const std::string said = request.headers.at("authorization");
            EXPECT_EQ(request.headers.count("x-amz-security-token"), token != nullptr ? 1U : 0U);
            EXPECT_THAT(field(said, "SignedHeaders"),
                        token != nullptr ? HasSubstr("x-amz-security-token") : HasSubstr("host"));
            EXPECT_EQ(field(said, "Signature"), signature_of(request, "s3cr/et", "eu-test-1"));
            EXPECT_THAT(said, HasSubstr("Credential=AKID/"));
        }
    }
}

TEST_F(Remote, CredentialsAreThoseOfTheProfile) {
    const std::string bytes = made_bytes(500);
    server_.add("/bucket/x.tar", bytes);
    write_file_atomically(folder_ / "credentials",
                          "# mine\n[default]\naws_access_key_id=NOT\naws_secret_access_key=THIS\n"
                          "[work]\naws_access_key_id = ID\naws_secret_access_key = hidden\n");
    write_file_atomically(
        folder_ / "config",
        "[profile work]\nregion = eu-file-1\nendpoint_url = " + server_.url("") + "/\n");
    const Variable credentials("AWS_SHARED_CREDENTIALS_FILE", (folder_ / "credentials").c_str()),
        config("AWS_CONFIG_FILE", (folder_ / "config").c_str()), profile("AWS_PROFILE", "work"),
        key("AWS_ACCESS_KEY_ID", nullptr), point("AWS_ENDPOINT_URL", nullptr),
        region("AWS_REGION", nullptr), other_region("AWS_DEFAULT_REGION", nullptr);
    {
        const remote::FilesInstead own(quick());
        EXPECT_EQ(read_at(SourceFile("s3://bucket/x.tar"), 0, 500), bytes);
        const WebRequest request = server_.requests().at(0);
        EXPECT_EQ(field(request.headers.at("authorization"), "Signature"),
                  signature_of(request, "hidden", "eu-file-1"));
        // The error contains the server's reason for a refusal, but no secrets.
        server_.instead([](const WebRequest&) {
            return WebAnswer{"HTTP/1.1 403 No\r\nContent-Length: 31",
                             "<Code>AccessDenied</Code>......"};
        });
        EXPECT_THAT(failure([&] { SourceFile file("s3://bucket/y.tar"); }),
                    AllOf(HasSubstr("403 (AccessDenied)"), HasSubstr("credentials"),
                          Not(HasSubstr("hidden"))));
        server_.instead([](const WebRequest&) {
            return WebAnswer{
                "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nx-amz-bucket-region: ap-far-9", ""};
        });
        EXPECT_THAT(failure([&] { SourceFile file("s3://bucket/y.tar"); }),
                    HasSubstr("AWS_REGION=ap-far-9"));
        server_.instead(nullptr);
    }
    const Variable anonymous("ASSAY_S3_ANONYMOUS", "1");
    const remote::FilesInstead own(quick());
    SourceFile file("s3://bucket/x.tar");
    EXPECT_EQ(server_.requests().back().headers.count("authorization"), 0U);
}

class RemoteArchives : public Remote {
protected:
    RemoteArchives() {
        for (int t = 0; t < 2; ++t) {
            std::string tar;
            for (int i = 0; i < 20; ++i) {
                const std::string key = "i" + std::to_string(20 * t + i);
                tar += tar_member(key + ".png", made_bytes(3000, key));
                tar += tar_member(key + ".cls", std::to_string(i % 3));
            }
            const std::string name = "v-" + std::to_string(t) + ".tar";
            write_file_atomically(folder_ / name, tar + tar_end());
            server_.add("/d/" + name, tar + tar_end());
        }
    }
    Dataset open(const std::string& path) {
        return open_dataset(path, {.classes = ClassList({"a", "b", "c"}), .index_folder = index_});
    }
    static void expect_same(const Dataset& one, const Dataset& two) {
        ASSERT_EQ(one.size(), two.size());
        EXPECT_EQ(one.ids_fingerprint(), two.ids_fingerprint());
        EXPECT_EQ(one.labels.fingerprint(), two.labels.fingerprint());
        for (std::size_t i = 0; i < one.size(); ++i)
            EXPECT_EQ(one.read_image(i), two.read_image(i));
    }
    const std::filesystem::path index_ = folder_ / "index";
};

TEST_F(RemoteArchives, TarsAreThoseOfTheDiskAndTheirIndexIsKept) {
    const Dataset here = open((folder_ / "v-{0..1}.tar").string());
    const std::string url = server_.url("/d/v-{0..1}.tar");
    {
        const remote::FilesInstead own(quick());
        const Dataset there = open(url);
        EXPECT_EQ(there.root.string(), server_.url("/d"));
        EXPECT_EQ(there.name, "v");
        expect_same(there, here);
    }
    server_.forget_requests();
    {
        const remote::FilesInstead own(quick());
        const Dataset there = open(url);
        EXPECT_TRUE(server_.requests().empty());
        expect_same(there, here);
        EXPECT_FALSE(server_.requests().empty());
        EXPECT_EQ(there.archive->read("v-1.tar/i25.png", UINT64_MAX), here.read_image(25));
        // The archive is opened again, as for an existing store.
        Dataset again = there;
        again.archive = nullptr;
        again.archive = archive_of(again, index_);
        expect_same(again, here);
    }
    // A damaged index is written again.
    for (const auto& entry : std::filesystem::directory_iterator(index_)) {
        std::string text = read_text(entry.path());
        text[text.size() / 2] ^= 1;
        write_file_atomically(entry.path(), text);
    }
    server_.forget_requests();
    const remote::FilesInstead own(quick());
    expect_same(open(url), here);
    EXPECT_GT(server_.requests().size(), 4U);
}

TEST_F(RemoteArchives, AnIndexOfAnotherVersionIsNotBelieved) {
    const std::string url = server_.url("/d/v-0.tar");
    {
        const remote::FilesInstead own(quick());
        open(url);
    }
    const std::string other = made_bytes(read_text(folder_ / "v-0.tar").size());
    server_.add("/d/v-0.tar", other, "\"2\"");
    const remote::FilesInstead own(quick());
    const Dataset there = open(url);  // no request was sent
    EXPECT_THAT(failure([&] { there.read_image(3); }),
                AllOf(HasSubstr("i3.png in http://"), HasSubstr("it changed on the server")));
}

TEST_F(RemoteArchives, ZipsAreThoseOfTheDisk) {
    ZipWriter zip;
    for (int i = 0; i < 9; ++i)
        zip.add((i % 2 == 0 ? "a/" : "b/") + std::to_string(i) + ".png", made_bytes(2000));
    write_file_atomically(folder_ / "z.zip", zip.bytes());
    server_.add("/z.zip", read_text(folder_ / "z.zip"));
    const remote::FilesInstead own(quick());
    expect_same(open(server_.url("/z.zip")), open((folder_ / "z.zip").string()));
}

TEST_F(RemoteArchives, CompressedTarsAreRefusedWithWhatToDo) {
    server_.add("/d/v.tar.gz", "\x1f\x8b" + made_bytes(2000));
    const remote::FilesInstead own(quick());
    EXPECT_THAT(message_of([&] { open(server_.url("/d/v.tar.gz")); }),
                HasSubstr("so download and unpack it first: gunzip -k v.tar.gz"));
}

}  // namespace
}  // namespace assay
