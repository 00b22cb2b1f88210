# Help, wrong usage, and what happens when the output cannot be written.
. "$(dirname "$0")/expect.sh"

run 0 --version
out_has "soa $(sed -n 's/.*SOA_VERSION  *"\(.*\)"/\1/p' "$SOURCE/include/soa/core.h")"
err_empty

run 0 --help
err_empty
for command in info models convert bench demo completion; do
    out_has "  $command "
done
cp "$WORK/out" "$WORK/help"
run 0 -h
cmp -s "$WORK/out" "$WORK/help" || fail "-h differs from --help"
run 0 help
cmp -s "$WORK/out" "$WORK/help" || fail "help differs from --help"

for command in info models convert bench demo completion; do
    run 0 $command --help
    out_has "usage: soa $command"
    err_empty
    cp "$WORK/out" "$WORK/help"
    run 0 help $command
    cmp -s "$WORK/out" "$WORK/help" || fail "help $command differs from $command --help"
    grep -q "^\.SS soa $command" "$SOURCE/docs/man/soa.1" || fail "$command is not in the man page"
done

run 2
out_empty
run 2 ifno
err_has "soa: 'ifno' is not a command; did you mean 'info'?"
out_empty
run 2 xylophone
err_has "soa: 'xylophone' is not a command"
run 2 --json
err_has "soa: '--json' is not an option of soa"
run 2 info
err_has "an argument is missing; write 'soa info MODEL"
run 2 info a.urdf b.urdf
err_has "'b.urdf' is one argument too many"
run 2 info builtin:arm7 --jsn
err_has "'--jsn' is not an option of 'soa info'"
grep -q "^Try 'soa info --help'" "$WORK/err" || fail "no hint at the help"
run 2 models extra
err_has "one argument too many"
run 2 convert builtin:arm7
err_has "nowhere to write"
run 2 convert builtin:arm7 -o
err_has "'-o' needs a value"
run 2 convert builtin:arm7 -o arm.txt
err_has "'arm.txt' does not end in .urdf, .xml or .yaml"
run 2 convert builtin:arm7 --to stl
err_has "'stl' is not a format"
run 2 completion fish
err_has "there is no completion for 'fish'"

# A message is one line and cannot drive the terminal.
run 2 "$(printf 'a\033[31m\nb')"
[ "$(wc -l <"$WORK/err")" -eq 2 ] || fail "a message of several lines"
if grep -q "$(printf '\033')" "$WORK/err"; then fail "an escape sequence in a message"; fi

run 0 completion bash
cmp -s "$WORK/out" "$SOURCE/tools/completion/soa.bash" ||
    fail "tools/completion/soa.bash is not what soa completion bash prints"

# Closed output, full disk, a reader who leaves.
"$SOA" info builtin:arm7 >&- 2>"$WORK/err"
[ $? -eq 1 ] || fail "closed standard output: not exit status 1"
err_has "soa: cannot write the output"
if [ -w /dev/full ]; then
    for arguments in "info builtin:arm7" "info builtin:arm7 --json" "--help" "--version" "models" "demo"; do
        "$SOA" $arguments >/dev/full 2>"$WORK/err"
        [ $? -eq 1 ] || fail "full disk, soa $arguments: not exit status 1"
        err_has "soa: cannot write the output: "
    done
fi
for ending in json csv; do
    (ulimit -f 16 && "$SOA" compute builtin:arm7 --what mass --random 1000 -o "$WORK/large.$ending" 2>"$WORK/err")
    [ $? -eq 1 ] || fail "a file that may not grow, .$ending: not exit status 1"
    err_has "large.$ending: the file cannot be written: "
    ls "$WORK" | grep -q "^large" && fail "a file that may not grow is left half written"
done
# With too little memory: the whole text or a message. A sanitizer has no use for so little.
"$SOA" eval builtin:chain:600 Mass --all >"$WORK/whole"
for kilobytes in 30000 34000 38000 42000 46000 50000 54000 58000 62000 66000; do
    (ulimit -v $kilobytes && "$SOA" --version >/dev/null 2>&1) || continue
    (ulimit -v $kilobytes && "$SOA" eval builtin:chain:600 Mass --all >"$WORK/out" 2>"$WORK/err")
    if [ $? -eq 0 ]; then
        cmp -s "$WORK/out" "$WORK/whole" || fail "$kilobytes kB of memory: half of the text, exit status 0"
    else
        err_has "out of memory"
    fi
done
if (ulimit -v 200000 && "$SOA" --version >/dev/null 2>&1); then # each thread takes 8 MB for its stack
    (ulimit -s 8192 && ulimit -v 200000 && "$SOA" bench builtin:pendulum --threads 64 >"$WORK/out" 2>"$WORK/err")
    [ $? -eq 1 ] || fail "64 threads in 200 MB: not exit status 1"
    err_has "the system starts no more than"
fi
{ "$SOA" info builtin:chain:20000 --all 2>"$WORK/err"; echo $? >"$WORK/status"; } | head -n 1 >/dev/null
[ "$(cat "$WORK/status")" -eq 0 ] || fail "a reader who leaves: exit status $(cat "$WORK/status")"
err_empty
done_testing
