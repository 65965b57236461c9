#include "assay/patchml/boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "core/file.h"
#include "data/temp_folder.h"
#include "made_images.h"
#include "message_of.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refused(const fs::path& path, BoxFormat format = BoxFormat::automatic,
                    ErrorCode code = ErrorCode::bad_input) {
    return message_of([&] { read_boxes(path, format); }, code);
}

std::vector<std::string> described(const std::vector<RejectedBox>& rejected) {
    std::vector<std::string> out;
    for (const RejectedBox& box : rejected) out.push_back(describe(box));
    return out;
}

std::string object(const std::string& cls, const std::string& box) {
    return "<object><name>" + cls + "</name><part><bndbox><xmin>7</xmin></bndbox></part><bndbox>" +
           box + "</bndbox></object>";
}

std::string corners(const std::string& x0, const std::string& y0, const std::string& x1,
                    const std::string& y1) {
    return "<xmin>" + x0 + "</xmin><ymin>" + y0 + "</ymin><xmax>" + x1 + "</xmax><ymax>" + y1 +
           "</ymax>";
}

std::string voc(const std::string& filename, const std::string& objects) {
    return "<annotation><folder>val</folder><filename>" + filename +
           "</filename><size><width>500</width></size>" + objects + "</annotation>";
}

using Four = std::array<double, 4>;

TEST(Voc, SizesAndMarks) {
    const TempFolder folder;
    const auto sized = [](const std::string& size, const std::string& more) {
        return "<annotation><filename>a.png</filename>" + size + "<object><name>cat</name>" + more +
               "<bndbox>" + corners("1", "1", "2", "2") + "</bndbox></object></annotation>";
    };
    folder.write("1.xml", sized("<size><width> 500 </width><height>375</height></size>",
                                "<difficult>1</difficult><truncated>0</truncated>"));
    folder.write("2.xml", sized("<size><width>0</width><height>375</height></size>",
                                "<truncated>1</truncated>"));
    folder.write("3.xml", sized("", ""));
    const BoxList list = read_boxes(folder.path());
    EXPECT_THAT(list.sizes, ElementsAre(ImageSize{500, 375}, ImageSize{}, ImageSize{}));
    EXPECT_TRUE(list.rows[0].difficult && !list.rows[0].truncated);
    EXPECT_TRUE(!list.rows[1].difficult && list.rows[1].truncated);
    EXPECT_TRUE(!list.rows[2].difficult && !list.rows[2].truncated);
}

TEST(Voc, FolderInByteOrderWithSeveralObjects) {
    const TempFolder folder;
    folder.write("b/2.xml", voc("2", object("dog", corners("1", "2", "30", "40")) +
                                         object("cat", corners(" 5.5 ", "+6", "70", "8e1"))));
    folder.write("a/1.XML", "<?xml version=\"1.0\"?><!DOCTYPE annotation>\n" +
                                voc("1.JPEG", object("dog", corners("0", "0", "9", "9"))));
    folder.write("c/empty.xml", voc("3", ""));
    folder.write("c/notes.txt", "no xml");
    const BoxList list = read_boxes(folder.path());
    EXPECT_EQ(list.format, BoxFormat::voc);
    EXPECT_EQ(list.corners, Corners::inclusive0);
    EXPECT_THAT(list.classes, ElementsAre("dog", "cat"));
    ASSERT_EQ(list.rows.size(), 3U);
    EXPECT_EQ(list.sources[list.rows[0].source], "a/1.XML");
    EXPECT_EQ(list.images[list.rows[0].image], "1.JPEG");
    EXPECT_EQ(list.rows[2].corners, (Four{5.5, 6, 70, 80}));
    EXPECT_EQ(list.rows[2].place, 2U);
    EXPECT_EQ(list.without_boxes, 1U);
    EXPECT_EQ(list.files, 3U);
    EXPECT_THAT(list.rejected, IsEmpty());
}

// One file in ILSVRC has a placeholder instead of a name.
TEST(Voc, AFileNameThatIsNoneIsTheXmls) {
    const TempFolder folder;
    folder.write("n1/n1_7.xml", voc("%s", object("dog", corners("0", "0", "1", "1"))));
    folder.write("n1/n1_8.xml",
                 "<annotation>" + object("dog", corners("0", "0", "1", "1")) + "</annotation>");
    const BoxList list = read_boxes(folder.path());
    EXPECT_EQ(list.images[0], "n1/n1_7");
    EXPECT_EQ(list.images[1], "n1/n1_8");
}

