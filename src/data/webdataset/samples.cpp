#include "data/webdataset/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "assay/error.h"
#include "containers/at_place.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::webdataset {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> label_fields = {"label", "cls", "target", "class"};
constexpr std::uint64_t longest_label = 4096;
constexpr std::uint64_t longest_json = std::uint64_t{1} << 20;

std::string text_of(const ByteSource& source, const TarMember& member, std::uint64_t most) {
    if (member.size > most)
        refuse(fmt::format("{}: {} bytes; the limit is {}", member.name, member.size, most));
    std::string text(member.size, '\0');
    source.read(member.offset, std::as_writable_bytes(std::span(text.data(), text.size())));
    return text;
}

/// A number or a text, or "" if the field is missing or null.
std::string label_in_json(const std::string& text, const LabelRule& rule,
                          const std::string& member) {
    constexpr int deepest = 32;
    const json all = at_place([&] { return member; }, [&] { return parse_json(text, deepest); });
    if (!all.is_object()) return {};
    const auto value_of = [&](std::string_view name) -> std::string {
        const auto found = all.find(name);
        if (found == all.end() || found->is_null()) return {};
        if (found->is_number_integer()) return found->dump();
        if (found->is_string()) return found->get<std::string>();
        refuse(fmt::format("{}: `{}` is neither a whole number nor a text", member, name));
    };
    if (!rule.name.empty()) return value_of(rule.name);
    for (const std::string_view name : label_fields)
        if (std::string label = value_of(name); !label.empty()) return label;
    return {};
}

/// Collects the members with the same key.
class Grouping {
public:
    Grouping(const ByteSource& source, const LabelRule& rule, bool labels)
        : source_(source), rule_(rule), labels_(labels) {}

    Samples& samples() { return out_; }

    void add(const TarMember& member, const KeyAndSuffix& parts) {
        if (!open_ || now_.key != parts.key) {
            close();
            open_ = true;
            now_ = {};
            now_.key = parts.key;
            if (!seen_.emplace(parts.key).second) {
                refuse(
                    fmt::format("{}: the key `{}` appears twice; the members of a sample must "
                                "follow one another, and each sample needs its own key",
                                member.name, shortened(now_.key)));
            }
        }
        if (has_image_extension(member.name)) {
            const bool dotted = parts.suffix.find('.') != std::string::npos;
            if (!now_.image.empty()) {
                if (dotted && dotted_) {  // an image without a dot may still follow
                    if (second_.empty()) second_ = member.name;
                    ++further_;
                    return;
                }
                if (!dotted && !dotted_) refuse_two_images(member.name);
                if (out_.beside == 0) out_.first_beside = dotted ? member.name : now_.image;
                out_.beside += 1 + std::exchange(further_, 0);
                second_.clear();
                if (dotted) return;
            }
            dotted_ = dotted;
            now_.image = member.name;
            now_.offset = member.offset;
            now_.size = member.size;
        } else if (labels_) {
            take_label(member, parts.suffix);
        }
    }

    void close() {
        if (!open_) return;
        open_ = false;
        if (now_.image.empty()) {
            if (out_.without_image++ == 0) out_.first_without = now_.key;
            return;
        }
        if (!second_.empty()) refuse_two_images(second_);
        if (now_.label.empty() && json_) {
            now_.label = label_in_json(text_of(source_, *json_, longest_json), rule_, json_->name);
            now_.label_place = json_->name;
        }
        json_.reset();
        out_.samples.push_back(std::move(now_));
    }

private:
    [[noreturn]] void refuse_two_images(const std::string& other) const {
        refuse(fmt::format("{} and {} are two images of one sample", now_.image, other));
    }

    void take_label(const TarMember& member, const std::string& suffix) {
        const std::string_view wanted = rule_.name.empty() ? "cls" : std::string_view(rule_.name);
        if (suffix == "json" && wanted != "json") {
            json_ = member;
        } else if (suffix == wanted) {
            now_.label = trimmed(text_of(source_, member, longest_label));
            now_.label_place = member.name;
        }
    }

    const ByteSource& source_;
    const LabelRule& rule_;
    bool labels_, open_ = false;
    bool dotted_ = false;        ///< the suffix of the sample's image has a dot: "seg.png"
    std::string second_;         ///< another image with a dot, if none without a dot came
    std::uint64_t further_ = 0;  ///< the number of such images
    Samples out_;
    Sample now_;
    std::optional<TarMember> json_;
    std::unordered_set<std::string> seen_;
};

}  // namespace

std::optional<KeyAndSuffix> key_and_suffix(std::string_view name) {
    const std::size_t base = name.rfind('/') + 1;  // npos + 1 is 0
    const std::string_view last = name.substr(base);
    if (last.size() >= 4 && last.starts_with("__") && last.ends_with("__")) return std::nullopt;
    const std::size_t dot = last.find('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    std::string suffix(last.substr(dot + 1));
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), lower);
    return KeyAndSuffix{name.substr(0, base + dot), std::move(suffix)};
}

Samples read_samples(const ByteSource& source, const LabelRule& rule, bool labels,
                     std::uint64_t limit) {
    TarReader reader(source);
    Grouping grouping(source, rule, labels);
    std::uint64_t other = 0;
    while (const std::optional<TarMember> member = reader.next()) {
        if (!member->is_file()) {
            other += member->type == '5' ? 0 : 1;
            continue;
        }
        const auto parts = key_and_suffix(member->name);
        if (!parts) continue;
        grouping.add(*member, *parts);
        if (limit > 0 && grouping.samples().samples.size() >= limit) break;
    }
    grouping.close();
    Samples out = std::move(grouping.samples());
    out.left_out = other;
    out.has_end_mark = reader.has_end_mark() || (limit > 0 && out.samples.size() >= limit);
    if (limit > 0 && out.samples.size() > limit) out.samples.resize(limit);
    return out;
}

}  // namespace assay::webdataset
