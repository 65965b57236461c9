#include "evaluate/ranks.h"

#include <exception>

#include "assay/error.h"

namespace assay {

void agree(Comm& comm, const std::function<void()>& work) {
    std::exception_ptr failure;
    try {
        work();
    } catch (...) {
        failure = std::current_exception();
    }
    const bool failed = comm.any(failure != nullptr);
    if (failure) std::rethrow_exception(failure);
    if (failed) throw Error(ErrorCode::internal, "another rank failed; its message says why");
}

}  // namespace assay
