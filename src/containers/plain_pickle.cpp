#include "containers/plain_pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "containers/pickle_bytes.h"
#include "containers/pickle_stack.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t most_pickled_values = 4'000'000;
constexpr std::uint64_t most_copied = 1U << 28;

enum class PickledKind : std::uint8_t {
    none,
    integer,
    text,
    tuple,
    list,
    dict,
    global,
    dtype,
    array
};

struct PickledValue {
    PickledKind kind = PickledKind::none;
    std::int64_t number = 0;            ///< an integer; for an array, 1 means Fortran order
    std::string text{};                 ///< text; "module name" of a global; name of a dtype
    std::uint64_t begin = 0, size = 0;  ///< position of a text's bytes, or of an array's numbers
    std::vector<std::uint32_t>
        items{};  ///< items of a tuple or list; keys and values in turn; shape of an array
};

class PlainUnpickler final : public PickleStack<PickledValue> {
public:
    explicit PlainUnpickler(const ByteSource& source)
        : PickleStack(most_pickled_values, "lists"), in_(source), end_(source.size()) {}

    std::map<std::string, PlainPickleEntry> table() {
        const PickledValue& dict = values_[run()];
        if (dict.kind != PickledKind::dict)
            refuse("the pickle does not hold a table (a dict) with the images under a name");
        std::map<std::string, PlainPickleEntry> out;
        for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
            const PickledValue& key = values_[dict.items[i]];
            if (key.kind != PickledKind::text) in_.fail("a name in its table is not text");
            if (!out.emplace(key.text, entry_of(values_[dict.items[i + 1]])).second)
                refuse(fmt::format("the pickle holds `{}` twice", shortened(key.text)));
        }
        return out;
    }

