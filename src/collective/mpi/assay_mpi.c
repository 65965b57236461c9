/* The MPI plug-in. MPI 3.0 is enough. */
#include "assay_mpi.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if defined(OMPI_MAJOR_VERSION)
#define LIBRARY \
    "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(MVAPICH2_VERSION)
#define LIBRARY "MVAPICH2 " MVAPICH2_VERSION
#elif defined(I_MPI_VERSION)
#define LIBRARY "Intel MPI " I_MPI_VERSION
#elif defined(MPICH_VERSION)
#define LIBRARY "MPICH " MPICH_VERSION
#else
#define LIBRARY "MPI " TEXT(MPI_VERSION) "." TEXT(MPI_SUBVERSION)
#endif

static struct assay_mpi plugin;

static MPI_Comm work = MPI_COMM_NULL, farewell = MPI_COMM_NULL;
static MPI_Op add = MPI_OP_NULL;
static int rank = 0, size = 1;
static uint64_t piece = 1u << 30;
static void (*waiting)(void) = NULL;
static int32_t overflowed = 0;

static int failed(const char* what, int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    snprintf(plugin.problem, sizeof plugin.problem, "%s: %s", what, text);
    return 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* MPI's own waiting keeps a core busy. Where ranks are more than cores, or one prepares what the
   others wait for, that core is needed. */
static void pause_for(unsigned long turn) {
    struct timespec nap = {0, 20000};
    if (turn < 200) {
        sched_yield();
        return;
    }
    if (turn > 300) nap.tv_nsec = 1000000;
    nanosleep(&nap, NULL);
}

static int wait_for(MPI_Request* request, const char* what) {
    unsigned long turn;
    for (turn = 0;; ++turn) {
        int done = 0;
        const int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) return failed(what, code);
        if (done) return 0;
        pause_for(turn);
        if (turn > 300 && waiting != NULL) waiting();
    }
}

/* A sum that leaves 64 bits wraps, and is told of after the reduction. */
static void add_numbers(void* in, void* inout, int* count, MPI_Datatype* type) {
    const int64_t* from = (const int64_t*)in;
    int64_t* to = (int64_t*)inout;
    int i;
    (void)type;
    for (i = 0; i < *count; ++i) {
        if (__builtin_add_overflow(from[i], to[i], &to[i])) overflowed = 1;
    }
}

