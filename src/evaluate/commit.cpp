#include "evaluate/commit.h"

namespace assay {

std::string source_commit() {
    return
#include "commit.inc"  // a string literal, written by cmake/commit.cmake at every build
        ;
}

}  // namespace assay
