// Items through the Arrow C stream interface: the layout of every column, and the owner of its
// memory.
#include "c/arrow_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "assay/c/assay.h"

namespace assay {
namespace {

assay_store* made_store(std::vector<float>& scores, std::vector<std::int32_t>& labels,
                        std::int64_t rows) {
    scores.assign(static_cast<std::size_t>(rows) * 3, 0);
    labels.assign(static_cast<std::size_t>(rows), 0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = i % 4 == 3 ? -1 : static_cast<std::int32_t>(i % 3);
        scores[i * 3 + i % 3] = 2;
    }
    if (rows > 5) scores[5 * 3] = std::numeric_limits<float>::quiet_NaN();
    const assay_array m{scores.data(), ASSAY_FLOAT32, 2, {rows, 3}, {12, 4}},
        t{labels.data(), ASSAY_INT32, 1, {rows, 0}, {4, 0}};
    return assay_store_in_memory(&m, &t, nullptr, nullptr, R"({"kind": "logits"})", nullptr);
}

bool bit(const void* bits, std::int64_t i) {
    return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

TEST(ArrowStream, HasEveryItemAndColumn) {
    std::vector<float> scores;
    std::vector<std::int32_t> labels;
    constexpr std::int64_t rows = 70'000;  // two batches of items
    assay_store* store = made_store(scores, labels, rows);
    ArrowArrayStream stream{};
    assay_error* error = nullptr;
    ASSERT_EQ(assay_store_arrow(store, R"({"top": 2, "scores": true})", &stream, &error), 0)
        << assay_error_message(error);
    assay_store_free(store);  // the stream keeps the data that it needs

    ArrowSchema schema{};
    ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_STREQ(schema.format, "+s");
    std::vector<std::string> names;
    std::string formats;
    for (std::int64_t c = 0; c < schema.n_children; ++c) {
        names.emplace_back(schema.children[c]->name);
        formats += std::string(schema.children[c]->format) + " ";
    }
    EXPECT_EQ(names.front(), "dataset");
    EXPECT_EQ(names.back(), "logits");
    EXPECT_EQ(formats, "u u u u i u +l i u b f f f g u i u f i u f +w:3 ");
    // A child array that was moved out is released by its new owner.
    ArrowSchema moved = *schema.children[2];
    schema.children[2]->release = nullptr;
    schema.release(&schema);
    EXPECT_EQ(schema.release, nullptr);
    EXPECT_STREQ(moved.name, "id");
    moved.release(&moved);

    std::int64_t seen = 0, batches = 0;
    for (;;) {
        ArrowArray batch{};
        ASSERT_EQ(stream.get_next(&stream, &batch), 0);
        if (batch.release == nullptr) break;
        ++batches;
        const ArrowArray &id = *batch.children[2], &label = *batch.children[4],
                         &sets = *batch.children[6], &predicted = *batch.children[7],
                         &confidence = *batch.children[10], &logits = *batch.children[21];
        EXPECT_EQ(id.null_count, 0);
        EXPECT_EQ(id.buffers[0], nullptr);
        const auto* ends = static_cast<const std::int32_t*>(id.buffers[1]);
        const auto* set_ends = static_cast<const std::int32_t*>(sets.buffers[1]);
        for (std::int64_t i = 0; i < batch.length; ++i) {
            const std::int64_t item = seen + i;
            ASSERT_EQ(std::string(static_cast<const char*>(id.buffers[2]) + ends[i],
                                  static_cast<std::size_t>(ends[i + 1] - ends[i])),
                      std::to_string(item));
            const bool labelled = item % 4 != 3, scored = item != 5;
            ASSERT_EQ(bit(label.buffers[0], i), labelled);
            ASSERT_EQ(set_ends[i + 1] - set_ends[i], labelled ? 1 : 0);
            ASSERT_EQ(predicted.buffers[0] == nullptr || bit(predicted.buffers[0], i), scored);
            if (!scored) continue;
            ASSERT_EQ(static_cast<const std::int32_t*>(predicted.buffers[1])[i], item % 3);
            const double p = std::exp(2.0) / (std::exp(2.0) + 2);
            ASSERT_NEAR(static_cast<const float*>(confidence.buffers[1])[i], p, 1e-6);
            ASSERT_EQ(static_cast<const float*>(logits.children[0]->buffers[1])[i * 3 + item % 3],
                      2);
        }
        seen += batch.length;
        ArrowArray column = *batch.children[2];  // this array was moved out, and is freed last
        batch.children[2]->release = nullptr;
        batch.release(&batch);
        column.release(&column);
    }
    EXPECT_EQ(seen, rows);
    EXPECT_EQ(batches, 2);
    stream.release(&stream);
    EXPECT_EQ(stream.release, nullptr);
}

TEST(ArrowStream, IsReleasedWithoutBeingRead) {
    std::vector<float> scores;
    std::vector<std::int32_t> labels;
    assay_store* store = made_store(scores, labels, 3);
    ArrowArrayStream stream{};
    ASSERT_EQ(assay_store_arrow(store, nullptr, &stream, nullptr), 0);
    assay_store_free(store);
    stream.release(&stream);
}

TEST(ArrowStream, SaysWhatIsWrong) {
    std::vector<float> scores;
    std::vector<std::int32_t> labels;
    assay_store* store = made_store(scores, labels, 3);
    ArrowArrayStream stream{};
    assay_error* error = nullptr;
    EXPECT_EQ(assay_store_arrow(store, R"({"tops": 2})", &stream, &error), -1);
    EXPECT_THAT(assay_error_message(error), testing::HasSubstr("`tops`"));
    assay_error_free(error);
    labels[1] = 7;  // this is not a class, but the store has its own copy, so nothing changes
    EXPECT_EQ(assay_store_arrow(store, R"({"class_map": "nothing"})", &stream, &error), -1);
    assay_error_free(error);
    assay_store_free(store);
}

}  // namespace
}  // namespace assay
