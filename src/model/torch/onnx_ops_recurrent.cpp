// ONNX's recurrent layers: LSTM, GRU and RNN, computed step by step.
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;
using Activation = Tensor (*)(const Tensor& x);

Activation activation_named(const std::string& name) {
    if (name == "Sigmoid") return [](const Tensor& x) { return x.sigmoid(); };
    if (name == "Tanh") return [](const Tensor& x) { return x.tanh(); };
    if (name == "Relu") return [](const Tensor& x) { return x.relu(); };
    throw NotSupported(
        fmt::format("activation \"{}\" is not supported; Sigmoid, Tanh and Relu are", name));
}

/// The weights of one direction, with the gates' numbers stacked.
struct CellDirection {
    Tensor w;                                   ///< gates * hidden x width of the input
    Tensor r;                                   ///< gates * hidden x hidden
    Tensor input_bias, hidden_bias, peepholes;  ///< undefined: none
    std::vector<Activation> activations;
    double clip = 0;  ///< bound for the input of an activation; 0 means none

    Tensor activated(std::size_t i, const Tensor& x) const {
        return activations[i](clip > 0 ? x.clamp(-clip, clip) : x);
    }
    Tensor of_input(const Tensor& x) const {
        const Tensor y = x.matmul(w.t());
        return input_bias.defined() ? y.add(input_bias) : y;
    }
    Tensor of_hidden(const Tensor& h) const {
        const Tensor y = h.matmul(r.t());
        return hidden_bias.defined() ? y.add(hidden_bias) : y;
    }
};

/// The hidden state, and for an LSTM the cell.
struct CellState {
    Tensor hidden, cell;
};

/// Computes one step. `x` is the input's part for all gates (batch x gates * hidden).
using CellStep = CellState (*)(const CellDirection& d, const Tensor& x, const CellState& before,
                               bool option);

CellState lstm_step(const CellDirection& d, const Tensor& x, const CellState& before, bool) {
    const std::int64_t hidden = before.hidden.size(-1);
    const Tensor sums = x.add(d.of_hidden(before.hidden));
    // The gates in ONNX's order are input, output, forget, cell.
    const auto gate = [&](std::int64_t i) { return sums.narrow(-1, i * hidden, hidden); };
    const auto peeped = [&](std::int64_t i, const Tensor& cell) {
        if (!d.peepholes.defined()) return gate(i);
        return gate(i).add(d.peepholes.narrow(0, i * hidden, hidden).mul(cell));
    };
    const Tensor in = d.activated(0, peeped(0, before.cell));
    const Tensor forget = d.activated(0, peeped(2, before.cell));
    const Tensor cell = forget.mul(before.cell).add(in.mul(d.activated(1, gate(3))));
    const Tensor out = d.activated(0, peeped(1, cell));
    return {out.mul(d.activated(2, cell)), cell};
}

CellState gru_step(const CellDirection& d, const Tensor& x, const CellState& before,
                   bool reset_after) {
    const std::int64_t hidden = before.hidden.size(-1);
    // The gates in ONNX's order are update, reset, hidden.
    const auto part = [&](const Tensor& all, std::int64_t i) {
        return all.narrow(-1, i * hidden, hidden);
    };
    const Tensor from_hidden = d.of_hidden(before.hidden);
    const Tensor update = d.activated(0, part(x, 0).add(part(from_hidden, 0)));
    const Tensor reset = d.activated(0, part(x, 1).add(part(from_hidden, 1)));
    Tensor recurrent;
    if (reset_after) {
        recurrent = reset.mul(part(from_hidden, 2));
    } else {
        recurrent = reset.mul(before.hidden).matmul(d.r.narrow(0, 2 * hidden, hidden).t());
        if (d.hidden_bias.defined())
            recurrent = recurrent.add(d.hidden_bias.narrow(0, 2 * hidden, hidden));
    }
    const Tensor fresh = d.activated(1, part(x, 2).add(recurrent));
    return {update.mul(before.hidden.sub(fresh)).add(fresh), {}};
}

CellState rnn_step(const CellDirection& d, const Tensor& x, const CellState& before, bool) {
    return {d.activated(0, x.add(d.of_hidden(before.hidden))), {}};
}

struct CellKind {
    std::int64_t gates;
    std::vector<std::string> activations;
    CellStep step;
};

