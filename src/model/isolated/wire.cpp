#include "model/isolated/wire.h"

#include <fmt/format.h>

#include <utility>

#include "model/isolated/wire_fields.h"

namespace assay::isolated {

void wire_nonsense(std::string_view what) {
    throw Error(ErrorCode::bad_input,
                fmt::format("the process that runs the model sent an invalid message: {}", what));
}

namespace {

constexpr std::uint64_t most_classes = std::uint64_t{1} << 24;
constexpr std::uint64_t most_fixed_batch = std::uint64_t{1} << 16;
/// Bits of the last number of `open`.
constexpr std::uint64_t limited_flag = 1, one_channel_flag = 2;
/// The limit exists because each lane is a waiting thread.
constexpr std::uint64_t most_devices = 1024;

/// 0 means none; otherwise 1 + the value.
template <class Enum>
std::uint64_t optional_number(const std::optional<Enum>& value) {
    return value ? 1 + static_cast<std::uint64_t>(*value) : 0;
}
template <class Enum>
std::optional<Enum> optional_value(std::uint64_t number) {
    return number == 0 ? std::nullopt : std::optional(static_cast<Enum>(number - 1));
}

Precision precision_in(MessageReader& in) {
    return static_cast<Precision>(in.number(static_cast<std::uint64_t>(Precision::bf16)));
}

}  // namespace

MessageKind kind_of(std::string_view message) {
    if (message.empty() ||
        static_cast<unsigned char>(message[0]) > static_cast<int>(MessageKind::names))
        wire_nonsense("a message of an unknown kind");
    return static_cast<MessageKind>(message[0]);
}

std::string text_of(MessageKind kind) {
    return MessageWriter(kind).take();
}

std::string text_of(const OpenRequest& request) {
    const ModelSpec& spec = request.spec;
    MessageWriter out(MessageKind::open);
    out.text(spec.name).text(spec.path.string()).number(static_cast<std::uint64_t>(spec.format));
    out.number(static_cast<std::uint64_t>(spec.preprocess.height))
        .number(static_cast<std::uint64_t>(spec.preprocess.width))
        .real(spec.preprocess.scale);
    for (const double value : spec.preprocess.mean) out.real(value);
    for (const double value : spec.preprocess.std) out.real(value);
    out.number(optional_number(spec.num_classes)).text(spec.output);
    out.number(optional_number(spec.layout)).number(optional_number(spec.input_type));
    out.number(spec.classes.size())
        .text(request.options.device)
        .number(request.options.process)
        .number(request.options.processes)
        .number(static_cast<std::uint64_t>(request.options.precision))
        .number((request.limited ? limited_flag : 0) |
                (spec.preprocess.channel_order == ChannelOrder::gray ? one_channel_flag : 0));
    return out.take();
}

OpenRequest open_request(std::string_view message) {
    MessageReader in(message, MessageKind::open);
    OpenRequest request;
    ModelSpec& spec = request.spec;
    spec.name = in.text();
    spec.path = in.text();
    spec.format =
        static_cast<ModelFormat>(in.number(static_cast<std::uint64_t>(ModelFormat::python)));
    spec.preprocess.height = static_cast<int>(in.number(1U << 30));
    spec.preprocess.width = static_cast<int>(in.number(1U << 30));
    spec.preprocess.scale = in.real();
    for (double& value : spec.preprocess.mean) value = in.real();
    for (double& value : spec.preprocess.std) value = in.real();
    spec.num_classes = optional_value<std::uint32_t>(in.number(std::uint64_t{1} << 32));
    spec.output = in.text();
    spec.layout =
        optional_value<InputLayout>(in.number(1 + static_cast<std::uint64_t>(InputLayout::nhwc)));
    spec.input_type =
        optional_value<InputType>(in.number(1 + static_cast<std::uint64_t>(InputType::uint8)));
    std::vector<std::string> ids(in.number(most_classes));
    for (std::size_t c = 0; c < ids.size(); ++c) ids[c] = std::to_string(c);
    if (!ids.empty()) spec.classes = ClassList(std::move(ids));
    ClassifierOptions& options = request.options;
    options.device = in.text();
    options.isolate = Isolation::off;
    options.process = static_cast<std::uint32_t>(in.number(0xffffffffU));
    options.processes = static_cast<std::uint32_t>(in.number(0xffffffffU));
    options.precision = precision_in(in);
    const std::uint64_t flags = in.number(limited_flag | one_channel_flag);
    request.limited = (flags & limited_flag) != 0;
    if ((flags & one_channel_flag) != 0) spec.preprocess.channel_order = ChannelOrder::gray;
    in.finish();
    return request;
}

std::string text_of(const Opened& opened) {
    const ModelFacts& facts = opened.facts;
    return MessageWriter(MessageKind::opened)
        .number(facts.classes)
        .number(static_cast<std::uint64_t>(facts.parameters))
        .number(static_cast<std::uint64_t>(facts.fixed_batch))
        .text(facts.device)
        .number(facts.devices)
        .number(facts.lanes)
        .number(static_cast<std::uint64_t>(facts.precision))
        .text(facts.framework)
        .text(facts.memory_format)
        .texts(facts.notes)
        .texts(opened.missing)
        .take();
}

Opened opened(std::string_view message) {
    MessageReader in(message, MessageKind::opened);
    Opened out;
    out.facts.classes = static_cast<std::uint32_t>(in.number(most_classes));
    if (out.facts.classes == 0) wire_nonsense("a model without classes");
    out.facts.parameters = static_cast<std::int64_t>(in.number(std::uint64_t{1} << 62));
    out.facts.fixed_batch = static_cast<std::int64_t>(in.number(most_fixed_batch));
    out.facts.device = in.text();
    out.facts.devices = static_cast<std::uint32_t>(in.number(most_devices));
    out.facts.lanes = static_cast<std::uint32_t>(in.number(most_devices));
    out.facts.precision = precision_in(in);
    out.facts.framework = in.text();
    out.facts.memory_format = in.text();
    out.facts.notes = in.texts();
    out.missing = in.texts();
    in.finish();
    return out;
}

std::string text_of(const Error& error) {
    return MessageWriter(MessageKind::failed)
        .number(static_cast<std::uint64_t>(error.code()))
        .text(std::string_view(error.message()).substr(0, longest_text))
        .texts(error.notes())
        .take();
}

Error failure(std::string_view message) {
    MessageReader in(message, MessageKind::failed);
    const auto code =
        static_cast<ErrorCode>(in.number(static_cast<std::uint64_t>(ErrorCode::internal)));
    Error error(code, in.text());
    for (std::string& note : in.texts()) error.add_note(std::move(note));
    in.finish();
    return error;
}

std::string text_of(const Batch& batch) {
    return MessageWriter(MessageKind::batch)
        .number(batch.images)
        .number(batch.input)
        .number(batch.output)
        .number(optional_number(batch.loss))
        .take();
}

Batch batch(std::string_view message) {
    MessageReader in(message, MessageKind::batch);
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    Batch out;
    out.images = in.number(most);
    out.input = in.number(most);
    out.output = in.number(most);
    out.loss = optional_value<Loss>(in.number(1 + static_cast<std::uint64_t>(Loss::targeted_dlr)));
    in.finish();
    return out;
}

std::string text_of(const CostRequest& request) {
    return MessageWriter(MessageKind::measure)
        .number(static_cast<std::uint64_t>(request.batch))
        .number(static_cast<std::uint64_t>(request.threads))
        .number(static_cast<std::uint64_t>(request.warmup))
        .number(static_cast<std::uint64_t>(request.runs))
        .take();
}

CostRequest cost_request(std::string_view message) {
    MessageReader in(message, MessageKind::measure);
    CostRequest request;
    request.batch = static_cast<std::int64_t>(in.number(most_cost_batch));
    request.threads = static_cast<int>(in.number(most_cost_threads));
    request.warmup = static_cast<int>(in.number(most_cost_runs));
    request.runs = static_cast<int>(in.number(most_cost_runs));
    in.finish();
    return request;
}

std::string text_of_end(int wait_status) {
    return MessageWriter(MessageKind::ended).number(static_cast<std::uint32_t>(wait_status)).take();
}

int end_of(std::string_view message) {
    MessageReader in(message, MessageKind::ended);
    const auto status = static_cast<int>(in.number(0xFFFF));
    in.finish();
    return status;
}

std::string text_of(const Described& described) {
    return MessageWriter(MessageKind::described)
        .number(described.version)
        .text(described.framework)
        .number(described.length)
        .take();
}

Described described(std::string_view message) {
    MessageReader in(message, MessageKind::described);
    Described out;
    out.version = in.number(UINT64_MAX);
    if (out.version != python_protocol) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the process that runs the model speaks version {} of the "
                                "protocol; this program speaks version {}: install both from one "
                                "release",
                                out.version, python_protocol));
    }
    out.framework = in.text();
    out.length = in.number(most_description);
    in.finish();
    return out;
}

std::string text_of_said(std::string_view note) {
    return MessageWriter(MessageKind::said).text(note.substr(0, longest_note)).take();
}

std::string said(std::string_view message) {
    MessageReader in(message, MessageKind::said);
    std::string note = in.text(longest_note);
    in.finish();
    return note;
}

}  // namespace assay::isolated
