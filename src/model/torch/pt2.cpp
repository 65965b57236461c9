// Models of torch.export: the graph's calls of ATen operators, one after the other through
// LibTorch's dispatcher, so that gradients flow. What depends on no image is computed once.
#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "assay/error.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/text.h"
#include "model/pt2/package.h"
#include "model/torch/cost_watch.h"
#include "model/torch/network.h"
#include "model/torch/newer_operators.h"
#include "model/torch/pt2_call.h"
#include "model/torch/pt2_describe.h"
#include "model/torch/pt2_rules.h"
#include "model/torch/pt2_symbols.h"
#include "model/torch/runtime.h"
#include "model/torch/scores.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {
namespace {

/// A node with its operator looked up: a call of one, or arithmetic on sizes; or a layer that takes
/// the place of several.
struct Pt2Step : GraphNode {
    std::string qualified;  ///< "aten::conv2d"; "" of arithmetic
    std::optional<Pt2Call> call;
    SymbolFunction symbol = nullptr;
    std::vector<Pt2Feed> feeds;             ///< of `symbol`
    std::vector<std::vector<int>> outputs;  ///< values of each result; -1: nobody's
    std::vector<bool> lists;                ///< the result is a list of tensors
    std::vector<int> reads, writes;         ///< values; written ones are changed in place
    std::vector<int> done;                  ///< values that no later step reads
    std::shared_ptr<const FusedLayer> layer;

    static Pt2Step fused(Pt2Step first, const Fusion& fusion) {
        first.layer = fusion.layer;
        first.reads = {fusion.input};
        if (fusion.added >= 0) first.reads.push_back(fusion.added);
        first.writes.clear();
        first.outputs = {{fusion.result}};
        first.lists = {false};
        first.call.reset();
        return first;
    }

    void run(GraphRun& run) const {
        const GraphValues& values = run.values;
        try {
            if (layer != nullptr) {
                const auto operand = [&](std::size_t i) {
                    return i < reads.size() ? values[static_cast<std::size_t>(reads[i])].toTensor()
                                            : at::Tensor();
                };
                const NodeScope scope(name, qualified);
                keep({layer->run(operand(0), operand(1))}, run);
            } else if (symbol != nullptr) {
                GraphValues given;
                given.reserve(feeds.size());
                for (const Pt2Feed& feed : feeds) given.push_back(feed.plain(values));
                keep({symbol(given)}, run);
            } else {
                torch::jit::Stack stack;
                const auto& arguments = call->op->schema().arguments();
                stack.reserve(arguments.size());
                for (std::size_t i = 0; i < arguments.size(); ++i) {
                    const c10::IValue* constant = call->feeds[i].constant();
                    stack.push_back(constant != nullptr
                                        ? *constant
                                        : call->feeds[i].fitted(values, arguments[i]));
                }
                const NodeScope scope(name, qualified);
                call->run(stack);
                keep(std::move(stack), run);
            }
        } catch (...) {
            throw translated(place());
        }
    }

    bool changes_values() const { return !writes.empty(); }
    template <class Visit>
    void for_each_read(Visit&& visit) const {
        for (const int v : reads) visit(v);
    }
    template <class Visit>
    void for_each_result(Visit&& visit) const {
        for (const std::vector<int>& result : outputs) {
            for (const int v : result) visit(v);
        }
    }
    template <class Visit>
    void for_each_written(Visit&& visit) const {
        for_each_result(visit);
    }
    template <class Visit>
    void for_each_changed(Visit&& visit) const {
        for (const int v : writes) visit(v);
    }

private:
    void keep(GraphValues results, GraphRun& run) const {
        if (results.size() < outputs.size()) {
            refuse(fmt::format("it returns {} values, but the file expects {}", results.size(),
                               outputs.size()));
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (lists[i]) {
                const auto items = results[i].toListRef();
                if (items.size() != outputs[i].size()) {
                    refuse(fmt::format("it returns {} tensors, but the file expects {}",
                                       items.size(), outputs[i].size()));
                }
                for (std::size_t k = 0; k < items.size(); ++k) {
                    if (outputs[i][k] >= 0)
                        run.values[static_cast<std::size_t>(outputs[i][k])] =
                            in_type(items[k], run.half);
                }
            } else if (!outputs[i].empty() && outputs[i][0] >= 0) {
                run.values[static_cast<std::size_t>(outputs[i][0])] =
                    in_type(std::move(results[i]), run.half);
            }
        }
    }

