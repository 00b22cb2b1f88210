/* sweep_hand_out.c - blocks of runs handed out to workers, and rows taken in order.
 *
 * A request is two numbers, first and count; count 0 ends the work, and first then says how many workers have died. The answer is the rows of the block, then the texts of
 * failures. Both ends run the same program on machines that write numbers alike. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sweep.h"

typedef struct request {
    long first, count;
} request;

enum { MOST_RUNS = 4096 };

/* ---- bytes ---------------------------------------------------------------------------------------- */

static bool send_all(int socket, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t n = send(socket, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int socket, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        const ssize_t n = recv(socket, at, size, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static size_t row_bytes(const sweep_job *j, const sweep_block *b)
{
    return (size_t)b->count * (size_t)j->columns * sizeof *b->number;
}

/* ---- a worker -------------------------------------------------------------------------------------- */

bool sweep_serve(const sweep_job *j, int socket, int *died)
{
    request r;
    while (receive_all(socket, &r, sizeof r)) {
        sweep_block b = { 0 };
        if (r.count <= 0) {
            *died = (int)r.first;
            return true;
        }
        bool good = r.count <= MOST_RUNS && sweep_block_make(j, r.first, r.count, &b);
        if (good) {
            sweep_block_run(j, &b);
            good = send_all(socket, b.number, row_bytes(j, &b)) &&
                   send_all(socket, b.failure, (size_t)b.count * sizeof *b.failure);
        }
        sweep_block_free(&b);
        if (!good) {
            break;
        }
    }
    return false;
}

typedef struct local {
    const sweep_job *job;
    int socket;
} local;

static void *serve_here(void *context)
{
    const local *l = context;
    int died;
    (void)sweep_serve(l->job, l->socket, &died);
    close(l->socket);
    return NULL;
}

/* ---- who does what ------------------------------------------------------------------------------------ */

typedef struct worker {
    int socket; /* -1: gone */
    request doing;
    long size;    /* runs of its next block */
    double since; /* when it got its block */
} worker;

typedef struct office {
    const sweep_job *job;
    int workers, died;
    worker *worker;
    request *back; /* blocks of workers that have died */
    int backs;
    sweep_block *waiting; /* done, but not their turn */
    int waitings, room;
    long next, handed; /* runs taken; runs handed out */
    bool stop, lost;   /* no more is wanted; memory is at its end */
    int status;        /* TOOL_OK, or how the taker has ended */
    sweep_taker *take;
    void *context;
    const sweep_block *taken; /* the block that is with the taker */
} office;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static bool next_block(office *o, const worker *w, request *r)
{
    if (o->backs > 0) {
        *r = o->back[--o->backs];
        return true;
    }
    const long left = o->job->runs - o->handed;
    if (left <= 0 || o->waitings + 2 * o->workers > o->room) {
        return false;
    }
    const long fair = o->workers > 1 ? left / (2 * o->workers) + 1 : left; /* all end at about the same time */
    const long size = w->size < fair ? w->size : fair;
    *r = (request){ o->handed, size < left ? size : left };
    o->handed += r->count;
    return true;
}

static void bury(office *o, int i)
{
    worker *w = &o->worker[i];
    close(w->socket);
    w->socket = -1;
    o->died++;
    if (w->doing.count > 0) {
        o->back[o->backs++] = w->doing;
        fprintf(stderr, "soa: note: rank %d has died; its runs %ld to %ld go to the others\n", i, w->doing.first,
            w->doing.first + w->doing.count - 1);
    }
    w->doing.count = 0;
}

static void give(office *o, int i)
{
    worker *w = &o->worker[i];
    request r;
    if (w->socket < 0 || w->doing.count > 0 || o->stop || !next_block(o, w, &r)) {
        return;
    }
    w->doing = r;
    w->since = tool_clock();
    if (!send_all(w->socket, &r, sizeof r)) {
        bury(o, i);
    }
}

static void take_block(void *context)
{
    const office *o = context;
    o->take(o->context, o->taken);
}

/* Blocks whose turn it is go to the taker. If that fails, the worker in this process must end before the command does. */
static void take_waiting(office *o)
{
    for (int i = 0; i < o->waitings && !o->stop;) {
        if (o->waiting[i].first != o->next) {
            i++;
            continue;
        }
        o->taken = &o->waiting[i];
        o->status = tool_try(take_block, o);
        o->stop = o->status != TOOL_OK;
        o->next += o->waiting[i].count;
        sweep_block_free(&o->waiting[i]);
        o->waiting[i] = o->waiting[--o->waitings];
        i = 0;
    }
}

/* The answer of a worker, or its death. */
static void hear(office *o, int i)
{
    worker *w = &o->worker[i];
    sweep_block b;
    if (!sweep_block_make(o->job, w->doing.first, w->doing.count, &b)) {
        sweep_block_free(&b);
        close(w->socket); /* so the worker ends too */
        w->socket = -1;
        w->doing.count = 0;
        o->lost = o->stop = true;
        return;
    }
    if (w->doing.count == 0 || !receive_all(w->socket, b.number, row_bytes(o->job, &b)) ||
        !receive_all(w->socket, b.failure, (size_t)b.count * sizeof *b.failure)) {
        sweep_block_free(&b);
        bury(o, i);
        return;
    }
    const double seconds = tool_clock() - w->since;
    if (seconds < 0.3 && w->doing.count >= w->size && w->size < MOST_RUNS) {
        w->size *= 2;
    } else if (seconds > 2.0 && w->size > o->job->threads) {
        w->size /= 2;
    }
    w->doing.count = 0;
    o->waiting[o->waitings++] = b;
    take_waiting(o);
}

static bool is_busy(const office *o)
{
    bool busy = false;
    for (int i = 0; i < o->workers; i++) {
        busy = busy || o->worker[i].doing.count > 0;
    }
    return busy;
}

static void run_office(office *o, struct pollfd *descriptor)
{
    do {
        o->stop = o->stop || interrupted;
        for (int i = 0; i < o->workers; i++) {
            give(o, i);
            descriptor[i] = (struct pollfd){ .fd = o->worker[i].socket, .events = POLLIN };
        }
        if (is_busy(o) && poll(descriptor, (nfds_t)o->workers, 200) > 0) {
            for (int i = 0; i < o->workers; i++) {
                if (descriptor[i].fd >= 0 && descriptor[i].revents != 0) {
                    hear(o, i);
                }
            }
        }
        o->lost = o->lost || o->died == o->workers; /* the worker in this process dies of nothing else */
    } while (is_busy(o) || (!o->stop && !o->lost && o->next < o->job->runs));
    const request end = { o->died, 0 };
    for (int i = 0; i < o->workers; i++) {
        (void)(o->worker[i].socket >= 0 && send_all(o->worker[i].socket, &end, sizeof end));
    }
    for (int i = 0; i < o->waitings; i++) {
        sweep_block_free(&o->waiting[i]);
    }
}

static void make_office(office *o, const int *socket, int own)
{
    o->room = 4 * o->workers + 16;
    o->worker = tool_take((size_t)o->workers, sizeof *o->worker);
    o->back = tool_take((size_t)o->workers, sizeof *o->back);
    o->waiting = tool_take((size_t)o->room, sizeof *o->waiting);
    for (int i = 0; i < o->workers; i++) {
        o->worker[i] = (worker){ .socket = i == 0 ? own : socket[i - 1], .size = o->job->threads };
    }
}

static void close_office(office *o)
{
    for (int i = 0; i < o->workers; i++) {
        if (o->worker[i].socket >= 0) {
            close(o->worker[i].socket);
        }
    }
}

void sweep_hand_out(const sweep_job *j, int count, const int *socket, sweep_taker *take, void *context, int *died)
{
    int pair[2];
    pthread_t thread;
    office o = { .job = j, .workers = count + 1, .take = take, .context = context };
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        tool_fail("the work cannot be handed out: %s", strerror(errno));
    }
    local here = { .job = j, .socket = pair[1] };
    struct pollfd *descriptor = tool_take((size_t)o.workers, sizeof *descriptor);
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    make_office(&o, socket, pair[0]);
    if (pthread_create(&thread, NULL, serve_here, &here) != 0) {
        tool_fail("a thread cannot be started");
    }
    run_office(&o, descriptor);
    pthread_join(thread, NULL);
    *died = o.died;
    close_office(&o);
    if (o.status != TOOL_OK) {
        tool_end(o.status);
    }
    if (o.lost) {
        tool_fail_memory();
    }
}
