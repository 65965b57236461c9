#include "containers/remote/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "assay/error.h"
#include "assay/version.h"
#include "core/text.h"

namespace assay::remote {
namespace {

using Clock = std::chrono::steady_clock;

/// True if a later try may succeed.
[[noreturn]] void fail(std::string message) {
    throw Error(ErrorCode::unreachable, std::move(message));
}

/// The fault of a response, and whether a retry may help.
struct Fault {
    std::string what;
    bool passes = false;
    std::chrono::milliseconds wait{0};  ///< the wait that the server asks for
};

struct ContentRange {
    std::uint64_t first = 0, last = 0, total = 0;
    bool none = false;  ///< "bytes */TOTAL"
};

std::optional<ContentRange> parse_content_range(std::string_view text) {
    ContentRange range;
    if (!text.starts_with("bytes ")) return std::nullopt;
    text = trimmed(text.substr(6));
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || !parse_number(text.substr(slash + 1), range.total))
        return std::nullopt;
    const std::string_view bytes = text.substr(0, slash);
    const std::size_t dash = bytes.find('-');
    range.none = bytes == "*";
    if (range.none) return range;
    if (dash == std::string_view::npos || !parse_number(bytes.substr(0, dash), range.first) ||
        !parse_number(bytes.substr(dash + 1), range.last))
        return std::nullopt;
    return range;
}

/// One response, while it arrives.
struct Answer {
    std::uint64_t wanted = 0;
    std::vector<std::byte> bytes;
    std::string said;  ///< the beginning of a response that is not a range
    long status = 0;
    std::string etag, changed, region, encoding;
    std::optional<ContentRange> range;
    bool range_unreadable = false;
    std::optional<std::uint64_t> length;
    std::chrono::milliseconds retry_after{0};
    bool too_long = false;

    std::chrono::milliseconds silence{0};
    Clock::time_point last_byte;
    curl_off_t seen = 0;
    const std::function<bool()>* cancelled = nullptr;
    bool was_cancelled = false, was_silent = false;

    void begin() {
        status = 0;
        etag.clear();
        changed.clear();
        region.clear();
        encoding.clear();
        said.clear();
        bytes.clear();
        range.reset();
        length.reset();
        range_unreadable = false;
        retry_after = {};
    }

    void take_header(std::string_view line) {
        if (line.starts_with("HTTP/")) {  // headers of the last response, after redirections
            begin();
            std::uint64_t number = 0;
            const std::size_t blank = line.find(' ');
            if (blank != std::string_view::npos && parse_number(line.substr(blank + 1, 3), number))
                status = static_cast<long>(number);
            return;
        }
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return;
        std::string name(line.substr(0, colon));
        std::transform(name.begin(), name.end(), name.begin(), lower);
        const std::string_view value = trimmed(line.substr(colon + 1));
        std::uint64_t number = 0;
        if (name == "etag") etag = value;
        if (name == "last-modified") changed = value;
        if (name == "x-amz-bucket-region") region = shortened(value);
        if (name == "content-encoding") encoding = value;
        if (name == "content-length" && parse_number(value, number)) length = number;
        if (name == "content-range") {
            range = parse_content_range(value);
            range_unreadable = !range;
        }
        constexpr std::uint64_t most_seconds = 60;
        if (name == "retry-after" && parse_number(value, number))
            retry_after = std::chrono::seconds(std::min(number, most_seconds));
    }

    bool take(std::string_view more) {
        if (status != 206 && status != 200) {
            constexpr std::size_t most_said = 4096;
            said += more.substr(0, most_said - std::min(said.size(), most_said));
            return true;
        }
        if (bytes.size() + more.size() > wanted) {
            too_long = true;
            return false;
        }
        const auto* begin = reinterpret_cast<const std::byte*>(more.data());
        bytes.insert(bytes.end(), begin, begin + more.size());
        return true;
    }