    /// Bytes that are divided, for one, become single precision by themselves.
    static c10::IValue in_type(c10::IValue value, std::optional<at::ScalarType> half) {
        if (!half || !value.isTensor()) return value;
        const at::Tensor& tensor = value.toTensor();
        return as_type(tensor, computed_type(tensor.scalar_type(), *half));
    }
};

/// The archive's tensors on the device. Those that share numbers in the file share them here.
class Pt2Tensors {
public:
    Pt2Tensors(const pt2::Package& package, const ComputeOn& where)
        : package_(package), where_(where) {}

    at::Tensor get(const pt2::StoredTensor& stored) {
        auto& whole = wholes_[{stored.storage, stored.type}];
        if (!whole.defined()) {
            const std::span<const std::byte> bytes = package_.storages[stored.storage];
            const std::size_t count = bytes.size() / pt2::bytes_of(stored.type);
            whole = at::empty({static_cast<std::int64_t>(count)}, scalar_type_of(stored.type));
            if (count > 0)
                std::memcpy(whole.data_ptr(), bytes.data(), count * pt2::bytes_of(stored.type));
            whole = whole.to(computed_type(whole.scalar_type(), where_.type)).to(where_.device);
        }
        return whole.as_strided(stored.sizes, stored.strides, stored.offset);
    }

private:
    const pt2::Package& package_;
    const ComputeOn& where_;
    std::map<std::pair<std::size_t, pt2::NumberType>, at::Tensor> wholes_;
};

using StoredPlaces = std::set<std::tuple<std::size_t, std::int64_t, std::int64_t>>;

/// Of one kind of tensors; those in `seen` count no more.
void count_numbers(const pt2::Package& package, bool parameters, StoredPlaces& seen,
                   std::uint64_t& total, std::uint64_t& bytes) {
    for (const pt2::Input& input : package.program.inputs) {
        if ((input.kind == pt2::InputKind::parameter) != parameters) continue;
        const auto found = package.weights.find(input.name);
        const auto constant = package.constants.find(input.name);
        if (found == package.weights.end() && constant == package.constants.end()) continue;
        const pt2::StoredTensor& tensor =
            found != package.weights.end() ? found->second : constant->second;
        std::int64_t numbers = 1;
        for (const std::int64_t size : tensor.sizes) numbers *= size;
        if (!seen.insert({tensor.storage, tensor.offset, numbers}).second) continue;
        total += static_cast<std::uint64_t>(numbers);
        bytes += static_cast<std::uint64_t>(numbers) * pt2::bytes_of(tensor.type);
    }
}

/// Numbers in the model's tensors, shared ones once: its parameters, then its buffers. A program
/// without parameters has its weights as buffers.
WeightCost program_weights(const pt2::Package& package) {
    StoredPlaces seen;
    WeightCost total;
    count_numbers(package, true, seen, total.parameters, total.bytes);
    count_numbers(package, false, seen, total.buffers, total.bytes);
    if (total.parameters == 0) std::swap(total.parameters, total.buffers);
    return total;
}

/// Builds the steps: inner graphs in place of the calls that hold them, values numbered through.
class Pt2Builder {
public:
    Pt2Builder(const pt2::Package& package, const ComputeOn& where, bool fuse)
        : package_(package), where_(where), fuse_(fuse) {}

    StepGraph<Pt2Step> made;
    std::vector<Pt2Feed> outputs;
    std::vector<std::string> notes;
    int image = -1;
    std::vector<int> fresh;  ///< constants that a run changes, and so copies first
    bool copies_image = false;
    bool needs_contiguous = false;
    bool fused = false;

