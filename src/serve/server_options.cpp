#include "serve/server_options.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "serve/http.h"

namespace assay::serve {

ServerOptions checked_options(ServerOptions options) {
    constexpr std::size_t most = 100'000;
    if (options.connections < 1 || options.connections > most)
        throw Error(ErrorCode::usage,
                    fmt::format("{} connections; allowed: 1 to {}", options.connections, most));
    options.host = plain_host(options.host);
    if (!options.warn) options.warn = [](std::string_view) {};
    return options;
}

}  // namespace assay::serve
