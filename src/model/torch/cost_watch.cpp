#include "model/torch/cost_watch.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "model/torch/cost_rules.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

constexpr std::size_t never = static_cast<std::size_t>(-1);

template <class Visit>
void for_each_tensor(const c10::IValue& value, Visit&& visit) {
    if (value.isTensor()) {
        const at::Tensor& tensor = value.toTensor();
        if (tensor.defined() && tensor.has_storage()) visit(tensor);
    } else if (value.isTensorList()) {
        for (const at::Tensor& tensor : value.toTensorVector()) {
            if (tensor.defined() && tensor.has_storage()) visit(tensor);
        }
    } else if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) for_each_tensor(item, visit);
    } else if (value.isTuple()) {
        for (const c10::IValue& item : value.toTupleRef().elements()) for_each_tensor(item, visit);
    }
}

std::string sizes_text(const at::Tensor& tensor) {
    return fmt::format("{}", fmt::join(tensor.sizes().begin(), tensor.sizes().end(), " x "));
}

}  // namespace

class OperatorWatch::State {
public:
    /// A storage that occurred. Its description is kept alive, so that its address is not reused,
    /// but its bytes are freed.
    struct MetStorage {
        c10::weak_intrusive_ptr<c10::StorageImpl> self;
        bool constant = false;    ///< true if no observed call made it
        bool activation = false;  ///< true if it depends on the image
        bool result = false;      ///< true if it is used after the node that made it
        std::uint64_t bytes = 0;
        std::size_t made_at = 0, last_use = 0;
    };

    /// Properties of an operator, by name.
    struct KnownOperator {
        const OperatorRule* rule = nullptr;
        bool composite = false;   ///< true if it only calls other operators
        bool may_compute = true;  ///< true if it may compute more than the operators that it
                                  ///< calls
        std::size_t arguments = 0, returns = 0;
    };

    /// A call in progress.
    struct Frame {
        const KnownOperator* known = nullptr;
        std::string name;
        std::vector<c10::IValue> inputs;
        bool whole_node = false;  ///< true if it counts as a node
        std::uint64_t counted_before = 0, macs_before = 0;
    };

    explicit State(const at::Tensor& input) {
        MetStorage& met = storage_of(input, 0);
        met.activation = met.result = true;
        met.constant = false;
    }

    // Outside of nodes, each called operator becomes a node.
    void enter(std::string_view name, std::string_view op, bool integer) {
        if (depth_++ > 0) return;
        node_ = {std::string(name), std::string(op), {}, 0, 0};
        integer_ = integer;
        made_.clear();
        reads_activation_ = false;
    }
    void leave() {
        if (--depth_ > 0) return;
        for (const c10::StorageImpl* storage : made_) {
            MetStorage& met = storages_.at(storage);
            met.result = !met.self.expired();
            met.activation = met.activation || reads_activation_;
        }
        ++now_;
        if (nodes_.size() < ModelCost::most_nodes) nodes_.push_back(std::move(node_));
    }

    std::unique_ptr<Frame> begin(const at::RecordFunction& call) {
        if (hidden_ > 0) {
            ++hidden_;
            return nullptr;
        }
        const auto operator_name = call.operator_name();
        if (!operator_name) return nullptr;
        auto frame = std::make_unique<Frame>();
        frame->name = operator_name->name;
        frame->known = &known(*operator_name);
        if (depth_ == 0) {
            enter(frame->name, frame->name, false);
            frame->whole_node = true;
        }
        // A call from the TorchScript interpreter passes its whole stack.
        const auto all = call.inputs();
        const auto own = all.slice(all.size() - std::min(all.size(), frame->known->arguments));
        frame->inputs.assign(own.begin(), own.end());
        for (const c10::IValue& value : frame->inputs)
            for_each_tensor(value, [&](const at::Tensor& t) { use(t); });
        frame->counted_before = counted_;
        frame->macs_before = node_.macs;
        const OperatorRule* rule = frame->known->rule;
        if (rule != nullptr) hidden_ = 1;
        return frame;
    }

    void end(const at::RecordFunction& call, Frame* frame) {
        if (frame == nullptr) {
            if (hidden_ > 0) --hidden_;
            return;
        }
        const OperatorRule* rule = frame->known->rule;
        if (rule != nullptr) hidden_ = 0;
        const std::vector<c10::IValue>& all = call.outputs();
        const std::size_t own = std::min(all.size(), frame->known->returns);
        const Operands out(all.data() + (all.size() - own), own);
        bool tensors = false;
        const bool depends = depends_on_image(frame->inputs);
        for (const c10::IValue& value : out) {
            for_each_tensor(value, [&](const at::Tensor& tensor) {
                tensors = true;
                define(tensor, depends);
            });
        }
        if (rule != nullptr) {
            count(*frame, *rule, out);
        } else if (tensors && !frame->known->composite) {
            if (frame->known->may_compute || counted_ == frame->counted_before)
                ++cost_of(frame->name, OperatorKind::unknown, false).calls;
            if (frame->known->may_compute && node_.macs > frame->macs_before)
                partly_.insert(frame->name);
        }
        if (frame->whole_node) leave();
    }

