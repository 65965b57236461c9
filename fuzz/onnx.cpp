// Reads any bytes as an ONNX model. The result is a graph with the values and constants that its
// nodes name, or an Error. LibTorch, which holds the constants, has no counters, so the fuzzer is
// guided by the parser alone.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/torch/onnx_graph.h"
#include "scratch.h"

namespace {

namespace fs = std::filesystem;
using namespace assay::torch_plugin;

const fs::path& file() {
    static const fs::path made = fuzz::scratch_folder("onnx") / "x.onnx";
    return made;
}

void check(const OnnxGraph& graph, const std::vector<OnnxNode>& nodes) {
    const auto known = [&](int value) {
        if (value < -1 || value >= static_cast<int>(graph.names.size())) std::abort();
    };
    for (const OnnxNode& node : nodes) {
        for (const int value : node.inputs) known(value);
        for (const int value : node.outputs) known(value);
        for (const OnnxBlock& block : node.blocks) {
            for (const int value : block.inputs) known(value);
            for (const int value : block.outputs) known(value);
            check(graph, block.nodes);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::ofstream(file(), std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    fuzz::attempt([] {
        const OnnxGraph graph = parse_onnx(file());
        if (graph.constants.size() != graph.names.size()) std::abort();
        check(graph, graph.nodes);
        for (const int value : graph.outputs) {
            if (value < 0 || value >= static_cast<int>(graph.names.size())) std::abort();
        }
    });
    return 0;
}
