#include "containers/parquet/lz4.h"

#include <cstdint>
#include <cstring>

#include "core/refuse.h"

namespace assay::parquet {
namespace {

[[noreturn]] void refuse_lz4() {
    refuse("its lz4 data are damaged, or longer than it claims");
}

/// A block is a sequence of literal bytes and of copies of earlier output.
class Lz4Block {
public:
    Lz4Block(std::span<const std::byte> packed, std::span<std::byte> out, std::size_t made)
        : packed_(packed), out_(out), made_(made) {}

    std::size_t unpack() {
        for (;;) {
            const std::size_t token = byte();
            literals(length(token >> 4));
            // The last sequence has only literals.
            if (in_ == packed_.size()) return made_;
            std::size_t distance = byte();
            distance |= byte() << 8;
            copy(distance, length(token & 15) + 4);
        }
    }

private:
    std::size_t byte() {
        if (in_ == packed_.size()) refuse_lz4();
        return std::to_integer<std::size_t>(packed_[in_++]);
    }

    /// 15 means that more bytes follow, to be added up to and including the first that is not 255.
    std::size_t length(std::size_t begin) {
        if (begin < 15) return begin;
        for (;;) {
            const std::size_t more = byte();
            begin += more;
            if (more < 255) return begin;
        }
    }

    void literals(std::size_t size) {
        if (size > packed_.size() - in_ || size > out_.size() - made_) refuse_lz4();
        if (size > 0) std::memcpy(&out_[made_], &packed_[in_], size);
        in_ += size;
        made_ += size;
    }

    /// A copy may be longer than its distance. It then repeats its own output.
    void copy(std::size_t distance, std::size_t size) {
        if (distance == 0 || distance > made_ || size > out_.size() - made_) refuse_lz4();
        for (std::size_t i = 0; i < size; ++i, ++made_) out_[made_] = out_[made_ - distance];
    }

    std::span<const std::byte> packed_;
    std::span<std::byte> out_;
    std::size_t in_ = 0, made_;
};

}  // namespace

std::size_t unpack_lz4(std::span<const std::byte> packed, std::span<std::byte> out,
                       std::size_t made) {
    return Lz4Block(packed, out, made).unpack();
}

}  // namespace assay::parquet
