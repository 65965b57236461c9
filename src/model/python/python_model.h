// A model that a Python has loaded: its process, and what it says of itself.
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

/// What a process says of its model, checked.
struct ModelDescription {
    std::string name;       ///< as it says: not yet that of a folder
    std::string identity;   ///< 32 hexadecimal digits; "": nothing identifies it
    std::string format;     ///< "timm"
    std::string framework;  ///< "PyTorch 2.6.0, timm 1.0.9"
    nlohmann::json settings = nlohmann::json::object();  ///< a checked layer
    std::vector<std::string> without_effect;             ///< keys of it
    std::vector<std::string> notes;
    std::vector<std::string> data_files;  ///< of a file: others in its folder with weights of it
};

/// Reads the JSON of a description. Throws bad_input, with the key: what is missing, of another
/// type, too long, or no setting of a model.
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
    /// What it was told, where it asked for class names; else empty.
    const ClassTexts& texts() const { return texts_; }
    /// Of all that compute in its process, and in the one that takes its place.
    const std::shared_ptr<isolated::BatchGate>& gate() const { return gate_; }
    /// Loads the same in a new process; empty where nobody can, or where nothing would tell that it
    /// is the same.
    using Again = std::function<std::shared_ptr<PythonModel>()>;
    const Again& again() const { return again_; }
    void restarted_by(Again again) { again_ = std::move(again); }
    void share_gate_of(const PythonModel& other) { gate_ = other.gate_; }

    /// In the place of the hash of a model's file. Where nothing identifies the model, that of no
    /// other process.
    std::string file_hash() const;

private:
    std::shared_ptr<isolated::RunningProcess> process_;
    ModelDescription description_;
    ClassTexts texts_;
    std::shared_ptr<isolated::BatchGate> gate_ = std::make_shared<isolated::BatchGate>();
    Again again_;
};

/// Has Python load what a source says, or a checkpoint ("": none) of that architecture; a process
/// that has loaded the same already with the same class names, and still runs, is shared. Throws
/// usage: no such source, no Python; interrupted; io; what the process fails with.
std::shared_ptr<PythonModel> load_in_python(const std::string& source,
                                            const std::filesystem::path& checkpoint,
                                            const PythonStart& start);

/// Has onnxruntime in Python load a file, in a process of its own. Throws as load_in_python().
std::shared_ptr<PythonModel> load_in_onnxruntime(const std::filesystem::path& file,
                                                 const ClassifierOptions& options);

/// The models that a pattern stands for (timm:resnet*), by the library's own list.
struct SourceNames {
    struct Name {
        std::string source;              ///< "timm:resnet18.a1_in1k"
        std::optional<double> accuracy;  ///< top-1 on ImageNet, where the library carries it
    };
    std::string library;         ///< "timm 1.0.31"
    std::vector<Name> names;     ///< sorted
    std::uint64_t left_out = 0;  ///< those of other classes than ImageNet's
};
/// Asks the library, which builds no model and downloads nothing. Throws usage: no such list, no
/// name that fits; else as load_in_python().
SourceNames names_in_python(const std::string& pattern, const ClassifierOptions& options);

/// Opens it for one classifier. Throws as open_classifier().
std::unique_ptr<Classifier> open_python(const ModelSpec& spec, const ClassifierOptions& options);

}  // namespace assay
