#include "containers/hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "assay/error.h"
#include "containers/hdf5/elements.h"
#include "containers/hdf5/objects.h"
#include "containers/hdf5/storage.h"
#include "containers/npy.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

constexpr std::size_t most_hdf5_arrays = 4096;
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 30;

[[noreturn]] void refuse_large_texts() {
    refuse("its texts need more memory than the limit");
}

/// Puts a .npy header in front of elements. Big-endian elements are byte-swapped.
class NpyOfElements final : public ByteSource {
public:
    NpyOfElements(std::string header, std::shared_ptr<const ByteSource> elements,
                  std::size_t turned)
        : header_(std::move(header)), elements_(std::move(elements)), turned_(turned) {}

    std::uint64_t size() const noexcept override { return header_.size() + elements_->size(); }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset < header_.size()) {
            const auto begin = std::as_bytes(std::span(header_)).subspan(offset);
            const std::size_t n = std::min(begin.size(), out.size());
            std::copy_n(begin.begin(), n, out.begin());
            out = out.subspan(n);
            offset += n;
        }
        if (out.empty()) return;
        const std::uint64_t at = offset - header_.size();
        if (turned_ <= 1) return elements_->read(at, out);
        const std::uint64_t first = at / turned_, end = (at + out.size() - 1) / turned_ + 1;
        std::vector<std::byte> whole(static_cast<std::size_t>((end - first) * turned_));
        elements_->read(first * turned_, whole);
        for (std::size_t i = 0; i < whole.size(); i += turned_)
            std::reverse(whole.begin() + static_cast<std::ptrdiff_t>(i),
                         whole.begin() + static_cast<std::ptrdiff_t>(i + turned_));
        std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(at - first * turned_), out.size(),
                    out.begin());
    }

private:
    std::string header_;
    std::shared_ptr<const ByteSource> elements_;
    std::size_t turned_;  ///< bytes of an element to swap; 1 means no swap
};

/// A .npy file in memory.
class NpyOfTexts final : public ByteSource {
public:
    NpyOfTexts(const std::vector<std::string>& texts, const std::vector<std::uint64_t>& shape) {
        std::size_t width = 1;
        for (const std::string& text : texts) width = std::max(width, text.size());
        if (width > most_text_bytes / std::max<std::size_t>(texts.size(), 1)) refuse_large_texts();
        bytes_ = npy_header(fmt::format("|S{}", width), shape);
        for (const std::string& text : texts) {
            bytes_ += text;
            bytes_.append(width - text.size(), '\0');
        }
    }
    std::uint64_t size() const noexcept override { return bytes_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
        MemorySource(std::as_bytes(std::span(bytes_))).read(offset, out);
    }

private:
    std::string bytes_;
};

/// Texts of any length, by their position in the file's heaps.
class TextHeaps {
public:
    explicit TextHeaps(const ByteSource& file) : file_(file) {}

    std::vector<std::string> texts(const ByteSource& places) {
        constexpr std::uint64_t place_bytes = 16, most_texts = std::uint64_t{1} << 22;
        const std::uint64_t count = places.size() / place_bytes;
        if (count > most_texts)
            refuse(
                fmt::format("it holds {} texts of any length; the limit is {}", count, most_texts));
        std::vector<std::byte> raw(static_cast<std::size_t>(places.size()));
        places.read(0, raw);
        Fields fields(raw, "a text's place");
        std::vector<std::string> texts;
        texts.reserve(static_cast<std::size_t>(count));
        std::uint64_t bytes = 0;  // many elements may refer to one text, so the total is limited
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t length = fields.number(4), heap = fields.address();
            const std::uint64_t index = fields.number(4);
            bytes += length;
            if (bytes > most_text_bytes) refuse_large_texts();
            texts.push_back(length == 0 ? "" : text_at(heap, index, length));
        }
        return texts;
    }

