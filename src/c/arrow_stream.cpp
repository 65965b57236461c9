#include "c/arrow_stream.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "containers/arrow/array.h"
#include "evaluate/item_pieces.h"

namespace assay::c {
namespace {

constexpr std::int64_t nullable = 2;

/// The private data of a schema node. A parent owns its children, but a consumer may move them out
/// (release is then null).
struct SchemaNode {
    std::string format, name;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> places;
};

void release_schema(ArrowSchema* schema) {
    auto* node = static_cast<SchemaNode*>(schema->private_data);
    for (ArrowSchema& child : node->children) {
        if (child.release != nullptr) child.release(&child);
    }
    delete node;
    schema->release = nullptr;
}

ArrowSchema schema_node(std::string format, std::string name, std::int64_t flags,
                        std::vector<ArrowSchema> children = {}) {
    auto* node = new SchemaNode{std::move(format), std::move(name), std::move(children), {}};
    for (ArrowSchema& child : node->children) node->places.push_back(&child);
    return {node->format.c_str(),
            node->name.c_str(),
            nullptr,
            flags,
            static_cast<std::int64_t>(node->places.size()),
            node->places.data(),
            nullptr,
            release_schema,
            node};
}

ArrowSchema schema_of(const ColumnSpec& column) {
    const auto plain = [&](const char* format) {
        return schema_node(format, column.name, nullable);
    };
    switch (column.type) {
        case ColumnType::text:
            return plain("u");
        case ColumnType::int32:
            return plain("i");
        case ColumnType::float32:
            return plain("f");
        case ColumnType::float64:
            return plain("g");
        case ColumnType::boolean:
            return plain("b");
        case ColumnType::int32s:
            return schema_node("+l", column.name, nullable, {schema_node("i", "item", 0)});
        case ColumnType::float32s:
            return schema_node(fmt::format("+w:{}", column.length), column.name, nullable,
                               {schema_node("f", "item", 0)});
    }
    throw Error(ErrorCode::internal, "unknown ColumnType");
}

struct ArrayNode {
    std::vector<std::string> bytes;
    std::vector<const void*> buffers;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> places;
};

void release_array(ArrowArray* array) {
    auto* node = static_cast<ArrayNode*>(array->private_data);
    for (ArrowArray& child : node->children) {
        if (child.release != nullptr) child.release(&child);
    }
    delete node;
    array->release = nullptr;
}

ArrowArray array_node(std::int64_t length, std::int64_t nulls, std::vector<std::string> bytes,
                      std::vector<ArrowArray> children) {
    auto* node = new ArrayNode{std::move(bytes), {}, std::move(children), {}};
    for (const std::string& buffer : node->bytes) {
        const bool validity = node->buffers.empty();
        node->buffers.push_back(validity && nulls == 0 ? nullptr : buffer.data());
    }
    for (ArrowArray& child : node->children) node->places.push_back(&child);
    return {length,
            nulls,
            0,
            static_cast<std::int64_t>(node->buffers.size()),
            static_cast<std::int64_t>(node->places.size()),
            node->buffers.data(),
            node->places.data(),
            nullptr,
            release_array,
            node};
}

ArrowArray array_node(arrow::Array array) {
    std::vector<ArrowArray> children;
    for (arrow::Array& child : array.children) children.push_back(array_node(std::move(child)));
    return array_node(array.length, array.nulls, std::move(array.buffers), std::move(children));
}

struct Stream {
    std::shared_ptr<const PredictionStore> store;
    ItemPieces pieces;
    std::string problem;

    Stream(std::shared_ptr<const PredictionStore> of, const ExportOptions& options)
        : store(std::move(of)), pieces(*store, options) {}

    /// Returns an errno, as the interface requires.
    template <class Body>
    int guarded(Body&& body) noexcept {
        try {
            body();
            return 0;
        } catch (const std::bad_alloc&) {
            return ENOMEM;
        } catch (const std::exception& error) {
            try {
                problem = error.what();
            } catch (...) {
            }
            return EIO;
        }
    }
};

int get_schema(ArrowArrayStream* self, ArrowSchema* out) {
    auto& stream = *static_cast<Stream*>(self->private_data);
    return stream.guarded([&] {
        std::vector<ArrowSchema> columns;
        for (const ColumnSpec& column : stream.pieces.columns())
            columns.push_back(schema_of(column));
        *out = schema_node("+s", "", 0, std::move(columns));
    });
}

int get_next(ArrowArrayStream* self, ArrowArray* out) {
    auto& stream = *static_cast<Stream*>(self->private_data);
    return stream.guarded([&] {
        ColumnTable rows;
        if (!stream.pieces.next(rows)) {
            *out = {};  // the end
            return;
        }
        std::vector<ArrowArray> columns;
        for (std::size_t c = 0; c < rows.columns.size(); ++c)
            columns.push_back(array_node(arrow::array_of(rows.specs[c], rows.columns[c])));
        *out = array_node(static_cast<std::int64_t>(rows.rows()), 0, {std::string()},
                          std::move(columns));
    });
}

const char* get_last_error(ArrowArrayStream* self) {
    const auto& stream = *static_cast<Stream*>(self->private_data);
    return stream.problem.empty() ? nullptr : stream.problem.c_str();
}

void release_stream(ArrowArrayStream* self) {
    delete static_cast<Stream*>(self->private_data);
    self->release = nullptr;
}

}  // namespace

void stream_items(std::shared_ptr<const PredictionStore> store, const ExportOptions& options,
                  ArrowArrayStream& out) {
    out = {get_schema, get_next, get_last_error, release_stream,
           new Stream(std::move(store), options)};
}

}  // namespace assay::c
