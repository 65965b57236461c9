// Reads at any position of compressed data.
#include "containers/inflated_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <atomic>
#include <random>
#include <thread>

#include "deflated.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

/// A source that owns its bytes.
class Held final : public ByteSource {
public:
    explicit Held(std::string bytes) : bytes_(std::move(bytes)) {}
    std::uint64_t size() const noexcept override { return bytes_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
        MemorySource(std::as_bytes(std::span(bytes_))).read(offset, out);
    }

private:
    std::string bytes_;
};

/// Some bits of each byte are random, so that there are many blocks, and matches are far apart.
std::string bytes_with_chance(std::size_t size) {
    std::mt19937 random(7);
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        text[i] =
            static_cast<char>(i > 20'000 && random() % 4 != 0 ? text[i - 20'000] : random() % 64);
    return text;
}

std::string read_part(const ByteSource& source, std::uint64_t at, std::size_t size) {
    std::string text(size, '\0');
    source.read(at, std::as_writable_bytes(std::span(text)));
    return text;
}

TEST(InflatedSource, ReadsAnyPlaceFromManyThreads) {
    constexpr std::size_t size = 9'500'000;
    const std::string text = bytes_with_chance(size);
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
    for (const auto& [wrap, bits] :
         {std::pair(DeflateWrap::none, -15), std::pair(DeflateWrap::zlib, 15),
          std::pair(DeflateWrap::gzip, 31)}) {
        const auto packed = std::make_shared<const Held>(deflated(text, bits, 1));
        const InflatedSource source(packed, wrap, size);
        EXPECT_EQ(source.size(), size);
        EXPECT_EQ(source.crc(), crc);
        EXPECT_EQ(read_part(source, 0, 100), text.substr(0, 100));
        EXPECT_EQ(read_part(source, size - 100, 100), text.substr(size - 100));
        EXPECT_EQ(read_part(source, 1'000'000, 3'000'000), text.substr(1'000'000, 3'000'000));
        EXPECT_EQ(read_part(source, size, 0), "");
        EXPECT_THAT(message_of([&] { read_part(source, size - 1, 2); }), HasSubstr("it ends at"));
        std::atomic<int> wrong = 0;
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                std::mt19937 random(t);
                for (int i = 0; i < 40; ++i) {
                    const std::size_t at = random() % (size - 5000);
                    wrong += read_part(source, at, 5000) != text.substr(at, 5000) ? 1 : 0;
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(InflatedSource::beginning(*packed, wrap, 50).size(), 50U);
    }
}

TEST(InflatedSource, RefusesWhatIsDamagedCutOrTooLong) {
    const std::string text = bytes_with_chance(100'000);
    const auto opened = [](std::string packed, DeflateWrap wrap, std::uint64_t most) {
        return InflatedSource(std::make_shared<const Held>(std::move(packed)), wrap, most).size();
    };
    const std::string gzip = deflated(text, 31, 6), raw = deflated(text, -15, 6);
    EXPECT_EQ(opened(gzip, DeflateWrap::gzip, text.size()), text.size());
    const auto refused = [&](std::string packed, DeflateWrap wrap, std::uint64_t most) {
        return message_of([&] { opened(std::move(packed), wrap, most); });
    };
    EXPECT_THAT(refused(gzip.substr(0, 500), DeflateWrap::gzip, 200'000), HasSubstr("cut off"));
    EXPECT_THAT(refused("", DeflateWrap::gzip, 200'000), HasSubstr("cut off"));
    EXPECT_THAT(refused(raw, DeflateWrap::none, text.size() - 1), HasSubstr("more than the 99999"));
    EXPECT_THAT(refused(raw + "x", DeflateWrap::none, text.size()), HasSubstr("1 bytes follow"));
    EXPECT_THAT(refused(raw, DeflateWrap::gzip, text.size()), HasSubstr("damaged"));
    std::string damaged = gzip;
    damaged[gzip.size() / 2] ^= 1;
    EXPECT_THAT(refused(damaged, DeflateWrap::gzip, text.size()), HasSubstr("damaged"));
}

}  // namespace
}  // namespace assay
