// Reads any text as an assay.toml. The result is a plan with models and commands, or an Error.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "cli/assay_toml.h"
#include "scratch.h"

namespace {

namespace fs = std::filesystem;

const fs::path& file() {
    static const fs::path made = fuzz::scratch_folder("configuration") / "assay.toml";
    return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::ofstream(file(), std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    fuzz::attempt([] {
        const assay::cli::Plan plan = assay::cli::read_plan(file());
        (void)plan.resolved({}).dump();
        for (const assay::cli::Plan::Data& data_set : plan.data)
            fuzz::attempt([&] { (void)plan.specs_on(data_set); });
        for (const assay::cli::Plan::Step& step : plan.steps)
            fuzz::attempt([&] { (void)plan.commands_of(step, {}, {"v1", "v2"}); });
    });
    return 0;
}