/// Inputs: X, W, R, B, lengths, initial hidden state, and for an LSTM initial cell and peepholes.
/// Outputs: every hidden state, the last one, the last cell.
Tensors recurrent(const OnnxCall& call, const CellKind& kind) {
    const bool batch_first = call.integer("layout", 0) != 0;
    const Tensor x = batch_first ? call.in(0).transpose(0, 1) : call.in(0);
    const Tensor& w = call.in(1);
    const Tensor& r = call.in(2);
    const std::string way = call.text("direction", "forward");
    if (way != "forward" && way != "reverse" && way != "bidirectional")
        throw NodeError(fmt::format(
            "direction \"{}\" is unknown; forward, reverse and bidirectional are allowed", way));
    const std::int64_t directions = way == "bidirectional" ? 2 : 1;
    if (x.dim() != 3 || w.dim() != 3 || r.dim() != 3 || r.size(2) < 1 || w.size(0) != directions ||
        r.size(0) != directions || w.size(2) != x.size(2) || w.size(1) != kind.gates * r.size(2) ||
        r.size(1) != w.size(1))
        throw NodeError(fmt::format("its input of {} and weights of {} and {} do not fit together",
                                    fmt::join(x.sizes(), " x "), fmt::join(w.sizes(), " x "),
                                    fmt::join(r.sizes(), " x ")));
    const std::int64_t steps = x.size(0), batch = x.size(1), hidden = r.size(2);
    if (call.integer("hidden_size", hidden) != hidden)
        throw NodeError(fmt::format("hidden_size is {}, but that of the weights is {}",
                                    call.integer("hidden_size"), hidden));
    if (call.integer("input_forget", 0) != 0) throw NotSupported("input_forget is not supported");
    if (call.has(4) && call.in(4).ne(steps).any().item<bool>())
        throw NotSupported("sequences of different lengths are not supported");
    const Tensor bias = call.in_or_none(3);
    if (bias.defined() &&
        (bias.dim() != 2 || bias.size(0) != directions || bias.size(1) != 2 * kind.gates * hidden))
        throw NodeError(fmt::format("its bias is {} instead of {} x {}",
                                    fmt::join(bias.sizes(), " x "), directions,
                                    2 * kind.gates * hidden));
    const auto initial = [&](std::size_t i) {
        if (!call.has(i)) return at::zeros({directions, batch, hidden}, x.options());
        const Tensor given = batch_first ? call.in(i).transpose(0, 1) : call.in(i);
        if (given.sizes() != c10::IntArrayRef({directions, batch, hidden}))
            throw NodeError(
                fmt::format("the initial state (input {}) is {} instead of {} x {} x {}", i,
                            fmt::join(given.sizes(), " x "), directions, batch, hidden));
        return given;
    };
    const Tensor first_hidden = initial(5);
    const bool has_cell = kind.gates == 4;
    const Tensor first_cell = has_cell ? initial(6) : Tensor();
    const Tensor peepholes = has_cell ? call.in_or_none(7) : Tensor();
    if (peepholes.defined() && peepholes.sizes() != c10::IntArrayRef({directions, 3 * hidden}))
        throw NodeError(fmt::format("its peepholes are {} instead of {} x {}",
                                    fmt::join(peepholes.sizes(), " x "), directions, 3 * hidden));
    std::vector<std::string> activations = call.texts("activations");
    const auto each = kind.activations.size();
    if (activations.empty()) {
        for (std::int64_t d = 0; d < directions; ++d)
            activations.insert(activations.end(), kind.activations.begin(), kind.activations.end());
    }
    if (activations.size() != each * static_cast<std::size_t>(directions))
        throw NodeError(fmt::format("it has {} activations instead of {}", activations.size(),
                                    each * static_cast<std::size_t>(directions)));
    const bool option = call.integer("linear_before_reset", 0) != 0;

    Tensors all, last_hidden, last_cell;
    for (std::int64_t at = 0; at < directions; ++at) {
        CellDirection d;
        d.w = w.select(0, at);
        d.r = r.select(0, at);
        d.clip = call.real("clip", 0);
        if (bias.defined()) {
            d.input_bias = bias.select(0, at).narrow(0, 0, kind.gates * hidden);
            d.hidden_bias = bias.select(0, at).narrow(0, kind.gates * hidden, kind.gates * hidden);
        }
        if (peepholes.defined()) d.peepholes = peepholes.select(0, at);
        for (std::size_t i = 0; i < each; ++i) {
            d.activations.push_back(
                activation_named(activations[static_cast<std::size_t>(at) * each + i]));
        }
        const bool backwards = at == 1 || way == "reverse";
        const Tensor inputs = d.of_input(x);
        CellState state = {first_hidden.select(0, at),
                           has_cell ? first_cell.select(0, at) : Tensor()};
        Tensors hiddens(static_cast<std::size_t>(steps));
        for (std::int64_t s = 0; s < steps; ++s) {
            const std::int64_t t = backwards ? steps - 1 - s : s;
            state = kind.step(d, inputs.select(0, t), state, option);
            hiddens[static_cast<std::size_t>(t)] = state.hidden;
        }
        all.push_back(steps > 0 ? at::stack(hiddens) : at::zeros({0, batch, hidden}, x.options()));
        last_hidden.push_back(state.hidden);
        last_cell.push_back(state.cell);
    }
    // The layout is steps x directions x batch x hidden, or batch x steps x directions x hidden.
    const Tensor every = at::stack(all, 1);
    const auto laid = [&](const Tensors& parts) {
        const Tensor joined = at::stack(parts);
        return batch_first ? joined.transpose(0, 1) : joined;
    };
    Tensors out = {batch_first ? every.permute({2, 0, 1, 3}) : every, laid(last_hidden)};
    if (has_cell) out.push_back(laid(last_cell));
    return out;
}

}  // namespace

std::span<const OnnxOperator> recurrent_operators() {
    static constexpr OnnxOperator table[] = {
        {"LSTM", nullptr,
         [](const OnnxCall& c) {
             return recurrent(c, {4, {"Sigmoid", "Tanh", "Tanh"}, lstm_step});
         }},
        {"GRU", nullptr,
         [](const OnnxCall& c) {
             return recurrent(c, {3, {"Sigmoid", "Tanh"}, gru_step});
         }},
        {"RNN", nullptr,
         [](const OnnxCall& c) {
             return recurrent(c, {1, {"Tanh"}, rnn_step});
         }},
    };
    return table;
}

}  // namespace assay::torch_plugin
