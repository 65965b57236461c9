// Memory that two processes share, so that batches and scores need not be copied through a socket.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/descriptor.h"

namespace assay::isolated {

class SharedBuffer {
public:
    /// Allocates room for this many floats, sealed so that neither process can shrink it while the
    /// other uses it. Throws io, out_of_memory.
    static std::unique_ptr<SharedBuffer> made(std::size_t floats);
    /// Maps memory that the other process made. Throws io.
    explicit SharedBuffer(Descriptor descriptor);
    ~SharedBuffer();
    SharedBuffer(const SharedBuffer&) = delete;
    SharedBuffer& operator=(const SharedBuffer&) = delete;

    int descriptor() const { return descriptor_.get(); }
    std::span<float> floats() const { return {data_, size_}; }

private:
    Descriptor descriptor_;
    float* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace assay::isolated
