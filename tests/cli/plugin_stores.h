// Stores that the tests of plug-ins measure.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/file.h"
#include "program.h"

namespace assay {

/// The logits of two models for `rows` items and three classes. Every seventh item has no label.
class PluginStores : public testing::Test {
protected:
    static constexpr int rows = 300;
    static void SetUpTestSuite() {
        folder = new Scratch;
        import_model("a", 1.0);
        import_model("b", 0.6);
    }
    static void TearDownTestSuite() {
        delete folder;
        folder = nullptr;
    }
    static std::array<double, 3> logits(int i, double scale) {
        std::array<double, 3> z{};
        for (int c = 0; c < 3; ++c)
            z[static_cast<std::size_t>(c)] =
                static_cast<float>(scale * (((i * 7 + c * 5) % 11) / 4.0 + (c == i % 3 ? 1.5 : 0)));
        // This item is after the rows that Assay tries first. It is the only one for which the
        // plug-in `late` is wrong.
        if (i == 200) z = {12, 0, 0};
        return z;
    }
    static std::array<double, 3> probabilities(int i, double scale) {
        std::array<double, 3> p = logits(i, scale);
        double total = 0;
        for (double& x : p) total += x = std::exp(x);
        for (double& x : p) x /= total;
        return p;
    }
    static void import_model(const std::string& name, double scale) {
        std::string scores = "path,cat,dog,bird\n", items = "path,labels\n";
        constexpr std::array names = {"cat", "dog", "bird"};
        for (int i = 0; i < rows; ++i) {
            const std::string path = "p" + std::to_string(i);
            scores += path;
            for (const double z : logits(i, scale)) scores += "," + std::to_string(z);
            scores += "\n";
            items += path + "," + (i % 7 == 6 ? "" : names[static_cast<std::size_t>(i % 3)]) + "\n";
        }
        write_file_atomically(*folder / "scores.csv", scores);
        write_file_atomically(*folder / "items.csv", items);
        const Outcome made = import_into("runs", name, "full");
        ASSERT_EQ(made.status, 0) << made.err;
    }
    static Outcome import_into(const std::string& runs, const std::string& name,
                               const std::string& storage) {
        return assay_run({"import", *folder / "scores.csv", "--items", *folder / "items.csv",
                          "--dataset-name", "val", "--name", name, "--kind", "logits", "--storage",
                          storage, "--out", *folder / runs, "-q"});
    }
    static Outcome score(const std::filesystem::path& plugin, std::vector<std::string> more = {},
                         const std::vector<std::string>& environment = {}) {
        std::vector<std::string> words = {"score", *folder / "runs/val/a", "--plugin", plugin};
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words, environment);
    }
    static nlohmann::json measurement(const Outcome& outcome, const std::string& metric) {
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const nlohmann::json all = nlohmann::json::parse(outcome.out);
        for (const nlohmann::json& m : all.at("measurements")) {
            if (m.at("metric") == metric) return m;
        }
        ADD_FAILURE() << metric << " is not in " << outcome.out;
        return {};
    }
    static inline Scratch* folder = nullptr;
};

}  // namespace assay
