#include "core/hash.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "assay/error.h"
#include "core/descriptor.h"
#include "core/parallel.h"

namespace assay {
namespace {

std::string written(XXH128_hash_t hash) {
    return fmt::format("xxh128:{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

struct Hasher::State {
    XXH3_state_t* xxh = XXH3_createState();
    State() { XXH3_128bits_reset(xxh); }
    ~State() { XXH3_freeState(xxh); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::add(std::span<const std::byte> bytes) {
    XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}
void Hasher::add(std::string_view text) {
    XXH3_128bits_update(state_->xxh, text.data(), text.size());
}

void Hasher::add_field(std::string_view text) {
    const std::uint64_t length = text.size();
    XXH3_128bits_update(state_->xxh, &length, sizeof length);
    add(text);
}

std::string Hasher::digest() const {
    return written(XXH3_128bits_digest(state_->xxh));
}

std::string hash_bytes(std::span<const std::byte> bytes) {
    return written(XXH3_128bits(bytes.data(), bytes.size()));
}
std::string hash_text(std::string_view text) {
    return written(XXH3_128bits(text.data(), text.size()));
}

std::string hash_file(const std::filesystem::path& path) {
    const Descriptor descriptor(open_regular(path).first);
    Hasher hasher;
    std::vector<std::byte> buffer(1 << 20);
    for (;;) {
        throw_if_stopped();  // a file may have many gigabytes, or be on a slow disk
        const ssize_t got = ::read(descriptor.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("cannot read `{}`: {}", path.string(), std::strerror(errno)));
        }
        if (got == 0) break;
        hasher.add(std::span<const std::byte>(buffer.data(), static_cast<std::size_t>(got)));
    }
    return hasher.digest();
}

}  // namespace assay