    /// Returns whether the request should continue.
    bool look(curl_off_t received) {
        if ((*cancelled)()) was_cancelled = true;
        const Clock::time_point now = Clock::now();
        if (received != seen) {
            seen = received;
            last_byte = now;
        }
        if (now - last_byte > silence) was_silent = true;
        return !was_cancelled && !was_silent;
    }
};

std::size_t on_header(const char* data, std::size_t, std::size_t size, void* to) {
    static_cast<Answer*>(to)->take_header(trimmed(std::string_view(data, size)));
    return size;
}
std::size_t on_bytes(const char* data, std::size_t, std::size_t size, void* to) {
    try {
        return static_cast<Answer*>(to)->take(std::string_view(data, size)) ? size : 0;
    } catch (const std::bad_alloc&) {
        return 0;
    }
}
int on_progress(void* to, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
    return static_cast<Answer*>(to)->look(received) ? 0 : 1;
}

/// The <Code> of an S3 error, or "".
std::string s3_code(std::string_view said) {
    const std::size_t begin = said.find("<Code>");
    const std::size_t end = said.find("</Code>");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    return shortened(said.substr(begin + 6, end - begin - 6));
}

Fault fault_of_status(const Place& place, const Answer& answer) {
    std::string what = fmt::format("the server answers {}", answer.status);
    if (const std::string code = s3_code(answer.said); !code.empty())
        what += fmt::format(" ({})", code);
    switch (answer.status) {
        case 408:
        case 429:
        case 500:
        case 502:
        case 503:
        case 504:
            return {what, true, answer.retry_after};
        case 404:
        case 410:
            return {what + ": there is no such file"};
        case 401:
        case 403:
            if (place.s3) {
                what += place.signature.empty()
                            ? ": the object is not public"
                            : ": these credentials may not read it, or have expired";
            } else if (place.url.starts_with("https://huggingface.co/")) {
                what += ": a gated data set needs HF_TOKEN";
            } else {
                what += ": it needs a password (~/.netrc)";
            }
            return {what};
        default:
            break;
    }
    if (place.s3 && !answer.region.empty())
        what += fmt::format(": the bucket is in another region: AWS_REGION={}", answer.region);
    return {what};
}

std::optional<Fault> fault_of_transfer(CURLcode code, const Answer& answer, const char* detail) {
    if (code == CURLE_OK) return std::nullopt;
    if (answer.was_silent)
        return Fault{fmt::format("no data for {} ms", answer.silence.count()), true};
    if (answer.too_long) return Fault{"the answer is longer than requested"};
    const std::string why = detail[0] != '\0' ? shortened(detail, 200) : curl().easy_strerror(code);
    switch (code) {
        case CURLE_UNSUPPORTED_PROTOCOL:  // also a redirection from https to http
        case CURLE_TOO_MANY_REDIRECTS:
        case CURLE_URL_MALFORMAT:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_NOT_BUILT_IN:
        case CURLE_UNKNOWN_OPTION:
            return Fault{why};
        default:
            return Fault{why, true};
    }
}

/// Checks a complete response.
std::optional<Fault> fault_of_answer(const Place& place, std::uint64_t first, std::uint64_t count,
                                     const std::optional<Version>& known, const Answer& answer,
                                     Version& version) {
    version.tag = !answer.etag.empty() ? answer.etag : answer.changed;
    const auto changed = [&](std::string_view what) {
        return Fault{fmt::format("it changed on the server since it was first read ({})", what)};
    };
    if (answer.status == 416) {
        const bool empty = answer.range && answer.range->none && answer.range->total == 0;
        if (known) return changed("it is shorter");
        if (first == 0 && empty) return std::nullopt;
        return Fault{"the server says 416: it has no such bytes"};
    }
    const bool whole = answer.status == 200;
    if (whole && (first != 0 || !answer.length || *answer.length > count)) {
        return Fault{
            "the server does not support byte ranges (it answers 200, not 206): download the file"};
    }
    if (answer.status != 206 && !whole) return fault_of_status(place, answer);
    if (!answer.encoding.empty() && answer.encoding != "identity") {
        return Fault{
            fmt::format("the server compresses what it sends ({}), so byte positions are unknown",
                        shortened(answer.encoding))};
    }
    std::uint64_t expected = 0;
    if (whole) {
        version.size = expected = *answer.length;
    } else {
        if (!answer.range || answer.range->none) {
            return Fault{answer.range_unreadable ? "its Content-Range cannot be read"
                                                 : "an answer 206 without a Content-Range"};
        }
        const ContentRange& range = *answer.range;
        version.size = range.total;
        if (known && range.total != known->size)
            return changed(fmt::format("{} bytes; it had {} before", range.total, known->size));
        if (range.first != first || range.last < first || range.last >= range.total ||
            range.last - first != std::min(count, range.total - first) - 1) {
            return Fault{fmt::format("the server answers with bytes {}-{} of {}", range.first,
                                     range.last, range.total)};
        }
        expected = range.last - range.first + 1;
    }
    if (known && version.tag != known->tag)
        return changed(fmt::format("its version is {}; it was {} before", shortened(version.tag),
                                   shortened(known->tag)));
    if (answer.bytes.size() != expected) {
        return Fault{
            fmt::format("{} bytes arrived, but {} were announced", answer.bytes.size(), expected),
            true};
    }
    return std::nullopt;
}

struct FreeList {
    void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};

using Headers = std::unique_ptr<curl_slist, FreeList>;

void add_header(Headers& headers, const std::string& line) {
    curl_slist* longer = curl().slist_append(headers.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    (void)headers.release();  // now owned by the longer list
    headers.reset(longer);
}

/// One request.
std::optional<Fault> ask(const Connection& connection, const Place& place, std::uint64_t first,
                         std::uint64_t count, const std::optional<Version>& known,
                         const Patience& patience, Answer& answer, Version& version) {
    const Curl& c = curl();
    CURL* handle = connection.get();
    c.easy_reset(handle);  // connections stay
    const auto set = [&](CURLoption option, auto value) {
        const CURLcode code = c.easy_setopt(handle, option, value);
        if (code != CURLE_OK)
            fail(fmt::format("{} lacks a feature that is needed: {}", c.called,
                             c.easy_strerror(code)));
    };
    char detail[CURL_ERROR_SIZE] = "";
    const std::string range = fmt::format("{}-{}", first, first + count - 1);
    const std::string agent = fmt::format("assay/{}", assay::version);
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(detail));
    set(CURLOPT_URL, place.url.c_str());
    set(CURLOPT_RANGE, range.c_str());
    set(CURLOPT_USERAGENT, agent.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, place.url.starts_with("https:") ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, place.s3 ? 0L : 1L);  // a signature is valid for one host
    set(CURLOPT_MAXREDIRS, 5L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(patience.connecting.count()));
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&answer));
    set(CURLOPT_WRITEFUNCTION, &on_bytes);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&answer));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &on_progress);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(&answer));
    Headers headers;
    if (!place.signature.empty()) {
        set(CURLOPT_AWS_SIGV4, place.signature.c_str());
        set(CURLOPT_USERPWD, place.credentials.c_str());
        // S3 requires the hash of the body, which is empty here, and libcurl before 8 does not send
        // it.
        add_header(headers,
                   "x-amz-content-sha256: "
                   "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        if (!place.session_token.empty())
            add_header(headers, "x-amz-security-token: " + place.session_token);
        set(CURLOPT_HTTPHEADER, headers.get());
    } else if (!place.bearer_token.empty()) {
        set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BEARER));
        set(CURLOPT_XOAUTH2_BEARER, place.bearer_token.c_str());
    } else if (!place.s3) {
        set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    }
    answer.wanted = count;
    answer.silence = patience.silence;
    answer.last_byte = Clock::now();
    const CURLcode code = c.easy_perform(handle);
    if (answer.was_cancelled) throw Error(ErrorCode::interrupted, "interrupted");
    // A server that ignores ranges may have started to send a whole large file.
    if (answer.too_long && answer.status == 200)
        answer.too_long = false;
    else if (auto fault = fault_of_transfer(code, answer, detail))
        return fault;
    return fault_of_answer(place, first, count, known, answer, version);
}

