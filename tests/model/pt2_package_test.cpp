// Reads .pt2 archives without LibTorch. Tests their contents, and every kind of damage.
#include "model/pt2/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "export_archives.h"
#include "message_of.h"
#include "model/pt2/pickle.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

using pt2::NumberType;

std::string refusal_of(const std::string& archive) {
    return message_of([&] { pt2::read_package(bytes_of(archive)); });
}

/// The error for a program with one change.
template <class Edit>
std::string refusal_after(Edit&& edit, const std::string& name = "pt2_plain.pt2") {
    return refusal_of(with_program(name, edit));
}

const std::string& plain_pickle() {
    static const std::string text = [] {
        const EntryTexts outer = entry_texts(fixture("pt2_plain.pt2"));
        return entry_texts(bytes_of(outer.at("serialized_state_dict.pt"))).at("archive/data.pkl");
    }();
    return text;
}

/// A text that contains zero bytes.
template <std::size_t N>
std::string raw(const char (&text)[N]) {
    return {text, N - 1};
}

std::string pickle_refusal(const std::string& pickle) {
    return message_of([&] { pt2::read_tensor_pickle(bytes_of(pickle)); });
}

TEST(ExportPackage, WhatAnExporterWrote) {
    const MappedFile file(fixture("pt2_plain.pt2"));
    const pt2::Package package = pt2::read_package(file.bytes());
    const pt2::Program& program = package.program;
    EXPECT_THAT(program.torch_version, StartsWith("2.6.0"));
    ASSERT_EQ(program.image_sizes.size(), 4U);
    EXPECT_EQ(program.image_sizes[0].size, -1);
    EXPECT_EQ(program.image_sizes[3].size, 16);
    EXPECT_EQ(program.image_type, NumberType::float32);
    const auto range = program.ranges.at(program.image_sizes[0].symbol);
    EXPECT_EQ(range.least, 1);
    EXPECT_EQ(range.most, 512);
    EXPECT_EQ(program.graph.nodes.front().op, "torch.ops.aten.conv2d.default");
    ASSERT_EQ(program.outputs.size(), 1U);
    EXPECT_EQ(program.outputs[0].name, "");
    const pt2::StoredTensor& weight = package.weights.at("conv.weight");
    EXPECT_THAT(weight.sizes, ElementsAre(6, 3, 3, 3));
    EXPECT_THAT(weight.strides, ElementsAre(27, 9, 3, 1));
    EXPECT_EQ(package.storages[weight.storage].size(), 648U);
    EXPECT_EQ(package.weights.at("norm.num_batches_tracked").type, NumberType::int64);
    EXPECT_TRUE(package.unpacked.empty());
}

TEST(ExportPackage, SharedStoragesAndViewsStayShared) {
    const MappedFile file(fixture("pt2_tied.pt2"));
    const pt2::Package package = pt2::read_package(file.bytes());
    EXPECT_EQ(package.weights.at("a.weight").storage, package.weights.at("b.weight").storage);
    // randn(7, 9)[2:, 1::2].t()[:3]: rows are columns 1, 3, 5, from row 2 on.
    const pt2::StoredTensor& part = package.weights.at("part");
    EXPECT_THAT(part.sizes, ElementsAre(3, 5));
    EXPECT_THAT(part.strides, ElementsAre(2, 9));
    EXPECT_EQ(part.offset, 19);
    EXPECT_EQ(package.storages[part.storage].size(), 63U * 4);
}

TEST(ExportPackage, TheNewerLayoutHoldsTheSame) {
    for (const char* name : {"pt2_plain.pt2", "pt2_tied.pt2", "pt2_arguments.pt2"}) {
        SCOPED_TRACE(name);
        const MappedFile file(fixture(name));
        const pt2::Package older = pt2::read_package(file.bytes());
        const std::string text = zipped(newer_layout(name));
        const pt2::Package newer = pt2::read_package(bytes_of(text));
        EXPECT_EQ(newer.program.graph.nodes.size(), older.program.graph.nodes.size());
        for (const auto& [a, b] : {std::pair{&older.weights, &newer.weights},
                                   std::pair{&older.constants, &newer.constants}}) {
            ASSERT_EQ(a->size(), b->size());
            for (const auto& [tensor_name, x] : *a) {
                const pt2::StoredTensor& y = b->at(tensor_name);
                EXPECT_EQ(x.sizes, y.sizes);
                EXPECT_EQ(x.strides, y.strides);
                EXPECT_EQ(x.offset, y.offset);
                EXPECT_EQ(x.type, y.type);
                const auto p = older.storages[x.storage];
                const auto q = newer.storages[y.storage];
                EXPECT_TRUE(std::equal(p.begin(), p.end(), q.begin(), q.end()));
            }
        }
    }
}

