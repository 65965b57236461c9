#include "data/column_words.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(ColumnWords, SpellingDoesNotMatter) {
    for (const char* name : {"image_id", "ImageId", "IMAGE ID", " image-id "})
        EXPECT_EQ(column_word(name), ColumnWord::image) << name;
    EXPECT_EQ(column_key("Roi.X1"), "roix1");
    EXPECT_EQ(column_key("größe"), "größe");  // other alphabets do not change
}

TEST(ColumnWords, WhatToolsWrite) {
    using enum ColumnWord;
    const auto expect = [](ColumnWord word, std::initializer_list<const char*> names) {
        for (const char* name : names) EXPECT_EQ(column_word(name), word) << name;
    };
    expect(image, {"filename", "Filename", "file_name", "path", "image", "image_name", "id_code",
                   "isic_id", "image_path"});
    expect(id, {"id", "Id"});
    expect(label, {"label", "class", "ClassId", "Category", "target", "dx", "breed", "wnid"});
    expect(labels, {"labels", "tags"});
    expect(boxes, {"PredictionString"});
    expect(predicted, {"pred", "y_pred", "prediction"});
    expect(split, {"split", "fold", "is_training_image"});
    expect(geometry, {"Width", "Height", "Roi.X1", "Roi.Y2", "xmin", "bbox_x1", "bbox"});
    expect(attribute, {"group", "texture", "age"});
    expect(row_number, {"", " ", "Unnamed: 0", "Unnamed: 12"});
    expect(other, {"big bird", "MEL", "roi", "roiage", "unnamed thing", "labelled"});
}

TEST(ColumnWords, TheClearerNameHasTheLowerRank) {
    EXPECT_LT(column_meaning("path").rank, column_meaning("image_id").rank);
    EXPECT_LT(column_meaning("label").rank, column_meaning("class_name").rank);
}

}  // namespace
}  // namespace assay