/// Waits, unless the request is cancelled.
void pause(std::chrono::milliseconds time, const std::function<bool()>& cancelled) {
    constexpr std::chrono::milliseconds step{50};
    for (const Clock::time_point end = Clock::now() + time; Clock::now() < end;) {
        if (cancelled()) throw Error(ErrorCode::interrupted, "interrupted");
        std::this_thread::sleep_for(
            std::min<Clock::duration>(step, end - Clock::now() + std::chrono::milliseconds(1)));
    }
}

/// Adds up to half the time at random, so that many processes do not retry at the same moment.
std::chrono::milliseconds with_chance(std::chrono::milliseconds time) {
    thread_local std::minstd_rand chance(std::random_device{}());
    return time + time * (chance() % 512) / 1024;
}

}  // namespace

Range get_range(const Connection& connection, const Place& place, std::uint64_t first,
                std::uint64_t count, const std::optional<Version>& known, const Patience& patience,
                const std::function<bool()>& cancelled) {
    std::chrono::milliseconds between = patience.first_pause;
    for (int tries = 1;; ++tries) {
        Answer answer;
        answer.cancelled = &cancelled;
        answer.bytes.reserve(count);
        Version version;
        const std::optional<Fault> fault =
            ask(connection, place, first, count, known, patience, answer, version);
        if (!fault) return {std::move(answer.bytes), std::move(version)};
        if (!fault->passes || tries >= patience.tries) {
            fail(fmt::format("bytes {} to {}: {}{}", first, first + count - 1, fault->what,
                             tries > 1 ? fmt::format(" (asked {} times)", tries) : ""));
        }
        pause(std::max(with_chance(between), fault->wait), cancelled);
        between = std::min(between * 2, patience.longest_pause);
    }
}

}  // namespace assay::remote
