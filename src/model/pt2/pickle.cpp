#include "model/pt2/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "containers/pickle_stack.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::pt2 {
namespace {

constexpr std::size_t kMostValues = 1'000'000;

enum class Kind { none, boolean, integer, real, text, tuple, dict, list, global, storage, tensor };

struct Value {
    Kind kind = Kind::none;
    std::int64_t number = 0;  ///< integer or boolean; for a storage: its count of numbers
    NumberType type = NumberType::float32;  ///< number type of a storage
    std::string_view text = {};             ///< text; "module name" of a global; key of a storage
    std::vector<std::uint32_t> items = {};  ///< items of a tuple or list; keys and values of a dict
    std::size_t tensor = 0;                 ///< index into the tensors
};

std::optional<NumberType> type_named(std::string_view global) {
    constexpr std::array<std::pair<std::string_view, NumberType>, 24> known = {{
        {"torch ByteStorage", NumberType::uint8},
        {"torch CharStorage", NumberType::int8},
        {"torch ShortStorage", NumberType::int16},
        {"torch IntStorage", NumberType::int32},
        {"torch LongStorage", NumberType::int64},
        {"torch HalfStorage", NumberType::float16},
        {"torch FloatStorage", NumberType::float32},
        {"torch DoubleStorage", NumberType::float64},
        {"torch ComplexFloatStorage", NumberType::complex64},
        {"torch ComplexDoubleStorage", NumberType::complex128},
        {"torch BoolStorage", NumberType::boolean},
        {"torch BFloat16Storage", NumberType::bfloat16},
        {"torch uint8", NumberType::uint8},
        {"torch int8", NumberType::int8},
        {"torch int16", NumberType::int16},
        {"torch int32", NumberType::int32},
        {"torch int64", NumberType::int64},
        {"torch float16", NumberType::float16},
        {"torch float32", NumberType::float32},
        {"torch float64", NumberType::float64},
        {"torch complex64", NumberType::complex64},
        {"torch complex128", NumberType::complex128},
        {"torch bool", NumberType::boolean},
        {"torch bfloat16", NumberType::bfloat16},
    }};
    for (const auto& [name, type] : known) {
        if (name == global) return type;
    }
    return std::nullopt;
}

bool is_known_global(std::string_view global) {
    constexpr std::array<std::string_view, 10> functions = {
        "collections OrderedDict",
        "torch._utils _rebuild_parameter",
        "torch._utils _rebuild_parameter_with_state",
        "torch._utils _rebuild_tensor_v2",
        "torch._utils _rebuild_tensor_v3",
        "torch._tensor _rebuild_from_type_v2",
        "torch.storage UntypedStorage",
        "torch UntypedStorage",
        "torch Tensor",
        "torch.nn.parameter Parameter",
    };
    return std::ranges::find(functions, global) != functions.end() || type_named(global);
}

class Unpickler final : public PickleStack<Value> {
public:
    explicit Unpickler(std::span<const std::byte> bytes)
        : PickleStack(kMostValues, "containers"),
          bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

    std::map<std::string, PickledTensor> table() {
        const Ref top = run();
        const Value& dict = values_[top];
        if (dict.kind != Kind::dict) refuse("the pickle does not hold a table of tensors");
        std::map<std::string, PickledTensor> out;
        for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
            const Value& key = values_[dict.items[i]];
            const Value& value = values_[dict.items[i + 1]];
            if (key.kind != Kind::text) refuse("the pickle holds a tensor whose name is not text");
            if (value.kind != Kind::tensor) {
                refuse(fmt::format("the pickle's entry `{}` is not a tensor",
                                   shortened(std::string(key.text))));
            }
            if (!out.emplace(key.text, tensors_[value.tensor]).second)
                refuse(
                    fmt::format("the pickle holds `{}` twice", shortened(std::string(key.text))));
        }
        return out;
    }

private:
    [[noreturn]] void fail(const std::string& what) const override {
        refuse(fmt::format("damaged pickle: {} (byte {} of {})", what, at_, bytes_.size()));
    }

    std::string_view take(std::size_t n) {
        if (n > bytes_.size() - at_) fail("it is cut off");
        const std::string_view out = bytes_.substr(at_, n);
        at_ += n;
        return out;
    }

    template <class Number>
    Number number() {
        Number out;
        std::memcpy(&out, take(sizeof out).data(), sizeof out);
        return out;
    }