private:
    using Kind = PickledKind;

    [[noreturn]] void fail(const std::string& what) const override { in_.fail(what); }

    PlainPickleEntry entry_of(const PickledValue& value) {
        PlainPickleEntry out;
        if (value.kind == Kind::array) {
            if (value.number != 0)
                refuse(
                    "an array in the pickle has Fortran order; C order is supported: write it "
                    "again with numpy.ascontiguousarray(array)");
            out.kind = PlainPickleEntry::Kind::array;
            out.dtype = value.text;
            for (const Ref item : value.items)
                out.shape.push_back(static_cast<std::uint64_t>(values_[item].number));
            out.begin = value.begin;
            out.bytes = value.size;
        } else if (value.kind == Kind::list) {
            const auto all = [&](Kind kind) {
                return std::ranges::all_of(value.items,
                                           [&](Ref item) { return values_[item].kind == kind; });
            };
            // Counts copies, because one value may be in many lists.
            for (const Ref item : value.items) copied_ += sizeof(item) + values_[item].text.size();
            if (copied_ > most_copied) in_.fail("its lists are too large");
            if (all(Kind::integer)) {
                out.kind = PlainPickleEntry::Kind::numbers;
                for (const Ref item : value.items) out.numbers.push_back(values_[item].number);
            } else if (all(Kind::text)) {
                out.kind = PlainPickleEntry::Kind::texts;
                for (const Ref item : value.items) out.texts.push_back(values_[item].text);
            }
        }
        return out;
    }

    void push_integer(std::int64_t n) { push({.kind = Kind::integer, .number = n}); }
    /// Treats bytes and texts alike, because Python 2 did not distinguish them.
    void push_text(std::uint64_t size) {
        PickledValue value{.kind = Kind::text, .begin = in_.at(), .size = size};
        if (size > longest_kept_text) {
            in_.skip(size);
        } else {
            value.text = in_.text(size);
        }
        push(std::move(value));
    }
    void global(const std::string& module, const std::string& name) {
        constexpr std::array<std::string_view, 7> known = {"numpy.core.multiarray _reconstruct",
                                                           "numpy._core.multiarray _reconstruct",
                                                           "numpy.core.numeric _frombuffer",
                                                           "numpy._core.numeric _frombuffer",
                                                           "numpy ndarray",
                                                           "numpy dtype",
                                                           "_codecs encode"};
        const std::string whole = module + " " + name;
        if (std::ranges::find(known, whole) == known.end())
            refuse(fmt::format("the pickle holds `{}.{}`; lists and arrays of NumPy are supported",
                               shortened(module), shortened(name)));
        push({.kind = Kind::global, .text = whole});
    }

    const PickledValue& part(const PickledValue& tuple, std::size_t i, Kind kind) const {
        if (tuple.kind != Kind::tuple || tuple.items.size() <= i ||
            values_[tuple.items[i]].kind != kind)
            in_.fail("an array of an unexpected form");
        return values_[tuple.items[i]];
    }
    std::vector<Ref> shape(const PickledValue& tuple) const {
        constexpr std::size_t most_dimensions = 32;  // NumPy's limit
        if (tuple.items.size() > most_dimensions) in_.fail("an array of more than 32 dimensions");
        for (const Ref item : tuple.items)
            if (values_[item].kind != Kind::integer || values_[item].number < 0)
                in_.fail("a shape contains something other than sizes");
        return tuple.items;
    }

    void reduce() {
        // No value may be pushed before the last use of this reference.
        const PickledValue& arguments = values_[pop()];
        const PickledValue& function = values_[pop()];
        const std::string_view name = function.text;
        if (function.kind != Kind::global || arguments.kind != Kind::tuple)
            in_.fail("a call of something that is not a function");
        if (name == "numpy dtype") {
            const std::string& type = part(arguments, 0, Kind::text).text;
            constexpr std::size_t longest_type = 64;
            if (type.size() > longest_type) in_.fail("a dtype with a long name");
            push({.kind = Kind::dtype, .text = type});
        } else if (name.ends_with(" _reconstruct")) {
            push({.kind = Kind::array});              // its state follows in the pickle
        } else if (name.ends_with(" _frombuffer")) {  // arguments: (bytes, dtype, shape, order)
            const PickledValue& bytes = part(arguments, 0, Kind::text);
            push({.kind = Kind::array,
                  .number = part(arguments, 3, Kind::text).text == "F" ? 1 : 0,
                  .text = part(arguments, 1, Kind::dtype).text,
                  .begin = bytes.begin,
                  .size = bytes.size,
                  .items = shape(part(arguments, 2, Kind::tuple))});
        } else if (name == "_codecs encode") {
            refuse(
                "the pickle holds bytes as text, as Python 3 writes protocol 2; write it again "
                "with pickle.dump(table, file, protocol=4)");
        } else {
            in_.fail(fmt::format("a call of `{}`", name));
        }
    }

    void build() {
        const PickledValue& state = values_[pop()];
        PickledValue& value = values_[top()];
        // the state of a dtype only has byte order and alignment
        if (value.kind == Kind::dtype) return;
        if (value.kind != Kind::array) in_.fail("a state for an object that has none");
        // (version, shape, dtype, whether the order is Fortran's, bytes)
        const PickledValue& bytes = part(state, 4, Kind::text);
        value.items = shape(part(state, 1, Kind::tuple));
        value.text = part(state, 2, Kind::dtype).text;
        value.number = part(state, 3, Kind::integer).number;
        value.begin = bytes.begin;
        value.size = bytes.size;
    }

    void extend(Kind kind, const std::vector<Ref>& items) {
        PickledValue& value = values_[top()];
        if (value.kind != kind || (kind == Kind::dict && items.size() % 2 != 0))
            in_.fail("entries for an object that takes none");
        value.items.insert(value.items.end(), items.begin(), items.end());
    }

    void long_integer() {
        const std::size_t n = in_.u8();
        if (n > 8) in_.fail(fmt::format("a whole number of {} bytes", n));
        std::uint64_t out = in_.number(n);
        if (n > 0 && n < 8 && (out >> (8 * n - 1)) != 0) out |= ~std::uint64_t{0} << (8 * n);
        push_integer(static_cast<std::int64_t>(out));
    }

    /// Handles texts and numbers. Returns false for another opcode.
    bool literal(std::uint8_t op) {
        switch (op) {
            case 'N':
                push({});
                return true;
            case 0x88:
            case 0x89:
                push_integer(op == 0x88 ? 1 : 0);
                return true;
            case 'J':
                push_integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(in_.number(4))));
                return true;
            case 'K':
                push_integer(in_.u8());
                return true;
            case 'M':
                push_integer(static_cast<std::int64_t>(in_.number(2)));
                return true;
            case 0x8a:
                long_integer();
                return true;
            case 'G':  // a real number
                in_.skip(8);
                push({});
                return true;
            case 'U':
            case 'C':
            case 0x8c:
                push_text(in_.u8());
                return true;
            case 'T':
            case 'B':
            case 'X':
                push_text(in_.number(4));
                return true;
            case 0x8d:
            case 0x8e:
            case 0x96:
                push_text(in_.number(8));
                return true;
            default:
                return false;
        }
    }

    /// Handles lists, tuples, tables and calls. Returns false for another opcode.
    bool structure(std::uint8_t op) {
        switch (op) {
            case '(':
                marks_.push_back(stack_.size());
                count(1);
                return true;
            case ')':
                tuple(0);
                return true;
            case 0x85:
            case 0x86:
            case 0x87:
                tuple(op - 0x84U);
                return true;
            case 't':
                push({.kind = Kind::tuple, .items = pop_to_mark()});
                return true;
            case '}':
                push({.kind = Kind::dict});
                return true;
            case ']':
                push({.kind = Kind::list});
                return true;
            case 's': {
                const Ref value = pop(), key = pop();
                count(2);
                extend(Kind::dict, {key, value});
                return true;
            }
            case 'u':
                extend(Kind::dict, pop_to_mark());
                return true;
            case 'a': {
                const Ref item = pop();
                count(1);
                extend(Kind::list, {item});
                return true;
            }
            case 'e':
                extend(Kind::list, pop_to_mark());
                return true;
            case 'R':
                reduce();
                return true;
            case 'b':
                build();
                return true;
            default:
                return false;
        }
    }

    Ref run() {
        for (;;) {
            const std::uint8_t op = in_.u8();
            if (literal(op) || structure(op)) continue;
            switch (op) {
                case 0x80:  // PROTO
                    if (const int version = in_.u8(); version < 2 || version > 5)
                        in_.fail(fmt::format("protocol {} (2 to 5 are supported)", version));
                    break;
                case 0x95:  // FRAME: only a hint
                    in_.number(8);
                    break;
                case 'c': {
                    const std::string module = in_.line();
                    global(module, in_.line());
                    break;
                }
                case 0x93: {
                    const std::string name = values_[pop()].text;
                    global(values_[pop()].text, name);
                    break;
                }
                case '0':
                    pop();
                    break;
                case 'q':
                    remember(in_.u8());
                    break;
                case 'r':
                    remember(in_.number(4));
                    break;
                case 0x94:
                    remember(memo_.size());
                    break;
                case 'h':
                    recall(in_.u8());
                    break;
                case 'j':
                    recall(in_.number(4));
                    break;
                case '.': {
                    const Ref out = pop();
                    if (!stack_.empty() || !marks_.empty())
                        in_.fail("unused values remain at its end");
                    if (in_.at() != end_) in_.fail("bytes follow its end");
                    return out;
                }
                default:
                    in_.fail(fmt::format("opcode 0x{:02x}", op));
            }
        }
    }

    PickleBytes in_;
    std::uint64_t end_;
    std::uint64_t copied_ = 0;  ///< bytes copied so far into the result of table()
};

}  // namespace

std::map<std::string, PlainPickleEntry> read_plain_pickle(const ByteSource& source) {
    return PlainUnpickler(source).table();
}

}  // namespace assay
