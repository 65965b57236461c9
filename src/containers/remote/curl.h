// Opens libcurl on first use, because loading its 30 libraries would add 9 ms to every start.
#pragma once

#include <curl/curl.h>

#include <string>

namespace assay::remote {

/// libcurl's functions under their own names, without "curl_".
struct Curl {
    CURL* (*easy_init)();
    void (*easy_reset)(CURL*);
    void (*easy_cleanup)(CURL*);
    CURLcode (*easy_setopt)(CURL*, CURLoption, ...);
    CURLcode (*easy_perform)(CURL*);
    CURLcode (*easy_getinfo)(CURL*, CURLINFO, ...);
    const char* (*easy_strerror)(CURLcode);
    curl_slist* (*slist_append)(curl_slist*, const char*);
    void (*slist_free_all)(curl_slist*);
    unsigned version;    ///< for example 0x075801 for 7.88.1
    std::string called;  ///< "libcurl/7.88.1 OpenSSL/3.0.19"
};

/// Throws usage if libcurl is missing or older than 7.87.
const Curl& curl();

/// A connection that the next request reuses.
class Connection {
public:
    Connection();
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    CURL* get() const noexcept { return handle_; }

private:
    CURL* handle_;
};

}  // namespace assay::remote
