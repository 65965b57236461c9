#include "annotation/inflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "core/random.h"

namespace assay {
namespace {

std::string pack(const std::string& data, int level, int strategy = Z_DEFAULT_STRATEGY) {
    z_stream stream{};
    deflateInit2(&stream, level, Z_DEFLATED, -15, 8, strategy);
    std::string out(deflateBound(&stream, data.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

struct Result {
    bool whole = false;
    std::string data;
    std::size_t used = 0;
};
Result ours(const std::string& packed, std::uint64_t most) {
    Result r;
    const auto used = inflate_pieces(
        std::as_bytes(std::span(packed)), most, [&](std::span<const std::byte> bytes) {
            r.data.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        });
    r.whole = used.has_value();
    r.used = used.value_or(0);
    return r;
}
Result zlibs(const std::string& packed, std::size_t most) {
    Result r;
    z_stream stream{};
    inflateInit2(&stream, -15);
    r.data.resize(most + 1);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(r.data.data());
    stream.avail_out = static_cast<uInt>(r.data.size());
    r.whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out <= most;
    r.used = stream.total_in;
    r.data.resize(stream.total_out);
    inflateEnd(&stream);
    return r;
}

/// Runs of every period, sparse numbers, text and noise.
std::vector<std::string> samples() {
    RandomStream random(7, "inflate");
    std::vector<std::string> out = {"", "a", std::string(70'000, '\0'), std::string(900'000, 'x')};
    for (std::size_t period = 1; period <= 40; ++period) {
        std::string run;
        while (run.size() < 3000)
            run += run.size() < period ? static_cast<char>(random.below(256))
                                       : run[run.size() - period];
        out.push_back(run);
    }
    std::string sparse(400'000, '\0'), noise, words;
    for (int i = 0; i < 2000; ++i) sparse[random.below(sparse.size() / 8) * 8 + 7] = '\x3F';
    for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(random.below(256));
    for (int i = 0; i < 30'000; ++i) words += std::to_string(random.below(50)) + ", ";
    out.insert(out.end(), {sparse, noise, words, noise + noise.substr(0, 40'000) + words});
    return out;
}

TEST(Inflate, UnpacksWhatZlibPacks) {
    for (const std::string& data : samples()) {
        for (const int level : {0, 1, 6, 9}) {
            for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE}) {
                if (strategy != Z_DEFAULT_STRATEGY && level != 6) continue;
                const std::string packed = pack(data, level, strategy);
                const Result r = ours(packed + "what follows", data.size());
                ASSERT_TRUE(r.whole) << data.size() << " " << level;
                ASSERT_TRUE(r.data == data) << data.size() << " " << level;
                ASSERT_EQ(r.used, packed.size());
            }
        }
    }
}

TEST(Inflate, NeverMoreThanAsked) {
    const std::string data(1'000'000, 'x'), packed = pack(data, 9);
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{999'999}}) {
        const Result r = ours(packed, most);
        EXPECT_FALSE(r.whole);
        EXPECT_LE(r.data.size(), most);
    }
}

TEST(Inflate, DamageIsSeenWhereZlibSeesIt) {
    RandomStream random(8, "damage");
    for (const std::string& data : {std::string("hello hello hello hello, hello"), samples()[10],
                                    samples()[46].substr(0, 5000)}) {
        for (const int strategy : {Z_DEFAULT_STRATEGY, Z_FIXED}) {
            const std::string packed = pack(data, 9, strategy);
            for (int trial = 0; trial < 1500; ++trial) {
                std::string damaged = packed;
                const std::uint64_t flips = 1 + random.below(3);
                for (std::uint64_t f = 0; f < flips; ++f)
                    damaged[random.below(damaged.size())] ^=
                        static_cast<char>(1U << random.below(8));
                if (trial % 5 == 0) damaged.resize(random.below(damaged.size()));
                const Result a = ours(damaged, 100'000), b = zlibs(damaged, 100'000);
                ASSERT_EQ(a.whole, b.whole) << trial;
                ASSERT_TRUE(!b.whole || (a.data == b.data && a.used == b.used)) << trial;
            }
        }
    }
}

}  // namespace
}  // namespace assay
