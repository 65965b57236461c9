// The typed options, for commands in messages.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace assay::cli {

/// An option that was typed, for use in another command.
struct TypedOption {
    std::vector<std::string> names;  ///< "--batch", "--batch-size"
    std::string text;                ///< "--batch 4"
    bool of_inputs = false;          ///< for models or images: `assay check` also has this option
};

/// The typed options other than the models, their names and the images. The first `inputs` options
/// of the command are those for models and images.
std::vector<TypedOption> typed_options(const CLI::App& app, std::size_t inputs);

/// `start` followed by the typed options; with `inputs_alone`, only those for models and images.
/// `options` come last, and replace typed options of the same names.
std::string command_with(std::string start, const std::vector<TypedOption>& typed,
                         bool inputs_alone, const std::string& options);

}  // namespace assay::cli