TEST(ExportPackage, OlderNamesInTheNewerLayout) {
    // PyTorch 2.8 wrote whole torch.save files, and a version in between used another name for the
    // table.
    const EntryTexts whole = newer_layout("pt2_plain.pt2");
    EntryTexts saved = whole;
    const EntryTexts outer = entry_texts(fixture("pt2_plain.pt2"));
    saved.erase("model/data/weights/model_weights_config.json");
    saved["model/data/weights/model.pt"] = outer.at("serialized_state_dict.pt");
    const std::string as_saved = zipped(saved);
    EXPECT_EQ(pt2::read_package(bytes_of(as_saved)).weights.size(), 10U);
    EntryTexts renamed = whole;
    auto table = renamed.extract("model/data/weights/model_weights_config.json");
    table.key() = "model/data/weights/model_model_param_config.json";
    renamed.insert(std::move(table));
    const std::string as_renamed = zipped(renamed);
    EXPECT_EQ(pt2::read_package(bytes_of(as_renamed)).weights.size(), 10U);
}

TEST(ExportPackage, DamagedTablesOfTheNewerLayout) {
    const EntryTexts whole = newer_layout("pt2_plain.pt2");
    const std::string entry = "model/data/weights/model_weights_config.json";
    const auto refused = [&](auto&& edit) {
        EntryTexts changed = whole;
        nlohmann::json table = nlohmann::json::parse(changed.at(entry));
        edit(table["config"]["conv.weight"]);
        changed[entry] = table.dump();
        return refusal_of(zipped(changed));
    };
    EXPECT_THAT(refused([](auto& t) { t["path_name"] = "weight_99"; }),
                HasSubstr("no entry `model/data/weights/weight_99`"));
    EXPECT_THAT(refused([](auto& t) { t["tensor_meta"]["storage_offset"]["as_int"] = 1; }),
                AllOf(HasSubstr("`conv.weight`"), HasSubstr("reaches beyond its storage of 162"),
                      HasSubstr("while reading its entry " + entry)));
    EXPECT_THAT(refused([](auto& t) { t["tensor_meta"]["storage_offset"]["as_int"] = -1; }),
                HasSubstr("beyond its storage"));
    EXPECT_THAT(refused([](auto& t) { t["tensor_meta"]["dtype"] = 29; }),
                HasSubstr("number type 29 is not supported"));
    EXPECT_THAT(refused([](auto& t) { t["tensor_meta"]["layout"] = 1; }), HasSubstr("sparse"));
    EXPECT_THAT(refused([](auto& t) {
                    t["tensor_meta"]["sizes"][0] = {{"as_name", "s0"}};
                }),
                HasSubstr("sizes[0].as_int` is missing"));
    EXPECT_THAT(refused([](auto& t) { t = 3; }),
                AllOf(HasSubstr("`config.conv.weight` is 3; allowed: an object"),
                      HasSubstr("while reading its entry " + entry)));
    // If a value is an object of an unknown class, the error comes when it is read.
    EntryTexts pickled = whole;
    nlohmann::json table = nlohmann::json::parse(pickled.at(entry));
    table["config"]["conv.weight"]["use_pickle"] = true;
    pickled[entry] = table.dump();
    const std::string text = zipped(pickled);
    EXPECT_EQ(pt2::read_package(bytes_of(text)).unreadable.count("conv.weight"), 1U);
}

