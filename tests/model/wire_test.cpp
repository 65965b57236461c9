// Messages from the process of a model are untrusted input.
#include "model/isolated/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <random>

#include "message_of.h"
#include "model/isolated/channel.h"
#include "model/isolated/shared_buffer.h"

namespace assay::isolated {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Opened some_facts() {
    Opened opened;
    opened.facts.classes = 1000;
    opened.facts.parameters = 25'557'032;
    opened.facts.fixed_batch = 8;
    opened.facts.device = "cuda (NVIDIA H100)";
    opened.facts.devices = 3;
    opened.facts.lanes = 6;
    opened.facts.precision = Precision::bf16;
    opened.facts.framework = "LibTorch 1.13.1";
    opened.facts.memory_format = "channels_last";
    opened.facts.notes = {"one", ""};
    opened.missing = {"seccomp: Invalid argument"};
    return opened;
}

OpenRequest some_request() {
    OpenRequest request;
    request.spec.name = "m";
    request.spec.path = "/folder/\xff.pt";  // a name need not be UTF-8
    request.spec.format = ModelFormat::torch_export;
    request.spec.preprocess.height = 288;
    request.spec.preprocess.width = 320;
    request.spec.preprocess.scale = 1.0 / 3;
    request.spec.preprocess.mean = {0.1, 0.2, 0.3};
    request.spec.preprocess.std = {0.4, 0.5, 0.6};
    request.spec.num_classes = 4'294'967'295U;
    request.spec.output = "logits";
    request.spec.layout = InputLayout::nhwc;
    request.spec.classes = ClassList({"cat", "dog"});
    request.options.device = "cuda";
    request.options.process = 7;
    request.options.processes = 9;
    request.options.precision = Precision::fp16;
    request.limited = false;
    return request;
}

TEST(Wire, EverythingComesBack) {
    const OpenRequest want = some_request();
    const OpenRequest got = open_request(text_of(want));
    EXPECT_EQ(got.spec.name, want.spec.name);
    EXPECT_EQ(got.spec.path, want.spec.path);
    EXPECT_EQ(got.spec.format, want.spec.format);
    EXPECT_EQ(got.spec.preprocess.height, 288);
    EXPECT_EQ(got.spec.preprocess.width, 320);
    EXPECT_EQ(got.spec.preprocess.scale, want.spec.preprocess.scale);
    EXPECT_EQ(got.spec.preprocess.mean, want.spec.preprocess.mean);
    EXPECT_EQ(got.spec.preprocess.std, want.spec.preprocess.std);
    EXPECT_EQ(got.spec.num_classes, want.spec.num_classes);
    EXPECT_EQ(got.spec.output, want.spec.output);
    EXPECT_EQ(got.spec.layout, want.spec.layout);
    EXPECT_EQ(got.spec.input_type, std::nullopt);
    EXPECT_EQ(got.spec.classes.size(), 2U);
    EXPECT_EQ(got.options.device, "cuda");
    EXPECT_EQ(got.options.process, 7U);
    EXPECT_EQ(got.options.processes, 9U);
    EXPECT_EQ(got.options.precision, Precision::fp16);
    EXPECT_FALSE(got.limited);
    EXPECT_EQ(got.spec.preprocess.channel_order, ChannelOrder::rgb);
    OpenRequest gray = want;
    gray.limited = true;
    gray.spec.preprocess.channel_order = ChannelOrder::gray;
    EXPECT_TRUE(open_request(text_of(gray)).limited);
    EXPECT_EQ(open_request(text_of(gray)).spec.preprocess.channel_order, ChannelOrder::gray);

    const Opened facts = opened(text_of(some_facts()));
    EXPECT_EQ(facts.facts.classes, 1000U);
    EXPECT_EQ(facts.facts.parameters, 25'557'032);
    EXPECT_EQ(facts.facts.fixed_batch, 8);
    EXPECT_EQ(facts.facts.device, "cuda (NVIDIA H100)");
    EXPECT_EQ(facts.facts.devices, 3U);
    EXPECT_EQ(facts.facts.lanes, 6U);
    EXPECT_EQ(facts.facts.precision, Precision::bf16);
    EXPECT_EQ(facts.facts.framework, "LibTorch 1.13.1");
    EXPECT_EQ(facts.facts.memory_format, "channels_last");
    EXPECT_THAT(facts.facts.notes, ElementsAre("one", ""));
    EXPECT_THAT(facts.missing, ElementsAre("seccomp: Invalid argument"));

    const Error error = failure(text_of(Error(ErrorCode::usage, "what").add_note("where")));
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), Error(ErrorCode::usage, "what").add_note("where").what());
    EXPECT_EQ(end_of(text_of_end(0x8B)), 0x8B);
    EXPECT_EQ(batch(text_of(Batch{3, 4, 5})).output, 5U);
    EXPECT_FALSE(batch(text_of(Batch{3, 4, 5})).loss);
    EXPECT_EQ(batch(text_of(Batch{3, 4, 5, Loss::targeted_dlr})).loss, Loss::targeted_dlr);
}