    void build() {
        const pt2::Program& program = package_.program;
        if (is_half(where_.type)) made.start.half = where_.type;
        std::vector<int> places(program.graph.names.size(), -1);
        bind_inputs(places);
        add_nodes(program.graph, places, 0);
        missing_.refuse(framework_name());
        for (const pt2::Output& output : program.outputs)
            outputs.emplace_back(output.argument, places, where_);
        drop_unread();
        find_changed();
        loosen_views();
        fold();
        check_training_mode();
        if (fuse_ && where_.device.is_cpu() && where_.type == at::kFloat) {
            fused = made.fuse(wanted(), [](const Pt2Step& step, const auto& constant) {
                // A list of tensors is no result of theirs: the call itself says so.
                const bool single =
                    std::find(step.lists.begin(), step.lists.end(), true) == step.lists.end();
                return step.call && single ? described_call(step.qualified, *step.call, constant)
                                           : DescribedStep();
            });
        }
        plan_releases();
    }

private:
    void bind_inputs(std::vector<int>& places) {
        const pt2::Program& program = package_.program;
        Pt2Tensors tensors(package_, where_);
        for (int& place : places) place = made.new_value();
        for (const pt2::Input& input : program.inputs) {
            // Buffers that are not saved with the weights are among the constants.
            const auto weight = package_.weights.find(input.name);
            const auto constant = package_.constants.find(input.name);
            const auto unreadable = package_.unreadable.find(input.name);
            if (unreadable != package_.unreadable.end())
                refuse(fmt::format("the tensor `{}` is {}", shortened(input.name),
                                   unreadable->second));
            if (weight == package_.weights.end() && constant == package_.constants.end())
                refuse(fmt::format("the archive lacks the tensor `{}`", shortened(input.name)));
            made.start
                .values[static_cast<std::size_t>(places[static_cast<std::size_t>(input.value)])] =
                tensors.get(weight != package_.weights.end() ? weight->second : constant->second);
        }
        for (const auto& [value, argument] : program.constants) {
            made.start.values[static_cast<std::size_t>(places[static_cast<std::size_t>(value)])] =
                Pt2Feed(argument, places, where_).plain({});
        }
        image = places[static_cast<std::size_t>(program.image)];
    }

    void add_nodes(const pt2::Graph& graph, std::vector<int>& places, int depth) {
        if (depth > 8) refuse("graphs inside graphs, too deep");
        for (const pt2::Node& node : graph.nodes) {
            if (is_assertion(node.op)) continue;
            with_place(node, [&] {
                if (node.op.starts_with("torch.ops.higher_order.")) {
                    add_inner(node, places, depth);
                } else {
                    add_node(node, places);
                }
            });
        }
    }

    template <class Body>
    static void with_place(const GraphNode& node, Body&& body) {
        try {
            body();
        } catch (...) {
            const Error error = translated(node.place());
            if (error.message().starts_with("node `")) throw error;
            throw Error(error.code(), fmt::format("{}: {}", node.place(), error.message()));
        }
    }

    void add_node(const pt2::Node& node, const std::vector<int>& places) {
        Pt2Step step;
        step.name = shortened(node.name);
        step.op = node.op;
        step.symbol = find_symbol_function(node.op);
        if (step.symbol != nullptr) {
            for (const pt2::NamedArgument& input : node.inputs)
                step.feeds.emplace_back(input.argument, places, where_);
            for (const Pt2Feed& feed : step.feeds) feed.add_values(step.reads);
        } else {
            const auto op = operator_name_of(node.op);
            if (!op) {
                missing_.add(node.op, node, "only Python can run it");
                return;
            }
            if (!is_known_operator(*op)) {
                missing_.add(op->qualified + (op->overload.empty() ? "" : "." + op->overload), node,
                             where_operator_is(op->qualified));
                return;
            }
            step.qualified = op->qualified;
            step.call = prepare_call(*op, node, places, where_);
            for (const Pt2Feed& feed : step.call->feeds) feed.add_values(step.reads);
            needs_contiguous = needs_contiguous || depends_on_strides(op->qualified);
            note_writes(step);
        }
        needs_contiguous = needs_contiguous || node.op == "torch.ops.aten.sym_stride.int";
        for (const pt2::Argument& output : node.outputs) {
            if (output.kind == pt2::ArgumentKind::unsupported)
                refuse(fmt::format("a result of the kind `{}` is not supported", output.word));
            step.lists.push_back(output.kind == pt2::ArgumentKind::list);
            std::vector<int>& values = step.outputs.emplace_back();
            for_each_value(output,
                           [&](int v) { values.push_back(places[static_cast<std::size_t>(v)]); });
        }
        made.steps.push_back(std::move(step));
    }

