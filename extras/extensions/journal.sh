#!/bin/sh
# A journal of what happens to sessions, and a way to hold a session still.
#
# Every event becomes a line of journal.tsv in the folder of this script: the time, the event, the
# session. While there is a file named `hold` beside it, sessions are not left, forked, moved or
# compacted.
#
# To use it: copy it to ~/.config/pitree/extensions/ and make it executable (chmod u+x).

# The first line is pitree's hello; ours says which events we want.
IFS= read -r hello || exit 0
case $hello in
*'"protocol":1'[,}]*) ;;
*)
    echo "this extension speaks protocol 1" >&2
    exit 1
    ;;
esac
printf '%s\n' '{"type":"hello","protocol":1,"events":["session_start","session_before_switch","session_before_fork","session_fork","session_before_tree","session_tree","session_before_compact","session_compact","session_compact_failed","session_info_changed","session_shutdown"]}'

# Every further line is an event. The input ends when pitree does.
while IFS= read -r line; do
    # {"type":"event","id":1,"event":{"type":"session_start",…},"session":{"id":"…",…}}
    id=${line#*'"id":'}
    id=${id%%,*}
    event=${line#*'"event":{"type":"'}
    event=${event%%'"'*}
    session=${line##*'"session":{"id":"'}
    session=${session%%'"'*}
    printf '%s\t%s\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$event" "$session" >>journal.tsv

    # Only events with _before_ in their name wait for an answer.
    case $event in
    *_before_*)
        if [ -e hold ]; then result='{"cancel":true}'; else result=null; fi
        printf '{"type":"reply","id":%s,"result":%s}\n' "$id" "$result"
        ;;
    esac
done
