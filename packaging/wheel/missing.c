// Functions that libstdc++ of GCC 12 and libraries compiled against a newer glibc call, for an older glibc without them.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define HIDDEN __attribute__((visibility("hidden")))

/// New in glibc 2.32. The value false is always safe.
HIDDEN char __libc_single_threaded = 0;

/// New in glibc 2.36.
HIDDEN uint32_t arc4random(void) {
    uint32_t bits = 0;
    for (size_t got = 0; got < sizeof bits;) {
        const ssize_t n = getrandom((char*)&bits + got, sizeof bits - got, 0);
        if (n < 0 && errno != EINTR) abort();
        if (n > 0) got += (size_t)n;
    }
    return bits;
}

/// New in glibc 2.30. Waits as long, by the clock that older versions have. A change of the system's time shifts it.
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
    if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(condition, mutex, until);
    const int64_t second = 1000000000;
    struct timespec now, wall;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &wall);
    int64_t left = (int64_t)(until->tv_sec - now.tv_sec) * second + (until->tv_nsec - now.tv_nsec);
    if (left < 0) left = 0;
    const int64_t at = wall.tv_nsec + left % second;
    wall.tv_sec += (time_t)(left / second + at / second);
    wall.tv_nsec = (long)(at % second);
    return pthread_cond_timedwait(condition, mutex, &wall);
}

// libmicrohttpd is linked without its TLS, which the server does not use. These are the functions that it would call:
// tools/wheel writes tls.h from the library, one NO_TLS(gnutls_x) per line.
HIDDEN int gnutls_global_init(void) {
    return 0;
}
HIDDEN void gnutls_global_deinit(void) {}
HIDDEN void* (*gnutls_malloc)(size_t) = malloc;
#define NO_TLS(name)         \
    HIDDEN void name(void) { \
        abort();             \
    }
#include "tls.h"

// libtiff is linked without JBIG-KIT, whose licence (GPL) differs from that of the wheel. A TIFF file with this compression cannot be
// read: libtiff says what jbg_strerror() says. Nothing here writes such a file.
HIDDEN int jbg_dec_in(void) {
    return 7 << 4;  // JBG_EIMPL
}
HIDDEN const char* jbg_strerror(void) {
    return "this build of Assay reads no JBIG";
}
HIDDEN int jbg_newlen(void) {
    return 0;
}
HIDDEN void* jbg_dec_getimage(void) {
    return NULL;
}
HIDDEN unsigned long jbg_dec_getsize(void) {
    return 0;
}
HIDDEN void jbg_dec_init(void) {}
HIDDEN void jbg_dec_free(void) {}
HIDDEN void jbg_enc_init(void) {}
HIDDEN void jbg_enc_out(void) {}
HIDDEN void jbg_enc_free(void) {}

// The static libraries were compiled for programs, and reach stderr in a way that a shared library cannot. tools/wheel gives them
// this copy of the pointer.
HIDDEN FILE* assay_stderr;
__attribute__((constructor(101))) static void copy_stderr(void) {
    assay_stderr = stderr;
}
