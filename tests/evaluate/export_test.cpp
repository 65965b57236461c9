#include "assay/evaluate/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assay/error.h"
#include "containers/csv.h"
#include "containers/npy.h"
#include "core/file.h"
#include "saved_scores.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Exported {
    std::string text;
    ExportResult result;
    std::size_t pieces = 0;
};

Exported exported(const ExportOptions& options) {
    Exported out;
    out.result = export_items(options, [&](std::string_view text) {
        out.text += text;
        ++out.pieces;
    });
    return out;
}

/// The cells of a csv line, by column.
using Row = std::map<std::string, std::string>;
std::vector<Row> rows_of(const std::string& text) {
    CsvReader reader(text, "export", {.delimiter = ','});
    std::vector<Row> rows;
    while (reader.next()) {
        Row& row = rows.emplace_back();
        for (std::size_t c = 0; c < reader.fields(); ++c)
            row[reader.columns()[c]] = std::string(reader[c]);
    }
    return rows;
}

/// The softmax in double precision, from its definition.
std::vector<double> softmax_of(const Made& made, std::size_t row) {
    std::vector<double> p(made.classes);
    double sum = 0;
    for (std::size_t c = 0; c < made.classes; ++c)
        sum += p[c] = std::exp(static_cast<double>(made.scores[row * made.classes + c]));
    for (double& x : p) x /= sum;
    return p;
}

TEST(Export, EveryColumnAgreesWithItsDefinition) {
    const Scratch folder;
    const Made made = made_up(300, 5, 7);
    save(folder, made, "m");
    const Exported out = exported({.paths = {folder / "runs"}, .top = 3});
    EXPECT_EQ(out.result.rows, 300U);
    EXPECT_EQ(out.result.without_scores, 0U);
    const std::vector<Row> rows = rows_of(out.text);
    ASSERT_EQ(rows.size(), 300U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<double> p = softmax_of(made, i);
        std::vector<std::size_t> order(made.classes);
        for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return p[a] > p[b]; });
        const auto label = static_cast<std::size_t>(made.labels[i][0]);
        Row row = rows[i];
        EXPECT_EQ(row["dataset"], "val");
        EXPECT_EQ(row["model"], "m");
        EXPECT_EQ(row["id"], fmt::format("item{:05}", i));
        EXPECT_EQ(row["filepath"], "");
        EXPECT_EQ(row["label"], std::to_string(label));
        EXPECT_EQ(row["label_name"], "c" + std::to_string(label));
        EXPECT_EQ(row["predicted"], std::to_string(order[0]));
        EXPECT_EQ(row["correct"], order[0] == label ? "True" : "False");
        EXPECT_NEAR(std::stod(row["confidence"]), p[order[0]], 1e-6);
        EXPECT_NEAR(std::stod(row["margin"]), p[order[0]] - p[order[1]], 1e-6);
        EXPECT_NEAR(std::stod(row["label_probability"]), p[label], 1e-6);
        EXPECT_NEAR(std::stod(row["loss"]), -std::log(p[label]), 1e-5);
        EXPECT_EQ(row["status"], "ok");
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(row[fmt::format("top{}", k + 1)], std::to_string(order[k]));
            EXPECT_NEAR(std::stod(row[fmt::format("top{}_probability", k + 1)]), p[order[k]], 1e-6);
        }
        EXPECT_FALSE(row.contains("top4"));
    }
}

TEST(Export, JsonLinesHoldTheSame) {
    const Scratch folder;
    save(folder, made_up(50, 4, 3), "m");
    const std::vector<Row> rows = rows_of(exported({.paths = {folder / "runs"}}).text);
    std::istringstream lines(
        exported({.paths = {folder / "runs"}, .format = ExportOptions::Format::jsonl}).text);
    std::size_t i = 0;
    for (std::string line; std::getline(lines, line); ++i) {
        const json object = json::parse(line);
        Row row = rows.at(i);
        EXPECT_EQ(object.size(), row.size());
        EXPECT_EQ(object["id"], row["id"]);
        EXPECT_EQ(object["label"].dump(), row["label"]);
        EXPECT_EQ(object["correct"].get<bool>() ? "True" : "False", row["correct"]);
        EXPECT_EQ(object["loss"].get<double>(), std::stod(row["loss"]));
        EXPECT_EQ(object["filepath"], nullptr);
        EXPECT_EQ(object["top2_name"], row["top2_name"]);
    }
    EXPECT_EQ(i, rows.size());
}

