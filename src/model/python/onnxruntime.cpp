#include "model/python/onnxruntime.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "model/isolated/file_at_path.h"
#include "model/isolated/isolated_classifier.h"
#include "model/isolated/supervised.h"
#include "model/python/python_model.h"

namespace assay {
namespace {

/// Only explains which runtime has gradients. The process does all other work.
class OnnxruntimeClassifier final : public Classifier, public isolated::Supervised {
public:
    explicit OnnxruntimeClassifier(std::unique_ptr<Classifier> opened)
        : opened_(std::move(opened)), supervised_(dynamic_cast<Supervised&>(*opened_)) {}

    isolated::BatchGate& gate() override { return supervised_.gate(); }
    std::optional<isolated::ProcessEnd> process_end() override { return supervised_.process_end(); }
    bool can_restart() const override { return supervised_.can_restart(); }
    void restart() override { supervised_.restart(); }

    const ModelFacts& facts() const override { return opened_->facts(); }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        opened_->scores(input, n, out);
    }
    void gradients(const LossBatch& /*batch*/, const LossGradients& /*out*/) override {
        throw Error(ErrorCode::usage,
                    "ONNX Runtime has no gradients, which this attack needs: use Assay's own "
                    "runtime (--runtime libtorch)");
    }
    ModelCost cost(const CostRequest& request) override { return opened_->cost(request); }

private:
    std::unique_ptr<Classifier> opened_;
    Supervised& supervised_;
};

[[noreturn]] void refuse_other_format(const ModelSpec& spec) {
    const std::string path = spec.path.string();
    const std::string allowed = "the runtime onnxruntime only takes .onnx files";
    throw Error(ErrorCode::usage,
                spec.python != nullptr
                    ? fmt::format("{}; {} is a model in Python: omit --runtime, or export it "
                                  "(torch.onnx.export)",
                                  allowed, path)
                    : fmt::format("{}; {} has the format {}: use --runtime libtorch, or export it "
                                  "(torch.onnx.export)",
                                  allowed, path, name_of(spec.format)));
}

}  // namespace

std::string_view name_of(ModelRuntime runtime) {
    for (const auto& [known, word] : words_of(runtime)) {
        if (known == runtime) return word;
    }
    throw Error(ErrorCode::internal, "unknown ModelRuntime");
}

std::unique_ptr<Classifier> open_in_onnxruntime(const ModelSpec& spec,
                                                const ClassifierOptions& options) {
    if (spec.python != nullptr || spec.format != ModelFormat::onnx) refuse_other_format(spec);
    const isolated::FileAtPath file(spec.path);
    const std::shared_ptr<PythonModel> model = load_in_onnxruntime(spec.path, options);
    std::vector<std::filesystem::path> data_files;
    for (const std::string& name : model->description().data_files)
        data_files.push_back(spec.path.parent_path() / name);
    isolated::LoadedProcess loaded{model->process(), model->gate()};
    loaded.again = [path = spec.path, options, file] {
        if (isolated::FileAtPath(path) != file) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has changed since it was opened; run the command again",
                                    path.string()));
        }
        return load_in_onnxruntime(path, options)->process();
    };
    auto opened = isolated::open_in(std::move(loaded), spec, options,
                                    options.isolate == Isolation::on, std::move(data_files));
    return std::make_unique<OnnxruntimeClassifier>(std::move(opened));
}

}  // namespace assay
