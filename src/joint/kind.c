/* joint/kind.c - the table of joint kinds. */
#include <string.h>

#include "soa/joint.h"

static const struct {
    const char *text;
    int nq, nv;
    const char *coordinates;
} kinds[] = {
#define KIND(name, text, nq, nv, coordinates) { text, nq, nv, coordinates },
    SOA_JOINT_LIST(KIND)
#undef KIND
};

static bool is_kind(soa_joint_kind kind)
{
    return (unsigned)kind < SOA_JOINT_KINDS;
}

const char *soa_joint_kind_text(soa_joint_kind kind)
{
    return is_kind(kind) ? kinds[kind].text : "unknown joint kind";
}

const char *soa_joint_kind_coordinates(soa_joint_kind kind)
{
    return is_kind(kind) ? kinds[kind].coordinates : "unknown joint kind";
}

int soa_joint_kind_nq(soa_joint_kind kind)
{
    return is_kind(kind) ? kinds[kind].nq : 0;
}

int soa_joint_kind_nv(soa_joint_kind kind)
{
    return is_kind(kind) ? kinds[kind].nv : 0;
}

soa_joint_kind soa_joint_kind_find(const char *text)
{
    int kind = 0;
    while (kind < SOA_JOINT_KINDS && (!text || strcmp(kinds[kind].text, text) != 0)) {
        kind++;
    }
    return (soa_joint_kind)kind;
}
