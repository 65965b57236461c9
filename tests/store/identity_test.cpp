// Tests when a store is begun, resumed, or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "assay/store/prediction_store.h"
#include "made_up.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(StoreIdentity, AFinishedStoreHasEverything) {
    const Scratch scratch;
    {
        StoreWriter writer =
            StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
        EXPECT_EQ(writer.missing(), 4U);
        write_missing_shards(writer);
    }
    const auto before = all_files(scratch.path());
    StoreWriter again = StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    EXPECT_EQ(again.missing(), 0U);
    for (std::size_t s = 0; s < 4; ++s) EXPECT_TRUE(again.has(s));
    again.finish();
    EXPECT_EQ(all_files(scratch.path()), before);
}

TEST(StoreIdentity, APartialStoreGoesOn) {
    const Scratch whole;
    const Scratch scratch;
    {
        StoreWriter writer = StoreWriter::open(whole.path(), made_up_spec(34), made_up_dataset(34));
        write_missing_shards(writer);
    }
    {
        StoreWriter writer =
            StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
        write_made_up_shard(writer, 2);
    }
    {
        const PredictionStore partial = PredictionStore::open(scratch / "val/net");
        EXPECT_FALSE(partial.complete());
        EXPECT_EQ(partial.missing_shards(), 3U);
        EXPECT_EQ(partial.shard(2).first_row, 20U);
        EXPECT_THAT(error_of([&] { partial.shard(1); }).second, HasSubstr("shard 1 of 4"));
        EXPECT_TRUE(verify_store(scratch / "val/net").empty());  // unfinished, but not damaged
    }
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    EXPECT_TRUE(writer.has(2));
    EXPECT_FALSE(writer.has(0));
    write_missing_shards(writer);
    EXPECT_EQ(all_files(scratch.path()), all_files(whole.path()));
    EXPECT_TRUE(verify_store(scratch / "val/net").empty());
}

TEST(StoreIdentity, WhatIsLeftOpenIsTakenFromTheRecord) {
    const Scratch scratch;
    StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    StoreSpec open = made_up_spec(34);
    open.shard_rows = 0;
    open.batch_size = 0;
    open.provenance_json = R"({"command":"another"})";
    const StoreWriter writer = StoreWriter::open(scratch.path(), open, made_up_dataset(34));
    EXPECT_EQ(writer.spec().shard_rows, 10U);
    EXPECT_EQ(writer.spec().batch_size, 5U);
    EXPECT_THAT(writer.spec().provenance_json, HasSubstr("assay predict"));
}

TEST(StoreIdentity, EveryDifferenceIsNamedWithBothValues) {
    const Scratch scratch;
    StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    const auto refusal = [&](auto&& change) {
        StoreSpec spec = made_up_spec(34);
        change(spec);
        const auto [code, message] =
            error_of([&] { StoreWriter::open(scratch.path(), spec, made_up_dataset(34)); });
        EXPECT_EQ(code, ErrorCode::bad_input);
        EXPECT_THAT(message, HasSubstr("another --out or a new name"));
        return message;
    };
    EXPECT_THAT(refusal([](StoreSpec& s) { s.model_hash = "xxh128:ff"; }),
                HasSubstr("the model's file is another one"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.preprocess_hash = "p"; }),
                HasSubstr("the preprocessing differs. "));
    EXPECT_THAT(refusal([](StoreSpec& s) {
                    s.preprocess_hash = "p";
                    s.provenance_json = R"({"precision":"fp16"})";
                }),
                AllOf(HasSubstr("the precision was `fp32` and is now `fp16`"),
                      Not(HasSubstr("the preprocessing"))));
    EXPECT_THAT(refusal([](StoreSpec& s) {
                    s.preprocess_hash = "p";
                    s.provenance_json = R"({"memory_format":"channels_last, fused"})";
                }),
                AllOf(HasSubstr("the model's graph was computed as `written` and is now `fused`"),
                      HasSubstr("set ASSAY_GRAPH=written in the environment to resume"),
                      Not(HasSubstr("the preprocessing"))));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.import_hash = "another order"; }),
                HasSubstr("the rows of the file now belong to different items,"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.kind = ScoreKind::probabilities; }),
                HasSubstr("the kind of scores was `logits` and is now `probabilities`"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.shard_rows = 20; }),
                HasSubstr("shard_rows was `10` and is now `20`"));
    EXPECT_THAT(refusal([](StoreSpec& s) {
                    s.storage = StorageFormat::top_k;
                    s.top_k = 2;
                    s.batch_size = 1;
                }),
                AllOf(HasSubstr("the storage format was `full_f32` and is now `top_k`"),
                      HasSubstr("top_k was `0` and is now `2`"),
                      HasSubstr("the batch size was `5` and is now `1`")));
}

