// What is shown of an inspected data set: one page for people, the images of each finding as csv.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/report.h"
#include "core/result_table.h"
#include "core/text.h"
#include "evaluate/described_evaluate.h"

namespace assay {
namespace {

std::string labelled(const InspectedImage& image) {
    return fmt::format(
        "{} [{}]", image.id,
        image.labels.empty() ? "no label" : fmt::format("{}", fmt::join(image.labels, "; ")));
}

std::string listed_names(const std::vector<std::string>& names, std::uint64_t all) {
    return fmt::format("{}{}", fmt::join(names, ", "), all > names.size() ? ", ..." : "");
}

/// "1 image", "5,600 images".
std::string counted(std::uint64_t n, std::string_view noun, std::string_view plural) {
    return fmt::format("{} {}", count_text(n), n == 1 ? noun : plural);
}

/// ", 3 bits"; "" of equal hashes.
std::string and_bits(int bits) {
    if (bits == 0) return "";
    return fmt::format(", {}", how_many(static_cast<std::uint64_t>(bits), "bit"));
}

/// A finding: a line with a mark, then its examples.
struct Lines {
    std::string text;

    void add(std::string_view mark, std::string_view line) {
        text += fmt::format("{}{} {}", text.empty() ? "" : "\n", mark, line);
    }
    void example(std::string_view line) { text += fmt::format("\n    {}", line); }
    void more(std::uint64_t all, std::size_t shown) {
        if (all > shown && shown > 0) example(fmt::format("and {} more", count_text(all - shown)));
    }
};

void add_unreadable(Lines& lines, const InspectResult& r) {
    if (r.unreadable == 0) return lines.add("✓", "every image can be decoded");
    lines.add("✗", fmt::format("{} of {} images cannot be read", count_text(r.unreadable),
                               count_text(r.images)));
    for (const UnreadableImage& image : r.unreadable_examples)
        lines.example(fmt::format("{}: {}", image.id, image.why));
    lines.more(r.unreadable, r.unreadable_examples.size());
}

void add_groups(Lines& lines, const Duplicates& found, std::string_view between) {
    for (const DuplicateGroup& group : found.examples) {
        std::string text;
        for (const InspectedImage& image : group.members)
            text += fmt::format("{}{}", text.empty() ? "" : fmt::format(" {} ", between),
                                labelled(image));
        if (group.images > group.members.size())
            text += fmt::format(" and {} more", count_text(group.images - group.members.size()));
        lines.example(text + and_bits(group.bits));
    }
    lines.more(found.groups, found.examples.size());
}

std::string of_other_labels(const Duplicates& found) {
    if (found.groups_of_other_labels == 0) return "";
    return fmt::format(", {} with different labels", count_text(found.groups_of_other_labels));
}

void add_duplicates(Lines& lines, const InspectResult& r) {
    const Duplicates& same = r.same_files;
    if (same.groups == 0) {
        lines.add("✓", "no file appears twice");
    } else {
        lines.add(same.groups_of_other_labels > 0 ? "✗" : "!",
                  fmt::format("{} more than once ({} images){}",
                              same.groups == 1 ? "1 file appears"
                                               : count_text(same.groups) + " files appear",
                              count_text(same.images), of_other_labels(same)));
        add_groups(lines, same, "=");
    }
    const Duplicates& near = r.near_duplicates;
    const std::string rule = fmt::format("at most {} of 64 bits differ", r.near);
    if (near.groups == 0) return lines.add("✓", fmt::format("no two images look alike ({})", rule));
    lines.add("!", fmt::format("{} of images that look alike ({} images{}; {})",
                               counted(near.groups, "group", "groups"), count_text(near.images),
                               of_other_labels(near), rule));
    add_groups(lines, near, "~");
}

void add_against(Lines& lines, const InspectResult& r) {
    if (!r.against) return;
    const InspectedAgainst& against = *r.against;
    const auto examples = [&](const std::vector<SharedImage>& shared, std::uint64_t all,
                              std::string_view between) {
        for (const SharedImage& pair : shared) {
            lines.example(fmt::format("{} {} {}{}", labelled(pair.image), between,
                                      labelled(pair.other), and_bits(pair.bits)));
        }
        lines.more(all, shared.size());
    };
    const auto found = [&](std::uint64_t count, std::string_view mark, std::string_view what) {
        lines.add(count > 0 ? mark : "✓",
                  fmt::format("{} of {} images {} {} ({} images{})", count_text(count),
                              count_text(r.images), what, against.name, count_text(against.images),
                              against.unreadable > 0 ? fmt::format(", {} cannot be read",
                                                                   count_text(against.unreadable))
                                                     : ""));
    };
    found(against.same, "✗", "are the same file as one of");
    examples(against.same_examples, against.same, "=");
    found(against.near, "!", "are other files, and look like one of");
    examples(against.near_examples, against.near, "~");
}

void add_labels(Lines& lines, const InspectResult& r) {
    const InspectedLabels& labels = r.labels;
    if (labels.images_without == r.images) {
        lines.add("·", "no image has a label");
    } else if (labels.images_without > 0) {
        lines.add("!", fmt::format("{} of {} images have no label: {}",
                                   count_text(labels.images_without), count_text(r.images),
                                   listed_names(labels.first_without, labels.images_without)));
    } else {
        lines.add("✓", "every image has a label");
    }
    if (labels.images_with_several > 0)
        lines.add("·", fmt::format("{} images have several labels",
                                   count_text(labels.images_with_several)));
    if (labels.classes_without_images > 0 && labels.images_without < r.images) {
        lines.add("·",
                  fmt::format("{} of {} classes have no image: {}",
                              count_text(labels.classes_without_images), count_text(labels.classes),
                              listed_names(labels.without_images, labels.classes_without_images)));
    }
}

std::string classes_text(const InspectedLabels& labels) {
    const auto counts = [](const std::vector<ClassCount>& classes) {
        std::vector<std::string> texts;
        for (const ClassCount& c : classes)
            texts.push_back(fmt::format("{}: {}", c.name, count_text(c.images)));
        return fmt::format("{}", fmt::join(texts, ", "));
    };
    std::string text =
        fmt::format("{} in this order: {}", counted(labels.classes, "class", "classes"),
                    listed_names(labels.order, labels.classes));
    if (labels.fewest.empty()) return text;
    const std::uint64_t least = labels.fewest.front().images;
    if (least == labels.most.front().images)
        return text + fmt::format("\neach class with images has {}", count_text(least));
    return text + fmt::format("\nfewest images: {}\nmost images: {}", counts(labels.fewest),
                              counts(labels.most));
}

Table samples_table(const InspectResult& r) {
    Table table{.title = "",
                .columns = {{"some images", false}, {"label", false}},
                .rows = {},
                .notes = {}};
    for (const InspectedImage& image : r.samples)
        table.add({image.id, fmt::format("{}", fmt::join(image.labels, "; "))});
    return table;
}

Table kinds_table(const InspectResult& r) {
    Table table{.title = "",
                .columns = {{"kind", false}, {"images"}, {"first", false}},
                .rows = {},
                .notes = {}};
    for (const ImageKind& kind : r.kinds) table.add({kind.title, Count{kind.images}, kind.first});
    return table;
}

Table sizes_table(const ImageSizes& sizes) {
    Table table{.title = "",
                .columns = {{"pixels", false}, {"least"}, {"median"}, {"most"}},
                .rows = {},
                .notes = {}};
    const auto add = [&](const char* name, const ImageSizes::Side& side) {
        table.add({name, Count{side.least}, Count{side.median}, Count{side.most}});
    };
    add("width", sizes.width);
    add("height", sizes.height);
    table.notes.push_back(fmt::format(
        "{}; the most frequent is {} x {} ({}).", counted(sizes.sizes, "size", "sizes"),
        sizes.usual_width, sizes.usual_height, counted(sizes.usual_images, "image", "images")));
    return table;
}

/// An image of a finding, as csv has it.
struct InspectRow {
    std::string finding;
    std::optional<std::uint64_t> group;
    std::string id, labels, other;
    std::optional<int> bits;
    std::string detail;
};
ResultType result_type(ResultOf<InspectRow>) {
    static constexpr auto rows = describe_result<InspectRow>(
        {.name = "InspectRow", .columns = "finding,group,id,labels,other,bits,detail"},
        {part<&InspectRow::finding>({}), part<&InspectRow::group>({}), part<&InspectRow::id>({}),
         part<&InspectRow::labels>({}), part<&InspectRow::other>({}), part<&InspectRow::bits>({}),
         part<&InspectRow::detail>({})});
    return rows;
}

std::vector<InspectRow> inspect_rows(const InspectResult& r) {
    std::vector<InspectRow> rows;
    const auto add = [&](std::string finding, const InspectedImage& image) -> InspectRow& {
        rows.push_back({.finding = std::move(finding),
                        .group = {},
                        .id = image.id,
                        .labels = fmt::format("{}", fmt::join(image.labels, "; ")),
                        .other = {},
                        .bits = {},
                        .detail = {}});
        return rows.back();
    };
    for (const UnreadableImage& image : r.unreadable_examples)
        add("unreadable", {image.id, {}}).detail = image.why;
    const auto add_all = [&](const char* finding, const Duplicates& found) {
        std::uint64_t number = 0;
        for (const DuplicateGroup& group : found.examples) {
            ++number;
            for (const InspectedImage& image : group.members) {
                InspectRow& row = add(finding, image);
                row.group = number;
                row.bits = group.bits;
                if (group.labels_differ) row.detail = "labels differ";
            }
        }
    };
    add_all("same_file", r.same_files);
    add_all("near_duplicate", r.near_duplicates);
    const auto add_shared = [&](const char* finding, const std::vector<SharedImage>& shared) {
        for (const SharedImage& pair : shared) {
            InspectRow& row = add(finding, pair.image);
            row.other = pair.other.id;
            row.bits = pair.bits;
        }
    };
    if (r.against) {
        add_shared("same_file_as_other", r.against->same_examples);
        add_shared("near_duplicate_of_other", r.against->near_examples);
    }
    for (const std::string& id : r.labels.first_without) add("no_label", {id, {}});
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<InspectedImage>) {
    static constexpr auto rows = describe_result<InspectedImage>(
        {.name = "InspectedImage"},
        {part<&InspectedImage::id>({}), part<&InspectedImage::labels>({.help = "Their classes"})});
    return rows;
}

ResultType result_type(ResultOf<ImageKind>) {
    static constexpr auto rows = describe_result<ImageKind>(
        {.name = "ImageKind", .help = "Images of one format or kind"},
        {part<&ImageKind::id>({.help = "Stable: `jpeg`, `grey`, `exif_turned`"}),
         part<&ImageKind::title>({}), part<&ImageKind::images>({}),
         part<&ImageKind::first>({.help = "Id of the first"})});
    return rows;
}

ResultType result_type(ResultOf<ImageSizes::Side>) {
    using Side = ImageSizes::Side;
    static constexpr auto rows = describe_result<Side>(
        {.name = "ImageSide", .help = "Pixels"},
        {part<&Side::least>({}), part<&Side::median>({.help = "The lower of two"}),
         part<&Side::most>({})});
    return rows;
}

ResultType result_type(ResultOf<ImageSizes>) {
    static constexpr auto rows = describe_result<ImageSizes>(
        {.name = "ImageSizes"},
        {part<&ImageSizes::width>({}), part<&ImageSizes::height>({}),
         part<&ImageSizes::sizes>({.help = "How many different ones"}),
         part<&ImageSizes::usual_width>({.help = "Of the size that most images have"}),
         part<&ImageSizes::usual_height>({}),
         part<&ImageSizes::usual_images>({.help = "How many have it"})});
    return rows;
}

ResultType result_type(ResultOf<UnreadableImage>) {
    static constexpr auto rows = describe_result<UnreadableImage>(
        {.name = "InspectUnreadable"},
        {part<&UnreadableImage::id>({}), part<&UnreadableImage::why>({})});
    return rows;
}

ResultType result_type(ResultOf<DuplicateGroup>) {
    static constexpr auto rows = describe_result<DuplicateGroup>(
        {.name = "DuplicateGroup"},
        {part<&DuplicateGroup::images>({}), part<&DuplicateGroup::labels_differ>({}),
         part<&DuplicateGroup::bits>(
             {.help = "The most bits in which the hash of one differs from that of the first"}),
         part<&DuplicateGroup::members>({.help = "The first few"})});
    return rows;
}

ResultType result_type(ResultOf<Duplicates>) {
    static constexpr auto rows = describe_result<Duplicates>(
        {.name = "DuplicateImages"},
        {part<&Duplicates::groups>({}), part<&Duplicates::images>({.help = "In all groups"}),
         part<&Duplicates::groups_of_other_labels>({.help = "Whose images have different labels"}),
         part<&Duplicates::examples>({.help = "Those with different labels come first"})});
    return rows;
}

ResultType result_type(ResultOf<SharedImage>) {
    static constexpr auto rows = describe_result<SharedImage>(
        {.name = "SharedImage"},
        {part<&SharedImage::image>({}), part<&SharedImage::other>({}),
         part<&SharedImage::bits>({.help = "In which the hashes differ"})});
    return rows;
}

ResultType result_type(ResultOf<InspectedAgainst>) {
    static constexpr auto rows = describe_result<InspectedAgainst>(
        {.name = "InspectedAgainst", .help = "The other data set"},
        {part<&InspectedAgainst::name>({}), part<&InspectedAgainst::images>({}),
         part<&InspectedAgainst::unreadable>({}),
         part<&InspectedAgainst::same>({.help = "Images whose file it holds, too"}),
         part<&InspectedAgainst::near>({.help = "Other files that look like one there"}),
         part<&InspectedAgainst::same_examples>({}), part<&InspectedAgainst::near_examples>({}),
         part<&InspectedAgainst::notes>({.help = "How it was read"})});
    return rows;
}

ResultType result_type(ResultOf<ClassCount>) {
    static constexpr auto rows = describe_result<ClassCount>(
        {.name = "ClassCount"}, {part<&ClassCount::name>({}), part<&ClassCount::images>({})});
    return rows;
}

ResultType result_type(ResultOf<InspectedLabels>) {
    using Of = InspectedLabels;
    static constexpr auto rows = describe_result<Of>(
        {.name = "InspectedLabels"},
        {part<&Of::classes>({}), part<&Of::classes_without_images>({}),
         part<&Of::order>({.help = "The first classes"}),
         part<&Of::fewest>({.help = "Of classes with images"}), part<&Of::most>({}),
         part<&Of::without_images>({.help = "The first such classes"}),
         part<&Of::images_without>({.help = "Images without a label"}),
         part<&Of::images_with_several>({.help = "Images with several labels"}),
         part<&Of::first_without>({.help = "Ids of images without a label"})});
    return rows;
}

ResultType result_type(ResultOf<InspectResult>) {
    using Of = InspectResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "InspectResult",
         .help = "What `assay inspect` prints",
         .schema = "assay.inspect/1"},
        {part<&Of::name>({}), part<&Of::images>({}), part<&Of::unreadable>({}),
         part<&Of::near>({.help = "The most bits between near duplicates"}),
         part<&Of::notes>({.help = "How the data set was read"}), part<&Of::samples>({}),
         part<&Of::labels>({}), part<&Of::kinds>({}),
         part<&Of::sizes>({.help = "Null where no image can be decoded"}),
         part<&Of::unreadable_examples>({}), part<&Of::same_files>({}),
         part<&Of::near_duplicates>({.help = "Of files that differ"}), part<&Of::against>({})});
    return rows;
}

Report report_of(const InspectResult& r) {
    std::string head = fmt::format("{}: {}", r.name, counted(r.images, "image", "images"));
    for (const std::string& line : r.notes) head += "\n    " + line;
    if (r.against) {
        head += fmt::format("\nagainst {}: {}", r.against->name,
                            counted(r.against->images, "image", "images"));
        for (const std::string& line : r.against->notes) head += "\n    " + line;
    }
    Lines lines;
    add_unreadable(lines, r);
    add_duplicates(lines, r);
    add_against(lines, r);
    add_labels(lines, r);
    std::vector<Block> blocks = {std::move(head)};
    if (!r.samples.empty()) blocks.emplace_back(samples_table(r));
    if (!r.kinds.empty()) blocks.emplace_back(kinds_table(r));
    if (r.sizes) blocks.emplace_back(sizes_table(*r.sizes));
    if (r.labels.classes > 0) blocks.emplace_back(classes_text(r.labels));
    blocks.emplace_back(std::move(lines.text));
    Report report;
    report.sections.push_back({.title = "", .blocks = std::move(blocks), .sections = {}});
    report.records = table_of(inspect_rows(r));
    report.result = json_of(r);
    return report;
}

}  // namespace assay
