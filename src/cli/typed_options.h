// What was typed, to be typed again in a command that a message names.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace assay::cli {

/// An option that was typed, to be typed again.
struct TypedOption {
    std::vector<std::string> names;  ///< "--batch", "--batch-size"
    std::string text;                ///< "--batch 4"
    bool of_inputs = false;          ///< of models or images: `assay check` takes it, too
};

/// What was typed besides the models, their names and the images. The first `inputs` options of the
/// command are those of models and images.
std::vector<TypedOption> typed_options(const CLI::App& app, std::size_t inputs);

/// `start` with what was typed: of `inputs_alone` the options of models and images. `options` come
/// last, in place of typed ones of the same names.
std::string command_with(std::string start, const std::vector<TypedOption>& typed,
                         bool inputs_alone, const std::string& options);

}  // namespace assay::cli
