#include "containers/hdf5/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "containers/inflated_source.h"
#include "containers/little_endian.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

constexpr std::size_t most_children = 4096;
constexpr std::uint64_t most_header_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t most_heap_bytes = std::uint64_t{16} << 20;

bool has_signature(std::span<const std::byte> bytes, std::string_view signature) {
    return bytes.size() >= signature.size() &&
           std::memcmp(bytes.data(), signature.data(), signature.size()) == 0;
}

void expect_signature(std::span<const std::byte> bytes, std::string_view signature,
                      std::uint64_t at) {
    if (!has_signature(bytes, signature))
        refuse(fmt::format("it is damaged: byte {} is not the beginning of `{}`", at, signature));
}

/// One run of messages. Version 2 has shorter heads, with 2 more bytes if `order` is set.
struct Run {
    std::uint64_t at = 0, size = 0;
};

class HeaderReader {
public:
    explicit HeaderReader(const ByteSource& file) : file_(file) {}

    std::vector<Message> read(std::uint64_t header) {
        constexpr std::size_t prefix = 16;
        const auto begin = bytes_at(file_, header, prefix, "an object");
        if (has_signature(begin, "OHDR")) {
            begin_new(header);
        } else {
            if (begin[0] != std::byte{1})
                refuse(fmt::format("it is damaged: no object begins at byte {}", header));
            Fields fields(begin, "an object");
            fields.skip(8);
            runs_.push_back({header + prefix, fields.number(4)});
        }
        for (std::size_t i = 0; i < runs_.size(); ++i) take_run(Run(runs_[i]));
        return std::move(messages_);
    }

private:
    void begin_new(std::uint64_t header) {
        constexpr std::uint64_t longest_prefix = 34;
        const std::uint64_t there = std::min(longest_prefix, file_.size() - header);
        const auto begin = bytes_at(file_, header, there, "an object");
        Fields fields(begin, "an object");
        fields.skip(4);
        if (const std::uint64_t version = fields.number(1); version != 2)
            refuse(fmt::format("an object of version {} is not supported", version));
        const std::uint64_t flags = fields.number(1);
        constexpr unsigned has_order = 0x04, has_phase = 0x10, has_times = 0x20;
        if ((flags & has_times) != 0) fields.skip(16);
        if ((flags & has_phase) != 0) fields.skip(4);
        const std::uint64_t size = fields.number(std::size_t{1} << (flags & 3U));
        new_ = true;
        order_ = (flags & has_order) != 0;
        runs_.push_back({header + begin.size() - fields.left(), size});
    }

    void take_run(Run run) {
        constexpr std::size_t most_runs = 256;
        read_ += run.size;
        if (runs_.size() > most_runs || run.size > most_header_bytes || read_ > most_header_bytes)
            refuse("it is damaged: an object has more messages than are supported");
        const auto bytes = bytes_at(file_, run.at, run.size, "an object's messages");
        Fields fields(bytes, "a message");
        const std::size_t head = new_ ? (order_ ? 6 : 4) : 8;
        while (fields.left() >= head) {
            Message message;
            message.type = static_cast<std::uint16_t>(fields.number(new_ ? 1 : 2));
            const std::uint64_t size = fields.number(2);
            constexpr unsigned is_shared = 0x02;
            message.shared = (fields.number(1) & is_shared) != 0;
            fields.skip(new_ ? (order_ ? 2 : 0) : 3);
            const auto body = fields.bytes(static_cast<std::size_t>(size));
            message.bytes.assign(body.begin(), body.end());
            if (message.type == Message::continuation) {
                continue_at(message.bytes);
            } else if (message.type != 0) {
                messages_.push_back(std::move(message));
            }
        }
    }

    void continue_at(std::span<const std::byte> body) {
        Fields fields(body, "an object's continuation");
        Run run;
        run.at = fields.address();
        run.size = fields.number(8);
        if (new_) {
            constexpr std::uint64_t around = 8;  // bytes for the signature and the checksum
            expect_signature(bytes_at(file_, run.at, 4, "an object's continuation"), "OCHK",
                             run.at);
            if (run.size < around) refuse("it is damaged: an object's continuation is too short");
            run = {run.at + 4, run.size - around};
        }
        runs_.push_back(run);
    }

