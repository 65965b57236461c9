#include "model/torch/pt2_builder.h"

#include <ATen/core/ivalue.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "model/torch/newer_operators.h"
#include "model/torch/pt2_describe.h"
#include "model/torch/pt2_rules.h"
#include "model/torch/pt2_symbols.h"
#include "model/torch/pt2_tensors.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

class Pt2Builder {
public:
    Pt2Builder(const pt2::Package& package, const ComputeOn& where, bool fuse)
        : package_(package), where_(where), fuse_(fuse) {}

    Pt2Steps build() {
        const pt2::Program& program = package_.program;
        if (is_half(where_.type)) out_.graph.start.half = where_.type;
        std::vector<int> places(program.graph.names.size(), -1);
        bind_inputs(places);
        add_nodes(program.graph, places, 0);
        missing_.refuse(framework_name());
        for (const pt2::Output& output : program.outputs)
            out_.outputs.emplace_back(output.argument, places, where_);
        drop_unread();
        find_changed();
        loosen_views();
        fold();
        check_training_mode();
        if (fuse_ && where_.device.is_cpu() && where_.type == at::kFloat) {
            out_.fused = out_.graph.fuse(wanted(), [](const Pt2Step& step, const auto& constant) {
                // These functions must return no list of tensors; the call itself reports that.
                const bool single =
                    std::find(step.lists.begin(), step.lists.end(), true) == step.lists.end();
                return step.call && single ? described_call(step.qualified, *step.call, constant)
                                           : DescribedStep();
            });
        }
        plan_releases();
        return std::move(out_);
    }

private:
    void bind_inputs(std::vector<int>& places) {
        const pt2::Program& program = package_.program;
        Pt2Tensors tensors(package_, where_);
        for (int& place : places) place = out_.graph.new_value();
        for (const pt2::Input& input : program.inputs) {
            // Buffers that are not saved with the weights are in the constants.
            const auto weight = package_.weights.find(input.name);
            const auto constant = package_.constants.find(input.name);
            const auto unreadable = package_.unreadable.find(input.name);
            if (unreadable != package_.unreadable.end())
                refuse(fmt::format("the tensor `{}` is {}", shortened(input.name),
                                   unreadable->second));
            if (weight == package_.weights.end() && constant == package_.constants.end())
                refuse(fmt::format("the archive lacks the tensor `{}`", shortened(input.name)));
            out_.graph.start
                .values[static_cast<std::size_t>(places[static_cast<std::size_t>(input.value)])] =
                tensors.get(weight != package_.weights.end() ? weight->second : constant->second);
        }
        for (const auto& [value, argument] : program.constants) {
            out_.graph.start
                .values[static_cast<std::size_t>(places[static_cast<std::size_t>(value)])] =
                Pt2Feed(argument, places, where_).plain({});
        }
        out_.image = places[static_cast<std::size_t>(program.image)];
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
            out_.needs_contiguous = out_.needs_contiguous || depends_on_strides(op->qualified);
            note_writes(step);
        }
        out_.needs_contiguous = out_.needs_contiguous || node.op == "torch.ops.aten.sym_stride.int";
        for (const pt2::Argument& output : node.outputs) {
            if (output.kind == pt2::ArgumentKind::unsupported)
                refuse(fmt::format("a result of the kind `{}` is not supported", output.word));
            step.lists.push_back(output.kind == pt2::ArgumentKind::list);
            std::vector<int>& values = step.outputs.emplace_back();
            for_each_value(output,
                           [&](int v) { values.push_back(places[static_cast<std::size_t>(v)]); });
        }
        out_.graph.steps.push_back(std::move(step));
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

