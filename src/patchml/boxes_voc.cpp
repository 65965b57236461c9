// PASCAL-VOC XML. The parser pugixml expands no entities but the five of XML itself, opens no other
// file, and walks without recursion. So deep nesting and entity bombs cost no more than the bytes
// of the file.
#include <fmt/format.h>

#include <cstring>
#include <pugixml.hpp>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "patchml/box_readers.h"

namespace assay {
namespace {

void check_depth(const pugi::xml_document& document) {
    struct Walker : pugi::xml_tree_walker {
        bool for_each(pugi::xml_node&) override { return depth() < max_annotation_depth; }
    };
    Walker walker;
    // traverse() is not const, although it changes nothing.
    if (!const_cast<pugi::xml_document&>(document).traverse(walker)) {
        refuse(fmt::format("XML nested deeper than {} elements", max_annotation_depth));
    }
}

/// The document type declaration must come first. Entity bombs need rules in this declaration, so
/// rules are refused.
void check_doctype(const pugi::xml_document& document) {
    for (const pugi::xml_node& node : document.children()) {
        if (node.type() == pugi::node_doctype && std::strchr(node.value(), '[') != nullptr) {
            refuse(
                "the XML declares entities or elements (DOCTYPE with [...]), which is not "
                "supported");
        }
    }
}

/// True for "1", or a word that some tools write.
bool is_marked(const pugi::xml_node& object, const char* name) {
    const std::string_view text = trimmed(object.child(name).text().get());
    return text == "1" || text == "true" || text == "True";
}

/// Sides that are no whole numbers above 0 are ignored, because some tools write 0.
ImageSize size_in(const pugi::xml_node& root) {
    const auto side = [&](const char* name) {
        std::uint64_t pixels = 0;
        const std::string_view text = trimmed(root.child("size").child(name).text().get());
        return parse_number(text, pixels) && pixels <= INT32_MAX ? static_cast<std::int32_t>(pixels)
                                                                 : 0;
    };
    const ImageSize size{side("width"), side("height")};
    return size.width > 0 && size.height > 0 ? size : ImageSize{};
}

void read_object(const pugi::xml_node& object, std::uint32_t place, BoxListBuilder& out) {
    const std::string_view cls = trimmed(object.child("name").text().get());
    const pugi::xml_node box = object.child("bndbox");
    constexpr std::array<const char*, 4> names = {"xmin", "ymin", "xmax", "ymax"};
    std::array<double, 4> corners{};
    for (std::size_t i = 0; i < 4; ++i) {
        const char* const text = box.child(names[i]).text().get();
        const auto value = parse_corner(text);
        if (!value) {
            const std::string problem = !box ? "no bndbox"
                                        : trimmed(text).empty()
                                            ? fmt::format("no {}", names[i])
                                            : fmt::format("{} is `{}`", names[i], shortened(text));
            return out.reject(BoxFault::bad_number, "object", place, cls, problem);
        }
        corners[i] = *value;
    }
    out.row(
        cls, place, corners,
        {.difficult = is_marked(object, "difficult"), .truncated = is_marked(object, "truncated")});
}

}  // namespace

void parse_voc(std::string_view text, std::string_view alternative, BoxListBuilder& out) {
    if (text.size() > max_xml_bytes)
        refuse(fmt::format("an XML of more than {} bytes is not supported", max_xml_bytes));
    pugi::xml_document document;
    const auto parsed =
        document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_doctype);
    if (!parsed)
        refuse(fmt::format("damaged XML at byte {}: {}", parsed.offset, parsed.description()));
    check_doctype(document);
    check_depth(document);
    const pugi::xml_node root = document.child("annotation");
    if (!root) {
        refuse(fmt::format("the XML's root is `{}`, not `annotation`",
                           shortened(document.document_element().name())));
    }
    for (const pugi::xml_node& other : document.children()) {
        if (other.type() != pugi::node_element || other == root) continue;
        refuse(fmt::format("a second root, `{}`: a file holds one annotation",
                           shortened(other.name())));
    }
    const std::string_view written = trimmed(root.child("filename").text().get());
    // Some of ILSVRC's files have a placeholder there, so the XML's own name is used.
    const bool named = !written.empty() && written.find('%') == std::string_view::npos;
    out.image(named ? written : alternative, named ? alternative : "", size_in(root));
    std::uint32_t place = 0;
    for (const pugi::xml_node& object : root.children("object")) read_object(object, ++place, out);
    out.list().without_boxes += place == 0;
}

}  // namespace assay
