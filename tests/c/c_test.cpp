// The C interface: its results, its errors, and that no memory leaks.
#include "assay/c/assay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "assay/version.h"
#include "scratch.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Returns the text and frees it.
std::string taken(assay_text* text) {
    if (text == nullptr) return "NULL";
    std::string copy(assay_text_data(text), assay_text_size(text));
    assay_text_free(text);
    return copy;
}

/// Returns "code: message (note) ..." and frees the error.
std::string said(assay_error* error) {
    if (error == nullptr) return "nothing";
    std::string all = std::string(assay_error_code(error)) + ": " + assay_error_message(error);
    for (std::size_t i = 0; assay_error_note(error, i) != nullptr; ++i)
        all += std::string(" (") + assay_error_note(error, i) + ")";
    assay_error_free(error);
    return all;
}

struct Made {
    std::vector<float> scores;
    std::vector<std::int32_t> labels;
    std::int64_t rows, classes;

    explicit Made(std::int64_t n, std::int64_t c = 5) : rows(n), classes(c) {
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t k = 0; k < c; ++k)
                scores.push_back(static_cast<float>((i * 7 + k * 3) % 11) - 4);
            labels.push_back(static_cast<std::int32_t>(i % c));
        }
    }
    assay_array matrix(std::int64_t first = 0, std::int64_t n = -1) const {
        return {scores.data() + first * classes,
                ASSAY_FLOAT32,
                2,
                {n < 0 ? rows - first : n, classes},
                {classes * 4, 4}};
    }
    assay_array truth(std::int64_t first = 0, std::int64_t n = -1) const {
        return {labels.data() + first, ASSAY_INT32, 1, {n < 0 ? rows - first : n, 0}, {4, 0}};
    }
    assay_store* store(const char* options = nullptr) const {
        const assay_array m = matrix(), t = truth();
        assay_error* error = nullptr;
        assay_store* made = assay_store_in_memory(&m, &t, nullptr, nullptr, options, &error);
        EXPECT_NE(made, nullptr) << said(error);
        return made;
    }
};

TEST(CInterface, HasItsVersion) {
    EXPECT_STREQ(assay_version(), version);
    EXPECT_EQ(assay_c_version(), ASSAY_C_VERSION);
}