    std::string_view line() {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == std::string_view::npos) fail("it is cut off");
        const std::string_view out = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return out;
    }

    void push_integer(std::int64_t n) { push({.kind = Kind::integer, .number = n}); }

    void long_integer() {
        const std::size_t n = number<std::uint8_t>();
        if (n > 8) fail(fmt::format("a whole number of {} bytes", n));
        const std::string_view digits = take(n);
        std::uint64_t out = 0;
        for (std::size_t i = 0; i < n; ++i)
            out |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
        if (n > 0 && n < 8 && (static_cast<unsigned char>(digits[n - 1]) & 0x80U) != 0)
            out |= ~std::uint64_t{0} << (8 * n);
        push_integer(static_cast<std::int64_t>(out));
    }

    std::string_view keep(std::string text) {
        kept_.push_back(std::make_unique<std::string>(std::move(text)));
        return *kept_.back();
    }

    void global(std::string_view module, std::string_view name) {
        const std::string_view whole = keep(fmt::format("{} {}", module, name));
        if (!is_known_global(whole)) {
            refuse(fmt::format(
                "the pickle holds `{}.{}`; only plain tensors and parameters are supported",
                shortened(std::string(module)), shortened(std::string(name))));
        }
        push({.kind = Kind::global, .text = whole});
    }

    /// The tuple ('storage', a type, its key, its device, its count of numbers).
    void persistent() {
        const Value& id = values_[pop()];
        const auto part = [&](std::size_t i) -> const Value& { return values_[id.items[i]]; };
        if (id.kind != Kind::tuple || id.items.size() != 5 || part(0).text != "storage" ||
            part(1).kind != Kind::global || part(2).kind != Kind::text ||
            part(4).kind != Kind::integer)
            fail("a reference to something that is not a storage");
        Value storage = {.kind = Kind::storage, .number = part(4).number, .text = part(2).text};
        // Untyped storages count bytes.
        storage.type = type_named(part(1).text).value_or(NumberType::uint8);
        push(std::move(storage));
    }

    std::vector<std::int64_t> integers(const Value& value) const {
        if (value.kind != Kind::tuple && value.kind != Kind::list) fail("a shape is not a tuple");
        if (value.items.size() > 64) fail("a tensor of more than 64 dimensions");
        std::vector<std::int64_t> out;
        for (const Ref item : value.items) {
            if (values_[item].kind != Kind::integer)
                fail("a shape contains something other than numbers");
            out.push_back(values_[item].number);
        }
        return out;
    }

    /// (storage, offset, sizes, strides, requires_grad, hooks[, metadata]); v3 has a dtype before
    /// the metadata.
    void tensor(const Value& arguments, bool with_type) {
        const std::size_t least = with_type ? 7 : 6;
        if (arguments.kind != Kind::tuple || arguments.items.size() < least)
            fail("a tensor with too few arguments");
        const auto part = [&](std::size_t i) -> const Value& {
            return values_[arguments.items[i]];
        };
        if (part(0).kind != Kind::storage || part(1).kind != Kind::integer)
            fail("a tensor without a storage");
        PickledTensor made;
        made.storage = part(0).text;
        made.tensor.type = part(0).type;
        made.storage_numbers = part(0).number;
        made.tensor.offset = part(1).number;
        made.tensor.sizes = integers(part(2));
        made.tensor.strides = integers(part(3));
        if (with_type) {
            const auto type = type_named(part(6).text);
            if (part(6).kind != Kind::global || !type) fail("a tensor without a number type");
            made.tensor.type = *type;
            made.storage_numbers = -1;
        }
        tensors_.push_back(std::move(made));
        push({.kind = Kind::tensor, .tensor = tensors_.size() - 1});
    }

    void reduce() {
        // No value may be pushed before the last use of this reference.
        const Value& arguments = values_[pop()];
        const Value& function = values_[pop()];
        if (function.kind != Kind::global || arguments.kind != Kind::tuple)
            fail("a call of something that is not a function");
        const std::string_view name = function.text;
        if (name == "collections OrderedDict" && arguments.items.empty()) {
            push({.kind = Kind::dict});
        } else if (name == "torch._utils _rebuild_tensor_v2") {
            tensor(arguments, false);
        } else if (name == "torch._utils _rebuild_tensor_v3") {
            tensor(arguments, true);
        } else if (name.starts_with("torch._utils _rebuild_parameter")) {
            // The arguments (tensor, requires_grad, hooks[, state]).
            if (arguments.items.empty() || values_[arguments.items[0]].kind != Kind::tensor)
                fail("a parameter without a tensor");
            stack_.push_back(arguments.items[0]);
        } else if (name == "torch._tensor _rebuild_from_type_v2") {
            from_type(arguments);
        } else {
            fail(fmt::format("a call of `{}`", name));
        }
    }

    /// (function, type, its arguments, state): a tensor with attributes, which are dropped.
    void from_type(const Value& arguments) {
        if (arguments.items.size() != 4) fail("a tensor with too few arguments");
        const Ref function = arguments.items[0];
        const std::string_view type = values_[arguments.items[1]].text;
        if (values_[function].text == "torch._tensor _rebuild_from_type_v2" ||
            (type != "torch Tensor" && type != "torch.nn.parameter Parameter"))
            fail("a tensor of a custom type");
        const Ref inner = arguments.items[2];
        stack_.push_back(function);
        stack_.push_back(inner);
        reduce();
    }

    void set_items(const std::vector<Ref>& pairs) {
        Value& dict = values_[top()];
        if (dict.kind != Kind::dict || pairs.size() % 2 != 0)
            fail("entries of something that is not a table");
        dict.items.insert(dict.items.end(), pairs.begin(), pairs.end());
    }

    void append(const std::vector<Ref>& items) {
        Value& list = values_[top()];
        if (list.kind != Kind::list) fail("entries of something that is not a list");
        list.items.insert(list.items.end(), items.begin(), items.end());
    }

    Ref run() {
        if (bytes_.size() < 2 || bytes_[0] != '\x80') fail("it does not begin with a protocol");
        for (;;) {
            const char op = take(1)[0];
            switch (op) {
                case '\x80':  // PROTO
                    if (const int version = number<std::uint8_t>(); version < 2 || version > 4)
                        fail(fmt::format("protocol {} (2 to 4 are supported)", version));
                    break;
                case '\x95':
                    number<std::uint64_t>();
                    break;  // FRAME: only a hint
                case '(':
                    marks_.push_back(stack_.size());
                    count(1);
                    break;
                case 'N':
                    push({});
                    break;
                case '\x88':
                    push({.kind = Kind::boolean, .number = 1});
                    break;
                case '\x89':
                    push({.kind = Kind::boolean});
                    break;
                case 'J':
                    push_integer(number<std::int32_t>());
                    break;
                case 'K':
                    push_integer(number<std::uint8_t>());
                    break;
                case 'M':
                    push_integer(number<std::uint16_t>());
                    break;
                case '\x8a':
                    long_integer();
                    break;
                case 'G':
                    take(8);
                    push({.kind = Kind::real});
                    break;
                case 'X': {
                    const std::size_t n = number<std::uint32_t>();
                    push({.kind = Kind::text, .text = take(n)});
                    break;
                }
                case '\x8c': {
                    const std::size_t n = number<std::uint8_t>();
                    push({.kind = Kind::text, .text = take(n)});
                    break;
                }
                case 'c': {
                    const std::string_view module = line();
                    global(module, line());
                    break;
                }
                case '\x93': {
                    const Value& name = values_[pop()];
                    const Value& module = values_[pop()];
                    if (name.kind != Kind::text || module.kind != Kind::text)
                        fail("a global without a name");
                    global(module.text, name.text);
                    break;
                }
                case 'Q':
                    persistent();
                    break;
                case ')':
                    tuple(0);
                    break;
                case '\x85':
                    tuple(1);
                    break;
                case '\x86':
                    tuple(2);
                    break;
                case '\x87':
                    tuple(3);
                    break;
                case 't':
                    push({.kind = Kind::tuple, .items = pop_to_mark()});
                    break;
                case '}':
                    push({.kind = Kind::dict});
                    break;
                case ']':
                    push({.kind = Kind::list});
                    break;
                case 'R':
                    reduce();
                    break;
                case 's': {
                    const Ref value = pop();
                    const Ref key = pop();
                    count(2);
                    set_items({key, value});
                    break;
                }
                case 'u':
                    set_items(pop_to_mark());
                    break;
                case 'a': {
                    const Ref item = pop();
                    count(1);
                    append({item});
                    break;
                }
                case 'e':
                    append(pop_to_mark());
                    break;
                case 'b': {  // BUILD: the state of an OrderedDict (a module's versions) is not used
                    pop();
                    if (values_[top()].kind != Kind::dict)
                        fail("a state of something that is not a table");
                    break;
                }
                case '0':
                    pop();
                    break;
                case 'q':
                    remember(number<std::uint8_t>());
                    break;
                case 'r':
                    remember(number<std::uint32_t>());
                    break;
                case '\x94':
                    remember(memo_.size());
                    break;
                case 'h':
                    recall(number<std::uint8_t>());
                    break;
                case 'j':
                    recall(number<std::uint32_t>());
                    break;
                case '.': {
                    const Ref out = pop();
                    if (!stack_.empty() || !marks_.empty()) fail("unused values remain at its end");
                    if (at_ != bytes_.size()) fail("bytes follow its end");
                    return out;
                }
                default:
                    at_ -= 1;
                    fail(fmt::format("opcode 0x{:02x}", static_cast<unsigned char>(op)));
            }
        }
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    std::vector<PickledTensor> tensors_;
    std::vector<std::unique_ptr<std::string>> kept_;
};

}  // namespace

std::map<std::string, PickledTensor> read_tensor_pickle(std::span<const std::byte> bytes) {
    return Unpickler(bytes).table();
}

}  // namespace assay::pt2