TEST(StoreIdentity, FieldsThatDifferAreShownNotHashes) {
    const Scratch scratch;
    StoreSpec spec = made_up_spec(34);
    spec.provenance_json = R"({"model": {"path": "a/net.pt", "output": "",
        "preprocess": {"width": 224, "interpolation": "bicubic", "crop_pct": 0.875,
                       "resize_as": "torch"}}})";
    StoreWriter::open(scratch.path(), spec, made_up_dataset(34));
    const auto refusal = [&](const StoreSpec& other) {
        const std::string message =
            error_of([&] { StoreWriter::open(scratch.path(), other, made_up_dataset(34)); }).second;
        EXPECT_THAT(message, Not(HasSubstr("xxh128")));
        return message;
    };
    StoreSpec other = spec;
    other.model_hash = "xxh128:ff";
    EXPECT_THAT(refusal(other), HasSubstr("the model's file `a/net.pt` has changed"));
    other.provenance_json = R"({"model": {"path": "b/net.pt", "output": ""}})";
    EXPECT_THAT(refusal(other), HasSubstr("the model's file was `a/net.pt` and is now `b/net.pt`"));
    other = spec;
    other.preprocess_hash = "xxh128:ee";
    other.provenance_json = R"({"model": {"path": "a/net.pt", "output": "",
        "preprocess": {"width": 256, "interpolation": "bilinear", "crop_pct": 0.875}}})";
    EXPECT_THAT(refusal(other),
                AllOf(HasSubstr("interpolation was `bicubic` and is now `bilinear`"),
                      HasSubstr("width was `224` and is now `256`"), Not(HasSubstr("crop_pct")),
                      HasSubstr("resize_as was `torch` and is now `not set`")));
    // Another output of the same model file is another classifier.
    other = spec;
    other.provenance_json = R"({"model": {"path": "a/net.pt", "output": "aux"}})";
    EXPECT_THAT(refusal(other), HasSubstr("output entry was `its only one` and is now `aux`"));
}

TEST(StoreIdentity, OtherItemsLabelsOrClassesAreRefused) {
    const Scratch scratch;
    StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    StoreSpec second = made_up_spec(34);
    second.model_name = "second";
    const auto refusal = [&](const Dataset& dataset) {
        second.rows = dataset.size();
        return error_of([&] { StoreWriter::open(scratch.path(), second, dataset); });
    };
    EXPECT_THAT(refusal(made_up_dataset(34, "other")).second,
                HasSubstr("has other items: of 34 items there and 34 now, 34 are only there (the "
                          "first: `item00000`), 34 are only here now (the first: `other00000`)"));
    EXPECT_THAT(refusal(made_up_dataset(33)).second,
                HasSubstr("of 34 items there and 33 now, 1 is only there (`item00033`)"));
    // After a pilot, all items are imported. The message names the command to move the pilot away.
    const std::string whole = refusal(made_up_dataset(50)).second,
                      folder = (scratch / "val").string();
    EXPECT_TRUE(whole.ends_with(fmt::format("type `mv {0} {0}-34` and rerun the command", folder)))
        << whole;
    EXPECT_THAT(refusal(made_up_dataset(50, "other")).second, Not(HasSubstr("mv ")));
    std::filesystem::create_directories(folder + "-34");
    EXPECT_THAT(refusal(made_up_dataset(50)).second, Not(HasSubstr("mv ")));
    Dataset reversed = made_up_dataset(34);
    reversed.ids = {};
    for (int i = 34; i-- > 0;) reversed.ids.append(fmt::format("item{:05}", i));
    EXPECT_THAT(refusal(reversed).second, HasSubstr("the same ids are in another order"));
    Dataset dataset = made_up_dataset(34);
    dataset.labels = LabelSets();
    for (int i = 0; i < 34; ++i) dataset.labels.append({});
    second.rows = 34;
    StoreWriter::open(scratch.path(), second, dataset);  // the recorded ones are kept
    const std::int32_t label = 6;
    dataset.labels = LabelSets();
    for (int i = 0; i < 34; ++i) dataset.labels.append(std::span(&label, 1));
    EXPECT_THAT(refusal(dataset).second,
                HasSubstr("other labels: `item00000` is labelled `c0` there and `c6` now, and 33 "
                          "more of 34 differ"));
    dataset = made_up_dataset(34);
    dataset.classes = ClassList({"x", "y", "c2", "c3", "c4", "c5", "c6"});
    EXPECT_THAT(refusal(dataset).second,
                HasSubstr("different classes before and now: class 0 is `c0` and `x`"));
    EXPECT_EQ(refusal(dataset).first, ErrorCode::bad_input);
}

