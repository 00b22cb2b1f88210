/* sweep_ranks.c - the processes that mpirun has started, joined by sockets.
 *
 * MPI says who there is and tells all the address of rank 0. Work goes by sockets of our own, because those tell at
 * once when the process at the other end has died; MPI does not. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "module.h"
#include "sweep_ranks.h"
#include "tool.h"

/* What rank 0 tells all, and every rank says when it calls. */
typedef struct address {
    char host[256];
    int port;
    unsigned long long token;
} address;

typedef struct hello {
    unsigned long long token;
    int rank;
} hello;

static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text != NULL ? atoi(text) : 0;
}

int sweep_ranks_local(void)
{
    const int ranks = number_of("OMPI_COMM_WORLD_LOCAL_SIZE");
    return ranks > 1 ? ranks : 1;
}

static bool started_by_mpirun(void)
{
    return number_of("OMPI_COMM_WORLD_SIZE") > 1 || number_of("PMI_SIZE") > 1;
}

/* A host that is gone without a word is noticed within half a minute. */
static void keep_alive(int socket)
{
    const int on = 1, idle = 10, interval = 5, count = 4;
    (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

/* ---- rank 0 ------------------------------------------------------------------------------------------ */

static int listen_anywhere(address *a)
{
    struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
    socklen_t size = sizeof own;
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0 || bind(s, (struct sockaddr *)&own, sizeof own) != 0 || listen(s, SOMAXCONN) != 0 ||
        getsockname(s, (struct sockaddr *)&own, &size) != 0 || gethostname(a->host, sizeof a->host - 1) != 0) {
        tool_say("rank 0 cannot be called: %s", strerror(errno));
        return -1;
    }
    a->port = ntohs(own.sin_port);
    FILE *random = fopen("/dev/urandom", "rb");
    if (random != NULL) {
        (void)!fread(&a->token, sizeof a->token, 1, random);
        (void)fclose(random);
    }
    return s;
}

/* Takes in the ranks that call within a minute; the others are left out. */
static void answer(sweep_ranks *r, int listener, unsigned long long token)
{
    const double begin = tool_clock();
    int came = 0;
    while (came < r->size - 1 && tool_clock() - begin < 60.0) {
        struct pollfd door = { .fd = listener, .events = POLLIN };
        if (poll(&door, 1, 1000) <= 0) {
            continue;
        }
        hello h = { 0, 0 };
        const int s = accept(listener, NULL, NULL);
        const struct timeval patience = { .tv_sec = 10 }, none = { 0 };
        (void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (s >= 0 && recv(s, &h, sizeof h, MSG_WAITALL) == (ssize_t)sizeof h && h.token == token && h.rank > 0 &&
            h.rank < r->size && r->socket[h.rank - 1] < 0) {
            (void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
            keep_alive(s);
            r->socket[h.rank - 1] = s;
            came++;
        } else if (s >= 0) {
            close(s);
        }
    }
    if (came < r->size - 1) {
        fprintf(stderr, "soa: note: %d ranks have not called; the others do the work\n", r->size - 1 - came);
    }
}

/* ---- the others ---------------------------------------------------------------------------------------- */

static int call_host(const char *host, const char *port)
{
    struct addrinfo *list = NULL, wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    int s = -1;
    if (getaddrinfo(host, port, &wanted, &list) != 0) {
        return -1;
    }
    for (const struct addrinfo *a = list; a != NULL && s < 0; a = a->ai_next) {
        s = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (s >= 0 && connect(s, a->ai_addr, a->ai_addrlen) != 0) {
            close(s);
            s = -1;
        }
    }
    freeaddrinfo(list);
    return s;
}

static int call(const address *a, int rank)
{
    char port[16], own[256] = "";
    const hello h = { a->token, rank };
    snprintf(port, sizeof port, "%d", a->port);
    (void)gethostname(own, sizeof own - 1);
    int s = strcmp(own, a->host) == 0 ? call_host("127.0.0.1", port) : -1;
    s = s < 0 ? call_host(a->host, port) : s;
    if (s < 0 || send(s, &h, sizeof h, MSG_NOSIGNAL) != (ssize_t)sizeof h) {
        tool_fail("rank %d cannot call rank 0 at %s, port %s", rank, a->host, port);
    }
    keep_alive(s);
    return s;
}

/* ---- both ------------------------------------------------------------------------------------------------ */

void sweep_ranks_begin(sweep_ranks *r)
{
    address a;
    memset(&a, 0, sizeof a);
    *r = (sweep_ranks){ .size = 1, .master = -1 };
    if (!started_by_mpirun()) {
        return;
    }
    r->mpi = module_find("mpi", "libopenmpi-dev");
    r->mpi->begin(&r->rank, &r->size);
    const int listener = r->rank == 0 ? listen_anywhere(&a) : -1;
    r->mpi->share(&a, sizeof a);
    if (a.port == 0) {
        tool_end(TOOL_FAILED);
    }
    if (r->rank > 0) {
        r->master = call(&a, r->rank);
        return;
    }
    r->socket = tool_take((size_t)r->size, sizeof *r->socket);
    for (int i = 0; i < r->size - 1; i++) {
        r->socket[i] = -1;
    }
    answer(r, listener, a.token);
    close(listener);
}

void sweep_ranks_end(sweep_ranks *r, bool all_there)
{
    if (r->mpi != NULL) {
        r->mpi->end(all_there);
    }
    if (r->master >= 0) {
        close(r->master);
    }
}
