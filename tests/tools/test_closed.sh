#!/usr/bin/env bash
# soa compute with closures, and soa project.
# shellcheck source-path=SCRIPTDIR source=kit.sh
. "$(dirname "$0")/kit.sh"