TEST(ExportPackage, OtherPackages) {
    const EntryTexts whole = newer_layout("pt2_plain.pt2");
    EntryTexts changed = whole;
    changed["model/models/second.json"] = changed.at("model/models/model.json");
    EXPECT_THAT(refusal_of(zipped(changed)),
                HasSubstr("2 models (model, second); one is supported"));
    changed = whole;
    changed["model/archive_version"] = "1";
    EXPECT_THAT(refusal_of(zipped(changed)),
                HasSubstr("an archive of version 1; only version 0 is supported"));
    changed = whole;
    changed["model/byteorder"] = "big";
    EXPECT_THAT(refusal_of(zipped(changed)), HasSubstr("\"big\"; only little is supported"));
    changed = whole;
    changed["model/archive_format"] = "pt3";
    EXPECT_THAT(refusal_of(zipped(changed)), HasSubstr("format \"pt3\"; only pt2 is supported"));
    changed = whole;
    changed.erase("model/data/weights/model_weights_config.json");
    EXPECT_THAT(refusal_of(zipped(changed)),
                HasSubstr("no entry `model/data/weights/model_weights_config.json`"));
    changed = whole;
    changed.erase("model/models/model.json");
    EXPECT_THAT(refusal_of(zipped(changed)), HasSubstr("holds no model"));
    changed["model/data/aotinductor/model/wrapper.so"] =
        "\x7f"
        "ELF";
    EXPECT_THAT(refusal_of(zipped(changed)),
                testing::AllOf(HasSubstr("AOTInductor compiled"), HasSubstr("torch.export.save")));
    EXPECT_THAT(refusal_of(zipped({{"cnn/constants.pkl", ""}, {"cnn/data.pkl", ""}})),
                HasSubstr("a TorchScript model; name it .pt"));
    EXPECT_THAT(refusal_of(zipped({{"archive/data.pkl", ""}})),
                HasSubstr("weights only (torch.save)"));
    EXPECT_THAT(refusal_of(zipped({{"a.txt", "a"}})), HasSubstr("not an archive of torch.export"));
    EXPECT_THAT(refusal_of("no zip at all"), HasSubstr("not a zip file"));
}

TEST(ExportPackage, MissingAndDamagedEntries) {
    const EntryTexts whole = entry_texts(fixture("pt2_plain.pt2"));
    for (const char* name : {"serialized_state_dict.pt", "serialized_constants.pt"}) {
        EntryTexts changed = whole;
        changed.erase(name);
        EXPECT_THAT(refusal_of(zipped(changed)), HasSubstr(std::string("no entry `") + name));
    }
    const EntryTexts state = entry_texts(bytes_of(whole.at("serialized_state_dict.pt")));
    const auto refused = [&](EntryTexts inner) {
        EntryTexts changed = whole;
        changed["serialized_state_dict.pt"] = zipped(inner);
        return refusal_of(zipped(changed));
    };
    EntryTexts inner = state;
    inner.erase("archive/data/0");
    EXPECT_THAT(refused(inner),
                AllOf(HasSubstr("no entry `archive/data/0`"),
                      HasSubstr("while reading its entry serialized_state_dict.pt")));
    inner = state;
    inner["archive/data/0"].resize(644);
    EXPECT_THAT(refused(inner), HasSubstr("its storage `0` has 644 bytes instead of 162 numbers"));
    inner = state;
    inner["archive/byteorder"] = "big";
    EXPECT_THAT(refused(inner), HasSubstr("little is supported"));
    inner = state;
    inner.erase("archive/data.pkl");
    EXPECT_THAT(refused(inner), HasSubstr("no table of tensors"));
}

TEST(ExportPackage, EveryTruncationIsRefused) {
    const std::string whole = read_text(fixture("pt2_plain.pt2"));
    for (std::size_t n = 0; n < whole.size(); n += 97) refusal_of(whole.substr(0, n));
    refusal_of(whole.substr(0, whole.size() - 8));
}

TEST(ExportPackage, FlippedBytesAreFoundOrHarmless) {
    // The CRCs cover the contents. The reader itself checks the fields of the archive.
    const std::string whole = read_text(fixture("pt2_tied.pt2"));
    for (std::size_t i = 0; i < whole.size(); i += 7) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ 0x41);
        try {
            pt2::read_package(bytes_of(changed));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        }
    }
}

TEST(ExportPickle, EveryPrefixIsRefused) {
    const std::string& whole = plain_pickle();
    EXPECT_EQ(pt2::read_tensor_pickle(bytes_of(whole)).size(), 10U);
    for (std::size_t n = 0; n < whole.size(); ++n) pickle_refusal(whole.substr(0, n));
    EXPECT_THAT(pickle_refusal(whole + "."), HasSubstr("bytes follow its end"));
}

