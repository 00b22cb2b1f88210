#!/bin/sh
# Every public function as a call with arguments that a test chooses: odd_calls.sh CC INCLUDE > odd_calls.inc
# The headers are preprocessed, so functions that are made from lists are there too. Pointers come from
# pointer(NUMBER, TYPE, NAME), other arguments from whole, real and kind(NUMBER, NAME). A status goes to `got`.
set -eu
cc=$1 include=$2
{
    echo '#include "soa/soa.h"'
    [ ! -f "$include/soa/io.h" ] || echo '#include "soa/io.h"'
} | "$cc" -E -P -I "$include" -xc - | tr '\n' ' ' | sed 's/;/;\n/g' |
    sed -n 's/.*__attribute__((visibility("default"))) *//p' | awk '
    function argument(i, text,   name, type, star) {
        sub(/^ +/, "", text); sub(/ +$/, "", text)
        star = gsub(/\[[0-9A-Z_]*\]/, "", text)
        name = text; sub(/.*[ *]/, "", name)
        type = substr(text, 1, length(text) - length(name)); sub(/ +$/, "", type)
        if (star) type = type " *"
        if (type ~ /_task \*$/) return "NULL"
        if (type ~ /\*$/) return "pointer(" i ", \"" type "\", \"" name "\")"
        if (type == "int") return "whole(" i ", \"" name "\")"
        if (type == "size_t") return "(size_t)whole(-1, \"" name "\")"
        if (type == "double") return "real(" i ", \"" name "\")"
        if (type == "_Bool") return "true"
        if (type ~ /^(soa_source)$/) return "(" type "){ 0 }"
        return "(" type ")kind(" i ")"
    }
    {
        sub(/ *__attribute__.*/, ""); sub(/;.*/, "")
        name = $0; sub(/\(.*/, "", name); result = name
        sub(/.*[ *]/, "", name); result = substr(result, 1, length(result) - length(name))
        list = $0; sub(/^[^(]*\(/, "", list); sub(/\) *$/, "", list)
        n = list ~ /^ *void *$/ ? 0 : split(list, part, ","); call = ""
        for (i = 1; i <= n; i++)
            if (part[i] ~ /\.\.\./) n = i - 1
            else call = call (i > 1 ? ", " : "") argument(i - 1, part[i])
        status = result ~ /soa_status $/ ? "true" : "false"
        printf "static void call_%s(void)\n{\n    %s%s(%s);\n}\n", name, status == "true" ? "got = " : "(void)", name, call
        table = table sprintf("    { \"%s\", call_%s, %d, %s },\n", name, name, n, status)
    }
    END { printf "static const public_function PUBLIC[] = {\n%s};\n", table }'
