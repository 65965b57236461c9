#include "containers/remote/curl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <new>

#include "assay/error.h"

namespace assay::remote {
namespace {

template <class Function>
void take(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr)
        throw Error(ErrorCode::usage, fmt::format("this libcurl has no `{}`", name));
}

Curl open_curl() {
    void* library = nullptr;
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr) break;
    }
    if (library == nullptr) {
        throw Error(ErrorCode::usage,
                    "reading https:// and s3:// needs libcurl, which is not installed (Debian and "
                    "Ubuntu: apt install libcurl4)");
    }
    Curl out{};
    decltype(&curl_global_init) global_init = nullptr;
    decltype(&curl_version_info) version_info = nullptr;
    take(library, "curl_global_init", global_init);
    take(library, "curl_version_info", version_info);
    take(library, "curl_easy_init", out.easy_init);
    take(library, "curl_easy_reset", out.easy_reset);
    take(library, "curl_easy_cleanup", out.easy_cleanup);
    take(library, "curl_easy_setopt", out.easy_setopt);
    take(library, "curl_easy_perform", out.easy_perform);
    take(library, "curl_easy_getinfo", out.easy_getinfo);
    take(library, "curl_easy_strerror", out.easy_strerror);
    take(library, "curl_slist_append", out.slist_append);
    take(library, "curl_slist_free_all", out.slist_free_all);
    if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        throw Error(ErrorCode::io, "libcurl cannot be initialized");
    const curl_version_info_data* info = version_info(CURLVERSION_NOW);
    out.version = info->version_num;
    out.called = fmt::format("libcurl/{} {}", info->version,
                             info->ssl_version != nullptr ? info->ssl_version : "without TLS");
    constexpr unsigned first_that_signs_headers = 0x075700;
    if (out.version < first_that_signs_headers) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} is too old to read https:// and s3://; install 7.87 or newer",
                                out.called));
    }
    return out;
}

}  // namespace

const Curl& curl() {
    // The object is never destroyed, because download threads may outlive all other objects.
    static const Curl& opened = *new Curl(open_curl());
    return opened;
}

Connection::Connection() : handle_(curl().easy_init()) {
    if (handle_ == nullptr) throw std::bad_alloc();
}

Connection::~Connection() {
    curl().easy_cleanup(handle_);
}

}  // namespace assay::remote
