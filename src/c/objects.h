// The objects behind the C interface, and the one place that turns exceptions into its errors.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/c/assay.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "assay/evaluate/streaming_score.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/store/memory_store.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_writer.h"
#include "core/parallel.h"

struct assay_error {
    assay::Error error;
};

struct assay_text {
    std::string text;
};

struct assay_call {
    std::atomic<bool> stop{false};
    assay_progress progress = nullptr;
    void* context = nullptr;
};

/// Everything that reads a store later keeps it alive.
struct assay_store {
    std::shared_ptr<const assay::PredictionStore> store;
    std::vector<std::string> notes;
};

struct assay_shard {
    std::shared_ptr<const assay::PredictionStore> store;
    assay::PredictionStore::Shard shard;
    // Options of stores that contain only the best classes.
    std::vector<std::int32_t> classes;
    std::vector<float> scores;
    std::uint64_t kept = 0;
};

struct assay_result {
    assay::Report report;
    int status = 0;
};

struct assay_metrics {
    assay::StreamingScore stream;
    bool per_class;
    std::size_t confusions;
};

struct assay_writer {
    assay::RowWriter writer;
};

namespace assay::c {

/// Runs `body`. An exception becomes an error, and the result is `failed`.
template <class Result, class Body>
Result guarded(assay_error** error, Result failed, Body&& body) noexcept {
    if (error != nullptr) *error = nullptr;
    const auto leave = [&](Error thrown) {
        if (error != nullptr) *error = new (std::nothrow) assay_error{std::move(thrown)};
        return failed;
    };
    try {
        try {
            return body();
        } catch (const Error& thrown) {
            return leave(thrown);
        } catch (const std::bad_alloc&) {
            return leave(Error(ErrorCode::out_of_memory, "not enough memory"));
        } catch (const std::exception& thrown) {
            return leave(Error(ErrorCode::internal, thrown.what()));
        } catch (...) {
            return leave(Error(ErrorCode::internal, "an exception of an unknown type"));
        }
    } catch (...) {
        return failed;  // no memory is left for the error itself
    }
}

inline assay_text* text_of(std::string text) {
    return new assay_text{std::move(text)};
}

/// While this object exists, the call obeys the caller's stop flag and reports progress.
class Watched {
public:
    explicit Watched(assay_call* call)
        : call_(call), stoppable_(call != nullptr ? &call->stop : nullptr) {
        throw_if_stopped();
    }
    ProgressCallback progress() const {
        if (call_ == nullptr || call_->progress == nullptr) return {};
        return [call = call_](const Progress& p) {
            call->progress(call->context, std::string(p.step).c_str(), p.done, p.total);
        };
    }

private:
    assay_call* call_;
    StoppableBy stoppable_;
};

/// Throws usage for a null pointer, wrong dimensions or types, negative sizes.
ScoreMatrix matrix_of(const assay_array* scores);
/// One label per row; -1 means no label.
LabelSets labels_of(const assay_array& labels);
/// Checked, copied.
LabelSets sets_of(const assay_sets& sets);
StringColumn texts_of(const assay_texts& texts);
/// Throws usage for a null pointer.
const PredictionStore& store_of(const assay_store* store);

}  // namespace assay::c