    /// A call with an inner graph. Calls that only set a mode for it are replaced by its nodes.
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
        // Arguments: (device type, number type, enabled, ...)
        if (autocast && before.size() >= 3 && before[2]->kind == pt2::ArgumentKind::boolean &&
            before[2]->boolean) {
            out_.notes.emplace_back(
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
                place = out_.graph.new_value();
                out_.graph.start.values[static_cast<std::size_t>(place)] =
                    Pt2Feed(*operands[i], places, where_).plain({});
            }
        }
        for (int& place : inner) {
            if (place < 0) place = out_.graph.new_value();
        }
        add_nodes(*graph, inner, depth + 1);
        take_results(node, *graph, inner, places);
    }

    /// Gives an inner graph's results their outer names.
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
        for (const Pt2Feed& output : out_.outputs) output.add_values(values);
        return values;
    }

    void drop_unread() {
        std::vector<bool> read(out_.graph.start.values.size(), false);
        for (const int v : wanted()) read[static_cast<std::size_t>(v)] = true;
        out_.graph.steps = needed_nodes(std::move(out_.graph.steps), read);
    }

    /// Finds which value each value shares its numbers with (views, in-place results), as far as
    /// schemas show. Also finds which constants steps change through any of them. A view in the
    /// exporter's memory order may be a copy in another order (reshape). So if steps change viewed
    /// numbers, that order is kept.
    void find_changed() {
        root_.resize(out_.graph.start.values.size());
        for (std::size_t v = 0; v < root_.size(); ++v) root_[v] = static_cast<int>(v);
        changed_.assign(out_.graph.start.values.size(), false);
        std::vector<bool> viewed(out_.graph.start.values.size(), false);  // by root
        for (const Pt2Step& step : out_.graph.steps) {
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
                out_.needs_contiguous = out_.needs_contiguous || viewed[root];
            }
        }
        for (std::size_t v = 0; v < out_.graph.start.values.size(); ++v) {
            if (!changed_[v] || !out_.graph.start.values[v].isTensor()) continue;
            out_.fresh.push_back(static_cast<int>(v));
        }
        out_.copies_image = changed_[static_cast<std::size_t>(out_.image)];
    }

    /// An exporter writes a view if its own kernels' memory order allows one, but kernels here may
    /// use another order. If nothing is written through the view, reshape has the same effect.
    void loosen_views() {
        const auto& known =
            torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString("aten::reshape"));
        if (known.empty()) return;
        for (Pt2Step& step : out_.graph.steps) {
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

    /// The argument's value that shares its numbers with result `i` of the step; -1 without one.
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
        out_.graph.known.resize(out_.graph.start.values.size());
        for (std::size_t v = 0; v < out_.graph.known.size(); ++v)
            out_.graph.known[v] =
                !out_.graph.start.values[v].isNone() && !is_changed(static_cast<int>(v));
        std::vector<Pt2Step> kept;
        for (Pt2Step& step : out_.graph.steps) {
            bool constant = step.writes.empty();
            step.for_each_result([&](int v) { constant = constant && !is_changed(v); });
            // Random calls stay steps, so that check_training_mode finds them.
            if (constant && step.call) constant = randomness_in(step.qualified, *step.call).empty();
            if (!constant || !out_.graph.fold(step)) kept.push_back(std::move(step));
        }
        out_.graph.steps = std::move(kept);
    }

    void check_training_mode() const {
        for (const Pt2Step& step : out_.graph.steps) {
            if (!step.call) continue;
            std::string trouble = randomness_in(step.qualified, *step.call);
            if (trouble.empty()) trouble = batch_dependence_of(step.qualified, *step.call);
            if (!trouble.empty()) refuse(fmt::format("{}: {}", step.place(), trouble));
        }
    }

    void plan_releases() {
        const std::vector<bool> left = out_.graph.plan_releases(wanted());
        std::erase_if(out_.fresh, [&](int v) { return !left[static_cast<std::size_t>(v)]; });
    }

    const pt2::Package& package_;
    const ComputeOn& where_;
    bool fuse_;
    Pt2Steps out_;
    MissingOperators missing_;
    std::vector<int> root_;
    std::vector<bool> changed_;
};

}  // namespace

Pt2Steps build_steps(const pt2::Package& package, const ComputeOn& where, bool fuse) {
    return Pt2Builder(package, where, fuse).build();
}

}  // namespace assay::torch_plugin
