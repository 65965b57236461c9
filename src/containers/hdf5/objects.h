// The objects of an HDF5 file: groups with their links, and headers that consist of messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/byte_source.h"

namespace assay::hdf5 {

constexpr std::uint64_t no_address = ~std::uint64_t{0};
constexpr std::size_t longest_object_name = 1024;  ///< of an object, including its groups

/// Little-endian fields in sequence. Never reads beyond their end.
class Fields {
public:
    /// `what` is a literal for messages: "a data type".
    Fields(std::span<const std::byte> bytes, const char* what) : rest_(bytes), what_(what) {}

    /// A number of `size` bytes, at most 8. Throws bad_input at the end.
    std::uint64_t number(std::size_t size);
    std::uint64_t address() { return number(8); }
    std::span<const std::byte> bytes(std::size_t size);
    void skip(std::size_t size) { bytes(size); }
    std::size_t left() const noexcept { return rest_.size(); }

private:
    std::span<const std::byte> rest_;
    const char* what_;
};

/// Reads `size` bytes at `at`. Throws bad_input, naming `what`, beyond the end of the file.
std::vector<std::byte> bytes_at(const ByteSource& file, std::uint64_t at, std::uint64_t size,
                                const char* what);

struct Message {
    enum Type : std::uint16_t {
        dataspace = 1,
        link_info = 2,
        datatype = 3,
        link = 6,
        external_files = 7,
        layout = 8,
        filters = 11,
        continuation = 16,
        symbol_table = 17,
    };
    std::uint16_t type = 0;
    bool shared = false;  ///< lies elsewhere
    std::vector<std::byte> bytes{};
};

/// The messages of an object. Throws bad_input if it is damaged.
std::vector<Message> messages_of(const ByteSource& file, std::uint64_t header);
/// The first message of a type, or null if there is none.
const Message* find_message(const std::vector<Message>& messages, Message::Type type);

struct Root {
    std::shared_ptr<const ByteSource> file;  ///< addresses count from the start of this source
    std::uint64_t header = 0;                ///< position of the root group's header
};

/// Throws bad_input for another or truncated file, and addresses that are not 8 bytes long.
Root find_root(const std::shared_ptr<const ByteSource>& file);

using Children = std::vector<std::pair<std::string, std::uint64_t>>;
/// The names and headers of a group's members; none if the messages belong to no group. Skips links
/// to other places. Throws bad_input: damaged, too many links, links in a fractal heap.
Children children_of(const ByteSource& file, const std::vector<Message>& messages);

}  // namespace assay::hdf5
