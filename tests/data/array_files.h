// Writes files with arrays of images, byte for byte as NumPy, MNIST and CIFAR do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "containers/npy.h"
#include "deflated.h"
#include "zip_writer.h"

namespace assay {

inline std::string npy_file(std::string_view descr, const std::vector<std::uint64_t>& shape,
                            const std::string& data, bool fortran = false) {
    return npy_header(descr, shape, fortran) + data;
}

/// Samples that differ: 0, 1, 2, ... modulo 251.
inline std::string samples(std::size_t count, std::size_t first = 0) {
    std::string text(count, '\0');
    for (std::size_t i = 0; i < count; ++i) text[i] = static_cast<char>((first + i) % 251);
    return text;
}

inline std::string big_end(std::uint64_t value) {
    std::string text;
    for (int i = 3; i >= 0; --i) text += static_cast<char>((value >> (8 * i)) & 0xff);
    return text;
}

inline std::string idx_file(const std::vector<std::uint64_t>& shape, const std::string& data,
                            char type = 8) {
    std::string text{'\0', '\0', type, static_cast<char>(shape.size())};
    for (const std::uint64_t size : shape) text += big_end(size);
    return text + data;
}

/// MATLAB's format of version 5: files of arrays, each plain or compressed.
class MatFile {
public:
    MatFile& add(const std::string& name, int matlab_class, const std::vector<std::uint64_t>& shape,
                 int type, const std::string& numbers, bool packed) {
        std::string sizes;
        for (const std::uint64_t size : shape) sizes += little_end(size, 4);
        const std::string flags =
            little_end(static_cast<std::uint64_t>(matlab_class), 4) + std::string(4, '\0');
        const std::string array = element(
            14, element(6, flags) + element(5, sizes) + element(1, name) + element(type, numbers));
        const std::string zlib = packed ? deflated(array, 15) : "";
        bytes_ += packed ? little_end(15, 4) + little_end(zlib.size(), 4) + zlib : array;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    static std::string element(int type, const std::string& data) {
        const auto number = static_cast<std::uint64_t>(type);
        // Up to 4 bytes are stored in the tag itself.
        if (!data.empty() && data.size() <= 4)
            return little_end(number | data.size() << 16, 4) + data +
                   std::string(4 - data.size(), '\0');
        return little_end(number, 4) + little_end(data.size(), 4) + data +
               std::string((8 - data.size() % 8) % 8, '\0');
    }
    std::string bytes_ =
        std::string(116, ' ') + std::string(8, '\0') + std::string("\x00\x01IM", 4);
};

/// Pickles of protocol 2 as cPickle of Python 2 wrote the batches of CIFAR: texts are bytes.
class Python2Pickle {
public:
    static std::string text(const std::string& value) {
        return value.size() < 256 ? std::string("U") + static_cast<char>(value.size()) + value
                                  : "T" + little_end(value.size(), 4) + value;
    }
    static std::string number(std::uint64_t value) {
        return value < 256     ? std::string("K") + static_cast<char>(value)
               : value < 65536 ? "M" + little_end(value, 2)
                               : "J" + little_end(value, 4);
    }
    static std::string list(const std::vector<std::string>& items) {
        std::string out = "](";
        for (const std::string& item : items) out += item;
        return out + "e";
    }
    /// uint8, N x columns.
    static std::string array(std::uint64_t rows, std::uint64_t columns, const std::string& data,
                             bool fortran = false) {
        return "cnumpy.core.multiarray\n_reconstruct\nq\x07" +
               std::string("cnumpy\nndarray\nq\x08") + "K" + std::string(1, '\0') + "\x85q\x09" +
               text("b") + "\x87q\x0aRq\x0b(K\x01" + number(rows) + number(columns) + "\x86" +
               "cnumpy\ndtype\nq\x0c" + text("u1") + "K" + std::string(1, '\0') +
               "K\x01\x87q\x0dRq\x0e(K\x03" + text("|") + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK" +
               std::string(1, '\0') + "tb" + (fortran ? "\x88" : "\x89") + text(data) + "tb";
    }
    Python2Pickle& add(const std::string& name, const std::string& value) {
        items_ += text(name) + value;
        return *this;
    }
    std::string bytes() const { return "\x80\x02}q\x01(" + items_ + "u."; }

private:
    std::string items_;
};

}  // namespace assay