TEST(Voc, DamagedFilesAreListedBesideTheOthers) {
    const TempFolder folder;
    folder.write("a.xml", voc("a", object("dog", corners("0", "0", "1", "1"))));
    folder.write("b.xml", "<annotation><object>");
    folder.write("c.xml", "");
    folder.write("d.xml", "<other/>");
    // Each of ten entities contains ten of the previous one. Expanding these entities would
    // produce 10^9 words.
    std::string bomb = "<?xml version=\"1.0\"?><!DOCTYPE annotation [<!ENTITY e0 \"lol\">";
    for (int i = 1; i < 10; ++i) {
        bomb += "<!ENTITY e" + std::to_string(i) + " \"";
        for (int j = 0; j < 10; ++j) bomb += "&e" + std::to_string(i - 1) + ";";
        bomb += "\">";
    }
    folder.write("e.xml", bomb + "]>" + voc("&e9;", object("&e9;", corners("0", "0", "1", "1"))));
    folder.write("f.xml", "<!DOCTYPE annotation [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" +
                              voc("&x;", object("dog", corners("0", "0", "1", "1"))));
    std::string deep, end;
    for (int i = 0; i < 100; ++i) deep += "<annotation>", end += "</annotation>";
    folder.write("g.xml", deep + end);
    std::string deeper;
    while (deeper.size() < 500'000) deeper += "<a>";
    folder.write("h.xml", deeper);
    folder.write("i.xml", std::string(2 << 20, ' ') + voc("i", ""));
    const BoxList list = read_boxes(folder.path());
    EXPECT_EQ(list.rows.size(), 1U);
    EXPECT_THAT(described(list.rejected),
                ElementsAre(HasSubstr("damaged_annotation: b.xml: damaged XML at byte"),
                            HasSubstr("c.xml: damaged XML at byte 0: No document element found"),
                            HasSubstr("d.xml: the XML's root is `other`, not `annotation`"),
                            HasSubstr("e.xml: the XML declares entities"),
                            HasSubstr("f.xml: the XML declares entities"),
                            HasSubstr("g.xml: XML nested deeper than 64 elements"),
                            HasSubstr("h.xml: damaged XML"), HasSubstr("the limit is 1048576")));
}

TEST(Voc, ASecondRootIsDamage) {
    const TempFolder folder;
    const std::string one = voc("a", object("dog", corners("0", "0", "1", "1")));
    folder.write("a.xml", "<?xml version=\"1.0\"?><!-- before -->" + one + "<!-- behind -->");
    folder.write("b.xml", one + one);
    folder.write("c.xml", "<other/>" + one);
    const BoxList list = read_boxes(folder.path());
    EXPECT_EQ(list.rows.size(), 1U);
    EXPECT_THAT(
        described(list.rejected),
        ElementsAre(
            "damaged_annotation: b.xml: a second root, `annotation`: a file holds one annotation",
            "damaged_annotation: c.xml: a second root, `other`: a file holds one annotation"));
}

TEST(Voc, NoneCanBeRead) {
    const TempFolder folder;
    EXPECT_THAT(refused(folder.path()), HasSubstr("no .xml file in this folder"));
    EXPECT_THAT(refused(folder / "nowhere"), HasSubstr("no such file or folder of boxes"));
    folder.write("b.xml", "<annotation>");
    EXPECT_THAT(refused(folder.path()),
                HasSubstr("none of its 1 XML files can be read; the first: damaged_annotation"));
    folder.write("b.xml", voc("b", ""));
    EXPECT_THAT(refused(folder.path()), HasSubstr("no box in it"));
    EXPECT_THAT(refused(folder.path(), BoxFormat::coco, ErrorCode::usage),
                HasSubstr("is a folder"));
}

TEST(Voc, CornersThatAreNoNumbers) {
    const TempFolder folder;
    folder.write("a.xml", voc("a.jpg", object("dog", corners("1", "x2", "3", "4")) +
                                           object("cat", corners("1", "2", "", "4")) +
                                           "<object><name>dog</name></object>" +
                                           object("", corners("1", "2", "3", "4"))));
    const BoxList list = read_boxes(folder / "a.xml");
    EXPECT_EQ(list.rows.size(), 1U);  // a pool without a class reports this
    EXPECT_THAT(described(list.rejected),
                ElementsAre("bad_number: a.xml object 1: image a.jpg, class dog: ymin is `x2`",
                            "bad_number: a.xml object 2: image a.jpg, class cat: no xmax",
                            "bad_number: a.xml object 3: image a.jpg, class dog: no bndbox"));
}

TEST(Solution, SeveralBoxesACell) {
    const TempFolder folder;
    const auto path =
        folder.write("LOC_val_solution.csv",
                     "ImageId,PredictionString\n"
                     "ILSVRC2012_val_00000001,n01440764 1 2 30 40 n01443537 0 0 9 9 \n"
                     "ILSVRC2012_val_00000002,\n"
                     "ILSVRC2012_val_00000003,n01440764 1 2 x 4 n01443537 5 6 7 8\n"
                     "ILSVRC2012_val_00000004,n01440764 1 2 3\n");
    const BoxList list = read_boxes(path);
    EXPECT_EQ(list.format, BoxFormat::solution);
    ASSERT_EQ(list.rows.size(), 3U);
    EXPECT_EQ(list.rows[1].corners, (Four{0, 0, 9, 9}));
    EXPECT_EQ(list.rows[1].place, 2U);
    EXPECT_EQ(list.rows[2].corners, (Four{5, 6, 7, 8}));
    EXPECT_EQ(list.without_boxes, 1U);
    EXPECT_THAT(described(list.rejected),
                ElementsAre("bad_number: LOC_val_solution.csv line 4: image "
                            "ILSVRC2012_val_00000003, class n01440764: `x` is not a number",
                            "damaged_annotation: LOC_val_solution.csv line 5: image "
                            "ILSVRC2012_val_00000004, class n01440764: the PredictionString ends "
                            "in the middle of a box (class and four numbers)"));
    EXPECT_THAT(refused(folder.write("s.csv", "ImageId,PredictionString\n,n1 1 2 3 4\n")),
                HasSubstr("s.csv line 2: no ImageId"));
}

TEST(PlainCsv, ColumnsInAnyOrder) {
    const TempFolder folder;
    const auto path =
        folder.write("boxes.csv",
                     "class,ymax,xmax,ymin,xmin,image\n"
                     "great white shark,4,3,2,1,a.jpg\ncat,4,3,nan,1,a.jpg\ncat,4,3,,1,b.jpg\n");
    const BoxList list = read_boxes(path, BoxFormat::automatic, Corners::edges);
    EXPECT_EQ(list.format, BoxFormat::csv);
    EXPECT_EQ(list.corners, Corners::edges);
    ASSERT_EQ(list.rows.size(), 2U);  // the parser accepts NaN, and the pool refuses it
    EXPECT_EQ(list.rows[0].corners, (Four{1, 2, 3, 4}));
    EXPECT_EQ(list.classes[0], "great white shark");
    EXPECT_THAT(described(list.rejected),
                ElementsAre("bad_number: boxes.csv line 4: image b.jpg, class cat: ymin is ``"));
    EXPECT_THAT(refused(folder.write("x.csv", "image,xmin,ymin,xmax,class\n")),
                HasSubstr("no column named ymax"));
    EXPECT_THAT(refused(folder.write("y.csv", "")), HasSubstr("the table is empty"));
    EXPECT_THAT(refused(folder.write("boxes.dat", "x"), BoxFormat::automatic, ErrorCode::usage),
                HasSubstr("unknown format of"));
}

TEST(Coco, AnnotationsBeforeTheImagesTheyAreOf) {
    const TempFolder folder;
    const auto path = folder.write("instances.json", R"({
        "info": {"description": "x", "annotations": [1, [2]]},
        "annotations": [
            {"id": 1, "image_id": 10, "category_id": 3, "bbox": [1.5, 2, 30, 40.25], "iscrowd": 0,
             "segmentation": [[1, 2, 3]], "attributes": {"bbox": [9, 9, 9, 9], "image_id": 99}},
            {"id": 2, "image_id": 11, "category_id": 3, "bbox": [0, 0, 5, 5], "iscrowd": 1},
            {"id": 3, "image_id": 12, "category_id": 3, "bbox": [0, 0, 5, 5]},
            {"id": 4, "image_id": 11, "category_id": 4, "bbox": [0, 0, 5, 5]},
            {"id": 5, "image_id": 11, "category_id": 3, "bbox": [0, 0, 5]},
            {"id": 6, "image_id": 11, "category_id": 3, "bbox": [0, 0, 5, 5, 5]},
            {"id": 7, "bbox": [0, 0, 5, 5]}],
        "images": [{"id": 10, "file_name": "a.jpg", "width": 640}, {"file_name": "b.jpg", "id": 11},
                   {"id": 13, "file_name": "c.jpg"}],
        "categories": [{"id": 3, "name": "traffic light", "supercategory": "outdoor"}]})");
    const BoxList list = read_boxes(path);
    EXPECT_EQ(list.corners, Corners::edges);
    ASSERT_EQ(list.rows.size(), 1U);
    EXPECT_EQ(list.rows[0].corners, (Four{1.5, 2, 31.5, 42.25}));
    EXPECT_EQ(list.images[list.rows[0].image], "a.jpg");
    EXPECT_THAT(list.classes, ElementsAre("traffic light"));
    EXPECT_EQ(list.without_boxes, 1U);  // the image is c.jpg
    EXPECT_THAT(
        described(list.rejected),
        ElementsAre(
            "crowd: instances.json annotation 2: image b.jpg, class traffic light: iscrowd",
            "missing_image: instances.json annotation 3: image_id 12 is not in the list of images",
            "unknown_class: instances.json annotation 4: image b.jpg: category_id 4 is not in the "
            "list "
            "of categories",
            HasSubstr(
                "annotation 5: image b.jpg, class traffic light: its bbox has 3 numbers, not 4"),
            HasSubstr("its bbox has more than 4 numbers"), HasSubstr("annotation 7: no image_id")));
}

