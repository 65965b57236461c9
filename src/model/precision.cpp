#include "assay/error.h"
#include "assay/model/classifier.h"

namespace assay {

std::string_view name_of(Precision precision) {
    for (const auto& [known, word] : words_of(precision)) {
        if (known == precision) return word;
    }
    throw Error(ErrorCode::internal, "unknown Precision");
}

}  // namespace assay
