#include "study/secret.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "assay/error.h"

namespace assay::study {

std::string new_secret() {
    // The characters encode 5 bits each. Characters that look alike are excluded.
    constexpr std::string_view alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
    static_assert(alphabet.size() == 32);
    std::array<unsigned char, 32> random{};
    std::size_t got = 0;
    while (got < random.size()) {
        const ssize_t more = ::getrandom(random.data() + got, random.size() - got, 0);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0)
            throw Error(ErrorCode::io, std::string("the system returns no random numbers: ") +
                                           std::strerror(errno));
        got += static_cast<std::size_t>(more);
    }
    std::string secret;
    for (const unsigned char byte : random) secret += alphabet[byte % alphabet.size()];
    return secret;
}

bool same_secret(std::string_view one, std::string_view two) {
    if (one.size() != two.size()) return false;
    // The variable is volatile, because otherwise the compiler could stop at the first difference.
    volatile unsigned char difference = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        difference = static_cast<unsigned char>(
            difference | (static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(two[i])));
    return difference == 0;
}

}  // namespace assay::study
