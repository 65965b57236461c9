#include "assay/evaluate/about.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/version.h"
#include "core/cpu.h"
#include "evaluate/commit.h"

namespace assay {
namespace {

using nlohmann::json;

std::string compiler_name() {
#if defined(__clang__)
    return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

json json_of(const About& about) {
    json result = {{"schema", "assay.version/1"},    {"version", about.version},
                   {"commit", about.commit},         {"compiler", about.compiler},
                   {"build_type", about.build_type}, {"instructions", about.instructions},
                   {"processor", about.processor},   {"framework", nullptr},
                   {"mpi", json::array()},           {"cuda", nullptr}};
    if (about.framework)
        result["framework"] = {
            {"is", about.framework->framework},
            {"file", about.framework->file.string()},
            {"libtorch",
             about.framework->libtorch.empty() ? json() : json(about.framework->libtorch.string())},
            {"problem",
             about.framework->problem.empty() ? json() : json(about.framework->problem)}};
    for (const MpiPlugin& plugin : about.mpi)
        result["mpi"].push_back({{"is", plugin.mpi}, {"file", plugin.file.string()}});
    if (about.cuda)
        result["cuda"] = {{"devices", about.cuda->devices}, {"libraries", about.cuda->libraries}};
    return result;
}

std::string cuda_text(const CudaFacts& cuda) {
    if (cuda.devices == 0) return "LibTorch finds no device";
    const std::string last = cuda.devices > 1 ? fmt::format(" to cuda:{}", cuda.devices - 1) : "";
    return "cuda:0" + last + (cuda.libraries.empty() ? "" : ", " + cuda.libraries);
}

}  // namespace

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
    Table table{.title = "",
                .columns = {{"part", false}, {"is", false}, {"file", false}},
                .rows = {},
                .notes = {}};
    table.add({"commit", about.commit.empty() ? "not known" : about.commit});
    table.add({"compiler", fmt::format("{}, {}", about.compiler, about.build_type)});
    table.add({"SIMD", fmt::format("{} in use", about.instructions)});
    table.add({"processor", about.processor});
    if (about.framework) {
        table.add({"models", about.framework->framework, about.framework->file.string()});
        if (!about.framework->libtorch.empty())
            table.add({"LibTorch",
                       about.framework->problem.empty()
                           ? "it was built for"
                           : "another than it was built for (assay torch)",
                       about.framework->libtorch.string()});
    } else {
        table.add({"models", "none"});
        table.notes.push_back("No models: " + about.no_framework);
    }
    for (const MpiPlugin& plugin : about.mpi) table.add({"MPI", plugin.mpi, plugin.file.string()});
    if (about.mpi.empty()) table.add({"MPI", "no plug-in"});
    table.add({"CUDA", about.cuda ? cuda_text(*about.cuda) : "not asked: assay version --devices"});
    Report report;
    report.records = table;
    report.sections.push_back(
        {.title = "", .blocks = {"assay " + about.version, std::move(table)}, .sections = {}});
    report.result = json_of(about);
    return report;
}

}  // namespace assay