TEST(StoreIdentity, NonsenseIsRefusedBeforeAnythingIsWritten) {
    const Scratch scratch;
    const auto refusal = [&](auto&& change) {
        StoreSpec spec = made_up_spec(34);
        change(spec);
        return error_of([&] { StoreWriter::open(scratch / "runs", spec, made_up_dataset(34)); })
            .second;
    };
    EXPECT_THAT(refusal([](StoreSpec& s) { s.model_name = "../net"; }),
                HasSubstr("cannot name a model"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.dataset_name = ".."; }),
                HasSubstr("cannot name a data set"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.classes = 0; }), HasSubstr("classes is 0"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.batch_size = 4; }),
                HasSubstr("shard_rows 10 is not a multiple of the batch size 4"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.storage = StorageFormat::top_k; }),
                HasSubstr("top_k is 0; it must be 1 to 7"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.storage = StorageFormat::top_k, s.top_k = 8; }),
                HasSubstr("top_k is 8"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.top_k = 3; }), HasSubstr("without storage"));
    EXPECT_FALSE(std::filesystem::exists(scratch / "runs"));
    EXPECT_THAT(refusal([](StoreSpec& s) { s.provenance_json = "[1]"; }), HasSubstr("JSON object"));
}

TEST(StoreIdentity, NewerVersionsAreRefused) {
    const Scratch scratch;
    StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    for (const char* name : {"val/net/manifest.json", "val/dataset.json"}) {
        const std::string text = file_text(scratch / name);
        std::string newer = text;
        newer.replace(newer.find("\"schema_version\": 3"), 19, "\"schema_version\": 9");
        put_text(scratch / name, with_checksum(newer));
        const auto open_writer = [&] {
            StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
        };
        EXPECT_THAT(error_of(open_writer).second,
                    AllOf(HasSubstr("written by a newer Assay"), HasSubstr(name)));
        EXPECT_EQ(error_of(open_writer).first, ErrorCode::bad_input);
        EXPECT_THAT(error_of([&] { PredictionStore::open(scratch / "val/net"); }).second,
                    HasSubstr("written by a newer Assay"));
        put_text(scratch / name, text);
    }
}

TEST(StoreIdentity, OlderVersionsAreRefusedWithWhatToDo) {
    const Scratch scratch;
    StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    std::string text = file_text(scratch / "val/net/manifest.json");
    text.replace(text.find("\"schema_version\": 3"), 19, "\"schema_version\": 1");
    put_text(scratch / "val/net/manifest.json", with_checksum(text));
    EXPECT_THAT(
        error_of([&] { PredictionStore::open(scratch / "val/net"); }).second,
        AllOf(HasSubstr("written by an older Assay"), HasSubstr("predict or import again")));
}

TEST(StoreIdentity, ASecondProcessIsToldWhoWrites) {
    const Scratch scratch;
    const StoreWriter writer =
        StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    const auto [code, message] =
        error_of([&] { StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34)); });
    EXPECT_EQ(code, ErrorCode::busy);
    EXPECT_THAT(message, HasSubstr("process " + std::to_string(::getpid())));
    // Another model on the same data set is not affected by the lock.
    StoreSpec other = made_up_spec(34);
    other.model_name = "other";
    StoreWriter::open(scratch.path(), other, made_up_dataset(34));
}

TEST(StoreIdentity, FinishingReleasesTheLock) {
    const Scratch scratch;
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    write_missing_shards(writer);
    StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    EXPECT_THROW(write_made_up_shard(writer, 0), Error);
}

TEST(StoreIdentity, ManyModelsOfOneDataSetMayBeginAtOnce) {
    for (int round = 0; round < 5; ++round) {
        const Scratch scratch;
        std::vector<pid_t> children;
        for (int model = 0; model < 6; ++model) {
            const pid_t child = ::fork();
            if (child == 0) {
                int status = 1;
                try {
                    StoreSpec spec = made_up_spec(34);
                    spec.model_name = fmt::format("net{}", model);
                    StoreWriter writer =
                        StoreWriter::open(scratch.path(), spec, made_up_dataset(34));
                    write_missing_shards(writer);
                    status = 0;
                } catch (const std::exception& error) {
                    std::fprintf(stderr, "%s\n", error.what());
                }
                ::_exit(status);
            }
            children.push_back(child);
        }
        for (const pid_t child : children) {
            int status = 0;
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            EXPECT_EQ(status, 0);
        }
        EXPECT_EQ(find_stores(scratch.path()).size(), 6U);
        for (const auto& store : find_stores(scratch.path()))
            EXPECT_TRUE(verify_store(store).empty());
    }
}

}  // namespace
}  // namespace assay
