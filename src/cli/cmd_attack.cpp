// assay attack: classifiers under adversarial attack.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "cli/model_command.h"
#include "evaluate/options_used.h"

namespace assay::cli {
namespace {

constexpr std::string_view attack_examples = R"(
assay attack --model resnet50.pt --preset torchvision --data imagenet/val --limit 1000 --out runs
assay attack -m m.pt -d val --attack autoattack --eps 4/255 --limit 200
assay attack -m a.pt -m b.onnx -d val --attack pgd --eps 0,1/255,2/255,4/255,8/255
assay attack -m m.pt -d val --attack pgd --norm l2 --eps 0.5 --steps 40
assay attack -m m.pt -d val --attack pgd --steps 40 --step eps/30 --restarts 10
assay attack -m a.pt -m b.pt -d val --attack fmn --norm l2
assay attack -m a.pt -m b.pt -d val --attack pgd --transfer --json -o transfer.json
assay attack -m m.pt -d val --attack pgd --save-images adversarial --save-format png
assay predict -m m.pt -d adversarial/pgd-linf-8_255 --crop-mode none
)";

struct AttackFlags {
    std::vector<std::string> attacks, eps;
    std::string norm = "linf", space = "pixels", form = "npy", step;
    AttackRunOptions options;

    void add_to(CLI::App& app) {
        const std::string group = "Attack";
        std::vector<std::string> names = {"autoattack"};
        for (const Attack& attack : attacks_of_table()) names.emplace_back(attack.name);
        app.add_option("-a,--attack", attacks,
                       "Attacks (default: fgsm,pgd). autoattack: apgd-ce, apgd-t, fab-t and "
                       "square. fmn and ddn find the smallest change of each image. Noise runs as "
                       "a control")
            ->delimiter(',')
            ->check(CLI::IsMember(names))
            ->group(group);
        app.add_option("--eps", eps,
                       "Budgets, as proportions of a pixel's range (for l2: 0.5, 3) (default: "
                       "8/255; fmn and ddn: eight usual ones)")
            ->delimiter(',')
            ->group(group);
        app.add_option("--norm", norm,
                       "Norm of --eps: linf (the largest change) or l2 (the length of the whole "
                       "change). fmn also takes l1 (their sum) and l0 (their number)")
            ->check(CLI::IsMember({"linf", "l2", "l1", "l0"}))
            ->capture_default_str()
            ->group(group);
        app.add_option(
               "--steps", options.steps,
               "Iterations, or queries of square (default: pgd 10, apgd, fab, fmn and ddn 100, "
               "square 5000; autoattack uses its own)")
            ->type_name("N")
            ->check(above_zero())
            ->group(group);
        app.add_option("--step", step,
                       "Size of a step of pgd, in the unit of --eps (2/255) or as a part of it "
                       "(eps/30) (default: eps/4; l2: eps/5)")
            ->type_name("SIZE")
            ->group(group);
        app.add_option("--restarts", options.restarts,
                       "Runs of pgd, each from its own random start. An image that one of them "
                       "fools counts as fooled")
            ->type_name("N")
            ->check(above_zero())
            ->capture_default_str()
            ->group(group);
        app.add_option(
               "--space", space,
               "pixels; or normalised-clamped: fgsm and pgd on the normalised input, cut to "
               "[0, 1], as the published table of 326 models was made")
            ->check(CLI::IsMember({"pixels", "normalised-clamped"}))
            ->capture_default_str()
            ->group(group);
        app.add_flag("--paper-literal", options.paper_literal,
                     "Run pgd with a step size of eps and no random start")
            ->group(group);
        app.add_flag_callback(
               "--no-control", [this] { options.control = false; },
               "Skip the controls, which look for signs that an attack failed. The verdict "
               "is then \"not checked\"")
            ->group(group);
        app.add_flag("--transfer", options.transfer,
                     "Also classify the images made on each model by the other models, which must "
                     "take the same pixels")
            ->group(group);
        app.add_option("--seed", options.seed,
                       "Seed of random starts and windows, which also depend on the image's id")
            ->check(decimal_number())
            ->capture_default_str()
            ->group(group);
    }

    void add_images_to(CLI::App& app) {
        auto* const saved =
            app.add_option("--save-images", options.images,
                           "Write the adversarial images to this folder, a data set for each "
                           "attack and eps, after resize and crop. Each is classified once more "
                           "from its file. The same command resumes")
                ->type_name("FOLDER")
                ->group("Images");
        app.add_option("--save-format", form,
                       "npy: float32, lossless; png: 8 bits, which assay predict and others open; "
                       "the report says what the rounding loses")
            ->check(CLI::IsMember({"npy", "png"}))
            ->needs(saved)
            ->capture_default_str()
            ->group("Images");
    }

    AttackRunOptions resolved() const {
        AttackRunOptions all = options;
        all.attacks = attacks;
        for (const Norm one : {Norm::linf, Norm::l2, Norm::l1, Norm::l0}) {
            if (norm == name_of(one)) all.norm = one;
        }
        for (const std::string& text : eps) all.eps.push_back(parse_eps(text, all.norm));
        if (!step.empty()) all.step = parse_step(step, all.norm);
        all.image_form = form == "png" ? ImageForm::png : ImageForm::npy;
        all.space = space == "pixels" ? AttackSpace::pixels : AttackSpace::normalised_clamped;
        return all;
    }

private:
    static std::span<const Attack> attacks_of_table() { return assay::attacks(); }
};

}  // namespace

int cmd_attack(std::vector<std::string> arguments) {
    auto app = make_app(
        "attack",
        "Attack classifiers: change images within a budget until they are misclassified, "
        "and report the remaining accuracy. Only correctly classified images are attacked. "
        "The predictions under each attack are a separate store (MODEL@ATTACK-NORM-EPS), "
        "which score and compare read. The same command resumes.",
        attack_examples);
    ModelCommand command("attack", "images x attacks");
    AttackFlags flags;
    command.add_to(*app, [&] {
        flags.add_to(*app);
        flags.add_images_to(*app);
    });
    if (!parse(*app, std::move(arguments))) return Status::done;
    command.check();

    AttackRunOptions options = flags.resolved();
    if (!options.images.empty() && command.data.folders.size() > 1)
        throw Error(ErrorCode::usage, "--save-images needs exactly one --data");
    check_used(options);
    options.predict = command.store.options;
    const std::vector<LoadedModel> loaded = command.load();
    if (loaded.empty()) return Status::done;
    if (options.control) {
        const ControlPasses most = max_control_passes(options);
        note(
            fmt::format("controls: at most {} passes of images forward for each model, {} of them "
                        "with a gradient; --no-control skips them",
                        count_text(most.forward), count_text(most.backward)));
    }
    std::vector<AttackedResult> results;
    command.over_each(*app, loaded, [&](const Dataset& dataset, ProgressLine& progress) {
        for (AttackedResult& result : attack_models(loaded, dataset, options, progress))
            results.push_back(std::move(result));
    });
    return command.print(report_of(results, options));
}

}  // namespace assay::cli
