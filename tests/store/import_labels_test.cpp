// Tables of items and labels for imported scores. They accept the same names of columns as all
// lists of labels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "imports.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* scores = "id,c0,c1,c2\na,5,0,1\nb,0,5,1\nc,0,1,5\n";

class ImportedLabels : public Imports {
protected:
    ImportReport import(const std::string& text, const ImportOptions& options) {
        return Imports::import("scores.csv", text, options);
    }
};

TEST_F(ImportedLabels, ItemsAndLabelsHaveOneVocabulary) {
    for (const char* text :
         {"id,label\na,0\nb,1\nc,2\n", "filename;ClassId\na.png;0\nb.png;1\nc.png;2\n",
          "\xEF\xBB\xBFtarget,image_id\n0.0,a\n1.0,b\n2.0,c\n",
          ",Id,Category\n0,a,0\n1,b,1\n2,c,2\n", "path,c0,c1,c2\na,1,0,0\nb,0,1,0\nc,0,0,1\n"}) {
        put_text(scratch_ / "list.csv", text);
        ImportOptions items, labels;
        items.ids = labels.labels = scratch_ / "list.csv";
        items.classes = labels.classes = ClassList({"c0", "c1", "c2"});
        for (const ImportOptions& options : {items, labels}) {
            const ImportReport report = import(scores, options);
            EXPECT_THAT(labels_of(report), ElementsAre(0, 1, 2)) << text;
            EXPECT_THAT(report.notes, Contains(HasSubstr("list.csv: labels: "))) << text;
        }
    }
}

TEST_F(ImportedLabels, OtherColumnsOfItemsAreAttributes) {
    put_text(scratch_ / "items.csv", "id,note,group\na,x,g\nb,y,g\nc,z,h\n");
    ImportOptions options;
    options.ids = scratch_ / "items.csv";
    const ImportReport report = import(scores, options);
    EXPECT_THAT(labels_of(report), ElementsAre(-1, -1, -1));
    EXPECT_THAT(report.notes, Contains("items.csv: labels: none; images: column id; attributes: "
                                       "note, group"));
    EXPECT_EQ(PredictionStore::open(report.store).dataset().attributes.size(), 2U);
    // The same holds for a "class" that is not among the classes of the scores.
    put_text(scratch_ / "items.csv", "id,class\na,mammal\nb,bird\nc,bird\n");
    EXPECT_THAT(import(scores, options).notes,
                Contains("items.csv: labels: none; images: column id; attributes: class"));
    // The same holds next to labels. The columns are reported once.
    put_text(scratch_ / "items.csv", "id,label,note\na,0,x\nb,-1,y\nc,2,z\n");
    EXPECT_THAT(import(scores, options).notes,
                AllOf(Contains("items.csv: labels: column label; images: column id; attributes: "
                               "note"),
                      Contains("items.csv: -1 means no label: 1 of 3 rows"),
                      Not(Contains(HasSubstr("not used: note")))));
    // Tags, flags, and columns named after classes are not labels of items.
    for (const char* text :
         {"id,tags\na,indoor night\nb,indoor\nc,\n", "id,day,night\na,1,0\nb,0,1\nc,1,0\n",
          "id,c0,c1,c2\na,0.5,0,1\nb,1,0.5,0\nc,0,0,1\n"}) {
        put_text(scratch_ / "items.csv", text);
        EXPECT_THAT(labels_of(import(scores, options)), ElementsAre(-1, -1, -1)) << text;
    }
}

TEST_F(ImportedLabels, MinusOneIsCountedOrAskedAbout) {
    const ImportReport report = import("id,label,c0,c1,c2\na,-1,5,0,1\nb,1,0,5,1\nc,2,0,1,5\n", {});
    EXPECT_THAT(labels_of(report), ElementsAre(-1, 1, 2));
    EXPECT_THAT(report.notes, Contains("`label`: -1 means no label: 1 of 3 rows"));
    const std::string signs = "id,label,neg,pos\na,-1,.9,.1\nb,1,.2,.8\n";
    EXPECT_THAT(error_of([&] { import(signs, {}); }).second,
                HasSubstr("the labels in `label` are -1 (1 of 2 rows) and 1, of 2 classes"));
    put_text(scratch_ / "classes.csv", "id,name\n-1,neg\n1,pos\n");
    ImportOptions two;
    two.classes = read_class_list(scratch_ / "classes.csv");
    EXPECT_THAT(labels_of(import(signs, two)), ElementsAre(0, 1));
}

}  // namespace
}  // namespace assay
