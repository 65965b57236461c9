// A model that a Python process has loaded: the process, and its description of the model.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/model/model_spec.h"
#include "model/isolated/running_process.h"
#include "model/isolated/supervised.h"
#include "model/python/class_texts.h"

namespace assay {

/// A process's description of its model, after checking.
struct ModelDescription {
    std::string name;       ///< name as reported, not yet valid as a folder's name
    std::string identity;   ///< 32 hexadecimal digits; "" if nothing identifies it
    std::string format;     ///< "timm"
    std::string framework;  ///< "PyTorch 2.6.0, timm 1.0.9"
    nlohmann::json settings = nlohmann::json::object();  ///< a checked layer of settings
    std::vector<std::string> without_effect;             ///< keys of the settings without effect
    std::vector<std::string> notes;
    std::vector<std::string> data_files;  ///< for a file: other files in its folder with its
                                          ///< weights
};

/// Reads the JSON of a description. Throws bad_input, with the key: missing, of another type, too
/// long, or not a setting of a model.
ModelDescription read_description(std::string_view json, std::string framework);

class PythonModel {
public:
    PythonModel(std::shared_ptr<isolated::RunningProcess> process, ModelDescription description,
                ClassTexts texts)
        : process_(std::move(process)),
          description_(std::move(description)),
          texts_(std::move(texts)) {}
    const std::shared_ptr<isolated::RunningProcess>& process() const { return process_; }
    const ModelDescription& description() const { return description_; }
    /// The names that the process received if it asked for class names; else empty.
    const ClassTexts& texts() const { return texts_; }
    /// Shared by all classifiers of this process and of the process that replaces it.
    const std::shared_ptr<isolated::BatchGate>& gate() const { return gate_; }
    /// Loads the same model in a new process. Empty if that is not possible, or if nothing could
    /// verify that it is the same.
    using Again = std::function<std::shared_ptr<PythonModel>()>;
    const Again& again() const { return again_; }
    void restarted_by(Again again) { again_ = std::move(again); }
    void share_gate_of(const PythonModel& other) { gate_ = other.gate_; }

    /// Replaces the hash of a model file. If the model has no identity, it is unique to this
    /// process.
    std::string file_hash() const;

private:
    std::shared_ptr<isolated::RunningProcess> process_;
    ModelDescription description_;
    ClassTexts texts_;
    std::shared_ptr<isolated::BatchGate> gate_ = std::make_shared<isolated::BatchGate>();
    Again again_;
};

/// Lets Python load a source, or a checkpoint (unless "") with that architecture. Shares a running
/// process with the same model and class names. Throws usage for an unknown source or without
/// Python; interrupted; io; and the errors of the process.
std::shared_ptr<PythonModel> load_in_python(const std::string& source,
                                            const std::filesystem::path& checkpoint,
                                            const PythonStart& start);

/// Lets onnxruntime in Python load a file, in a separate process. Throws as load_in_python().
std::shared_ptr<PythonModel> load_in_onnxruntime(const std::filesystem::path& file,
                                                 const ClassifierOptions& options);

/// The models that match a pattern (timm:resnet*), from the library's own list.
struct SourceNames {
    struct Name {
        std::string source;              ///< "timm:resnet18.a1_in1k"
        std::optional<double> accuracy;  ///< top-1 accuracy on ImageNet, if the library lists it
    };
    std::string library;         ///< "timm 1.0.31"
    std::vector<Name> names;     ///< sorted
    std::uint64_t left_out = 0;  ///< number of models with other classes than ImageNet's
};
/// Asks the library without building a model or downloading. Throws usage without such a list or a
/// matching name; otherwise as load_in_python().
SourceNames names_in_python(const std::string& pattern, const ClassifierOptions& options);

/// Opens the model for one classifier. Throws as open_classifier().
std::unique_ptr<Classifier> open_python(const ModelSpec& spec, const ClassifierOptions& options);

}  // namespace assay
