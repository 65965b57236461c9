// Tar archives for tests, written byte for byte.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace assay {

/// One header and the padded bytes. `size` is a false size for the header.
inline std::string tar_member(const std::string& name, const std::string& bytes, char type = '0',
                              const std::string& size = "") {
    std::array<char, 512> header{};
    std::memcpy(header.data(), name.data(), std::min<std::size_t>(name.size(), 100));
    std::memcpy(header.data() + 100, "0000644", 7);
    if (size.empty()) {
        std::snprintf(header.data() + 124, 12, "%011llo",
                      static_cast<unsigned long long>(bytes.size()));
    } else {
        std::memcpy(header.data() + 124, size.data(), std::min<std::size_t>(size.size(), 12));
    }
    std::memcpy(header.data() + 136, "00000000000", 11);
    header[156] = type;
    std::memcpy(header.data() + 257, "ustar\0", 6);
    std::memcpy(header.data() + 263, "00", 2);
    std::memset(header.data() + 148, ' ', 8);
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(header.data() + 148, 8, "%06o", sum);
    std::string out(header.data(), header.size());
    out += bytes;
    out.append((512 - bytes.size() % 512) % 512, '\0');
    return out;
}

inline std::string tar_end() {
    return std::string(1024, '\0');
}

/// A pax header before a member: "LENGTH KEY=VALUE\n".
inline std::string pax(const std::string& key, const std::string& value) {
    const std::string rest = " " + key + "=" + value + "\n";
    std::size_t length = rest.size() + 1;
    while (std::to_string(length).size() + rest.size() != length)
        length = std::to_string(length).size() + rest.size();
    return tar_member("PaxHeader", std::to_string(length) + rest, 'x');
}

/// In GNU's format, the name is in a separate member.
inline std::string long_name(const std::string& name) {
    return tar_member("././@LongLink", name + std::string(1, '\0'), 'L');
}

}  // namespace assay
