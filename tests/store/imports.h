// Functions for the tests of imported predictions.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "assay/store/import.h"
#include "assay/store/prediction_store.h"
#include "made_up.h"
#include "scratch.h"

namespace assay {

/// Each import has its own runs folder.
class Imports : public testing::Test {
protected:
    ImportReport import(const std::string& name, const std::string& text,
                        ImportOptions options = {}) {
        put_text(scratch_ / name, text);
        options.dataset_name = "val";
        options.model_name = "net";
        return import_predictions(scratch_ / name, scratch_ / ("runs" + std::to_string(++runs_)),
                                  options);
    }
    std::string refusal(const std::string& name, const std::string& text,
                        const ImportOptions& options = {}) {
        const auto [code, message] = error_of([&] { import(name, text, options); });
        EXPECT_TRUE(code == ErrorCode::bad_input || code == ErrorCode::usage) << text << message;
        return message;
    }
    /// One label for each row, or -1.
    static std::vector<std::int32_t> labels_of(const ImportReport& report) {
        const PredictionStore store = PredictionStore::open(report.store);
        std::vector<std::int32_t> labels;
        for (std::size_t i = 0; i < store.dataset().size(); ++i)
            labels.push_back(store.dataset().single_label(i));
        return labels;
    }

    Scratch scratch_;

private:
    int runs_ = 0;
};

}  // namespace assay
