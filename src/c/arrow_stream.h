// Streams the items of a store through the Arrow C stream interface
// (arrow.apache.org/docs/format/CStreamInterface.html).
#pragma once

#include <memory>

#include "assay/evaluate/export.h"
#include "assay/store/prediction_store.h"

// The declarations from that page, which every library repeats in the same form.
extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};
}

namespace assay::c {

/// Record batches of at most 65,536 items. The stream keeps the store alive. Throws as ItemPieces.
void stream_items(std::shared_ptr<const PredictionStore> store, const ExportOptions& options,
                  ArrowArrayStream& out);

}  // namespace assay::c