    const ByteSource& file_;
    bool new_ = false, order_ = false;
    std::vector<Run> runs_;
    std::uint64_t read_ = 0;
    std::vector<Message> messages_;
};

/// The links of a group that keeps them in a B-tree with names in a heap.
class SymbolTable {
public:
    SymbolTable(const ByteSource& file, const Message& message) : file_(file) {
        Fields fields(message.bytes, "a group's table");
        tree_ = fields.address();
        const std::uint64_t heap = fields.address();
        const auto begin = bytes_at(file, heap, 32, "a group's heap");
        expect_signature(begin, "HEAP", heap);
        Fields of_heap(begin, "a group's heap");
        of_heap.skip(8);
        const std::uint64_t size = of_heap.number(8);
        of_heap.skip(8);
        if (size > most_heap_bytes)
            refuse(fmt::format("a group's names take {} bytes; the limit is {}", size,
                               most_heap_bytes));
        names_ = bytes_at(file, of_heap.address(), size, "a group's names");
    }
    Children read() {
        take_node(tree_, 0);
        return std::move(children_);
    }

private:
    void take_node(std::uint64_t at, int depth) {
        constexpr int deepest = 16;
        if (depth > deepest || ++nodes_ > most_children)
            refuse("it is damaged: the tree of a group is circular");
        const auto head = bytes_at(file_, at, 24, "a group's tree");
        expect_signature(head, "TREE", at);
        Fields fields(head, "a group's tree");
        fields.skip(4);
        const std::uint64_t type = fields.number(1), level = fields.number(1);
        const std::uint64_t entries = fields.number(2);
        if (type != 0) refuse(fmt::format("it is damaged: no group's tree at byte {}", at));
        constexpr std::uint64_t key_and_child = 16;
        const auto body = bytes_at(file_, at + 24, entries * key_and_child, "a group's tree");
        Fields keys(body, "a group's tree");
        for (std::uint64_t i = 0; i < entries; ++i) {
            keys.skip(8);
            const std::uint64_t child = keys.address();
            level > 0 ? take_node(child, depth + 1) : take_symbols(child);
        }
    }

    void take_symbols(std::uint64_t at) {
        if (++nodes_ > most_children) refuse("it is damaged: the tree of a group is circular");
        const auto head = bytes_at(file_, at, 8, "a group's links");
        expect_signature(head, "SNOD", at);
        Fields fields(head, "a group's links");
        fields.skip(6);
        const std::uint64_t symbols = fields.number(2);
        constexpr std::uint64_t symbol_bytes = 40;
        const auto body = bytes_at(file_, at + 8, symbols * symbol_bytes, "a group's links");
        Fields links(body, "a group's links");
        for (std::uint64_t i = 0; i < symbols; ++i) {
            const std::uint64_t name = links.number(8), header = links.address();
            constexpr std::uint64_t symbolic = 2;
            const bool is_link = links.number(4) == symbolic;
            links.skip(20);
            if (is_link || header == no_address) continue;
            if (children_.size() == most_children)
                refuse(fmt::format("a group holds more than the {} links that are supported",
                                   most_children));
            children_.emplace_back(name_at(name), header);
        }
    }

    std::string name_at(std::uint64_t offset) const {
        if (offset >= names_.size()) refuse("it is damaged: a link's name is outside its heap");
        const auto* const begin = reinterpret_cast<const char*>(names_.data()) + offset;
        const std::string_view rest(begin, names_.size() - static_cast<std::size_t>(offset));
        const std::string_view name = rest.substr(0, rest.find('\0'));
        if (name.size() > longest_object_name) refuse("it is damaged: a link's name is too long");
        return std::string(name);
    }

    const ByteSource& file_;
    std::uint64_t tree_ = 0;
    std::vector<std::byte> names_;
    std::size_t nodes_ = 0;
    Children children_;
};