TEST(Export, WhatIsNotKnownIsEmpty) {
    const Scratch folder;
    Made made;
    made.classes = 3;
    made.scores = {3, 1, 0, 0, 0, 0, 1, 2, 3, 5, 1, 1};
    made.labels = {{0}, {1}, {}, {1, 2}};
    made.states = {RowState::ok, RowState::unreadable, RowState::ok, RowState::ok};
    made.class_ids = {"cat, big", "a \"dog\"", "bird"};
    save(folder, made, "m");
    const Exported out = exported({.paths = {folder / "runs"}});
    EXPECT_EQ(out.result.without_scores, 1U);
    std::vector<Row> rows = rows_of(out.text);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0]["label_name"], "cat, big");
    EXPECT_EQ(rows[1]["status"], "unreadable");
    EXPECT_EQ(rows[1]["label"], "1");
    for (const char* name : {"predicted", "correct", "confidence", "margin", "loss", "top1"})
        EXPECT_EQ(rows[1][name], "") << name;
    EXPECT_EQ(rows[2]["label"], "");
    EXPECT_EQ(rows[2]["correct"], "");
    EXPECT_EQ(rows[2]["loss"], "");
    EXPECT_EQ(rows[2]["predicted"], "2");
    EXPECT_EQ(rows[3]["label"], "1 2");
    EXPECT_EQ(rows[3]["label_name"], "a \"dog\"; bird");
    EXPECT_EQ(rows[3]["correct"], "False");
    EXPECT_EQ(rows[3]["loss"], "");
}

TEST(Export, ReducedStoresSayWhatTheyKeep) {
    const Scratch folder;
    const Made made = made_up(40, 6, 5);
    save(folder, made, "full");
    save(folder, made, "two", StorageFormat::top_k);
    save(folder, made, "one", StorageFormat::label);
    const auto rows = [&](const char* model) {
        return rows_of(exported({.paths = {folder / "runs/val" / model}}).text);
    };
    const std::vector<Row> full = rows("full"), two = rows("two"), one = rows("one");
    for (std::size_t i = 0; i < full.size(); ++i) {
        Row f = full[i], t = two[i], o = one[i];
        EXPECT_EQ(f["predicted"], t["predicted"]);
        EXPECT_EQ(f["predicted"], o["predicted"]);
        EXPECT_NEAR(std::stod(f["margin"]), std::stod(t["margin"]), 1e-6);
        EXPECT_EQ(o["margin"], "");
        EXPECT_TRUE(t.contains("top2") && !t.contains("top3") && !o.contains("top2"));
        if (t["loss"].empty()) {  // the label is not among the two best classes
            EXPECT_NE(f["label"], t["top1"]);
        } else {
            EXPECT_NEAR(std::stod(f["loss"]), std::stod(t["loss"]), 1e-5);
        }
    }
    // An export of several stores has the columns that are in all of them.
    EXPECT_FALSE(rows_of(exported({.paths = {folder / "runs"}}).text)[0].contains("top2"));
}

TEST(Export, SameBytesForAnyThreadsAndInPieces) {
    const Scratch folder;
    save(folder, made_up(9000, 3, 11), "m", StorageFormat::full_f32, 1000);
    const Exported one = exported({.paths = {folder / "runs"}, .threads = 1});
    EXPECT_EQ(exported({.paths = {folder / "runs"}, .threads = 3}).text, one.text);
    EXPECT_GE(one.pieces, 4U);  // the header and three pieces of 4096 lines at most
}

TEST(Export, ClassMapsAskOverTheirTargets) {
    const Scratch folder;
    save(folder, made_up(60, 4, 2), "m");
    write_file_atomically(folder / "two.txt", "c3\nc1\n");
    const std::vector<Row> rows = rows_of(
        exported({.paths = {folder / "runs"}, .class_map = (folder / "two.txt").string()}).text);
    for (Row row : rows) {
        EXPECT_THAT(row["predicted_name"], testing::AnyOf("c3", "c1"));
        EXPECT_FALSE(row.contains("top3"));
    }
    EXPECT_EQ(Row(rows.back())["label"], "0");  // c3 is the first target
    EXPECT_EQ(Row(rows.front())["label"], "");  // c0 is not a target
}