    std::optional<Error> failed;

    void finish(const at::Tensor& output, ModelCost& cost) {
        if (failed) throw Error(ErrorCode::internal, failed->message());
        if (output.defined() && output.has_storage()) {
            const auto found = storages_.find(output.storage().unsafeGetStorageImpl());
            if (found != storages_.end()) found->second.last_use = never;
        }
        cost.operators.clear();
        for (auto& [key, one] : operators_) cost.operators.push_back(std::move(one));
        std::ranges::stable_sort(cost.operators, [](const OperatorCost& a, const OperatorCost& b) {
            return std::pair(b.macs, std::string_view(a.name)) <
                   std::pair(a.macs, std::string_view(b.name));
        });
        cost.executed_nodes = now_;
        cost.nodes = std::move(nodes_);
        find_peak(cost);
        for (const std::string& name : partly_) {
            cost.notes.push_back(fmt::format(
                "{}: only the MAC of operators that it calls are counted, not its own", name));
        }
        if (now_ > cost.nodes.size()) {
            cost.notes.push_back(fmt::format("the first {} of {} executed nodes are listed",
                                             cost.nodes.size(), now_));
        }
    }

private:
    const KnownOperator& known(const c10::OperatorName& name) {
        const auto [at, fresh] = known_.try_emplace({name.name, name.overload_name});
        if (!fresh) return at->second;
        KnownOperator& made = at->second;
        made.rule = find_operator_rule(name.name);
        made.arguments = made.returns = never;
        if (const auto op = c10::Dispatcher::singleton().findSchema(name)) {
            made.composite =
                op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
            made.may_compute =
                !op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd);
            made.arguments = op->schema().arguments().size();
            made.returns = op->schema().returns().size();
        }
        return made;
    }

    MetStorage& storage_of(const at::Tensor& tensor, std::size_t when) {
        c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
        const auto found = storages_.find(storage);
        if (found != storages_.end()) return found->second;
        MetStorage met{tensor.storage().getWeakStorageImpl()};
        met.bytes = tensor.storage().nbytes();
        met.constant = true;
        met.made_at = met.last_use = when;
        order_.push_back(storage);
        return storages_.emplace(storage, std::move(met)).first->second;
    }

    void use(const at::Tensor& tensor) {
        MetStorage& met = storage_of(tensor, now_);
        met.last_use = now_;
        reads_activation_ = reads_activation_ || met.activation;
    }

    bool is_activation(const at::Tensor& tensor) const {
        if (!tensor.defined() || !tensor.has_storage()) return false;
        const auto found = storages_.find(tensor.storage().unsafeGetStorageImpl());
        return found != storages_.end() && found->second.activation;
    }

    bool depends_on_image(const std::vector<c10::IValue>& inputs) const {
        bool any = false;
        for (const c10::IValue& value : inputs)
            for_each_tensor(value,
                            [&](const at::Tensor& tensor) { any = any || is_activation(tensor); });
        return any;
    }

    void define(const at::Tensor& tensor, bool depends) {
        c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
        const bool fresh = !storages_.contains(storage);
        MetStorage& met = storage_of(tensor, now_);
        if (fresh) {
            met.constant = false;
            made_.push_back(storage);
        }
        // The storage is written in place, so its content now depends on the inputs.
        met.activation = met.activation || (depends && !met.constant);
        met.bytes = std::max<std::uint64_t>(met.bytes, tensor.storage().nbytes());
        met.last_use = now_;
        node_.shape = sizes_text(tensor);
    }

    OperatorCost& cost_of(const std::string& name, OperatorKind kind, bool integer) {
        OperatorCost& cost = operators_[{name, kind}];
        cost.name = name;
        cost.kind = kind;
        cost.integer = integer;
        return cost;
    }

    void count(const Frame& frame, const OperatorRule& rule, Operands out) {
        ++counted_;
        if (rule.kind != OperatorKind::product) {
            OperatorCost& cost = cost_of(frame.name, rule.kind, false);
            ++cost.calls;
            cost.elements += elements(rule.kind, frame.inputs, out);
            return;
        }
        const auto products = rule.macs(frame.inputs, out);
        if (!products) {
            ++cost_of(frame.name, OperatorKind::unknown, false).calls;
            return;
        }
        OperatorCost& cost =
            cost_of(integer_ ? fmt::format("{} ({})", node_.op, frame.name) : frame.name,
                    OperatorKind::product, integer_ || rule.integer);
        ++cost.calls;
        cost.macs += products->all;
        node_.macs += products->all;
        if (products->between > 0 && is_activation(tensor_at(frame.inputs, rule.left)) &&
            is_activation(tensor_at(frame.inputs, rule.right)))
            cost.activation_macs += products->between;
    }

    static std::uint64_t elements(OperatorKind kind, const std::vector<c10::IValue>& in,
                                  Operands out) {
        if (kind == OperatorKind::movement) return 0;
        std::uint64_t most = 0;
        const auto first = [&](Operands values) {
            for (const c10::IValue& value : values) {
                if (!value.isTensor() || !value.toTensor().defined()) continue;
                most = std::max(most, static_cast<std::uint64_t>(value.toTensor().numel()));
                return;
            }
        };
        first(out);
        if (kind == OperatorKind::pooling) first(in);
        return most;
    }

    /// A linear scan: results of a node stay in memory from their creation to their last use.
    void find_peak(ModelCost& cost) const {
        std::vector<std::int64_t> change(now_ + 2, 0);
        for (const c10::StorageImpl* storage : order_) {
            const MetStorage& met = storages_.at(storage);
            if (met.constant || !met.result || now_ == 0) continue;
            const std::size_t last = std::min(met.last_use, now_ - 1);
            change[std::min(met.made_at, now_ - 1)] += static_cast<std::int64_t>(met.bytes);
            change[last + 1] -= static_cast<std::int64_t>(met.bytes);
        }
        std::int64_t live = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < now_; ++i) {
            live += change[i];
            if (i < cost.nodes.size()) cost.nodes[i].live_bytes = static_cast<std::uint64_t>(live);
            if (static_cast<std::uint64_t>(live) <= cost.peak_bytes) continue;
            cost.peak_bytes = static_cast<std::uint64_t>(live);
            at = i;
        }
        if (at >= cost.nodes.size()) {
            cost.peak_node = fmt::format("node {}", at + 1);
            return;
        }
        const NodeCost& node = cost.nodes[at];
        cost.peak_node =
            node.name == node.op
                ? fmt::format("node {}: {} ({})", at + 1, node.op, node.shape)
                : fmt::format("node {}: {} \"{}\" ({})", at + 1, node.op, node.name, node.shape);
    }

    std::map<std::pair<std::string, std::string>, KnownOperator> known_;
    std::map<std::pair<std::string, OperatorKind>, OperatorCost> operators_;
    std::set<std::string> partly_;
    std::unordered_map<const c10::StorageImpl*, MetStorage> storages_;
    std::vector<const c10::StorageImpl*> order_;  ///< keys of storages_: sums have a fixed order
    std::vector<const c10::StorageImpl*> made_;   ///< storages that the running node made
    std::vector<NodeCost> nodes_;
    NodeCost node_;
    bool integer_ = false, reads_activation_ = false;
    int depth_ = 0;   ///< of nodes
    int hidden_ = 0;  ///< number of calls inside a counted one, including itself
    std::size_t now_ = 0;
    std::uint64_t counted_ = 0;  ///< number of calls of operators with a rule
};

