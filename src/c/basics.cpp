// Versions, errors, texts and calls of the C interface.
#include "assay/version.h"
#include "c/objects.h"
#include "core/error_codes.h"

using namespace assay;

const char* assay_version(void) {
    return assay::version;
}
int assay_c_version(void) {
    return ASSAY_C_VERSION;
}

const char* assay_error_code(const assay_error* error) {
    if (error == nullptr) return "";
    return name_of(error->error.code()).data();  // a literal, so it ends with a zero byte
}
const char* assay_error_message(const assay_error* error) {
    return error == nullptr ? "" : error->error.message().c_str();
}
const char* assay_error_note(const assay_error* error, size_t number) {
    if (error == nullptr || number >= error->error.notes().size()) return nullptr;
    return error->error.notes()[number].c_str();
}
void assay_error_free(assay_error* error) {
    delete error;
}

const char* assay_text_data(const assay_text* text) {
    return text == nullptr ? "" : text->text.c_str();
}
size_t assay_text_size(const assay_text* text) {
    return text == nullptr ? 0 : text->text.size();
}
void assay_text_free(assay_text* text) {
    delete text;
}

assay_call* assay_call_new(assay_progress progress, void* context) {
    auto* call = new (std::nothrow) assay_call;
    if (call == nullptr) return nullptr;
    call->progress = progress;
    call->context = context;
    return call;
}
void assay_call_stop(assay_call* call) {
    if (call != nullptr) call->stop.store(true, std::memory_order_relaxed);
}
void assay_call_free(assay_call* call) {
    delete call;
}
