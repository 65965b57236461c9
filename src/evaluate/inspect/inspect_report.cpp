// The report on an inspected data set: one page for people, and the images of each finding as csv.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/report.h"
#include "core/result_table.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/inspect/findings.h"
#include "evaluate/inspect/unusual_images.h"

namespace assay {
namespace {

using inspect::counted;
using inspect::InspectFinding;
using inspect::listed_names;

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

Table unusual_table(const InspectResult& r) {
    Table table{.title = "",
                .columns = {{"unusual", false}, {"images"}, {"most extreme", false}, {"value"}},
                .rows = {},
                .notes = {}};
    for (const UnusualImages& unusual : r.unusual) {
        if (unusual.images == 0 || unusual.examples.empty()) continue;
        const UnusualImage& first = unusual.examples.front();
        table.add({inspect::unusual_id(unusual.kind), Count{unusual.images}, first.image.id,
                   inspect::value_text(unusual.kind, first.value)});
    }
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

/// An image of a finding, as a row of csv.
struct InspectRow {
    std::string finding;
    std::optional<std::uint64_t> group;
    std::string id, labels, other;
    std::optional<int> bits;
    std::optional<double> value;
    std::string detail;
};
ResultType result_type(ResultOf<InspectRow>) {
    static constexpr auto rows = describe_result<InspectRow>(
        {.name = "InspectRow", .columns = "finding,group,id,labels,other,bits,value,detail"},
        {part<&InspectRow::finding>({}), part<&InspectRow::group>({}), part<&InspectRow::id>({}),
         part<&InspectRow::labels>({}), part<&InspectRow::other>({}), part<&InspectRow::bits>({}),
         part<&InspectRow::value>({}), part<&InspectRow::detail>({})});
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
                        .value = {},
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
    for (const UnusualImages& unusual : r.unusual) {
        for (const UnusualImage& example : unusual.examples)
            add(inspect::unusual_id(unusual.kind), example.image).value = example.value;
    }
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
        {part<&ImageKind::id>({.help = "Stable identifier, such as `jpeg`, `grey`, `exif_turned`"}),
         part<&ImageKind::title>({}), part<&ImageKind::images>({}),
         part<&ImageKind::first>({.help = "Id of the first such image"})});
    return rows;
}

ResultType result_type(ResultOf<ImageSizes::Side>) {
    using Side = ImageSizes::Side;
    static constexpr auto rows = describe_result<Side>(
        {.name = "ImageSide", .help = "Pixels"},
        {part<&Side::least>({}), part<&Side::median>({.help = "The lower of two medians"}),
         part<&Side::most>({})});
    return rows;
}

ResultType result_type(ResultOf<ImageSizes>) {
    static constexpr auto rows = describe_result<ImageSizes>(
        {.name = "ImageSizes"},
        {part<&ImageSizes::width>({}), part<&ImageSizes::height>({}),
         part<&ImageSizes::sizes>({.help = "Number of different sizes"}),
         part<&ImageSizes::usual_width>({.help = "The most frequent size"}),
         part<&ImageSizes::usual_height>({}),
         part<&ImageSizes::usual_images>({.help = "Number of images of that size"})});
    return rows;
}

ResultType result_type(ResultOf<UnreadableImage>) {
    static constexpr auto rows = describe_result<UnreadableImage>(
        {.name = "InspectUnreadable"},
        {part<&UnreadableImage::id>({}), part<&UnreadableImage::why>({})});
    return rows;
}

ResultType result_type(ResultOf<UnusualImage>) {
    static constexpr auto rows = describe_result<UnusualImage>(
        {.name = "UnusualImage"},
        {part<&UnusualImage::image>({}),
         part<&UnusualImage::value>({.help = "Its measure, which is beyond a limit"})});
    return rows;
}

ResultType result_type(ResultOf<UnusualImages>) {
    using Of = UnusualImages;
    static constexpr auto rows = describe_result<Of>(
        {.name = "UnusualImages",
         .help = "Images that are unusual in one way, by the measures of docs/inspect.md"},
        {part<&Of::kind>({}), part<&Of::images>({}),
         part<&Of::below>({.help = "Images with a lower value are unusual"}),
         part<&Of::above>({.help = "Images with a higher value are unusual"}),
         part<&Of::examples>({.help = "The most extreme first"})});
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
         part<&Duplicates::groups_of_other_labels>(
             {.help = "Groups whose images have different labels"}),
         part<&Duplicates::examples>({.help = "Groups, those with different labels first"})});
    return rows;
}

ResultType result_type(ResultOf<SharedImage>) {
    static constexpr auto rows = describe_result<SharedImage>(
        {.name = "SharedImage"},
        {part<&SharedImage::image>({}), part<&SharedImage::other>({}),
         part<&SharedImage::bits>({.help = "Number of bits in which the hashes differ"})});
    return rows;
}

ResultType result_type(ResultOf<InspectedAgainst>) {
    static constexpr auto rows = describe_result<InspectedAgainst>(
        {.name = "InspectedAgainst", .help = "The other data set"},
        {part<&InspectedAgainst::name>({}), part<&InspectedAgainst::images>({}),
         part<&InspectedAgainst::unreadable>({}),
         part<&InspectedAgainst::same>({.help = "Images whose file the other data set has, too"}),
         part<&InspectedAgainst::near>(
             {.help = "Different files that look like one of the other data set"}),
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
         part<&Of::without_images>({.help = "The first classes without images"}),
         part<&Of::images_without>({.help = "Images without a label"}),
         part<&Of::images_with_several>({.help = "Images with several labels"}),
         part<&Of::first_without>({.help = "Ids of images without a label"})});
    return rows;
}

