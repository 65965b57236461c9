#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/mad/gallery.h"
#include "core/result_table.h"

namespace assay::mad {
namespace {

Table sheet_table(const Gallery& gallery) {
    const bool by_tag = !gallery.sheets.empty() && !gallery.sheets.front().tag.empty();
    Table table;
    table.columns = {{.name = "sheet", .numbers = false},
                     {.name = "images"},
                     {.name = "unreadable"},
                     {.name = "I"},
                     {.name = "II"},
                     {.name = "III"},
                     {.name = "replaced"},
                     {.name = "open"}};
    if (by_tag) table.columns.insert(table.columns.begin(), {.name = "tag", .numbers = false});
    for (const GallerySheet& sheet : gallery.sheets) {
        std::vector<Cell> cells = {sheet.file.filename().string(), Count{sheet.images},
                                   Count{sheet.unreadable}};
        for (const std::uint64_t n : sheet.cases) cells.emplace_back(Count{n});
        if (by_tag) cells.insert(cells.begin(), sheet.tag);
        table.add(std::move(cells));
    }
    return table;
}

Table class_table(const Gallery& gallery) {
    Table table;
    table.columns = {{.name = "class", .numbers = false},
                     {.name = "selected"},
                     {.name = "yes"},
                     {.name = "no"},
                     {.name = "open"},
                     {.name = "labelled"},
                     {.name = "shown"},
                     {.name = "sheet", .numbers = false}};
    for (const GalleryClass& one : gallery.classes)
        table.add({one.name, Count{one.selected}, Count{one.yes}, Count{one.no}, Count{one.open},
                   Count{one.labelled}, Count{one.shown}, one.sheet.filename().string()});
    table.notes = {
        "Selected: images for which a classifier predicts the class. Yes, no, open: people's "
        "answers to whether they show it. Labelled: images of the labelled data set with the "
        "class; shown: the first of them, on the sheets."};
    for (const std::string& note : gallery.notes) table.notes.push_back(note);
    return table;
}

}  // namespace

ResultType result_type(ResultOf<GallerySheet>) {
    using Of = GallerySheet;
    static constexpr std::array<std::string_view, 5> cases = {"I", "II", "III", "replaced", "open"};
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadSheet",
         .columns = "file,images,unreadable,case_i=cases.I,case_ii=cases.II,case_iii=cases.III,"
                    "replaced=cases.replaced,open=cases.open,first,second,tag,class_id,beside"},
        {
            part<&Of::file>({}),
            part<&Of::first>({.help = "Empty on the sheet of a tag or of a class"}),
            part<&Of::second>({}),
            part<&Of::tag>({.help = "Empty on the sheet of a pair or of a class"}),
            part<&Of::class_id>({.help = "Empty on other sheets than those of classes"}),
            part<&Of::images>({.help = "Selected images on it"}),
            part<&Of::beside>({.help = "Images of the labelled data set on it"}),
            part<&Of::unreadable>({.help = "Of all these, images that are shown as a grey field"}),
            part<&Of::cases>({.help = "Images", .keys = cases}),
        });
    return rows;
}

ResultType result_type(ResultOf<GalleryLabel>) {
    using Of = GalleryLabel;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ShownLabel", .help = "The label that a classifier gives a selected image"},
        {
            part<&Of::id>({}),
            part<&Of::name>({}),
            part<&Of::confidence>({}),
            part<&Of::correct>(
                {.help = "Decision of the annotators; null if it is open or nobody can judge it"}),
        });
    return rows;
}

ResultType result_type(ResultOf<GalleryImage>) {
    using Of = GalleryImage;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ShownSelection", .help = "A selected image of a pair"},
        {
            part<&Of::first>({}),
            part<&Of::second>({}),
            part<&Of::place>({.help = "Place from 1, by discrepancy"}),
            part<&Of::id>({}),
            part<&Of::first_label>({}),
            part<&Of::second_label>({}),
            part<&Of::distance>({.help = "Distance of the two labels"}),
            part<&Of::outcome>({.help = "`I`, `II`, `III`, `replaced` or `open`", .name = "case"}),
            part<&Of::tags>(
                {.help = "On the sheets of tags: the tags of the image; otherwise empty"}),
        });
    return rows;
}

ResultType result_type(ResultOf<GalleryClass>) {
    using Of = GalleryClass;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadClass", .help = "A class with its selected and its labelled images"},
        {
            part<&Of::id>({}),
            part<&Of::name>({}),
            part<&Of::selected>({.help = "Images for which a classifier of the pairs predicts it"}),
            part<&Of::yes>({.help = "Of these: people say that the image shows it"}),
            part<&Of::no>({.help = "People say that it does not"}),
            part<&Of::open>({.help = "Not asked, undecided, or nobody can judge it"}),
            part<&Of::labelled>({.help = "Images of the labelled data set with the class"}),
            part<&Of::shown>({.help = "Of these, the first ones, which are on the sheets"}),
            part<&Of::sheet>({.help = "The first of its sheets"}),
        });
    return rows;
}

ResultType result_type(ResultOf<Gallery>) {
    using Of = Gallery;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadGallery",
         .help = "The selected images, and the sheets that show them",
         .schema = "assay.mad_gallery/1"},
        {
            part<&Of::sheets>({}),
            part<&Of::classes>({.help = "With `--beside`; otherwise empty"}),
            part<&Of::shown>({}),
            part<&Of::images>({.help = "Of all sheets"}),
            part<&Of::beside>({.help = "Of all sheets"}),
            part<&Of::unreadable>({}),
            part<&Of::notes>(
                {.help = "How the labelled data set was read, and which images are omitted"}),
            part<&Of::warnings>({}),
        });
    return rows;
}

Report report_of(const Gallery& gallery) {
    Report report;
    report.title = "Gallery";
    Table table = gallery.classes.empty() ? sheet_table(gallery) : class_table(gallery);
    if (!gallery.sheets.empty())
        table.notes.push_back(
            fmt::format("In {}.", gallery.sheets.front().file.parent_path().string()));
    report.sections = {{.title = "", .blocks = {std::move(table)}, .sections = {}}};
    report.records = table_of(gallery.sheets);
    report.result = to_json(gallery);
    report.warnings = gallery.warnings;
    report.partial = gallery.unreadable > 0;
    return report;
}

}  // namespace assay::mad