TEST(Wire, LongTextsAreCutSoThatAMessageFits) {
    Error error(ErrorCode::bad_input, std::string(100'000, 'm'));
    for (int i = 0; i < 40; ++i) error.add_note(std::string(10'000, 'n'));
    EXPECT_LE(text_of(error).size(), most_message);
    EXPECT_EQ(failure(text_of(error)).message().size(), 8192U);
    Opened facts = some_facts();
    facts.facts.notes.assign(100, std::string(9000, 'n'));
    EXPECT_LE(text_of(facts).size(), most_message);
    EXPECT_EQ(opened(text_of(facts)).facts.notes.size(), 16U);
}

template <class Read>
void expect_refused(const std::string& message, Read&& read) {
    EXPECT_THAT(message_of([&] { read(message); }), HasSubstr("sent an invalid message"));
}

TEST(Wire, CutAndLongerMessagesAreRefused) {
    const auto all_cuts = [](const std::string& whole, auto read) {
        for (std::size_t n = 0; n < whole.size(); ++n) expect_refused(whole.substr(0, n), read);
        expect_refused(whole + "x", read);
    };
    all_cuts(text_of(some_facts()), [](const std::string& m) { opened(m); });
    all_cuts(text_of(some_request()), [](const std::string& m) { open_request(m); });
    all_cuts(text_of(Error(ErrorCode::io, "x")), [](const std::string& m) { failure(m); });
    all_cuts(text_of(Batch{1, 2, 3}), [](const std::string& m) { batch(m); });
    // The message has a loss that does not exist.
    std::string unknown = text_of(Batch{1, 2, 3, Loss::targeted_dlr});
    unknown[unknown.size() - 8] = 6;
    expect_refused(unknown, [](const std::string& m) { batch(m); });
    all_cuts(text_of_end(9), [](const std::string& m) { end_of(m); });
}

TEST(Wire, ValuesOutOfTheirRangeAreRefused) {
    const auto with = [](auto change) {
        Opened facts = some_facts();
        change(facts.facts);
        return text_of(facts);
    };
    const auto read = [](const std::string& m) { opened(m); };
    expect_refused(with([](ModelFacts& f) { f.classes = 0; }), read);
    expect_refused(with([](ModelFacts& f) { f.classes = (1U << 24) + 1; }), read);
    expect_refused(with([](ModelFacts& f) { f.fixed_batch = -1; }), read);
    expect_refused(with([](ModelFacts& f) { f.fixed_batch = 1 << 17; }), read);
    expect_refused(with([](ModelFacts& f) { f.parameters = -1; }), read);
    expect_refused(with([](ModelFacts& f) { f.device = std::string(9000, 'd'); }), read);
    expect_refused(with([](ModelFacts& f) { f.lanes = 1025; }), read);
    expect_refused(with([](ModelFacts& f) { f.precision = static_cast<Precision>(4); }), read);
    expect_refused(text_of(MessageKind::ready), read);
    expect_refused(std::string(1, '\x7f'), read);
}

/// Any bytes give a value or an Error, with at most the memory of a message.
TEST(Wire, RandomBytesNeverDoMore) {
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string message = round % 2 == 0
                                  ? text_of(some_facts())
                                  : text_of(Error(ErrorCode::bad_input, "what").add_note("where"));
        for (int i = 0; i < 3; ++i)
            message[random() % message.size()] = static_cast<char>(random());
        try {
            if (round % 2 == 0) {
                opened(message);
            } else {
                failure(message);
            }
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000);
}

TEST(Channel, MessagesAndDescriptorsPass) {
    const auto [a, b] = connected_ends();
    const auto buffer = SharedBuffer::made(10);
    buffer->floats()[3] = 1.5F;
    EXPECT_TRUE(send_message(a.get(), "one"));
    EXPECT_TRUE(send_message(a.get(), "two", {buffer->descriptor()}));
    EXPECT_TRUE(send_message(a.get(), "three", {buffer->descriptor()}));
    std::vector<Descriptor> came;
    EXPECT_EQ(receive_message(b.get(), &came), "one");
    EXPECT_TRUE(came.empty());
    EXPECT_EQ(receive_message(b.get(), &came), "two");
    ASSERT_EQ(came.size(), 1U);
    EXPECT_EQ(SharedBuffer(std::move(came[0])).floats()[3], 1.5F);
    EXPECT_EQ(receive_message(b.get()), "three");  // no descriptor was requested
    EXPECT_THROW(send_message(a.get(), std::string(most_message + 1, 'x')), Error);
}

TEST(Channel, TooLongAndNoneAreTold) {
    const auto [a, b] = connected_ends();
    const std::string longer(most_message + 1, 'x');
    ASSERT_EQ(::send(a.get(), longer.data(), longer.size(), 0), longer.size());
    EXPECT_THAT(message_of([&, end = b.get()] { receive_message(end); }),
                HasSubstr("a message of more than"));
    ::shutdown(a.get(), SHUT_RDWR);
    EXPECT_EQ(receive_message(b.get()), std::nullopt);
    EXPECT_FALSE(send_message(b.get(), "x"));
}

TEST(SharedBuffer, CannotBeMadeShorter) {
    const auto buffer = SharedBuffer::made(1000);
    EXPECT_NE(::ftruncate(buffer->descriptor(), 0), 0);
    EXPECT_EQ(buffer->floats().size(), 1001U);
}

}  // namespace
}  // namespace assay::isolated
