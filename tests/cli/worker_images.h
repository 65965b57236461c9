// Images and a folder of results for tests that run models of tests/model/worker through the
// program.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "../model/worker_model.h"
#include "shapes_test.h"

namespace assay {

/// The test is skipped if no Python can run the worker.
class WorkerImages : public testing::Test {
protected:
    void SetUp() override {
        if (!has_worker()) GTEST_SKIP() << "there is no python3 of version 3.9 or newer";
        copy_shapes(images(), 8);
    }
    /// The folder with 48 images.
    std::string images() const { return scratch_ / "shapes"; }
    std::string runs(const std::string& name = "runs") const { return scratch_ / name; }
    Scratch scratch_;
};

}  // namespace assay