TEST(ExportPickle, EveryFlippedByteEndsWell) {
    const std::string& whole = plain_pickle();
    for (std::size_t i = 0; i < whole.size(); ++i) {
        for (const int bit : {0x01, 0x20, 0x80, 0xff}) {
            std::string changed = whole;
            changed[i] = static_cast<char>(changed[i] ^ bit);
            try {
                pt2::read_tensor_pickle(bytes_of(changed));
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
            }
        }
    }
}

TEST(ExportPickle, WhatIsNotATensorIsNamed) {
    const std::string start = "\x80\x02";
    EXPECT_THAT(pickle_refusal(start + "cos\nsystem\n."), HasSubstr("`os.system`"));
    EXPECT_THAT(pickle_refusal(start + "ctorch._utils\n_rebuild_qtensor\n."),
                HasSubstr("`torch._utils._rebuild_qtensor`"));
    EXPECT_THAT(pickle_refusal(start + "i."), HasSubstr("opcode 0x69 (byte 2 of 4)"));
    EXPECT_THAT(pickle_refusal(start + raw("}X\x01\0\0\0aK\x01s.")),
                HasSubstr("entry `a` is not a tensor"));
    EXPECT_THAT(pickle_refusal(start + "K\x01."), HasSubstr("does not hold a table"));
    EXPECT_THAT(pickle_refusal(start + "}}."), HasSubstr("values remain at its end"));
    EXPECT_THAT(pickle_refusal(start + "h\x07."), HasSubstr("refers to value 7"));
    EXPECT_THAT(pickle_refusal(start + "t."), HasSubstr("a mark is missing"));
    EXPECT_THAT(pickle_refusal(start + "R."), HasSubstr("a value is missing"));
    EXPECT_THAT(pickle_refusal(start + "(R."), HasSubstr("a value is missing"));
    EXPECT_THAT(pickle_refusal("\x80\x05}."), HasSubstr("protocol 5"));
    EXPECT_THAT(pickle_refusal("}."), HasSubstr("does not begin with a protocol"));
    EXPECT_THAT(pickle_refusal(start + "ccollections\nOrderedDict\n)R0ctorch\nTensor\n)R."),
                HasSubstr("a call of `torch Tensor`"));
    // A rebuild function refers to itself.
    EXPECT_THAT(pickle_refusal(start + raw("ctorch._tensor\n_rebuild_from_type_v2\nq\0(h\0"
                                           "ctorch\nTensor\n)NtR.")),
                HasSubstr("damaged pickle"));
}

