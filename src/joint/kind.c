/* joint/kind.c - the table of joint kinds. */
#include "core/kind_words.h"
#include "soa/joint.h"

SOA_WORDS(soa_joint_kind, soa_joint_kind, SOA_JOINT_KINDS, SOA_JOINT_LIST, "unknown joint kind")
SOA_COLUMN(int, soa_joint_kind_nq, soa_joint_kind, SOA_JOINT_KINDS, SOA_JOINT_LIST, SOA_THIRD, 0)
SOA_COLUMN(int, soa_joint_kind_nv, soa_joint_kind, SOA_JOINT_KINDS, SOA_JOINT_LIST, SOA_FOURTH, 0)
SOA_COLUMN(const char *, soa_joint_kind_coordinates, soa_joint_kind, SOA_JOINT_KINDS, SOA_JOINT_LIST, SOA_FIFTH,
    "unknown joint kind")
