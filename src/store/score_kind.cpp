#include "assay/store/score_kind.h"

#include <string>

#include "assay/error.h"

namespace assay {

std::string_view name_of(ScoreKind kind) {
    switch (kind) {
        case ScoreKind::logits:
            return "logits";
        case ScoreKind::probabilities:
            return "probabilities";
        case ScoreKind::log_probabilities:
            return "log_probabilities";
        case ScoreKind::labels:
            return "labels";
    }
    return "";
}

ScoreKind score_kind_named(std::string_view name) {
    for (const ScoreKind kind :
         {ScoreKind::logits, ScoreKind::probabilities, ScoreKind::log_probabilities}) {
        if (name == name_of(kind)) return kind;
    }
    throw Error(ErrorCode::usage,
                "unknown kind of scores `" + std::string(name) + "`" +
                    suggest(name, {"logits", "probabilities", "log_probabilities"}));
}

}  // namespace assay
