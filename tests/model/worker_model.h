// Models of the worker in tests/model/worker, which needs a Python and no packages.
#pragma once

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/model/model_spec.h"

namespace assay {

inline const char* const worker_folder = ASSAY_SOURCE_DIR "/tests/model/worker";

/// Returns false if there is no Python that can run the worker.
inline bool has_worker() {
    ::setenv("ASSAY_WORKER_PATH", worker_folder, 1);
    ::unsetenv("ASSAY_PYTHON");
    ::unsetenv("VIRTUAL_ENV");
    ::unsetenv("CONDA_PREFIX");
    static const bool found =
        std::system(
            "python3 -c 'import sys, socket; sys.exit(sys.version_info < (3, 9) or "
            "not hasattr(socket, \"send_fds\"))' 2>/dev/null") == 0;
    return found;
}

/// `notes`, unless null, gets the messages from loading it.
inline ModelSpec worker_spec(const std::string& source, std::vector<std::string>* notes = nullptr,
                             const ModelSettings& flags = ModelSettings::object()) {
    PythonStart start;
    start.say = [notes](const std::string& note) {
        if (notes != nullptr) notes->push_back(note);
    };
    return resolve_model(source, flags, {}, start);
}

/// A model that requests class names. The images or `flags` have them.
inline ModelSpec named_worker_spec(const ClassList& of_images, PythonStart start = {},
                                   const ModelSettings& flags = ModelSettings::object(),
                                   const std::string& source = "timm:by_names") {
    start.classes = [&of_images] { return of_images; };
    return resolve_model(source, flags, {}, start);
}

}  // namespace assay