    template <class Visit>
    static void for_each_value(const pt2::Argument& argument, Visit&& visit) {
        if (argument.kind == pt2::ArgumentKind::value) visit(argument.value);
        for (const pt2::Argument& item : argument.items) visit(item.value);
    }

    static void note_writes(Pt2Step& step) {
        const auto& arguments = step.call->op->schema().arguments();
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const auto* alias = arguments[i].alias_info();
            if (alias != nullptr && alias->isWrite()) step.call->feeds[i].add_values(step.writes);
        }
    }

    /// A call that holds a graph: those that only set a mode for it are replaced by its nodes.
    void add_inner(const pt2::Node& node, std::vector<int>& places, int depth) {
        const pt2::Graph* graph = nullptr;
        std::vector<const pt2::Argument*> before, operands;
        for (const pt2::NamedArgument& input : node.inputs) {
            if (input.argument.kind == pt2::ArgumentKind::graph) {
                if (graph != nullptr) refuse("it chooses between graphs, which is not supported");
                graph = input.argument.graph.get();
            } else {
                (graph == nullptr ? before : operands).push_back(&input.argument);
            }
        }
        const bool grad = node.op == "torch.ops.higher_order.wrap_with_set_grad_enabled";
        const bool autocast = node.op == "torch.ops.higher_order.wrap_with_autocast";
        if ((!grad && !autocast) || graph == nullptr)
            refuse("control flow of this kind is not supported");
        // (device type, number type, enabled, ...)
        if (autocast && before.size() >= 3 && before[2]->kind == pt2::ArgumentKind::boolean &&
            before[2]->boolean) {
            notes.emplace_back(
                "the model asks for mixed precision (autocast); it is computed in the precision of "
                "its weights");
        }
        if (operands.size() != graph->inputs.size())
            refuse(fmt::format("{} operands for a graph that takes {}", operands.size(),
                               graph->inputs.size()));
        std::vector<int> inner(graph->names.size(), -1);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (graph->inputs[i] < 0) continue;
            int& place = inner[static_cast<std::size_t>(graph->inputs[i])];
            if (operands[i]->kind == pt2::ArgumentKind::value) {
                place = places[static_cast<std::size_t>(operands[i]->value)];
            } else {
                place = made.new_value();
                made.start.values[static_cast<std::size_t>(place)] =
                    Pt2Feed(*operands[i], places, where_).plain({});
            }
        }
        for (int& place : inner) {
            if (place < 0) place = made.new_value();
        }
        add_nodes(*graph, inner, depth + 1);
        take_results(node, *graph, inner, places);
    }

    /// The outer names of an inner graph's results become those values.
    static void take_results(const pt2::Node& node, const pt2::Graph& graph,
                             const std::vector<int>& inner, std::vector<int>& places) {
        std::vector<int> results, names;
        for (const pt2::Argument& output : graph.outputs)
            for_each_value(output,
                           [&](int v) { results.push_back(inner[static_cast<std::size_t>(v)]); });
        for (const pt2::Argument& output : node.outputs)
            for_each_value(output, [&](int v) { names.push_back(v); });
        if (results.size() != names.size())
            refuse(fmt::format("its graph returns {} values, but the file expects {}",
                               results.size(), names.size()));
        for (std::size_t i = 0; i < names.size(); ++i)
            places[static_cast<std::size_t>(names[i])] = results[i];
    }

    /// The values that the model returns.
    std::vector<int> wanted() const {
        std::vector<int> values;
        for (const Pt2Feed& output : outputs) output.add_values(values);
        return values;
    }

    void drop_unread() {
        std::vector<bool> read(made.start.values.size(), false);
        for (const int v : wanted()) read[static_cast<std::size_t>(v)] = true;
        made.steps = needed_nodes(std::move(made.steps), read);
    }

    /// Which value each value shares its numbers with (views, in-place results), as far back as
    /// schemas tell; and which constants are changed through any of them. What was a view in the
    /// exporter's memory order may be a copy in another (reshape): where numbers are changed that
    /// have been viewed, that order is kept.
    void find_changed() {
        root_.resize(made.start.values.size());
        for (std::size_t v = 0; v < root_.size(); ++v) root_[v] = static_cast<int>(v);
        changed_.assign(made.start.values.size(), false);
        std::vector<bool> viewed(made.start.values.size(), false);  // by root
        for (const Pt2Step& step : made.steps) {
            if (!step.call) continue;
            for (std::size_t i = 0; i < step.outputs.size(); ++i) {
                const int from = shared_with(step, i);
                if (from < 0) continue;
                const int root = root_[static_cast<std::size_t>(from)];
                for (const int v : step.outputs[i]) root_[static_cast<std::size_t>(v)] = root;
                if (step.writes.empty() && !may_return_its_input(step.qualified))
                    viewed[static_cast<std::size_t>(root)] = true;
            }
            for (const int v : step.writes) {
                const auto root = static_cast<std::size_t>(root_[static_cast<std::size_t>(v)]);
                changed_[root] = true;
                needs_contiguous = needs_contiguous || viewed[root];
            }
        }
        for (std::size_t v = 0; v < made.start.values.size(); ++v) {
            if (!changed_[v] || !made.start.values[v].isTensor()) continue;
            fresh.push_back(static_cast<int>(v));
        }
        copies_image = changed_[static_cast<std::size_t>(image)];
    }

    /// An exporter writes a view wherever its own kernels' memory order allows one; those here may
    /// order theirs otherwise. Where nothing is written through it, reshape does the same.
    void loosen_views() {
        const auto& known =
            torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString("aten::reshape"));
        if (known.empty()) return;
        for (Pt2Step& step : made.steps) {
            if (step.qualified != "aten::view" && step.qualified != "aten::_unsafe_view") continue;
            const auto& arguments = step.call->op->schema().arguments();
            const bool plain = arguments.size() == 2 && arguments[1].name() == "size";
            const bool written =
                std::ranges::any_of(step.reads, [&](int v) { return is_changed(v); });
            if (!plain || written) continue;
            step.call->op = known.front();
            step.call->run = known.front()->getOperation();
        }
    }

    static void add_sets(const c10::AliasInfo& alias, std::set<c10::Symbol>& out, bool before) {
        const auto& sets = before ? alias.beforeSets() : alias.afterSets();
        out.insert(sets.begin(), sets.end());
        for (const auto& inner : alias.containedTypes()) add_sets(inner, out, before);
    }

    /// The argument's value whose numbers result `i` of the step shares; -1: none.
    static int shared_with(const Pt2Step& step, std::size_t i) {
        const auto& schema = step.call->op->schema();
        const auto first_value = [&](std::size_t argument) {
            std::vector<int> values;
            step.call->feeds[argument].add_values(values);
            return values.empty() ? -1 : values.front();
        };
        if (i == 0 && may_return_its_input(step.qualified)) return first_value(0);
        if (i >= schema.returns().size() || schema.returns()[i].alias_info() == nullptr) return -1;
        std::set<c10::Symbol> result;
        add_sets(*schema.returns()[i].alias_info(), result, false);
        for (std::size_t a = 0; a < schema.arguments().size(); ++a) {
            const auto* alias = schema.arguments()[a].alias_info();
            if (alias == nullptr) continue;
            std::set<c10::Symbol> given;
            add_sets(*alias, given, true);
            const bool shared =
                std::ranges::any_of(given, [&](c10::Symbol s) { return result.contains(s); });
            if (shared) return first_value(a);
        }
        return -1;
    }

    bool is_changed(int v) const {
        return changed_[static_cast<std::size_t>(root_[static_cast<std::size_t>(v)])];
    }

    void fold() {
        made.known.resize(made.start.values.size());
        for (std::size_t v = 0; v < made.known.size(); ++v)
            made.known[v] = !made.start.values[v].isNone() && !is_changed(static_cast<int>(v));
        std::vector<Pt2Step> kept;
        for (Pt2Step& step : made.steps) {
            bool constant = step.writes.empty();
            step.for_each_result([&](int v) { constant = constant && !is_changed(v); });
            // What is random stays a step, for check_training_mode to find.
            if (constant && step.call) constant = randomness_in(step.qualified, *step.call).empty();
            if (!constant || !made.fold(step)) kept.push_back(std::move(step));
        }
        made.steps = std::move(kept);
    }

    void check_training_mode() const {
        for (const Pt2Step& step : made.steps) {
            if (!step.call) continue;
            std::string trouble = randomness_in(step.qualified, *step.call);
            if (trouble.empty()) trouble = batch_dependence_of(step.qualified, *step.call);
            if (!trouble.empty()) refuse(fmt::format("{}: {}", step.place(), trouble));
        }
    }

    void plan_releases() {
        const std::vector<bool> left = made.plan_releases(wanted());
        std::erase_if(fresh, [&](int v) { return !left[static_cast<std::size_t>(v)]; });
    }

    const pt2::Package& package_;
    const ComputeOn& where_;
    bool fuse_;
    MissingOperators missing_;
    std::vector<int> root_;
    std::vector<bool> changed_;
};