/// Takes a link that is stored as a message. Only hard links are kept.
void take_link(const Message& message, Children& children) {
    Fields fields(message.bytes, "a link");
    fields.skip(1);
    const std::uint64_t flags = fields.number(1);
    constexpr unsigned has_order = 0x04, has_type = 0x08, has_charset = 0x10;
    const std::uint64_t type = (flags & has_type) != 0 ? fields.number(1) : 0;
    if ((flags & has_order) != 0) fields.skip(8);
    if ((flags & has_charset) != 0) fields.skip(1);
    const std::uint64_t length = fields.number(std::size_t{1} << (flags & 3U));
    const auto name = fields.bytes(static_cast<std::size_t>(length));
    if (type != 0) return;
    children.emplace_back(std::string(reinterpret_cast<const char*>(name.data()), name.size()),
                          fields.address());
}

void refuse_heap_of_links(const Message& message) {
    Fields fields(message.bytes, "a group");
    fields.skip(1);
    constexpr unsigned has_order = 0x01;
    if ((fields.number(1) & has_order) != 0) fields.skip(8);
    if (fields.address() != no_address)
        refuse(
            "a group keeps its links in a fractal heap, which is not supported. Files of "
            "h5py.File(NAME, 'w'), without libver and track_order, are read");
}

}  // namespace

std::uint64_t Fields::number(std::size_t size) {
    return little_endian(bytes(size));
}

std::span<const std::byte> Fields::bytes(std::size_t size) {
    if (size > rest_.size()) refuse(fmt::format("it is damaged: {} is cut short", what_));
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
}

std::vector<std::byte> bytes_at(const ByteSource& file, std::uint64_t at, std::uint64_t size,
                                const char* what) {
    if (at > file.size() || size > file.size() - at)
        refuse(fmt::format("it is damaged or cut off: {} is beyond its end", what));
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    file.read(at, bytes);
    return bytes;
}

std::vector<Message> messages_of(const ByteSource& file, std::uint64_t header) {
    return HeaderReader(file).read(header);
}

const Message* find_message(const std::vector<Message>& messages, Message::Type type) {
    const auto found = std::ranges::find(messages, type, &Message::type);
    return found == messages.end() ? nullptr : &*found;
}

Root find_root(const std::shared_ptr<const ByteSource>& file) {
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    constexpr std::uint64_t superblock_bytes = 96, last = std::uint64_t{1} << 20;
    // Programs may put something else first, such as MATLAB's line of text. The file then begins at
    // a power of two.
    std::uint64_t at = 0;
    std::vector<std::byte> block;
    for (; at <= last; at = std::max<std::uint64_t>(2 * at, 512)) {
        if (at >= file->size()) break;
        block.resize(static_cast<std::size_t>(std::min(superblock_bytes, file->size() - at)));
        file->read(at, block);
        if (has_signature(block, signature)) break;
    }
    if (!has_signature(block, signature)) refuse("it is not an HDF5 file, or it was cut off");
    Fields fields(block, "the superblock");
    fields.skip(signature.size());
    const std::uint64_t version = fields.number(1);
    if (version > 3) refuse(fmt::format("an HDF5 file of version {} is not supported", version));
    if (version < 2) fields.skip(4);
    const std::uint64_t offsets = fields.number(1), lengths = fields.number(1);
    if (offsets != 8 || lengths != 8)
        refuse(fmt::format(
            "its addresses have {} bytes and its lengths {}; only 8 is supported for both", offsets,
            lengths));
    fields.skip(version < 2 ? 9 : 1);
    if (version == 1) fields.skip(4);
    const std::uint64_t base = fields.address();
    fields.skip(8);
    const std::uint64_t end = fields.address();
    if (version < 2) fields.skip(16);
    if (base > file->size() || end > file->size())
        refuse(fmt::format("it was cut off: it has {} bytes of {}", file->size(), end));
    Root root;
    root.header = fields.address();
    root.file =
        base == 0 ? file : std::make_shared<const SourcePart>(file, base, file->size() - base);
    return root;
}

Children children_of(const ByteSource& file, const std::vector<Message>& messages) {
    if (const Message* const table = find_message(messages, Message::symbol_table))
        return SymbolTable(file, *table).read();
    Children children;
    for (const Message& message : messages) {
        if (message.type == Message::link_info) refuse_heap_of_links(message);
        if (message.type == Message::link) take_link(message, children);
    }
    return children;
}

}  // namespace assay::hdf5
