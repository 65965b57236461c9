// Simulated votes in memory, and .npz files that are built byte by byte.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "assay/annotation/votes.h"
#include "containers/npy.h"
#include "core/random.h"

namespace assay {

/// rows[question] has the answers by annotator, or -1 for none.
inline Votes votes_from(const std::vector<std::vector<int>>& rows,
                        std::vector<std::string> answers = {"no", "maybe", "yes"}) {
    VotesBuilder builder(answer_scale(std::move(answers)));
    for (std::size_t r = 0; !rows.empty() && r < rows[0].size(); ++r)
        builder.annotator("r" + std::to_string(r));
    for (std::size_t q = 0; q < rows.size(); ++q) {
        const auto question = builder.question("p" + std::to_string(q) + ".png", "0");
        for (std::size_t r = 0; r < rows[q].size(); ++r) {
            if (rows[q][r] >= 0)
                builder.add(static_cast<std::uint32_t>(r), question,
                            static_cast<std::uint32_t>(rows[q][r]));
        }
    }
    return builder.build(Repeats::all, "made up");
}

/// Annotators with known confusion matrices answer questions with known truth.
struct Crowd {
    Votes votes;
    std::vector<int> truth;                                   ///< 0 or 1, for each question
    std::vector<std::vector<std::vector<double>>> confusion;  ///< by annotator, truth, answer
};
inline Crowd made_crowd(std::size_t questions,
                        const std::vector<std::vector<std::vector<double>>>& confusion,
                        double prior, double answered, std::uint64_t seed) {
    Crowd crowd{.votes = {}, .truth = {}, .confusion = confusion};
    RandomStream random(seed, "crowd");
    std::vector<std::vector<int>> rows;
    for (std::size_t q = 0; q < questions; ++q) {
        const int truth = random.uniform() < prior ? 1 : 0;
        crowd.truth.push_back(truth);
        std::vector<int> row;
        for (const auto& annotator : confusion) {
            const double draw = random.uniform(), skip = random.uniform();
            int answer = 0;
            double sum = annotator[static_cast<std::size_t>(truth)][0];
            while (draw >= sum && answer + 1 < static_cast<int>(annotator[0].size()))
                sum +=
                    annotator[static_cast<std::size_t>(truth)][static_cast<std::size_t>(++answer)];
            row.push_back(skip < answered ? answer : -1);
        }
        rows.push_back(row);
    }
    crowd.votes = votes_from(rows);
    return crowd;
}

/// A .npy file of the given dtype and shape around raw bytes.
inline std::string npy(const std::string& descr, const std::vector<std::uint64_t>& shape,
                       const std::string& data, bool fortran = false) {
    return npy_header(descr, shape, fortran) + data;
}
template <class T>
std::string bytes_of(const std::vector<T>& values) {
    std::string out(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
    return out;
}
/// NumPy's dtype <Uwidth.
inline std::string unicode(const std::vector<std::string>& texts, std::size_t width) {
    std::vector<std::uint32_t> out;
    for (const std::string& text : texts) {
        for (std::size_t i = 0; i < width; ++i)
            out.push_back(i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
    }
    return bytes_of(out);
}

/// A zip archive of entries, compressed at `level` (0: stored).
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& entries,
                       int level = 0) {
    std::string out, directory;
    const auto put = [](std::string& to, std::uint64_t value, int bytes) {
        for (int b = 0; b < bytes; ++b) to += static_cast<char>(value >> (8 * b));
    };
    for (const auto& [name, data] : entries) {
        std::string packed = data;
        if (level > 0) {
            z_stream stream{};
            deflateInit2(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
            packed.resize(deflateBound(&stream, data.size()));
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
            stream.avail_in = static_cast<uInt>(data.size());
            stream.next_out = reinterpret_cast<Bytef*>(packed.data());
            stream.avail_out = static_cast<uInt>(packed.size());
            deflate(&stream, Z_FINISH);
            packed.resize(stream.total_out);
            deflateEnd(&stream);
        }
        const auto crc =
            crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
        const std::size_t at = out.size();
        std::string common;
        put(common, 20, 2);
        put(common, 0, 2);
        put(common, level > 0 ? 8 : 0, 2);
        put(common, 0, 4);
        put(common, crc, 4);
        put(common, packed.size(), 4);
        put(common, data.size(), 4);
        put(common, name.size(), 2);
        put(common, 0, 2);
        out += "PK\x03\x04" + common + name + packed;
        directory += "PK\x01\x02";
        put(directory, 20, 2);
        directory += common;
        put(directory, 0, 2);
        put(directory, 0, 2);
        put(directory, 0, 2);
        put(directory, 0, 4);
        put(directory, at, 4);
        directory += name;
    }
    const std::size_t start = out.size();
    out += directory + "PK\x05\x06";
    put(out, 0, 4);
    put(out, entries.size(), 2);
    put(out, entries.size(), 2);
    put(out, directory.size(), 4);
    put(out, start, 4);
    put(out, 0, 2);
    return out;
}

inline std::filesystem::path write(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

}  // namespace assay