class Pt2Network final : public Network {
public:
    Pt2Network(const pt2::Package& package, const ModelSpec& spec, const ComputeOn& where,
               bool fuse)
        : spec_(spec), where_(where), output_(spec.output), weights_(program_weights(package)) {
        const pt2::Program& program = package.program;
        Pt2Builder builder(package, where, fuse);
        builder.build();
        fused_ = builder.fused;
        graph_ = std::move(builder.made);
        outputs_ = std::move(builder.outputs);
        notes_ = std::move(builder.notes);
        fresh_ = std::move(builder.fresh);
        image_ = builder.image;
        copies_image_ = builder.copies_image;
        needs_contiguous_ = builder.needs_contiguous;
        named_ = program.named_outputs;
        for (const pt2::Output& part : program.outputs) names_.push_back(part.name);
        take_input(program, where);
        if (const auto half = half_type(package)) {
            if (std::string note = precision_note(scalar_type_of(*half), where); !note.empty())
                notes_.push_back(std::move(note));
        }
        if (!program.mutated.empty()) {
            notes_.push_back(fmt::format(
                "the model changes its buffer {} at each call; every batch starts from the stored "
                "one",
                shortened(program.mutated.front())));
        }
    }

    at::Tensor forward(const at::Tensor& input) override {
        GraphRun run = graph_.begin(graph_.start.half);
        GraphValues& values = run.values;
        for (const int v : fresh_) {
            c10::IValue& value = values[static_cast<std::size_t>(v)];
            value = value.toTensor().clone();
        }
        at::Tensor x = input.is_floating_point() ? as_type(input, type_) : input;
        if (needs_contiguous_) x = x.contiguous();
        if (copies_image_) x = x.clone();
        values[static_cast<std::size_t>(image_)] = std::move(x);
        run_steps(graph_.steps, run);
        Scores scores = scores_in(returned(values), output_);
        if (!scores.note.empty()) {
            const std::scoped_lock lock(mutex_);
            if (chosen_.empty()) chosen_ = std::move(scores.note);
        }
        return scores.tensor;
    }