TEST(Export, AStoreThatIsNamedTwiceIsWrittenOnce) {
    const Scratch folder;
    save(folder, made_up(20, 3, 2), "m");
    EXPECT_EQ(exported({.paths = {folder / "runs", folder / "runs/val"}}).result.rows, 20U);
}

// Label sets decide which predictions are correct. The loss uses the data set's own label, as nll
// does.
TEST(Export, TheLossIsOfTheDataSetsOwnLabel) {
    const Scratch folder;
    Made made = made_up(4, 5, 7);
    made.labels = {{0}, {1}, {2}, {}};
    const auto store = save(folder, made, "m");
    write_file_atomically(folder / "sets.csv",
                          "id,labels\nitem00000,3\nitem00001,1 2\nitem00003,4\n");
    std::vector<Row> rows = rows_of(
        exported({.paths = {folder / "runs"}, .labels = {(folder / "sets.csv").string()}}).text);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0]["label"], "3");
    EXPECT_EQ(rows[1]["label"], "1 2");
    EXPECT_EQ(rows[2]["label"], "");
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double loss = -std::log(softmax_of(made, i)[i]);
        EXPECT_NEAR(std::stod(rows[i]["loss"]), loss, 1e-5) << i;
        EXPECT_NEAR(std::stod(rows[i]["label_probability"]), std::exp(-loss), 1e-6) << i;
        sum += std::stod(rows[i]["loss"]);
    }
    EXPECT_EQ(rows[3]["loss"], "");
    MeasureOptions options;
    options.labels = {(folder / "sets.csv").string()};
    options.metrics = {"nll"};
    const auto comm = self_comm();
    const ScoreReport scored = score_store(store, resolve(options, store), *comm);
    EXPECT_NEAR(*scored.measurements.at(0).value, sum / 3, 1e-6);
}

TEST(Export, ProbabilitiesAsNumpyReadsThem) {
    const Scratch folder;
    Made made = made_up(700, 5, 9);
    made.states.assign(700, RowState::ok);
    made.states[3] = RowState::not_finite;
    save(folder, made, "m");
    std::string bytes;
    export_probabilities({.paths = {folder / "runs"}},
                         [&](std::string_view text) { bytes += text; });
    const NpyView view = parse_npy(std::as_bytes(std::span(bytes)));
    EXPECT_EQ(view.shape_text(), "(700, 5)");
    for (std::size_t i = 0; i < 700; ++i) {
        const std::vector<double> p = softmax_of(made, i);
        for (std::size_t c = 0; c < 5; ++c) {
            const double x = view.values.number(i * 5 + c);
            if (i == 3) {
                EXPECT_TRUE(std::isnan(x));
            } else {
                EXPECT_NEAR(x, p[c], 1e-6);
            }
        }
    }
    save(folder, made, "two", StorageFormat::top_k);
    const auto nothing = [](std::string_view) {};
    EXPECT_THROW(export_probabilities({.paths = {folder / "runs"}}, nothing), Error);
    EXPECT_THROW(export_probabilities({.paths = {folder / "runs/val/two"}}, nothing), Error);
}

TEST(Export, StoresOfAttacksAreSkipped) {
    const Scratch folder;
    const Made made = made_up(5, 3, 1);
    for (const char* model : {"m", "m@pgd-linf-8_255"}) save(folder, made, model);
    ExportOptions options;
    options.paths = {folder / "runs"};
    const Exported found = exported(options);
    EXPECT_EQ(found.result.rows, 5U);
    for (const Row& row : rows_of(found.text)) EXPECT_EQ(row.at("model"), "m");
    EXPECT_THAT(found.result.notes, testing::ElementsAre(HasSubstr("1 store of an attack")));
    options.paths = {folder / "runs/val/m@pgd-linf-8_255"};
    EXPECT_EQ(rows_of(exported(options).text).at(0).at("model"), "m@pgd-linf-8_255");
    // A matrix holds one store, so --model selects it.
    options.paths = {folder / "runs"};
    std::string matrix;
    export_probabilities(options, [&](std::string_view text) { matrix += text; });
    EXPECT_EQ(parse_npy(std::as_bytes(std::span(matrix))).shape,
              (std::vector<std::uint64_t>{5, 3}));
}

}  // namespace
}  // namespace assay