TEST(CInterface, ScoresAndRenders) {
    const Made made(200);
    assay_store* store = made.store(R"({"model": "m", "dataset": "d", "kind": "logits"})");
    const json facts = json::parse(taken(assay_store_describe(store, nullptr)));
    EXPECT_EQ(facts.at("rows"), 200);
    EXPECT_EQ(facts.at("model"), "m");
    EXPECT_EQ(facts.at("path"), nullptr);
    const assay_store* const stores[] = {store};
    assay_error* error = nullptr;
    assay_result* result = assay_score(
        stores, 1, nullptr, R"({"metrics": ["top1,nll"], "gates": "top1 >= 2%"})", nullptr, &error);
    ASSERT_NE(result, nullptr) << said(error);
    EXPECT_EQ(assay_result_status(result), 0);
    const json numbers = json::parse(taken(assay_result_render(result, "json", &error)));
    EXPECT_EQ(numbers.at("schema"), "assay.scores/2");
    EXPECT_EQ(numbers.at("measurements").size(), 2U);
    EXPECT_THAT(taken(assay_result_render(result, "text", &error)), HasSubstr("top1 %"));
    EXPECT_EQ(assay_result_render(result, "pdf", &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("unknown format `pdf`"));
    assay_result_free(result);
    result = assay_score(stores, 1, nullptr, R"({"gates": "top1 >= 0.999"})", nullptr, &error);
    EXPECT_EQ(assay_result_status(result), 1);
    assay_result_free(result);

    result = assay_score(stores, 1, nullptr, R"({"metrics": "ece", "reliability": true})", nullptr,
                         &error);
    const std::string scores = taken(assay_result_render(result, "json", &error));
    EXPECT_THAT(taken(assay_plot("reliability", scores.c_str(), "svg", R"({"width": 85})", &error)),
                HasSubstr("<svg"));
    EXPECT_EQ(assay_plot("reliability", "[", "svg", nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("bad_input"));
    assay_result_free(result);
    assay_store_free(store);
    EXPECT_THAT(taken(assay_metric_table(nullptr)), HasSubstr("top1.first_index"));
}

TEST(CInterface, EvaluatesStores) {
    const Made made(200);
    assay_store* store = made.store(R"({"model": "m", "dataset": "d", "kind": "logits"})");
    const assay_store* const stores[] = {store};
    assay_error* error = nullptr;
    assay_result* result = assay_eval(
        stores, 1,
        R"({"metrics": "top1,nll", "gates": "top1 >= 0.999", "preprocessing": ["m: as given"],
            "warnings": ["look here"]})",
        nullptr, &error);
    ASSERT_NE(result, nullptr) << said(error);
    EXPECT_EQ(assay_result_status(result), 1);
    const json facts = json::parse(taken(assay_result_render(result, "json", &error)));
    EXPECT_EQ(facts.at("schema"), "assay.eval/1");
    EXPECT_EQ(facts.at("items"), 200);
    EXPECT_EQ(facts.at("dataset"), "d");
    EXPECT_THAT(taken(assay_result_render(result, "text", &error)), HasSubstr("m: as given"));
    EXPECT_EQ(facts.at("models")[0].at("warnings")[0], "look here");
    assay_result_free(result);
    // The numbers are those of assay_score().
    result = assay_score(stores, 1, nullptr, R"({"metrics": "top1,nll"})", nullptr, &error);
    EXPECT_EQ(facts.at("models")[0].at("measurements"),
              json::parse(taken(assay_result_render(result, "json", &error))).at("measurements"));
    assay_result_free(result);
    EXPECT_EQ(assay_eval(stores, 1, R"({"preprocessing": ["a", "b"]})", nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("one text per store"));
    EXPECT_EQ(assay_eval(stores, 1, R"({"metrics": "nothing"})", nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("nothing"));
    EXPECT_EQ(assay_eval(nullptr, 0, nullptr, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("no store"));
    assay_store_free(store);
}

TEST(CInterface, ComparesAndMeasuresGaps) {
    const Made made(100);
    assay_store *a = made.store(), *b = made.store(R"({"model": "other"})");
    const assay_store* const both[] = {a, b};
    assay_error* error = nullptr;
    assay_result* result = assay_compare(both, 2, nullptr, "{}", nullptr, &error);
    ASSERT_NE(result, nullptr) << said(error);
    const json pairs = json::parse(taken(assay_result_render(result, "json", nullptr)));
    EXPECT_EQ(pairs.at("pairs")[0].at("metrics")[0].at("difference").at("value"), 0);
    assay_result_free(result);
    EXPECT_EQ(assay_compare(both, 1, nullptr, "{}", nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("usage: a baseline and a candidate"));
    EXPECT_EQ(assay_compare(both, 2, nullptr, R"({"methods": []})", nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("methods name all stores"));
    const char* const one = R"({"methods": [{"name": "old", "stores": [{"run": "1"}]}]})";
    EXPECT_EQ(assay_compare(nullptr, 0, nullptr, one, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("options.methods[0].stores[0]"));
    const char* const bins = R"({"methods": [], "bins": 3})";
    EXPECT_EQ(assay_compare(nullptr, 0, nullptr, bins, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("bins does not act with methods"));
    EXPECT_EQ(assay_gap(R"({"sets": ["/nowhere/v1", "/nowhere/v2"]})", nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("/nowhere"));
    assay_store_free(a);
    assay_store_free(b);
}

TEST(CInterface, RefusesWhatIsWrong) {
    const Made made(20);
    const assay_array scores = made.matrix(), labels = made.truth();
    const auto refused = [](const assay_array* s, const assay_array* l,
                            const char* options = nullptr) {
        assay_error* error = nullptr;
        EXPECT_EQ(assay_store_in_memory(s, l, nullptr, nullptr, options, &error), nullptr);
        return said(error);
    };
    EXPECT_THAT(refused(nullptr, &labels), HasSubstr("usage: no scores"));
    for (const char* options :
         {"{", "[]", "3", "null", R"({"kind": 3})", R"({"kindd": "logits"})", R"({"kind": "odd"})",
          R"({"classes": {"ids": ["a"]}})", R"({"classes": [1, 2]})", R"({"num_classes": -1})",
          R"({"num_classes": 1e30})", R"({"attributes": {"g": ["a"]}})", R"({"attributes": 3})",
          R"({"attributes": {"g": [1]}})", R"({"model": ""})", R"({"model": "a/b"})",
          R"({"classes": "/nowhere"})"}) {
        EXPECT_NE(refused(&scores, &labels, options), "nothing") << options;
    }
    const auto changed = [&](auto&& change) {
        assay_array array = made.matrix();
        change(array);
        return refused(&array, nullptr);
    };
    EXPECT_THAT(changed([](assay_array& a) { a.type = 99; }), HasSubstr("type 99"));
    EXPECT_THAT(changed([](assay_array& a) { a.dimensions = 3; }), HasSubstr("3 dimensions"));
    EXPECT_THAT(changed([](assay_array& a) { a.shape[0] = -1; }), HasSubstr("-1 x 5"));
    EXPECT_THAT(changed([](assay_array& a) { a.shape[1] = 0; }), HasSubstr("20 x 0"));
    EXPECT_THAT(changed([](assay_array& a) { a.shape[1] = INT64_MAX; }), HasSubstr("columns"));
    EXPECT_THAT(changed([](assay_array& a) { a.data = nullptr; }), HasSubstr("has no data"));
    EXPECT_THAT(refused(&scores, &scores), HasSubstr("labels must be one whole number"));
    assay_sets sets{nullptr, nullptr, 20};
    assay_error* error = nullptr;
    EXPECT_EQ(assay_store_in_memory(&scores, nullptr, &sets, nullptr, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("have no offsets"));
    const std::vector<std::uint64_t> offsets(21, 0), wrong = {0, 2, 1};
    sets = {wrong.data(), made.labels.data(), 2};
    EXPECT_EQ(assay_store_in_memory(&scores, nullptr, &sets, nullptr, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("bad_input"));
    sets = {offsets.data(), nullptr, 20};
    EXPECT_EQ(assay_store_in_memory(&scores, &labels, &sets, nullptr, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("usage"));
    const assay_texts texts{nullptr, nullptr, 20};
    EXPECT_EQ(assay_store_in_memory(&scores, &labels, nullptr, &texts, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("have no end offsets"));

    // NULL for required arguments, and a NULL pointer for the error.
    EXPECT_EQ(assay_store_open(nullptr, nullptr), nullptr);
    EXPECT_EQ(assay_store_open("/nowhere", &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("bad_input: `/nowhere` is not a prediction store"));
    EXPECT_EQ(assay_store_list("/nowhere", &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("/nowhere"));
    EXPECT_EQ(assay_store_describe(nullptr, nullptr), nullptr);
    EXPECT_EQ(assay_score(nullptr, 1, nullptr, nullptr, nullptr, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("no store"));
    EXPECT_EQ(assay_result_render(nullptr, "json", nullptr), nullptr);
    EXPECT_EQ(assay_result_status(nullptr), -1);
    EXPECT_EQ(assay_shard_scores(nullptr, 0, nullptr), -1);
    EXPECT_EQ(assay_metrics_compute(nullptr, nullptr), nullptr);
    EXPECT_EQ(assay_metrics_update(nullptr, &scores, &labels, nullptr, nullptr), -1);
    EXPECT_EQ(assay_writer_write(nullptr, 0, &scores, nullptr), -1);
    EXPECT_STREQ(assay_error_code(nullptr), "");
    EXPECT_STREQ(assay_text_data(nullptr), "");
    for (const auto& free_nothing : {assay_store_free}) free_nothing(nullptr);
    assay_error_free(nullptr);
    assay_text_free(nullptr);
    assay_shard_free(nullptr);
    assay_result_free(nullptr);
    assay_metrics_free(nullptr);
    assay_metrics_reset(nullptr);
    assay_writer_free(nullptr);
    assay_call_free(nullptr);
    assay_call_stop(nullptr);
}

TEST(CInterface, TellsProgressAndStops) {
    const Made made(20'000);
    assay_store* store = made.store();
    const assay_store* const stores[] = {store};
    struct Seen {
        std::uint64_t done = 0, total = 0;
        assay_call* stop = nullptr;
    } seen;
    assay_call* call = assay_call_new(
        [](void* context, const char* step, std::uint64_t done, std::uint64_t total) {
            auto& all = *static_cast<Seen*>(context);
            EXPECT_STREQ(step, "data/model");
            all.done = done;
            all.total = total;
            if (all.stop != nullptr) assay_call_stop(all.stop);
        },
        &seen);
    assay_error* error = nullptr;
    assay_result_free(assay_score(stores, 1, nullptr, R"({"metrics": "top1"})", call, &error));
    EXPECT_EQ(seen.done, 20'000U);
    EXPECT_EQ(seen.total, 20'000U);
    seen.stop = call;
    EXPECT_EQ(assay_score(stores, 1, nullptr, R"({"metrics": "top1"})", call, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("interrupted"));
    // the call remains stopped
    EXPECT_EQ(assay_score(stores, 1, nullptr, "{}", call, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("interrupted"));
    assay_call_free(call);
    // Another call is not affected.
    assay_result* result = assay_score(stores, 1, nullptr, "{}", nullptr, &error);
    EXPECT_NE(result, nullptr) << said(error);
    assay_result_free(result);
    assay_store_free(store);
}

TEST(CInterface, StopsOneCallAndNoOther) {
    const Made made(5000);
    assay_store* store = made.store();
    const assay_store* const stores[] = {store};
    std::atomic<int> finished{0}, stopped{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            assay_call* call = assay_call_new(nullptr, nullptr);
            if (t % 2 == 0) assay_call_stop(call);
            for (int i = 0; i < 5; ++i) {
                assay_result* result =
                    assay_score(stores, 1, nullptr, R"({"threads": 3})", call, nullptr);
                ++(result == nullptr ? stopped : finished);
                assay_result_free(result);
            }
            assay_call_free(call);
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(finished, 10);
    EXPECT_EQ(stopped, 10);
    assay_store_free(store);
}

TEST(CInterface, MetricsOfBatchesAreThoseOfTheStore) {
    const Made made(3000);
    assay_error* error = nullptr;
    constexpr const char* options = R"({"metrics": "top1,nll,ece", "kind": "logits"})";
    assay_metrics *metrics = assay_metrics_new(options, &error),
                  *other = assay_metrics_new(options, &error);
    ASSERT_NE(metrics, nullptr) << said(error);
    for (std::int64_t first = 0; first < 3000; first += 500) {
        const assay_array scores = made.matrix(first, 500), labels = made.truth(first, 500);
        ASSERT_EQ(assay_metrics_update(metrics, &scores, &labels, nullptr, &error), 0)
            << said(error);
    }
    EXPECT_EQ(assay_metrics_rows(metrics), 3000U);
    assay_result* batches = assay_metrics_compute(metrics, &error);
    assay_store* store = made.store();
    const assay_store* const stores[] = {store};
    assay_result* whole =
        assay_score(stores, 1, nullptr, R"({"metrics": "top1,nll,ece"})", nullptr, &error);
    EXPECT_EQ(json::parse(taken(assay_result_render(batches, "json", nullptr))).at("measurements"),
              json::parse(taken(assay_result_render(whole, "json", nullptr))).at("measurements"));
    assay_result_free(batches);
    assay_result_free(whole);
    assay_store_free(store);
    EXPECT_EQ(assay_metrics_merge(other, metrics, &error), 0);
    EXPECT_EQ(assay_metrics_rows(other), 3000U);
    EXPECT_EQ(assay_metrics_merge(other, nullptr, &error), -1);
    EXPECT_THAT(said(error), HasSubstr("usage"));
    // The rows so far are transferred as bytes to other metrics.
    const std::string bytes = taken(assay_metrics_state(metrics, &error));
    assay_metrics* copy = assay_metrics_new(options, &error);
    EXPECT_EQ(assay_metrics_set_state(copy, bytes.data(), bytes.size() - 1, &error), -1);
    EXPECT_THAT(said(error), HasSubstr("cut short"));
    EXPECT_EQ(assay_metrics_set_state(copy, nullptr, 0, nullptr), -1);
    EXPECT_EQ(assay_metrics_state(nullptr, nullptr), nullptr);
    EXPECT_EQ(assay_metrics_rows(copy), 0U);
    EXPECT_EQ(assay_metrics_set_state(copy, bytes.data(), bytes.size(), &error), 0) << said(error);
    assay_result *first = assay_metrics_compute(metrics, &error),
                 *second = assay_metrics_compute(copy, &error);
    EXPECT_EQ(taken(assay_result_render(first, "json", nullptr)),
              taken(assay_result_render(second, "json", nullptr)));
    assay_result_free(first);
    assay_result_free(second);
    assay_metrics_free(copy);
    assay_metrics_reset(other);
    EXPECT_EQ(assay_metrics_compute(other, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("no batch yet"));
    EXPECT_EQ(assay_metrics_new(R"({"gates": "top1 > 0"})", &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("unknown key `gates`"));
    assay_metrics_free(metrics);
    assay_metrics_free(other);
}

TEST(CInterface, WritesAndReadsStores) {
    const Scratch scratch;
    const Made made(100);
    std::string text;
    std::vector<std::uint64_t> ends;
    for (int i = 0; i < 100; ++i) ends.push_back((text += std::to_string(i)).size());
    const assay_texts ids{text.data(), ends.data(), 100};
    const assay_array labels = made.truth();
    const std::string runs = (scratch / "runs").string();
    assay_error* error = nullptr;
    constexpr const char* options =
        R"({"dataset": "d", "model": "m", "num_classes": 5, "identity": "w", "attributes": {}})";
    assay_writer* writer = assay_writer_open(runs.c_str(), options, &ids, &labels, nullptr, &error);
    ASSERT_NE(writer, nullptr) << said(error);
    const assay_array some = made.matrix(40, 20), all = made.matrix();
    EXPECT_EQ(assay_writer_write(writer, 40, &some, &error), 20);
    EXPECT_EQ(json::parse(taken(assay_writer_describe(writer, nullptr))).at("missing"),
              json({{0, 40}, {60, 100}}));
    EXPECT_EQ(assay_writer_finish(writer, &error), -1);
    EXPECT_THAT(said(error), HasSubstr("rows 0 to 39 were not written"));
    EXPECT_EQ(assay_writer_write(writer, 0, &all, &error), 80);
    EXPECT_EQ(assay_writer_finish(writer, &error), 0);
    assay_writer_free(writer);

    const json list = json::parse(taken(assay_store_list(runs.c_str(), &error)));
    ASSERT_EQ(list.size(), 1U);
    assay_store* store = assay_store_open(list[0].get<std::string>().c_str(), &error);
    ASSERT_NE(store, nullptr) << said(error);
    assay_texts stored{};
    ASSERT_EQ(assay_store_texts(store, 0, &stored, &error), 0);
    EXPECT_EQ(stored.count, 100U);
    EXPECT_EQ(assay_store_texts(store, 1, &stored, &error), -1);
    EXPECT_THAT(said(error), HasSubstr("0 attributes"));
    assay_sets sets{};
    ASSERT_EQ(assay_store_labels(store, &sets, &error), 0);
    EXPECT_EQ(sets.classes[3], 3);
    assay_shard* shard = assay_store_shard(store, 0, &error);
    EXPECT_EQ(assay_store_shard(store, 1, &error), nullptr);
    EXPECT_THAT(said(error), HasSubstr("shard 1 of a store of 1"));
    assay_store_free(store);  // the shard is still valid
    assay_array mapped{};
    ASSERT_EQ(assay_shard_scores(shard, 0, &mapped), 0);
    EXPECT_EQ(mapped.shape[0], 100);
    EXPECT_EQ(std::memcmp(mapped.data, made.scores.data(), made.scores.size() * 4), 0);
    EXPECT_EQ(assay_shard_scores(shard, 1, &mapped), -1);
    std::uint64_t rows = 0;
    EXPECT_EQ(assay_shard_states(shard, &rows)[99], 0);
    EXPECT_EQ(rows, 100U);
    assay_shard_free(shard);

    for (const char* wrong :
         {R"({"model": "m"})", R"({"dataset": "d", "model": "m", "storage": "odd"})",
          R"({"dataset": "d", "model": "m", "kind": "odd"})",
          R"({"dataset": "d", "model": "n", "num_classes": 5, "identity": "w", "model_file": "f"})",
          R"({"dataset": "d", "model": "n", "num_classes": 0})",
          R"({"dataset": "d", "model": "m", "num_classes": 5, "identity": "x"})",
          R"({"dataset": "d", "model": "m", "num_classes": 5})",
          R"({"dataset": "d", "model": "n", "num_classes": 5, "paths": ["a"]})",
          R"({"dataset": "d", "model": "n", "num_classes": 5, "provenance": []})"}) {
        EXPECT_EQ(assay_writer_open(runs.c_str(), wrong, &ids, &labels, nullptr, &error), nullptr)
            << wrong;
        EXPECT_NE(said(error), "nothing");
    }
}

}  // namespace
}  // namespace assay