private:
    std::string text_at(std::uint64_t heap, std::uint64_t index, std::uint64_t length) {
        constexpr std::size_t most_heaps = 64;
        if (!heaps_.contains(heap)) {
            if (heaps_.size() == most_heaps) heaps_.clear();
            heaps_.emplace(heap, read_heap(heap));
        }
        const auto& objects = heaps_[heap];
        const auto found = objects.find(index);
        if (found == objects.end() || found->second.size() < length)
            refuse("it is damaged: a text is not in its heap");
        return found->second.substr(0, static_cast<std::size_t>(length));
    }

    std::map<std::uint64_t, std::string> read_heap(std::uint64_t at) const {
        constexpr std::uint64_t head = 16, most = std::uint64_t{64} << 20;
        const auto begin = bytes_at(file_, at, head, "a heap of texts");
        Fields of_heap(begin, "a heap of texts");
        constexpr std::uint64_t heap_signature = 0x4c4f4347;  // "GCOL"
        if (of_heap.number(4) != heap_signature)
            refuse(fmt::format("it is damaged: no heap of texts at byte {}", at));
        of_heap.skip(4);
        const std::uint64_t size = of_heap.number(8);
        if (size < head || size > most)
            refuse("it is damaged: the size of a heap of texts is wrong");
        const auto body = bytes_at(file_, at + head, size - head, "a heap of texts");
        std::map<std::uint64_t, std::string> objects;
        for (Fields rest(body, "a heap of texts"); rest.left() >= head;) {
            const std::uint64_t index = rest.number(2);
            rest.skip(6);
            const auto bytes = static_cast<std::size_t>(rest.number(8));
            if (index == 0) break;  // the rest of the heap is free
            const auto text = rest.bytes(bytes);
            objects[index].assign(reinterpret_cast<const char*>(text.data()), text.size());
            rest.skip(std::min(rest.left(), (8 - bytes % 8) % 8));
        }
        return objects;
    }

    const ByteSource& file_;
    std::map<std::uint64_t, std::map<std::uint64_t, std::string>> heaps_;
};

std::shared_ptr<const ByteSource> npy_of(const std::shared_ptr<const ByteSource>& file,
                                         const std::vector<Message>& messages) {
    for (const auto kind : {Message::datatype, Message::dataspace, Message::layout})
        if (find_message(messages, kind)->shared)
            refuse("its type or shape is stored elsewhere, which is not supported");
    const ElementType type = element_type(find_message(messages, Message::datatype)->bytes);
    const std::vector<std::uint64_t> shape =
        shape_of(find_message(messages, Message::dataspace)->bytes, type.size);
    auto elements = stored_elements(file, messages, shape, type.size);
    if (type.any_length)
        return std::make_shared<const NpyOfTexts>(TextHeaps(*file).texts(*elements), shape);
    return std::make_shared<const NpyOfElements>(npy_header(type.descr, shape), std::move(elements),
                                                 type.big_endian ? type.size : 1);
}

class Hdf5Walk {
public:
    explicit Hdf5Walk(std::shared_ptr<const ByteSource> file) : file_(std::move(file)) {}

    void take(const std::string& name, std::uint64_t header, int depth) {
        constexpr int deepest = 32;
        if (!seen_.insert(header).second) return;  // visited before under another name
        if (seen_.size() > most_hdf5_arrays || depth > deepest || name.size() > longest_object_name)
            refuse(fmt::format("it holds more than {} objects, or groups deeper than {}",
                               most_hdf5_arrays, deepest));
        const std::vector<Message> messages = messages_of(*file_, header);
        if (find_message(messages, Message::layout) != nullptr) return add(name, messages);
        for (const auto& [child, address] : children_of(*file_, messages))
            take(name.empty() ? child : name + "/" + child, address, depth + 1);
    }
    std::vector<Hdf5Array> arrays() && { return std::move(arrays_); }

private:
    void add(const std::string& name, const std::vector<Message>& messages) {
        Hdf5Array array{name, "", nullptr};
        try {
            if (find_message(messages, Message::datatype) == nullptr ||
                find_message(messages, Message::dataspace) == nullptr)
                refuse("it is damaged: it has no type or no shape");
            array.npy = npy_of(file_, messages);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            array.problem = error.message();
        }
        arrays_.push_back(std::move(array));
    }

    std::shared_ptr<const ByteSource> file_;
    std::set<std::uint64_t> seen_;
    std::vector<Hdf5Array> arrays_;
};

}  // namespace
}  // namespace assay::hdf5

namespace assay {

std::vector<Hdf5Array> read_hdf5(const std::shared_ptr<const ByteSource>& file) {
    const hdf5::Root root = hdf5::find_root(file);
    hdf5::Hdf5Walk walk(root.file);
    walk.take("", root.header, 0);
    return std::move(walk).arrays();
}

}  // namespace assay
