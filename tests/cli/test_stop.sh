#!/bin/sh
# test_stop.sh - Ctrl-C, a full disk, a closed pipe.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

printf 'a,b\n1,2\n3,4\n' >data.csv

# stop_job SIGNAL: once the job listens; $code is how it ended
stop_job() {
    caught=0
    while [ $((0x$caught & 2)) -eq 0 ] && kill -0 $job 2>/dev/null; do
        sleep 0.05
        caught=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' /proc/$job/status)
    done
    if [ -n "${RUNNER-}" ]; then sleep 3; else sleep 0.3; fi
    kill -s "$1" $job
    code=0
    wait $job || code=$?
}

# stopped SIGNAL CODE NAME: an endless stream is cut off
stopped() {
    mkfifo stream
    yes 1,2,3,4,5,6,7,8 >stream 2>/dev/null &
    writer=$!
    "$GRAM" convert - out.csv <stream 2>err &
    job=$!
    stop_job "$1"
    kill $writer 2>/dev/null
    wait $writer 2>/dev/null
    rm stream
    same "$2" "$code" "$3 ends with $2"
    same "gram convert: interrupted" "$(cat err)" "$3 says so"
    rm err
    same data.csv "$(ls -A)" "$3 leaves no file"
}
stopped INT 130 "Ctrl-C"
stopped TERM 143 "SIGTERM"

mkfifo silent
sleep 30 >silent &
sleeper=$!
"$GRAM" describe - <silent >out 2>err &
job=$!
stop_job INT
kill $sleeper
rm silent
same 130 "$code" "Ctrl-C while waiting for input"

if [ -e /dev/full ]; then
    for line in "describe data.csv" "describe data.csv --json" "version" \
        "help" "completion bash"; do
        code=0
        # shellcheck disable=SC2086
        "$GRAM" $line >/dev/full 2>err || code=$?
        same "1 gram ${line%% *}: standard output: No space left on device" \
            "$code $(cat err)" "$line on a full disk"
    done
    code=0
    "$GRAM" convert data.csv - >/dev/full 2>err || code=$?
    same "1 1" "$code $(wc -l <err)" "convert to a full disk"
fi

awk 'BEGIN { for (i = 0; i < 2; i++) { for (j = 0; j < 3000; j++)
    printf i ? "%d," : "c%d,", j; print i ? "1" : "last" } }' >wide.csv
"$GRAM" describe wide.csv 2>err | head -1 >out
holds "a reader that leaves is no reason to complain" [ ! -s err ]
