#include "model/isolated/shared_buffer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "assay/error.h"

namespace assay::isolated {
namespace {

[[noreturn]] void no_buffer() {
    const bool memory = errno == ENOMEM || errno == ENOSPC;
    throw Error(memory ? ErrorCode::out_of_memory : ErrorCode::io,
                fmt::format("no memory can be shared with the process of a model: {}",
                            std::strerror(errno)));
}

}  // namespace

std::unique_ptr<SharedBuffer> SharedBuffer::made(std::size_t floats) {
    Descriptor descriptor(::memfd_create("assay-batch", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const auto bytes = static_cast<off_t>((floats + 1) * sizeof(float));
    if (descriptor.get() < 0 || retried([&] { return ::ftruncate(descriptor.get(), bytes); }) != 0)
        no_buffer();
    if (::fcntl(descriptor.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        no_buffer();
    return std::make_unique<SharedBuffer>(std::move(descriptor));
}

SharedBuffer::SharedBuffer(Descriptor descriptor) : descriptor_(std::move(descriptor)) {
    struct stat facts {};
    if (::fstat(descriptor_.get(), &facts) != 0) no_buffer();
    const auto bytes = static_cast<std::size_t>(facts.st_size);
    void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
    if (data == MAP_FAILED) no_buffer();
    data_ = static_cast<float*>(data);
    size_ = bytes / sizeof(float);
}

SharedBuffer::~SharedBuffer() {
    if (data_ != nullptr) ::munmap(data_, size_ * sizeof(float));
}

}  // namespace assay::isolated
