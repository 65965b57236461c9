#include "model/isolated/cost_wire.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/isolated/channel.h"
#include "model/isolated/wire_fields.h"

namespace assay::isolated {
namespace {

constexpr std::size_t part_bytes = most_message - 64;
constexpr std::size_t most_cost_bytes = std::size_t{64} << 20;
constexpr std::uint64_t most_operators = 4096;
constexpr std::uint64_t most_counted = std::uint64_t{1} << 51;
constexpr std::size_t longest_name = 512;

std::string_view cut(const std::string& text) {
    return std::string_view(text).substr(0, longest_name);
}

}  // namespace

std::vector<std::string> parts_of(const ModelCost& cost) {
    MessageWriter out(MessageKind::cost);
    out.number(static_cast<std::uint64_t>(cost.batch));
    out.number(cost.weights.parameters).number(cost.weights.buffers).number(cost.weights.bytes);
    const std::size_t operators = std::min<std::size_t>(cost.operators.size(), most_operators);
    out.number(operators);
    for (const OperatorCost& one : std::span(cost.operators).first(operators)) {
        out.text(cut(one.name)).number(static_cast<std::uint64_t>(one.kind));
        out.number(one.integer ? 1 : 0).number(one.calls).number(one.macs);
        out.number(one.activation_macs).number(one.elements);
    }
    const std::size_t nodes = std::min(cost.nodes.size(), ModelCost::most_nodes);
    out.number(nodes);
    for (const NodeCost& one : std::span(cost.nodes).first(nodes)) {
        out.text(cut(one.name)).text(cut(one.op)).text(cut(one.shape));
        out.number(one.macs).number(one.live_bytes);
    }
    out.number(cost.executed_nodes).number(cost.peak_bytes).text(cut(cost.peak_node));
    out.texts(cost.notes).text(cut(cost.no_weights)).text(cut(cost.no_operators));
    out.number(cost.measured_peak_bytes ? 1 + *cost.measured_peak_bytes : 0);
    out.number(cost.seconds.size());
    for (const double seconds : cost.seconds) out.real(seconds);
    const std::string whole = out.take();
    // The first byte of a part gives its kind, and the second whether it is the last.
    std::vector<std::string> parts;
    const std::string_view body = std::string_view(whole).substr(1);
    for (std::size_t at = 0; at < body.size(); at += part_bytes) {
        std::string part(1, static_cast<char>(MessageKind::cost));
        part += at + part_bytes >= body.size() ? '\1' : '\0';
        part += body.substr(at, part_bytes);
        parts.push_back(std::move(part));
    }
    return parts;
}

bool CostParts::take(std::string_view message) {
    if (kind_of(message) != MessageKind::cost || message.size() < 3)
        wire_nonsense("a message of the wrong kind");
    if (bytes_.empty()) bytes_ += message[0];
    bytes_ += message.substr(2);
    if (bytes_.size() > most_cost_bytes) wire_nonsense("a cost without an end");
    return message[1] != '\0';
}

ModelCost CostParts::joined(const CostRequest& asked) const {
    MessageReader in(bytes_, MessageKind::cost);
    ModelCost cost;
    cost.batch = static_cast<std::int64_t>(in.number(most_cost_batch));
    cost.weights.parameters = in.number(most_counted);
    cost.weights.buffers = in.number(most_counted);
    cost.weights.bytes = in.number(most_counted);
    cost.operators.resize(in.number(most_operators));
    for (OperatorCost& one : cost.operators) {
        one.name = in.text(longest_name);
        one.kind =
            static_cast<OperatorKind>(in.number(static_cast<std::uint64_t>(OperatorKind::unknown)));
        one.integer = in.number(1) == 1;
        one.calls = in.number(most_counted);
        one.macs = in.number(most_counted);
        one.activation_macs = in.number(one.macs);
        one.elements = in.number(most_counted);
    }
    cost.nodes.resize(in.number(ModelCost::most_nodes));
    for (NodeCost& one : cost.nodes) {
        one.name = in.text(longest_name);
        one.op = in.text(longest_name);
        one.shape = in.text(longest_name);
        one.macs = in.number(most_counted);
        one.live_bytes = in.number(most_counted);
    }
    cost.executed_nodes = in.number(most_counted);
    cost.peak_bytes = in.number(most_counted);
    cost.peak_node = in.text();
    cost.notes = in.texts();
    cost.no_weights = in.text(longest_name);
    cost.no_operators = in.text(longest_name);
    if (const std::uint64_t peak = in.number(most_counted); peak > 0)
        cost.measured_peak_bytes = peak - 1;
    cost.seconds.resize(in.number(most_cost_runs));
    for (double& seconds : cost.seconds) {
        seconds = in.real();
        if (!std::isfinite(seconds) || seconds < 0) wire_nonsense("a time that is not valid");
    }
    in.finish();
    if (cost.batch != asked.batch ||
        cost.seconds.size() != static_cast<std::size_t>(std::max(asked.runs, 0)))
        wire_nonsense("the cost belongs to another request");
    return cost;
}

}  // namespace assay::isolated
