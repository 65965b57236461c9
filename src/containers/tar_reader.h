// Iterates over the headers of a tar archive: POSIX ustar and pax, and GNU's long names. It does
// not read the members' bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "containers/byte_source.h"

namespace assay::webdataset {

struct TarMember {
    std::string name;
    char type = '0';           ///< '0': a file; '1', '2': links, '5': a folder, 'S': sparse, ...
    std::uint64_t offset = 0;  ///< position of its bytes in the archive
    std::uint64_t size = 0;
    bool is_file() const noexcept { return type == '0'; }
};

class TarReader {
public:
    /// `source` must outlive this object.
    explicit TarReader(const ByteSource& source) : source_(source) {}

    /// The next member of any type, or nothing at the end. Throws bad_input, naming the byte, for a
    /// header with a wrong checksum or number, and for a member beyond the end of the file. Throws
    /// the same for names of more than 64 KiB, and for further archives after the end.
    std::optional<TarMember> next();
    /// After the last member: whether the archive had an end mark. If not, it may be truncated.
    bool has_end_mark() const noexcept { return has_end_mark_; }

private:
    struct Header;
    struct Extended;
    std::span<const std::byte> block(std::uint64_t offset);
    std::string text_of(const Header& header, std::uint64_t most);
    void expect_nothing_behind(std::uint64_t offset);
    [[noreturn]] void refuse_at(std::uint64_t offset, const std::string& why) const;

    const ByteSource& source_;
    std::uint64_t next_ = 0;
    bool has_end_mark_ = false;
    std::vector<std::byte> window_;  ///< the bytes read last
    std::uint64_t window_at_ = 0;
};

}  // namespace assay::webdataset
