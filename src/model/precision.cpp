#include <fmt/format.h>

#include "assay/error.h"
#include "assay/model/classifier.h"

namespace assay {

std::string_view name_of(Precision precision) {
    switch (precision) {
        case Precision::fp32:
            return "fp32";
        case Precision::tf32:
            return "tf32";
        case Precision::fp16:
            return "fp16";
        case Precision::bf16:
            return "bf16";
    }
    throw Error(ErrorCode::internal, "unknown Precision");
}

Precision precision_named(std::string_view name) {
    for (const Precision precision :
         {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
        if (name == name_of(precision)) return precision;
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown precision \"{}\"; allowed: fp32, tf32, fp16, bf16", name));
}

}  // namespace assay
