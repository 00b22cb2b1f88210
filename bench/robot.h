/* robot.h - a soa model as the peers see it. */
#ifndef SOA_BENCH_ROBOT_H
#define SOA_BENCH_ROBOT_H

#include "peer.h"
#include "soa/model.h"

/* builtin:NAME or a file, into a model and the description made from it. False after a message. */
bool bench_robot_open(const char *source, soa_model **model, bench_robot *robot);
void bench_robot_close(soa_model *model, bench_robot *robot);

#endif