TEST(Coco, WhatIsNoObjectAndBoxesThatAreNoNumbers) {
    const TempFolder folder;
    const auto path = folder.write("i.json", R"({
        "images": [7, {"id": 1, "file_name": "a.jpg"}],
        "categories": ["cat", {"id": 3, "name": "dog"}],
        "annotations": [null, 5, "x", true,
            {"image_id": 1, "category_id": 3, "bbox": [1, 2, "x", 3, 4]},
            {"image_id": 1, "category_id": 3, "bbox": [true, false, 5, 5]},
            {"image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4, null]},
            {"image_id": 1, "category_id": 3, "bbox": [1, 2, [9], 3, 4]},
            {"image_id": 1, "category_id": 3, "bbox": [1, 2, {"x": 9}, 3, 4]},
            {"image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4], "iscrowd": false, "note": "x"},
            {"image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4], "iscrowd": true}]})");
    const BoxList list = read_boxes(path);
    ASSERT_EQ(list.rows.size(), 1U);
    EXPECT_EQ(list.rows[0].place, 10U);
    const std::string of_a = ": image a.jpg, class dog: ",
                      no_number = "its bbox holds something that is not a number";
    EXPECT_THAT(described(list.rejected),
                ElementsAre("damaged_annotation: i.json image 1: `7` is not an object",
                            "damaged_annotation: i.json category 1: `cat` is not an object",
                            "damaged_annotation: i.json annotation 1: `null` is not an object",
                            "damaged_annotation: i.json annotation 2: `5` is not an object",
                            "damaged_annotation: i.json annotation 3: `x` is not an object",
                            "damaged_annotation: i.json annotation 4: `true` is not an object",
                            "bad_number: i.json annotation 5" + of_a + no_number,
                            "bad_number: i.json annotation 6" + of_a + no_number,
                            "bad_number: i.json annotation 7" + of_a + no_number,
                            "bad_number: i.json annotation 8" + of_a + no_number,
                            "bad_number: i.json annotation 9" + of_a + no_number,
                            "crowd: i.json annotation 11" + of_a + "iscrowd"));
}

TEST(Coco, Refused) {
    const TempFolder folder;
    const auto message = [&](std::string_view text) {
        return refused(folder.write("i.json", text));
    };
    EXPECT_THAT(message("[1]"), HasSubstr("a list, but COCO instances are an object"));
    EXPECT_THAT(message("{}"), HasSubstr("no list `annotations`"));
    EXPECT_THAT(message("{\"annotations\": 3}"), HasSubstr("no list `annotations`"));
    EXPECT_THAT(message("{\"annotations\": [[1]]}"),
                HasSubstr("a list instead of an image, an annotation"));
    EXPECT_THAT(message("{\"annotations\": [{\"bbox\": [1e999]}]}"), HasSubstr("damaged JSON"));
    EXPECT_THAT(message("{\"annotations\": []"), HasSubstr("damaged JSON at line"));
    EXPECT_THAT(message(R"({"annotations": [], "images": [{"id": 1}]})"),
                HasSubstr("image 1 has no file_name"));
    EXPECT_THAT(
        message(
            R"({"annotations": [], "images": [{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}]})"),
        HasSubstr("image id 1 appears twice"));
    EXPECT_THAT(message(R"({"annotations": [], "categories": [{"id": "x", "name": "a"}]})"),
                HasSubstr("category 1 has no whole number as its id"));
    EXPECT_THAT(message("{\"annotations\": []}"), HasSubstr("no box in it"));
    std::string deep = "{\"x\": ";
    for (int i = 0; i < 200'000; ++i) deep += '[';
    EXPECT_THAT(message(deep), HasSubstr("JSON is nested deeper than 64 levels"));
}

TEST(Names, UnknownOnesAreUsageErrors) {
    EXPECT_EQ(box_format_named("auto"), BoxFormat::automatic);
    EXPECT_EQ(name_of(box_format_named("solution")), "solution");
    EXPECT_THROW(box_format_named("yolo"), Error);
    EXPECT_EQ(corners_named("inclusive1"), Corners::inclusive1);
    EXPECT_THROW(corners_named("exclusive"), Error);
}

class Pool : public testing::Test {
protected:
    Pool() {
        save(one_colour(10, 8, {9, 9, 9}), folder_ / "pics/a.png");
        save(one_colour(20, 4, {9, 9, 9}), folder_ / "pics/sub/b.png");
    }
    PatchPool pool(const std::string& rows, Corners corners = Corners::inclusive0,
                   PoolOptions options = {}) {
        const auto path = folder_.write("boxes.csv", "image,xmin,ymin,xmax,ymax,class\n" + rows);
        return make_pool(read_boxes(path, BoxFormat::csv, corners), folder_ / "pics", options,
                         &notes_);
    }
    std::string refused_pool(const std::string& rows) {
        return message_of([&] { pool(rows); });
    }
    TempFolder folder_;
    std::vector<std::string> notes_;
};

// For xmin 2, xmax 5: pixels 2..5 counted from 0; 1..4 counted from 1 (2 is the second); 2..4 as
// edges.
TEST_F(Pool, WhatCornersMean) {
    const std::string row = "a.png,2,3,5,6,cat\n";
    EXPECT_THAT(pool(row).patches, ElementsAre(Patch{0, 0, 2, 3, 4, 4}));
    EXPECT_THAT(pool(row, Corners::inclusive1).patches, ElementsAre(Patch{0, 0, 1, 2, 4, 4}));
    EXPECT_THAT(pool(row, Corners::edges).patches, ElementsAre(Patch{0, 0, 2, 3, 3, 3}));
    // One pixel; nothing; and, for edges, every pixel that is touched: [2.5, 5.25) meets 2, 3,
    // 4, 5.
    EXPECT_THAT(pool("a.png,2,3,2,3,cat\n").patches, ElementsAre(Patch{0, 0, 2, 3, 1, 1}));
    EXPECT_THAT(refused_pool("a.png,5,3,2,6,cat\n"), HasSubstr("reversed"));
    EXPECT_THAT(pool("a.png,2.5,0,5.25,1,cat\n", Corners::edges).patches,
                ElementsAre(Patch{0, 0, 2, 0, 4, 1}));
    // The whole image in each of the three conventions.
    const Patch all{0, 0, 0, 0, 10, 8};
    EXPECT_THAT(pool("a.png,0,0,9,7,cat\n").patches, ElementsAre(all));
    EXPECT_THAT(pool("a.png,1,1,10,8,cat\n", Corners::inclusive1).patches, ElementsAre(all));
    EXPECT_THAT(pool("a.png,0,0,10,8,cat\n", Corners::edges).patches, ElementsAre(all));
}

// The image is a copy with 10 x 8 pixels and was annotated at 20 x 16, so its boxes are wrong.
TEST_F(Pool, ImagesOfAnotherSizeThanAnnotated) {
    const auto annotated = [&](const std::string& size, PoolOptions options = {}) {
        const auto path = folder_.write(
            "a.xml", "<annotation><filename>a.png</filename>" + size +
                         object("cat", corners("0", "0", "3", "3")) +
                         "<object><name>dog</name><difficult>1</difficult><bndbox>" +
                         corners("0", "0", "4", "4") +
                         "</bndbox></object><object><name>cow</name><truncated>1</truncated>"
                         "<bndbox>" +
                         corners("0", "0", "5", "5") + "</bndbox></object></annotation>");
        return make_pool(read_boxes(path), folder_ / "pics", options, &notes_);
    };
    const std::string true_size = "<size><width>10</width><height>8</height></size>";
    EXPECT_EQ(annotated(true_size).patches.size(), 3U);
    EXPECT_EQ(annotated("").patches.size(), 3U);
    try {
        annotated("<size><width>20</width><height>16</height></size>");
        FAIL() << "nothing of it is of use";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("other_size"));
        EXPECT_THAT(error.what(), HasSubstr("annotated at 20 x 16 pixels, the image has 10 x 8"));
    }
    const auto coco =
        folder_.write("coco.json",
                      R"({"images": [{"id": 1, "file_name": "a.png", "width": 8, "height": 10},
                       {"id": 2, "file_name": "b.png", "height": 4, "width": 20}],
            "annotations": [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2]},
                            {"image_id": 2, "category_id": 1, "bbox": [0, 0, 2, 2]}],
            "categories": [{"id": 1, "name": "cat"}]})");
    const PatchPool pool = make_pool(read_boxes(coco), folder_ / "pics", {}, &notes_);
    EXPECT_EQ(pool.patches.size(), 1U);
    EXPECT_THAT(described(pool.rejected),
                ElementsAre("other_size: coco.json annotation 1: image a.png, class cat: annotated "
                            "at 8 x 10 pixels, the image has 10 x 8"));

    PoolOptions options;
    options.skip_difficult = true;
    const PatchPool easy = annotated(true_size, options);
    EXPECT_EQ(easy.patches.size(), 2U);
    EXPECT_THAT(described(easy.rejected), ElementsAre("difficult: a.xml object 2: image a.png, "
                                                      "class dog"));
    options.skip_truncated = true;
    const PatchPool whole = annotated(true_size, options);
    EXPECT_EQ(whole.patches.size(), 1U);
    EXPECT_THAT(described(whole.rejected), ElementsAre(HasSubstr("difficult"),
                                                       "truncated: a.xml object 3: image a.png, "
                                                       "class cow"));
}

TEST_F(Pool, TheSameBoxAgain) {
    const std::string rows =
        "a.png,0,0,3,3,cat\nb.png,0,0,3,3,cat\na.png,0,0,3,3,cat\na.png,0,0,3,3,dog\n"
        "a.png,-5,0,3,3,cat\na.png,0,0,3,3,dog\na.png,0,0,3,2,cat\n";
    const PatchPool all = pool(rows);
    EXPECT_EQ(all.patches.size(), 7U);
    // The third, the fifth (equal after clipping) and the second dog are refused. The first dog is
    // another class for the same pixels.
    EXPECT_EQ(all.duplicates, 3U);
    EXPECT_EQ(all.conflicts, 1U);
    EXPECT_EQ(all.first_duplicate, "boxes.csv line 4: image a.png");
    EXPECT_EQ(all.first_conflict, "boxes.csv line 5: image a.png");
    PoolOptions options;
    options.skip_duplicates = true;
    const PatchPool once = pool(rows, Corners::inclusive0, options);
    EXPECT_EQ(once.patches.size(), 4U);
    EXPECT_EQ(once.duplicates, 0U);
    EXPECT_EQ(once.rejected.size(), 3U);
    EXPECT_EQ(describe(once.rejected[0]), "duplicate: boxes.csv line 4: image a.png, class cat");
}

TEST_F(Pool, OutsideIsClippedAndCounted) {
    const PatchPool made =
        pool("a.png,-3,-3,4,4,cat\na.png,5,5,10,7,cat\na.png,5,5,99,99,cat\na.png,1,1,2,2,cat\n");
    EXPECT_THAT(made.patches, ElementsAre(Patch{0, 0, 0, 0, 5, 5}, Patch{0, 0, 5, 5, 5, 3},
                                          Patch{0, 0, 5, 5, 5, 3}, Patch{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(made.clipped, 3U);
    EXPECT_EQ(made.clipped_by_one, 1U);  // the box ends at 10, but 9 is the last column
}

TEST_F(Pool, EveryBoxIsThereOrListed) {
    folder_.write("pics/broken.jpg", "no jpeg");
    save(one_colour(3, 3, {1, 1, 1}), folder_ / "pics/x/twin.png");
    save(one_colour(3, 3, {1, 1, 1}), folder_ / "pics/y/twin.png");
    const PatchPool made = pool(
        "a.png,0,0,1,1,cat\n"
        "a.png,3,0,1,1,cat\n"
        "a.png,50,50,60,60,cat\n"
        "a.png,-9,0,-1,1,cat\n"
        "a.png,nan,0,1,1,cat\n"
        "a.png,0,0,inf,1,cat\n"
        "a.png,0,0,1e300,1,cat\n"
        "a.png,0,zero,1,1,cat\n"
        "a.png,0,0,1,1,\n"
        "gone.png,0,0,1,1,cat\n"
        "broken.jpg,0,0,1,1,cat\n"
        "twin.png,0,0,1,1,cat\n"
        "x/twin.png,0,0,1,1,dog\n"
        "b.jpg,0,0,1,1,dog\n");
    EXPECT_EQ(made.read, 14U);
    EXPECT_EQ(made.patches.size() + made.rejected.size(), made.read);
    EXPECT_EQ(made.patches.size(),
              3U);  // the first image, x/twin.png, and sub/b.png, found without its extension
    EXPECT_EQ(made.images[made.patches[2].image], "sub/b.png");
    const auto counts = made.rejected_by_fault();
    const auto count = [&](BoxFault fault) { return counts[static_cast<std::size_t>(fault)]; };
    EXPECT_EQ(count(BoxFault::reversed), 1U);
    EXPECT_EQ(count(BoxFault::outside), 2U);
    EXPECT_EQ(count(BoxFault::bad_number), 4U);
    EXPECT_EQ(count(BoxFault::unknown_class), 1U);
    EXPECT_EQ(count(BoxFault::missing_image), 1U);
    EXPECT_EQ(count(BoxFault::unreadable_image), 1U);
    EXPECT_EQ(count(BoxFault::ambiguous_image), 1U);
    const auto lines = described(made.rejected);
    EXPECT_THAT(lines, Contains("reversed: boxes.csv line 3: image a.png, class cat: 3 0 1 1"));
    EXPECT_THAT(
        lines,
        Contains(
            "outside: boxes.csv line 4: image a.png, class cat: 50 50 60 60 of 10 x 8 pixels"));
    EXPECT_THAT(lines, Contains("bad_number: boxes.csv line 6: image a.png, class cat: nan 0 1 1"));
    EXPECT_THAT(
        lines,
        Contains(HasSubstr("unknown_class: boxes.csv line 10: image a.png: no class is named")));
    EXPECT_THAT(lines,
                Contains(HasSubstr(
                    "missing_image: boxes.csv line 11: image gone.png, class cat: not below")));
    EXPECT_THAT(lines, Contains(HasSubstr("several images have this name, e.g. x/twin.png")));
    EXPECT_THAT(rejected_csv(made.rejected),
                HasSubstr("fault,where,image,class,detail\nbad_number,boxes.csv line "
                          "9,a.png,cat,ymin is `zero`\n"));
}

TEST_F(Pool, EmptyAsEdges) {
    const PatchPool made = pool("a.png,0,0,1,1,cat\na.png,2,2,2,5,cat\n", Corners::edges);
    EXPECT_THAT(described(made.rejected),
                ElementsAre("empty: boxes.csv line 3: image a.png, class cat: 2 2 2 5"));
    EXPECT_EQ(made.rejected[0].fault, BoxFault::empty);
}

TEST_F(Pool, SmallPatchesCanBeLeftOut) {
    const PatchPool made =
        pool("a.png,0,0,7,1,cat\na.png,0,0,2,2,cat\n", Corners::inclusive0, {.min_side = 3});
    EXPECT_THAT(made.patches, ElementsAre(Patch{0, 0, 0, 0, 3, 3}));
    EXPECT_THAT(
        described(made.rejected),
        ElementsAre(HasSubstr("too_small: boxes.csv line 2: image a.png, class cat: 8 x 2")));
}

TEST_F(Pool, WhichClassesTheTextsMean) {
    EXPECT_THAT(pool("a.png,0,0,1,1,dog\na.png,0,0,1,1,cat\n").classes.ids(),
                ElementsAre("cat", "dog"));
    EXPECT_THAT(notes_, Contains("the boxes have 2 classes, sorted by bytes"));
    EXPECT_EQ(pool("a.png,0,0,1,1,3\na.png,0,0,1,1,0\n").classes, numbered_classes(4));
    const PatchPool imagenet = pool("a.png,0,0,1,1,n01440764\na.png,0,0,1,1,n09999999\n");
    EXPECT_EQ(imagenet.classes, imagenet_classes());
    EXPECT_THAT(described(imagenet.rejected),
                ElementsAre(HasSubstr("class n09999999: none of the 1000 classes")));
    const PatchPool near = pool("a.png,0,0,1,1,elephnt\na.png,0,0,1,1,cat\n", Corners::inclusive0,
                                {.classes = ClassList({"cat", "elephant"})});
    EXPECT_THAT(described(near.rejected),
                ElementsAre(HasSubstr("none of the 2 classes; did you mean `elephant`?")));
    const PatchPool given = pool("a.png,0,0,1,1,Dog house\na.png,0,0,1,1,c1\n", Corners::inclusive0,
                                 {.classes = ClassList({"c0", "c1"}, {"Dog house", "cat"})});
    EXPECT_EQ(given.patches[0].cls, 0);
    EXPECT_EQ(given.patches[1].cls, 1);
}

TEST_F(Pool, SameForAnyNumberOfThreads) {
    std::string rows;
    for (int i = 0; i < 40; ++i) {
        save(one_colour(4 + i % 7, 5, {1, 2, 3}),
             folder_ / ("pics/t" + std::to_string(i) + ".png"));
        rows += "t" + std::to_string(i) + ".png,0,0,9,9,c" + std::to_string(i % 3) + "\n";
    }
    const std::string one = pool(rows, Corners::inclusive0, {.threads = 1}).fingerprint();
    for (const int threads : {2, 3, 7}) {
        EXPECT_EQ(pool(rows, Corners::inclusive0, {.threads = threads}).fingerprint(), one)
            << threads;
    }
}

TEST_F(Pool, NothingOfUse) {
    EXPECT_THAT(refused_pool("gone.png,0,0,1,1,cat\n"),
                HasSubstr("none of 1 boxes can be used; the first: missing_image"));
    EXPECT_THAT(refused_pool("a.png,x,0,1,1,cat\n"), HasSubstr("the first: bad_number"));
    fs::remove_all(folder_ / "pics");
    EXPECT_THAT(refused_pool("a.png,0,0,1,1,cat\n"), HasSubstr("cannot read the folder"));
}

TEST_F(Pool, WholeImagesOfADataSet) {
    folder_.write("pics/broken.png", "x");
    const auto list = folder_.write(
        "pics/list.csv",
        "path,labels\na.png,cat\nsub/b.png,dog\nbroken.png,cat\ngone.png,cat\na2.png,cat dog\n");
    save(one_colour(2, 2, {1, 1, 1}), folder_ / "pics/a2.png");
    const PatchPool made = make_pool(open_dataset(list, {}), {});
    EXPECT_THAT(made.patches, ElementsAre(Patch{0, 0, 0, 0, 10, 8}, Patch{1, 1, 0, 0, 20, 4}));
    EXPECT_EQ(made.read, 5U);
    EXPECT_THAT(described(made.rejected),
                ElementsAre(HasSubstr("no_single_label: item 5: image a2.png: 2 labels"),
                            HasSubstr("unreadable_image: image broken.png, class cat"),
                            HasSubstr("missing_image")));
}

}  // namespace
}  // namespace assay