TEST(ExportPickle, ShapesOfValuesCostNothing) {
    const std::string start = "\x80\x02";
    // There are a table that contains itself, tuples nested 100,000 deep, and a tuple that is
    // doubled 40 times.
    EXPECT_THAT(pickle_refusal(start + raw("}q\0X\x01\0\0\0ah\0s.")), HasSubstr("not a tensor"));
    EXPECT_THAT(pickle_refusal(start + ")" + std::string(100'000, '\x85') + "."),
                HasSubstr("does not hold a table"));
    std::string doubled = start + ")";
    for (int i = 0; i < 40; ++i) doubled += std::string("q\x01h\x01\x86", 5);
    EXPECT_THAT(pickle_refusal(doubled + "."), HasSubstr("does not hold a table"));
    EXPECT_THAT(pickle_refusal(start + std::string(1'000'001, 'N') + "."),
                HasSubstr("more than 1000000 values"));
}

TEST(ExportTensors, AllNumbersLieInTheStorage) {
    const auto check = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides,
                          std::int64_t offset, std::size_t bytes) {
        pt2::check_tensor({NumberType::float32, std::move(sizes), std::move(strides), offset, 0},
                          bytes, "`x`");
    };
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    EXPECT_NO_THROW(check({2, 3}, {3, 1}, 0, 24));
    EXPECT_NO_THROW(check({2, 3}, {0, 1}, 0, 12));  // the tensor is expanded
    EXPECT_NO_THROW(check({}, {}, 5, 24));
    EXPECT_NO_THROW(check({0, 3}, {3, 1}, 0, 0));
    const auto refused = [&](auto... arguments) {
        return message_of([&] { check(arguments...); });
    };
    using Sizes = std::vector<std::int64_t>;
    EXPECT_THAT(
        refused(Sizes{2, 3}, Sizes{3, 1}, 1, 24),
        HasSubstr("`x`: a tensor of sizes [2, 3], strides [3, 1] and offset 1 reaches beyond "
                  "its storage of 6 numbers"));
    EXPECT_THAT(refused(Sizes{2, 3}, Sizes{3, 1}, 0, 23), HasSubstr("storage of 5"));
    EXPECT_THAT(refused(Sizes{}, Sizes{}, 6, 24), HasSubstr("beyond"));
    EXPECT_THAT(refused(Sizes{1}, Sizes{1}, -1, 24), HasSubstr("beyond"));
    EXPECT_THAT(refused(Sizes{2, -3}, Sizes{3, 1}, 0, 24), HasSubstr("not possible"));
    EXPECT_THAT(refused(Sizes{2}, Sizes{-1}, 1, 24), HasSubstr("not possible"));
    EXPECT_THAT(refused(Sizes{2}, Sizes{}, 0, 24), HasSubstr("not possible"));
    EXPECT_THAT(refused(Sizes{3}, Sizes{most}, 0, 24), HasSubstr("beyond"));
    EXPECT_THAT(refused(Sizes{2, 2}, Sizes{most, most}, most, 24), HasSubstr("beyond"));
    EXPECT_THAT(refused(Sizes{most, most}, Sizes{0, 0}, 0, 24), HasSubstr("more than 2147483648"));
    EXPECT_THAT(refused(Sizes{65536, 65536}, Sizes{0, 0}, 0, 24), HasSubstr("more than"));
}

TEST(ExportProgram, NamesAreMadeOnceAndBeforeTheyAreRead) {
    const auto nodes = [](nlohmann::json& p) -> nlohmann::json& {
        return p["graph_module"]["graph"]["nodes"];
    };
    // The first node reads its own result, which is a cycle.
    EXPECT_THAT(refusal_after([&](auto& p) {
                    nodes(p)[0]["inputs"][0]["arg"]["as_tensor"]["name"] = "conv2d";
                }),
                AllOf(HasSubstr("node `conv2d` (torch.ops.aten.conv2d.default) reads `conv2d`"),
                      HasSubstr("which no earlier node makes")));
    EXPECT_THAT(
        refusal_after([&](auto& p) { nodes(p)[1]["outputs"][0]["as_tensor"]["name"] = "conv2d"; }),
        HasSubstr("`conv2d` is made twice"));
    EXPECT_THAT(refusal_after([&](auto& p) { nodes(p)[0].erase("target"); }),
                HasSubstr("`graph_module.graph.nodes[0].target` is missing"));
    EXPECT_THAT(refusal_after([&](auto& p) {
                    nodes(p)[0]["inputs"][0]["arg"] = {{"as_int", 1.5}};
                }),
                HasSubstr("nodes[0].inputs[0].arg.as_int` is 1.5; allowed: a whole number"));
    EXPECT_THAT(refusal_after([&](auto& p) { nodes(p) = 7; }),
                HasSubstr("`graph_module.graph.nodes` is 7; allowed: a list"));
}

TEST(ExportProgram, WhatIsNotSupportedIsNamed) {
    EXPECT_THAT(refusal_after([](auto& p) { p["schema_version"]["major"] = 9; }),
                HasSubstr("version 9 of torch.export's schema (PyTorch 2.6.0"));
    const auto specs = [](nlohmann::json& p) -> nlohmann::json& {
        return p["graph_module"]["signature"]["input_specs"];
    };
    EXPECT_THAT(refusal_after([&](auto& p) {
                    specs(p)[0] = {{"custom_obj",
                                    {{"arg", {{"name", "o"}, {"class_fqn", "a.B"}}},
                                     {"custom_obj_name", "o"}}}};
                }),
                HasSubstr("`custom_obj`"));
    EXPECT_THAT(refusal_after([&](auto& p) { specs(p).erase(specs(p).end() - 1); }),
                HasSubstr("the model takes no tensor"));
    const auto outputs = [](nlohmann::json& p) -> nlohmann::json& {
        return p["graph_module"]["signature"]["output_specs"];
    };
    EXPECT_THAT(refusal_after([&](auto& p) {
                    outputs(p)[0] = {{"gradient_to_parameter", nlohmann::json::object()}};
                }),
                HasSubstr("`gradient_to_parameter`"));
    EXPECT_THAT(refusal_after([&](auto& p) { outputs(p).clear(); }), HasSubstr("returns nothing"));
    EXPECT_THAT(refusal_of([] {
                    EntryTexts entries = entry_texts(fixture("pt2_plain.pt2"));
                    entries[kProgramEntry] = std::string(10'000, '[');
                    return zipped(entries);
                }()),
                HasSubstr("nested deeper"));
}

TEST(ExportProgram, NumbersThatJsonDoesNotHave) {
    // Numbers are as in PyTorch 2.6, or are text as in newer versions. Inside a text they must
    // not change.
    for (const char* word : {"Infinity", "\"Infinity\""}) {
        EntryTexts entries = entry_texts(fixture("pt2_plain.pt2"));
        std::string& text = entries[kProgramEntry];
        const std::string added = std::string(
                                      "{\"name\": \"Infinity NaN \\\" -Infinity\", \"arg\": "
                                      "{\"as_float\": ") +
                                  word + "}}, ";
        const std::size_t at = text.find("\"inputs\": [", text.find("\"target\""));
        text.insert(at + 11, added);
        const std::string archive = zipped(entries);
        const pt2::Package package = pt2::read_package(bytes_of(archive));
        const pt2::NamedArgument& first = package.program.graph.nodes[0].inputs[0];
        EXPECT_EQ(first.argument.real, std::numeric_limits<double>::infinity());
        EXPECT_EQ(first.name, "Infinity NaN \" -Infinity");
    }
}

TEST(ExportProgram, FieldsOfNamedTuples) {
    const auto names = [](const std::string& archive) {
        std::vector<std::string> out;
        const pt2::Package package = pt2::read_package(bytes_of(archive));
        for (const pt2::Output& output : package.program.outputs) out.push_back(output.name);
        return out;
    };
    const auto as_is = with_program("pt2_struct.pt2", [](auto&) {});
    EXPECT_THAT(names(as_is), ElementsAre("0", "1"));
    // Newer exporters also write the names of these.
    const auto newer = with_program("pt2_struct.pt2", [](auto& p) {
        p["graph_module"]["treespec_namedtuple_fields"] = {
            {"fixtures.Both", {{"field_names", {"aux", "logits"}}}}};
    });
    EXPECT_THAT(names(newer), ElementsAre("aux", "logits"));
    const auto dict = with_program("pt2_dict.pt2", [](auto&) {});
    EXPECT_THAT(names(dict), ElementsAre("features", "logits", "more.0", "more.1"));
}

TEST(ExportPackage, OverlappingStoragesDoNotMultiplyTheFile) {
    // Two hundred entries of 256 KiB all use the same bytes.
    const std::string content(1 << 18, '\0');
    const EntryTexts whole = newer_layout("pt2_plain.pt2");
    std::vector<ZipPiece> parts;
    nlohmann::json config = nlohmann::json::object();
    for (int i = 0; i < 200; ++i) {
        const std::string path = "weight_" + std::to_string(1000 + i);
        parts.push_back(
            {"model/data/weights/" + path, content, content.size(), 0, crc_of(content)});
        config[path] = {{"path_name", path},
                        {"use_pickle", false},
                        {"tensor_meta",
                         {{"dtype", 1},
                          {"sizes", sizes_as_written({1})},
                          {"strides", sizes_as_written({1})},
                          {"storage_offset", {{"as_int", 0}}},
                          {"layout", 7}}}};
    }
    const std::string table = nlohmann::json({{"config", config}}).dump();
    for (const auto& [name, text] : whole) {
        const bool replaced = name == "model/data/weights/model_weights_config.json";
        const std::string& body = replaced ? table : text;
        parts.push_back({name, body, body.size(), 0, crc_of(body)});
    }
    EXPECT_THAT(refusal_of(archive_of(parts, true)), HasSubstr("entries overlap"));
}

}  // namespace
}  // namespace assay