    const WeightCost& weights() const override { return weights_; }
    std::optional<std::array<std::int64_t, 4>> declared_input() const override { return shape_; }
    std::optional<at::ScalarType> declared_type() const override {
        return type_ == at::kByte ? at::kByte : at::kFloat;
    }
    std::int64_t largest_batch() const override { return largest_batch_; }
    bool fused() const override { return fused_; }
    std::unique_ptr<Network> as_written() const override {
        return fused_ ? load_pt2(spec_, where_, false) : nullptr;
    }

    bool rounds() const override {
        return std::ranges::any_of(graph_.steps, [](const Pt2Step& step) {
            return step.qualified.starts_with("quantized_decomposed::quantize");
        });
    }
    std::vector<std::string> notes() const override {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> all = notes_;
        if (!chosen_.empty()) all.push_back(chosen_);
        return all;
    }

private:
    static std::optional<pt2::NumberType> half_type(const pt2::Package& package) {
        if (is_half_precision(package.program.image_type)) return package.program.image_type;
        for (const auto* tensors : {&package.weights, &package.constants}) {
            for (const auto& [name, tensor] : *tensors) {
                if (is_half_precision(tensor.type)) return tensor.type;
            }
        }
        return std::nullopt;
    }

    void take_input(const pt2::Program& program, const ComputeOn& where) {
        type_ = computed_type(scalar_type_of(program.image_type), where.type);
        if (!c10::isFloatingType(type_) && type_ != at::kByte) {
            refuse(fmt::format("the model takes numbers of type {}; floats and bytes are supported",
                               c10::toString(type_)));
        }
        if (program.image_sizes.size() != 4) {
            refuse(fmt::format("the model takes a tensor of {} dimensions; images have 4",
                               program.image_sizes.size()));
        }
        for (std::size_t d = 0; d < 4; ++d) shape_[d] = program.image_sizes[d].size;
        const auto range = program.ranges.find(program.image_sizes[0].symbol);
        if (shape_[0] >= 0 || range == program.ranges.end()) return;
        // Below 3 it is the exporter's own limit: it tells sizes 0 and 1 from all others.
        const std::int64_t least = range->second.least.value_or(0);
        largest_batch_ = std::max<std::int64_t>(range->second.most.value_or(0), 0);
        if (least > 2 || (largest_batch_ > 0 && largest_batch_ < 2)) {
            shape_[0] = std::max<std::int64_t>(
                std::min(least, largest_batch_ > 0 ? largest_batch_ : least), 1);
        }
    }

