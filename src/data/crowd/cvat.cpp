// CVAT's "CVAT for images" XML: <image name="a.png"><tag label="cat"><attribute name="annotator">
// anna</attribute></tag></image>. It is read as a stream, with one image in memory at a time.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

/// Iterates over the elements of XML text without a document type.
class XmlElements {
public:
    XmlElements(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    std::string_view name;    ///< "image", or "/image" for an end tag
    std::string_view inside;  ///< attributes as written
    bool closed = false;      ///< "<tag/>"

    /// Returns false at the end of the text.
    bool next() {
        for (;;) {
            const std::size_t begin = text_.find('<', at_);
            if (begin == std::string_view::npos) return false;
            at_ = begin;
            if (skipped("<!--", "-->") || skipped("<?", "?>") || skipped("<![CDATA[", "]]>"))
                continue;
            if (text_.substr(at_).starts_with("<!"))
                fail("it has a document type; only elements are allowed");
            break;
        }
        begin_ = at_;
        char quote = 0;
        std::size_t end = at_ + 1;
        for (; end < text_.size() && (quote != 0 || text_[end] != '>'); ++end) {
            if (quote == 0 && (text_[end] == '"' || text_[end] == '\'')) {
                quote = text_[end];
            } else if (text_[end] == quote) {
                quote = 0;
            }
        }
        if (end == text_.size()) fail("an element is cut off");
        inside = trimmed(text_.substr(at_ + 1, end - at_ - 1));
        closed = inside.ends_with('/');
        if (closed) inside.remove_suffix(1);
        name = inside.substr(0, inside.find_first_of(" \t\r\n"));
        inside.remove_prefix(name.size());
        at_ = end + 1;
        return true;
    }

    std::optional<std::string> attribute(std::string_view wanted) const {
        std::optional<std::string> found;
        for (std::string_view rest = trimmed(inside); !rest.empty();) {
            const std::size_t equals = rest.find('=');
            if (equals == std::string_view::npos) fail("an attribute without a value");
            const std::string_view key = trimmed(rest.substr(0, equals));
            rest = trimmed(rest.substr(equals + 1));
            if (rest.empty() || (rest[0] != '"' && rest[0] != '\''))
                fail("an attribute without quotes");
            const std::size_t end = rest.find(rest[0], 1);
            if (end == std::string_view::npos) fail("an attribute is cut off");
            if (key == wanted) {
                if (found) fail(fmt::format("the attribute `{}` appears twice", wanted));
                found = decoded(rest.substr(1, end - 1));
            }
            rest = trimmed(rest.substr(end + 1));
        }
        return found;
    }
    /// The text up to the next element.
    std::string following() const {
        return decoded(trimmed(text_.substr(at_, text_.find('<', at_) - at_)));
    }
    std::string where() const { return fmt::format("{} byte {}", source_, begin_); }
    [[noreturn]] void fail(std::string_view why) const {
        refuse(fmt::format("{} byte {}: {}", source_, at_, why));
    }

private:
    bool skipped(std::string_view begin, std::string_view end) {
        if (!text_.substr(at_).starts_with(begin)) return false;
        const std::size_t stop = text_.find(end, at_ + begin.size());
        if (stop == std::string_view::npos) fail("it is cut off");
        at_ = stop + end.size();
        return true;
    }

    static std::string decoded(std::string_view text) {
        constexpr std::array<std::pair<std::string_view, char>, 5> entities = {
            {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            std::size_t used = 0;
            for (const auto& [entity, c] : entities) {
                if (text[i] != '&' || !text.substr(i).starts_with(entity)) continue;
                out += c;
                used = entity.size();
                break;
            }
            if (used == 0) out += text[i];
            i += used == 0 ? 1 : used;
        }
        return out;
    }

    std::string_view text_;
    std::string source_;
    std::size_t at_ = 0, begin_ = 0;
};

}  // namespace

Reading read_cvat(std::string_view text, const std::string& source, const Sink& sink) {
    XmlElements xml(text, source);
    LeftOut left_out;
    std::string image, label, annotator;
    bool in_image = false, in_tag = false, unnamed = false, whole = false;
    const Where where = [&] { return xml.where(); };
    const auto end_tag = [&] {
        unnamed = unnamed || annotator.empty();
        sink.take({.annotator = annotator.empty() ? std::string_view(source) : annotator,
                   .item = image,
                   .label = {},
                   .answer = label},
                  where);
        in_tag = false;
    };
    constexpr std::size_t often = 1024;
    for (std::size_t n = 0; xml.next(); ++n) {
        if (n % often == 0) throw_if_stopped();
        if (xml.name == "image") {
            const auto name = xml.attribute("name");
            if (!name || name->empty()) refuse(fmt::format("{}: an image without a name", where()));
            image = *name;
            in_image = !xml.closed;
        } else if (xml.name == "/image") {
            in_image = false;
        } else if (xml.name == "tag" && in_image) {
            const auto named = xml.attribute("label");
            if (!named || named->empty())
                refuse(fmt::format("{}: a tag of `{}` without a label", where(), shortened(image)));
            // Annotations by a model are no votes.
            const auto from = xml.attribute("source");
            if (from && *from == "auto") {
                left_out.add("tags of a model");
                continue;
            }
            label = *named;
            annotator.clear();
            in_tag = true;
            if (xml.closed) end_tag();
        } else if (xml.name == "attribute" && in_tag && !xml.closed) {
            const auto named = xml.attribute("name");
            if (named && is_among(plain_name(*named), annotator_words)) annotator = xml.following();
        } else if (xml.name == "/tag" && in_tag) {
            end_tag();
        } else if (in_image && !in_tag && !xml.name.starts_with("/") && xml.name != "attribute") {
            left_out.add("shapes");
        } else if (xml.name == "/annotations") {
            whole = true;
        }
    }
    if (!whole) xml.fail("`</annotations>` is missing: the file is cut off");
    return reading_of(Layout::cvat, true, source,
                      fmt::format("image: its name; annotator: {}; class chosen: label of a tag",
                                  annotator_of_attribute(unnamed)),
                      left_out);
}

}  // namespace assay::crowd
