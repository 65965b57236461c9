#include "containers/inflated_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay {
namespace {

constexpr std::uint64_t unpacked_page = 1U << 20;
constexpr std::size_t deflate_window = 1U << 15;
constexpr std::size_t most_entrances = 256;
constexpr std::size_t most_unpacked_pages = 32;

int zlib_window_bits(DeflateWrap wrap) {
    switch (wrap) {
        case DeflateWrap::none:
            return -15;
        case DeflateWrap::zlib:
            return 15;
        case DeflateWrap::gzip:
            break;
    }
    return 31;
}

}  // namespace

SourcePart::SourcePart(std::shared_ptr<const ByteSource> whole, std::uint64_t begin,
                       std::uint64_t size)
    : whole_(std::move(whole)), begin_(begin), size_(size) {
    if (begin > whole_->size() || size > whole_->size() - begin)
        refuse(fmt::format("it ends at byte {}; {} bytes from byte {} are needed", whole_->size(),
                           size, begin));
}

void SourcePart::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset > size_ || out.size() > size_ - offset)
        refuse(fmt::format("it ends at byte {}; bytes up to {} are needed", size_,
                           offset + out.size()));
    whole_->read(begin_ + offset, out);
}

/// A position between two deflate blocks, at which unpacking can start.
struct InflatedSource::Entrance {
    std::uint64_t out = 0, in = 0;
    int bits = 0;                     ///< bits of the byte before `in` that belong to the following
                                      ///< data
    std::byte before{};               ///< that byte
    std::vector<std::byte> window{};  ///< the most recently unpacked bytes
};

/// A pass through the packed bytes.
class InflatedSource::Inflater {
public:
    Inflater(const ByteSource& packed, DeflateWrap wrap) : packed_(packed) {
        start(zlib_window_bits(wrap));
    }
    /// Continues from an entrance that is not the beginning.
    Inflater(const ByteSource& packed, const Entrance& from)
        : packed_(packed), read_(from.in), out_(from.out) {
        start(zlib_window_bits(DeflateWrap::none));
        const auto* window = reinterpret_cast<const Bytef*>(from.window.data());
        const int before = std::to_integer<int>(from.before);
        if ((from.bits > 0 &&
             inflatePrime(&stream_, from.bits, before >> (8 - from.bits)) != Z_OK) ||
            inflateSetDictionary(&stream_, window, static_cast<uInt>(from.window.size())) != Z_OK)
            throw Error(ErrorCode::internal, "zlib cannot resume at a stored position");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Unpacks up to out.size() bytes. Returns fewer at the end and, with `stop_between_blocks`,
    /// when a deflate block ends. Throws bad_input: damaged, truncated.
    std::size_t fill(std::span<std::byte> out, bool stop_between_blocks = false) {
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = static_cast<uInt>(out.size());
        between_ = false;
        while (stream_.avail_out > 0 && !ended_ && !between_) {
            if (stream_.avail_in == 0) refill();
            const int status = inflate(&stream_, stop_between_blocks ? Z_BLOCK : Z_NO_FLUSH);
            if (status == Z_STREAM_END) {
                ended_ = true;
            } else if (status == Z_BUF_ERROR && stream_.avail_in == 0) {
                // zlib may still hold bits of the last byte.
                refuse(fmt::format("it is cut off after {} packed bytes", packed_.size()));
            } else if (status != Z_OK) {
                refuse(fmt::format("it is damaged after {} unpacked bytes: {}",
                                   out_ + out.size() - stream_.avail_out,
                                   stream_.msg != nullptr ? stream_.msg : "zlib stops here"));
            }
            constexpr int block_ended = 128, last_block = 64;
            between_ = stop_between_blocks && (stream_.data_type & block_ended) != 0 &&
                       (stream_.data_type & last_block) == 0;
        }
        const std::size_t made = out.size() - stream_.avail_out;
        out_ += made;
        return made;
    }
    bool ended() const { return ended_; }
    bool between_blocks() const { return between_; }
    std::uint64_t out() const { return out_; }
    /// The number of packed bytes consumed.
    std::uint64_t in() const { return read_ - stream_.avail_in; }

    Entrance entrance() {
        constexpr int unused_bits = 7;
        Entrance made{.out = out_, .in = in(), .bits = stream_.data_type & unused_bits};
        if (made.bits > 0) packed_.read(made.in - 1, std::span(&made.before, 1));
        made.window.resize(deflate_window);
        auto length = static_cast<uInt>(deflate_window);
        if (inflateGetDictionary(&stream_, reinterpret_cast<Bytef*>(made.window.data()), &length) !=
            Z_OK)
            throw Error(ErrorCode::internal, "zlib does not return its window");
        made.window.resize(length);
        made.window.shrink_to_fit();
        return made;
    }

private:
    void start(int bits) {
        if (inflateInit2(&stream_, bits) != Z_OK)
            throw Error(ErrorCode::out_of_memory, "not enough memory to decompress deflate");
    }
    void refill() {
        const std::uint64_t left = packed_.size() - std::min(read_, packed_.size());
        const auto next = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_.size()));
        packed_.read(read_, std::span(buffer_).first(next));
        read_ += next;
        stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        stream_.avail_in = static_cast<uInt>(next);
    }

    const ByteSource& packed_;
    z_stream stream_{};
    std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{1} << 16);
    std::uint64_t read_ = 0, out_ = 0;
    bool ended_ = false, between_ = false;
};