    /// What the model's forward() would have returned.
    c10::IValue returned(const GraphValues& values) const {
        if (outputs_.size() == 1 && names_[0].empty()) return outputs_[0].plain(values);
        std::vector<c10::IValue> parts;
        for (const Pt2Feed& output : outputs_) parts.push_back(output.plain(values));
        if (!named_) return c10::ivalue::Tuple::create(std::move(parts));
        c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
        for (std::size_t i = 0; i < parts.size(); ++i) dict.insert(names_[i], std::move(parts[i]));
        return dict;
    }

    ModelSpec spec_;
    ComputeOn where_;
    bool fused_ = false;
    std::string output_;
    WeightCost weights_;
    StepGraph<Pt2Step> graph_;
    std::vector<Pt2Feed> outputs_;
    std::vector<std::string> names_;
    std::vector<int> fresh_;
    int image_ = -1;
    bool copies_image_ = false;
    bool needs_contiguous_ = false;
    bool named_ = false;
    std::array<std::int64_t, 4> shape_{};
    std::int64_t largest_batch_ = 0;
    at::ScalarType type_ = at::kFloat;
    std::vector<std::string> notes_;
    mutable std::mutex mutex_;
    std::string chosen_;
};

/// An open side that the exporter bounded.
void check_sides(const pt2::Program& program, const ModelSpec& spec) {
    if (program.image_sizes.size() != 4) return;
    const bool last = spec.layout == InputLayout::nhwc;
    const std::array<std::pair<std::size_t, std::int64_t>, 2> sides = {
        {{last ? 1 : 2, spec.preprocess.height}, {last ? 2 : 3, spec.preprocess.width}}};
    for (const auto& [dimension, size] : sides) {
        const auto range = program.ranges.find(program.image_sizes[dimension].symbol);
        if (program.image_sizes[dimension].size >= 0 || range == program.ranges.end()) continue;
        const auto& [least, most] = range->second;
        if ((!least || size >= *least) && (!most || size <= *most)) continue;
        refuse(fmt::format(
            "the model takes images with sides from {} to {}, but input_size is [3, {}, {}]",
            least.value_or(0), most ? std::to_string(*most) : "any", spec.preprocess.height,
            spec.preprocess.width));
    }
}

}  // namespace

std::unique_ptr<Network> load_pt2(const ModelSpec& spec, const ComputeOn& where, bool fuse) {
    const MappedFile file(spec.path);
    const pt2::Package package = pt2::read_package(file.bytes());
    check_sides(package.program, spec);
    return std::make_unique<Pt2Network>(package, spec, where, fuse && may_fuse());
}

}  // namespace assay::torch_plugin
