// The objects of an HDF5 file: groups with their links, and headers made of messages.
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
constexpr std::size_t longest_object_name = 1024;  ///< of an object, with its groups

/// Little-endian fields, one behind the other. Never reads beyond their end.
class Fields {
public:
    /// `what` for messages, a literal: "a data type".
    Fields(std::span<const std::byte> bytes, const char* what) : rest_(bytes), what_(what) {}

    /// Of `size` bytes, at most 8. Throws bad_input at the end.
    std::uint64_t number(std::size_t size);
    std::uint64_t address() { return number(8); }
    std::span<const std::byte> bytes(std::size_t size);
    void skip(std::size_t size) { bytes(size); }
    std::size_t left() const noexcept { return rest_.size(); }

private:
    std::span<const std::byte> rest_;
    const char* what_;
};

/// `size` bytes at `at`. Throws bad_input, naming `what`: beyond the end of the file.
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

/// The messages of an object. Throws bad_input: damaged.
std::vector<Message> messages_of(const ByteSource& file, std::uint64_t header);
/// The first message of a type; null: none.
const Message* find_message(const std::vector<Message>& messages, Message::Type type);

struct Root {
    std::shared_ptr<const ByteSource> file;  ///< from where addresses are counted
    std::uint64_t header = 0;                ///< of the root group
};

/// Throws bad_input: no HDF5 file, cut off, addresses of another size than 8 bytes.
Root find_root(const std::shared_ptr<const ByteSource>& file);

using Children = std::vector<std::pair<std::string, std::uint64_t>>;
/// Names and headers of what a group holds; none where the messages are of no group. Links to other
/// places are left out. Throws bad_input: damaged, too many links, links in a fractal heap.
Children children_of(const ByteSource& file, const std::vector<Message>& messages);

}  // namespace assay::hdf5
