#include <fmt/format.h>

#include "assay/audit/audit.h"
#include "assay/describe_result.h"
#include "assay/report.h"
#include "audit/described_audit.h"
#include "audit/duplicates.h"
#include "core/result_table.h"
#include "core/text.h"

namespace assay {
namespace {

/// One image of a group, for csv.
struct DuplicateRow {
    std::size_t group;
    const audit::DuplicateGroup* of;
    const audit::DuplicateImage* image;
};
ResultType result_type(ResultOf<DuplicateRow>) {
    static constexpr auto rows = describe_result<DuplicateRow>(
        {.name = "DuplicateRow", .columns = "group,item,label,labels_differ,evidence,images,bits"},
        {part<&DuplicateRow::group>({}),
         part({.name = "item"}, [](const DuplicateRow& r) { return r.image->item; }),
         part({.name = "label"}, [](const DuplicateRow& r) { return r.image->label; }),
         part({.name = "labels_differ"}, [](const DuplicateRow& r) { return r.of->labels_differ; }),
         part({.name = "evidence"}, [](const DuplicateRow& r) { return r.of->evidence; }),
         part({.name = "images"}, [](const DuplicateRow& r) { return r.of->images; }),
         part({.name = "bits"}, [](const DuplicateRow& r) { return r.of->bits; })});
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<audit::DuplicateImage>) {
    using Of = audit::DuplicateImage;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelledDuplicate"},
        {part<&Of::item>({}), part<&Of::label>({.help = "Ids of the label's classes"})});
    return rows;
}

ResultType result_type(ResultOf<audit::DuplicateGroup>) {
    using Of = audit::DuplicateGroup;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AuditedDuplicates",
         .help = "An image that is in the data set several times, or images that look alike"},
        {part<&Of::images>({}), part<&Of::labels_differ>({}),
         part<&Of::evidence>(
             {.help = "`same file`, `same pixels, other file`, `same scores, other file`, `look "
                      "alike` and others (docs/suspect-labels.md)"}),
         part<&Of::bits>({.help = "Of 64 bits of the perceptual hash, how many differ at most "
                                  "from the first image's"}),
         part<&Of::members>({.help = "The first 20"})});
    return rows;
}

namespace audit {
namespace {

std::string duplicate_title(const LabelAudit& audit) {
    std::string out = audit.duplicate_groups == 0
                          ? "no image is in the data set several times"
                          : fmt::format("{} with duplicates, {} in all; {} with different labels",
                                        how_many(audit.duplicate_groups, "image", "images"),
                                        count_text(audit.duplicate_images),
                                        count_text(audit.contradicting_groups));
    if (audit.alike_groups > 0)
        out += fmt::format(". {} that look alike, {} images in all; {} with different labels",
                           how_many(audit.alike_groups, "group"), count_text(audit.alike_images),
                           count_text(audit.contradicting_alike_groups));
    return out;
}

std::string evidence_text(const DuplicateGroup& group) {
    std::string out = group.evidence;
    if (group.evidence == look_alike) out += fmt::format(" ({} of 64 bits differ)", group.bits);
    return group.labels_differ ? out + "; labels differ" : out;
}

}  // namespace

Table duplicate_table(const LabelAudit& audit) {
    Table table;
    table.title = duplicate_title(audit);
    if (audit.duplicate_groups + audit.alike_groups > 0)
        table.columns = {{"image", false}, {"label", false}, {"evidence", false}};
    bool scores = false;
    for (const DuplicateGroup& group : audit.listed_duplicates) {
        if (!table.rows.empty()) table.rule();
        scores =
            scores || group.evidence == same_scores || group.evidence == same_scores_other_file;
        for (std::size_t m = 0; m < group.members.size(); ++m)
            table.add({group.members[m].item, group.members[m].label,
                       m > 0 ? std::string() : evidence_text(group)});
        if (group.images > group.members.size())
            table.notes.push_back(fmt::format(
                "{} and {} more {}", group.members.front().item,
                count_text(group.images - static_cast<std::uint64_t>(group.members.size())) +
                    " images",
                group.evidence == look_alike ? "look alike" : "are equal"));
    }
    const std::uint64_t listed = audit.listed_duplicates.size();
    const std::uint64_t groups = audit.duplicate_groups + audit.alike_groups;
    if (groups > listed)
        table.notes.push_back(
            fmt::format("{} more: --top {}", count_text(groups - listed), groups));
    if (audit.contradicting_groups + audit.contradicting_alike_groups > 0)
        table.notes.push_back(
            "at most one of an image's different labels is correct, unless it shows several "
            "classes");
    if (scores)
        table.notes.push_back(
            "equal scores of all models, bit for bit, are strong evidence of equal pixels, but no "
            "proof: look at the images");
    if (audit.decoded == 0) {
        table.notes.push_back(
            "resized and recompressed copies are found if you add --pixels, which decodes the "
            "images");
    } else {
        table.notes.push_back("cropped, mirrored and rotated copies are not found");
    }
    for (const std::string& note : audit.duplicate_notes) table.notes.push_back(note);
    return table;
}

Table duplicate_records(const LabelAudit& audit) {
    Table table = result_table<DuplicateRow>();
    for (std::size_t g = 0; g < audit.listed_duplicates.size(); ++g) {
        const DuplicateGroup& group = audit.listed_duplicates[g];
        for (const DuplicateImage& image : group.members)
            add_row(table, DuplicateRow{g + 1, &group, &image});
    }
    return table;
}

}  // namespace audit
}  // namespace assay