namespace {

thread_local OperatorWatch::State* watching = nullptr;
/// Operators called on threads that the model started itself.
std::atomic<std::uint64_t> called_elsewhere{0};

struct CallContext final : at::ObserverContext {
    std::unique_ptr<OperatorWatch::State::Frame> frame;
};

std::unique_ptr<at::ObserverContext> call_begins(const at::RecordFunction& call) {
    if (watching == nullptr) {
        ++called_elsewhere;
        return nullptr;
    }
    // LibTorch drops exceptions of an observer, and the count would silently be too low.
    try {
        auto context = std::make_unique<CallContext>();
        context->frame = watching->begin(call);
        return context;
    } catch (...) {
        watching->failed = translated("an operator could not be watched");
        return nullptr;
    }
}

void call_ends(const at::RecordFunction& call, at::ObserverContext* context) {
    if (watching == nullptr || context == nullptr) return;
    try {
        watching->end(call, static_cast<CallContext*>(context)->frame.get());
    } catch (...) {
        watching->failed = translated("an operator could not be watched");
    }
}

}  // namespace

NodeScope::NodeScope(std::string_view name, std::string_view op, bool integer) {
    if (watching != nullptr) watching->enter(name, op, integer);
}

NodeScope::~NodeScope() {
    if (watching != nullptr) watching->leave();
}

OperatorWatch::OperatorWatch(const at::Tensor& input) : state_(std::make_unique<State>(input)) {
    watching = state_.get();
    called_elsewhere = 0;
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(call_begins, call_ends)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
}

OperatorWatch::~OperatorWatch() {
    if (watching == nullptr) return;
    at::removeCallback(handle_);
    watching = nullptr;
}

void OperatorWatch::finish(const at::Tensor& output, ModelCost& cost) {
    at::removeCallback(handle_);
    watching = nullptr;
    state_->finish(output, cost);
    if (called_elsewhere > 0) {
        cost.notes.push_back(fmt::format(
            "the model computes {} operators on threads of its own; they are not counted",
            called_elsewhere.load()));
    }
}

}  // namespace assay::torch_plugin