ResultType result_type(ResultOf<ClassOrder>) {
    static constexpr auto rows = describe_result<ClassOrder>(
        {.name = "ClassOrder"},
        {part<&ClassOrder::name>({}),
         part<&ClassOrder::first>({.help = "The first classes; `none`: an output without a class"}),
         part<&ClassOrder::correct>({.help = "Null without scores"}),
         part<&ClassOrder::p>({.help = "Exact McNemar test of being better than the given order, "
                                       "Holm-adjusted; null for the given one"})});
    return rows;
}

ResultType result_type(ResultOf<ClassOrders>) {
    using Of = ClassOrders;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ClassOrders", .help = "Which order of the classes the scores fit"},
        {part<&Of::verdict>({.help = "`given`, `other` (better), `none` of the known orders, or "
                                     "`unclear`"}),
         part<&Of::text>({}), part<&Of::advice>({.help = "Empty if there is nothing to do"}),
         part<&Of::images>({.help = "Labelled images whose scores were compared"}),
         part<&Of::chance_p>({.help = "The given order against 999 shuffles of the labels"}),
         part<&Of::orders>({.help = "The given one first, then the one that `other` is about"})});
    return rows;
}

static ResultType result_type(ResultOf<InspectFinding>) {
    using Of = InspectFinding;
    static constexpr auto rows = describe_result<Of>(
        {.name = "InspectFinding", .help = "The finding as one line of text"},
        {part<&Of::grade>({.help = "`sound`: nothing was found"}), part<&Of::text>({}),
         part<&Of::examples>({.help = "Number of images, as text"})});
    return rows;
}

ResultType result_type(ResultOf<InspectResult>) {
    using Of = InspectResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "InspectResult",
         .help = "What `assay inspect` prints",
         .schema = "assay.inspect/1"},
        {part<&Of::name>({}),
         part<&Of::store>({.help = "Of predictions: their store. Formats, sizes and near "
                                   "duplicates are absent, and all that concerns images if the "
                                   "store has no record of them",
                           .omitted = true}),
         part<&Of::images>({}),
         part({.name = "unreadable", .omitted = true},
              [](const Of& r) { return r.images_known ? &r.unreadable : nullptr; }),
         part({.help = "The most bits between near duplicates", .name = "near", .omitted = true},
              [](const Of& r) { return r.store.empty() ? &r.near : nullptr; }),
         part<&Of::notes>({.help = "How the data set was read"}), part<&Of::samples>({}),
         part<&Of::labels>({}), part<&Of::kinds>({}),
         part<&Of::sizes>({.help = "Null for a store, and if no image can be decoded"}),
         part({.name = "unreadable_examples", .omitted = true},
              [](const Of& r) { return r.images_known ? &r.unreadable_examples : nullptr; }),
         part({.help = "Each kind; none if no image can be decoded",
               .name = "unusual",
               .omitted = true},
              [](const Of& r) { return r.store.empty() ? &r.unusual : nullptr; }),
         part({.name = "same_files", .omitted = true},
              [](const Of& r) { return r.images_known ? &r.same_files : nullptr; }),
         part({.help = "Near duplicates among files that differ",
               .name = "near_duplicates",
               .omitted = true},
              [](const Of& r) { return r.store.empty() ? &r.near_duplicates : nullptr; }),
         part<&Of::against>({}),
         part<&Of::class_orders>({.help = "Null for images with fewer than two classes, and in the "
                                          "data section of a report"}),
         part({.name = "findings"}, [](const Of& r) { return inspect::findings_of(r); })});
    return rows;
}

Report report_of(const InspectResult& r) {
    std::string head = fmt::format("{}: {}", r.name, counted(r.images, "image", "images"));
    if (!r.store.empty())
        head += fmt::format("\n    {} {}", r.images_known ? "as recorded by" : "predictions in",
                            r.store);
    for (const std::string& line : r.notes) head += "\n    " + line;
    if (r.against) {
        head += fmt::format("\nagainst {}: {}", r.against->name,
                            counted(r.against->images, "image", "images"));
        for (const std::string& line : r.against->notes) head += "\n    " + line;
    }
    std::string lines;
    for (const InspectFinding& finding : inspect::findings_of(r)) {
        lines += fmt::format("{}{} {}", lines.empty() ? "" : "\n", inspect::mark_of(finding.grade),
                             finding.text);
        for (const std::string& example : finding.examples) lines += "\n    " + example;
    }
    std::vector<Block> blocks = {std::move(head)};
    if (!r.samples.empty()) blocks.emplace_back(samples_table(r));
    if (!r.kinds.empty()) blocks.emplace_back(kinds_table(r));
    if (Table unusual = unusual_table(r); !unusual.rows.empty())
        blocks.emplace_back(std::move(unusual));
    if (r.sizes) blocks.emplace_back(sizes_table(*r.sizes));
    if (r.labels.classes > 0) blocks.emplace_back(classes_text(r.labels));
    blocks.emplace_back(std::move(lines));
    Report report;
    report.sections.push_back({.title = "", .blocks = std::move(blocks), .sections = {}});
    report.records = table_of(inspect_rows(r));
    report.result = json_of(r);
    return report;
}

}  // namespace assay