std::vector<std::byte> InflatedSource::beginning(const ByteSource& packed, DeflateWrap wrap,
                                                 std::size_t most) {
    std::vector<std::byte> out(most);
    Inflater inflater(packed, wrap);
    out.resize(inflater.fill(out));
    return out;
}

InflatedSource::InflatedSource(std::shared_ptr<const ByteSource> packed, DeflateWrap wrap,
                               std::uint64_t most)
    : packed_(std::move(packed)), wrap_(wrap) {
    Inflater inflater(*packed_, wrap_);
    std::vector<std::byte> piece(unpacked_page);
    uLong crc = crc32_z(0, nullptr, 0);
    std::uint64_t apart = unpacked_page;
    entrances_.emplace_back();
    while (!inflater.ended()) {
        throw_if_stopped();
        const std::size_t made = inflater.fill(piece, true);
        crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), made);
        if (inflater.out() > most)
            refuse(
                fmt::format("it decompresses to more than the {} bytes that are possible", most));
        if (!inflater.between_blocks() || inflater.out() < entrances_.back().out + apart) continue;
        entrances_.push_back(inflater.entrance());
        if (entrances_.size() <= most_entrances) continue;
        apart *= 2;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < entrances_.size(); i += 2)
            std::swap(entrances_[kept++], entrances_[i]);
        entrances_.resize(kept);
    }
    if (inflater.in() != packed_->size())
        refuse(
            fmt::format("{} bytes follow its compressed data: decompress it and pass the new file",
                        packed_->size() - inflater.in()));
    size_ = inflater.out();
    crc_ = static_cast<std::uint32_t>(crc);
}

InflatedSource::~InflatedSource() = default;

void InflatedSource::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset > size_ || out.size() > size_ - offset)
        refuse(fmt::format("it ends at byte {}; bytes up to {} are needed", size_,
                           offset + out.size()));
    for (std::size_t done = 0; done < out.size();) {
        const std::uint64_t at = offset + done;
        const Page held = page(at / unpacked_page);
        const auto begin = static_cast<std::size_t>(at % unpacked_page);
        const std::size_t n = std::min(out.size() - done, held->size() - begin);
        std::copy_n(held->begin() + static_cast<std::ptrdiff_t>(begin), n,
                    out.begin() + static_cast<std::ptrdiff_t>(done));
        done += n;
    }
}

void InflatedSource::forget() const {
    const std::lock_guard lock(mutex_);
    inflater_.reset();
    kept_.clear();
}

/// Moves `inflater_` to the beginning of the wanted page or of an earlier page.
void InflatedSource::begin_before(std::uint64_t wanted) const {
    const std::uint64_t begin = wanted * unpacked_page;
    const auto after = std::ranges::upper_bound(entrances_, begin, {}, &Entrance::out);
    const Entrance& from = *std::prev(after);
    if (inflater_ != nullptr && next_ <= wanted && next_ * unpacked_page >= from.out) return;
    inflater_ = from.out == 0 ? std::make_unique<Inflater>(*packed_, wrap_)
                              : std::make_unique<Inflater>(*packed_, from);
    next_ = (from.out + unpacked_page - 1) / unpacked_page;
    std::vector<std::byte> unused(static_cast<std::size_t>(next_ * unpacked_page - from.out));
    inflater_->fill(unused);
}

InflatedSource::Page InflatedSource::page(std::uint64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(kept_, number, &std::pair<std::uint64_t, Page>::first);
    if (found != kept_.end()) return found->second;
    try {
        begin_before(number);
        for (; next_ <= number; ++next_) {
            throw_if_stopped();
            auto made = std::make_shared<std::vector<std::byte>>(
                static_cast<std::size_t>(std::min(unpacked_page, size_ - next_ * unpacked_page)));
            if (inflater_->fill(*made) != made->size()) refuse("it became shorter");
            kept_.emplace_back(next_, std::move(made));
            if (kept_.size() > most_unpacked_pages) kept_.pop_front();
        }
    } catch (...) {
        inflater_.reset();  // its position is no longer known
        throw;
    }
    return kept_.back().second;
}

}  // namespace assay