static int start(struct assay_mpi_place* place, uint64_t most, void (*on_wait)(void)) {
    int given = 0, code;
    MPI_Comm node;
    code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    if (code != MPI_SUCCESS) return failed("MPI_Init_thread", code);
    if (given < MPI_THREAD_FUNNELED) {
        snprintf(plugin.problem, sizeof plugin.problem,
                 "%s was built without threads (MPI_THREAD_FUNNELED)", LIBRARY);
        return 1;
    }
    piece = most >= 8 && most <= (1u << 30) ? most / 8 * 8 : 1u << 30;
    waiting = on_wait;
    code = MPI_Comm_dup(MPI_COMM_WORLD, &work);
    if (code == MPI_SUCCESS) code = MPI_Comm_dup(MPI_COMM_WORLD, &farewell);
    if (code != MPI_SUCCESS) return failed("MPI_Comm_dup", code);
    MPI_Comm_set_errhandler(work, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(farewell, MPI_ERRORS_RETURN);
    MPI_Comm_rank(work, &rank);
    MPI_Comm_size(work, &size);
    code = MPI_Op_create(add_numbers, 1, &add);
    if (code != MPI_SUCCESS) return failed("MPI_Op_create", code);
    code = MPI_Comm_split_type(work, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    if (code != MPI_SUCCESS) return failed("MPI_Comm_split_type", code);
    place->rank = rank;
    place->size = size;
    MPI_Comm_rank(node, &place->node_rank);
    MPI_Comm_size(node, &place->node_size);
    MPI_Comm_free(&node);
    return 0;
}

static int barrier(void) {
    MPI_Request request;
    const int code = MPI_Ibarrier(work, &request);
    if (code != MPI_SUCCESS) return failed("MPI_Ibarrier", code);
    return wait_for(&request, "MPI_Ibarrier");
}

static int all_gather_numbers(const uint64_t* mine, uint64_t* all) {
    MPI_Request request;
    const int code =
        MPI_Iallgather(mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, work, &request);
    if (code != MPI_SUCCESS) return failed("MPI_Iallgather", code);
    return wait_for(&request, "MPI_Iallgather");
}

static int broadcast(void* bytes, uint64_t count, int32_t root) {
    char* at = (char*)bytes;
    while (count > 0) {
        const uint64_t now_sent = count < piece ? count : piece;
        MPI_Request request;
        const int code = MPI_Ibcast(at, (int)now_sent, MPI_BYTE, root, work, &request);
        if (code != MPI_SUCCESS) return failed("MPI_Ibcast", code);
        if (wait_for(&request, "MPI_Ibcast") != 0) return 1;
        at += now_sent;
        count -= now_sent;
    }
    return 0;
}

static int all_gather(const void* mine, const uint64_t* sizes, void* all) {
    char* at = (char*)all;
    int r;
    for (r = 0; r < size; ++r) {
        if (r == rank && sizes[r] > 0) memcpy(at, mine, sizes[r]);
        if (broadcast(at, sizes[r], r) != 0) return 1;
        at += sizes[r];
    }
    return 0;
}

static int send_pieces(const void* bytes, uint64_t count, int to) {
    const char* at = (const char*)bytes;
    while (count > 0) {
        const uint64_t now_sent = count < piece ? count : piece;
        MPI_Request request;
        const int code = MPI_Isend(at, (int)now_sent, MPI_BYTE, to, 0, work, &request);
        if (code != MPI_SUCCESS) return failed("MPI_Isend", code);
        if (wait_for(&request, "MPI_Isend") != 0) return 1;
        at += now_sent;
        count -= now_sent;
    }
    return 0;
}

static int receive_pieces(void* bytes, uint64_t count, int from) {
    char* at = (char*)bytes;
    while (count > 0) {
        const uint64_t now_sent = count < piece ? count : piece;
        MPI_Request request;
        const int code = MPI_Irecv(at, (int)now_sent, MPI_BYTE, from, 0, work, &request);
        if (code != MPI_SUCCESS) return failed("MPI_Irecv", code);
        if (wait_for(&request, "MPI_Irecv") != 0) return 1;
        at += now_sent;
        count -= now_sent;
    }
    return 0;
}

static int gather(const void* mine, const uint64_t* sizes, void* all, int32_t root) {
    char* at = (char*)all;
    int r;
    if (rank != root) return send_pieces(mine, sizes[rank], root);
    for (r = 0; r < size; ++r) {
        if (r != rank) {
            if (receive_pieces(at, sizes[r], r) != 0) return 1;
        } else if (sizes[r] > 0) {
            memcpy(at, mine, sizes[r]);
        }
        at += sizes[r];
    }
    return 0;
}

static int all_reduce(int64_t* numbers, uint64_t count, int32_t* overflow) {
    const uint64_t most = piece / 8;
    MPI_Request request;
    int code;
    overflowed = 0;
    while (count > 0) {
        const uint64_t now_added = count < most ? count : most;
        code = MPI_Iallreduce(MPI_IN_PLACE, numbers, (int)now_added, MPI_INT64_T, add, work,
                              &request);
        if (code != MPI_SUCCESS) return failed("MPI_Iallreduce", code);
        if (wait_for(&request, "MPI_Iallreduce") != 0) return 1;
        numbers += now_added;
        count -= now_added;
    }
    *overflow = overflowed;
    code = MPI_Iallreduce(MPI_IN_PLACE, overflow, 1, MPI_INT32_T, MPI_MAX, work, &request);
    if (code != MPI_SUCCESS) return failed("MPI_Iallreduce", code);
    return wait_for(&request, "MPI_Iallreduce");
}

/* A rank that does not come in time leaves the request open, and what it points to: the next call
   goes on with it. */
static int leave(const int64_t mine[2], int64_t* all, double seconds) {
    static int64_t own[2];
    static MPI_Request request;
    static int begun = 0;
    const double end = now() + seconds;
    unsigned long turn;
    if (!begun) {
        own[0] = mine[0];
        own[1] = mine[1];
        if (MPI_Iallgather(own, 2, MPI_INT64_T, all, 2, MPI_INT64_T, farewell, &request) !=
            MPI_SUCCESS)
            return 1;
        begun = 1;
    }
    for (turn = 0;; ++turn) {
        int done = 0;
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return 1;
        if (done) return 0;
        if (now() > end) return 1;
        pause_for(turn);
    }
}

static void finish(void) {
    MPI_Finalize();
}

static void end_all(int32_t status) {
    MPI_Abort(MPI_COMM_WORLD, status);
}

struct assay_mpi* assay_mpi_plugin(void) {
    plugin.interface_version = ASSAY_MPI_INTERFACE;
    plugin.library = LIBRARY;
    plugin.start = start;
    plugin.barrier = barrier;
    plugin.all_gather_numbers = all_gather_numbers;
    plugin.all_gather = all_gather;
    plugin.gather = gather;
    plugin.broadcast = broadcast;
    plugin.all_reduce = all_reduce;
    plugin.leave = leave;
    plugin.finish = finish;
    plugin.abort = end_all;
    return &plugin;
}
