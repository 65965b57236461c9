#include "assay/evaluate/about.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/version.h"
#include "core/cpu.h"
#include "core/result_table.h"
#include "evaluate/commit.h"
#include "evaluate/described_program.h"
#include "model/described_model.h"

namespace assay {
namespace {

std::string compiler_name() {
#if defined(__clang__)
    return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string cuda_text(const CudaFacts& cuda) {
    if (cuda.devices == 0) return "LibTorch finds no device";
    const std::string last = cuda.devices > 1 ? fmt::format(" to cuda:{}", cuda.devices - 1) : "";
    return "cuda:0" + last + (cuda.libraries.empty() ? "" : ", " + cuda.libraries);
}

/// A row of the table.
struct AboutRow {
    std::string part, is;
    std::optional<std::filesystem::path> file;
};
ResultType result_type(ResultOf<AboutRow>) {
    static constexpr auto rows = describe_result<AboutRow>(
        {.name = "AboutRow", .columns = "part,is,file"}, {
                                                             part<&AboutRow::part>({}),
                                                             part<&AboutRow::is>({}),
                                                             part<&AboutRow::file>({}),
                                                         });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<MpiPlugin>) {
    static constexpr auto rows = describe_result<MpiPlugin>(
        {.name = "MpiPlugin"}, {part<&MpiPlugin::mpi>({.name = "is"}), part<&MpiPlugin::file>({})});
    return rows;
}

ResultType result_type(ResultOf<CudaFacts>) {
    static constexpr auto rows = describe_result<CudaFacts>(
        {.name = "CudaFacts"},
        {part<&CudaFacts::devices>({}),
         part<&CudaFacts::libraries>({.help = "As `CUDA 12.4, cuDNN 9.1.0`"})});
    return rows;
}

ResultType result_type(ResultOf<About>) {
    static constexpr auto rows = describe_result<About>(
        {.name = "VersionResult",
         .help = "What `assay version` prints",
         .schema = "assay.version/1"},
        {
            part<&About::version>({}),
            part<&About::commit>(
                {.help = "12 digits, and + if files differ from it; empty: unknown"}),
            part<&About::compiler>({}),
            part<&About::build_type>({}),
            part<&About::instructions>({.help = "In use: `avx2`, `none`"}),
            part<&About::processor>({}),
            part<&About::framework>({.help = "Null without a plug-in that runs models"}),
            part<&About::mpi>({.help = "Plug-ins that were found"}),
            part<&About::cuda>({.help = "Null unless `--devices` asks"}),
        });
    return rows;
}

About about_assay(bool devices) {
    About about;
    about.version = version;
    about.commit = source_commit();
    about.compiler = compiler_name();
    about.build_type = ASSAY_BUILD_TYPE;
    about.instructions = cpu_has_avx2() ? "avx2" : "none";
    about.processor = fmt::format("{}, {}", cpu_name(), cpu_instruction_set());
    if (devices) about.cuda = cuda_of_framework();
    try {
        about.framework = framework_file();
    } catch (const Error& error) {
        about.no_framework = error.message();
    }
    about.mpi = mpi_plugins();
    return about;
}

Report report_of(const About& about) {
    std::vector<AboutRow> rows;
    const auto add = [&](std::string part, std::string is,
                         std::optional<std::filesystem::path> file = {}) {
        rows.push_back({std::move(part), std::move(is), std::move(file)});
    };
    add("commit", about.commit.empty() ? "not known" : about.commit);
    add("compiler", fmt::format("{}, {}", about.compiler, about.build_type));
    add("SIMD", fmt::format("{} in use", about.instructions));
    add("processor", about.processor);
    if (about.framework) {
        add("models", about.framework->framework, about.framework->file);
        if (!about.framework->libtorch.empty())
            add("LibTorch",
                about.framework->problem.empty() ? "it was built for"
                                                 : "another than it was built for (assay torch)",
                about.framework->libtorch);
    } else {
        add("models", "none");
    }
    for (const MpiPlugin& plugin : about.mpi) add("MPI", plugin.mpi, plugin.file);
    if (about.mpi.empty()) add("MPI", "no plug-in");
    add("CUDA", about.cuda ? cuda_text(*about.cuda) : "not asked: assay version --devices");
    Table table = table_of(rows);
    if (!about.framework) table.notes.push_back("No model files: " + about.no_framework);
    Report report;
    report.records = table;
    report.sections.push_back(
        {.title = "", .blocks = {"assay " + about.version, std::move(table)}, .sections = {}});
    report.result = json_of(about);
    return report;
}

}  // namespace assay
