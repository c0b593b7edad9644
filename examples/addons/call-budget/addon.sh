#!/bin/sh
# A brake for a model that runs away: a turn may make 100 tool calls, or as many as /budget says; further ones are stopped.
#
# An addon can be any program that reads and writes lines of JSON. This one is a shell script of built-ins alone (read,
# case, printf, ${x#y}): it starts no other program, so it needs no right to, and a call costs it a fraction of a
# millisecond. It relies on what docs/reference/addon-protocol.md promises: one message a line, and the host's messages
# begin with jsonrpc, id, method, params, in this order.

limit=100
calls=0

# result ID JSON: answers a request.
result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }

# refuse ID CODE WORDS: answers with an error.
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$1" "$2" "$3"; }

# say ID WORDS: shows the person a line while a command runs. A notification: no id of its own, no answer.
say() { printf '{"jsonrpc":"2.0","method":"progress","params":{"id":%s,"text":"%s"}}\n' "$1" "$2"; }

describe() {
  case $line in *'"protocol":{"min":'*) ;; *) refuse "$1" -32602 'params.protocol is missing' && return ;; esac
  min=${line#*'"min":'} max=${line#*'"max":'}
  min=${min%%[!0-9]*} max=${max%%[!0-9]*}
  if [ "${min:-2}" -gt 1 ] || [ "${max:-0}" -lt 1 ]; then
    refuse "$1" -32602 'this addon speaks version 1 of the protocol'
    return
  fi
  # A message is one line: no line end may get into it.
  handlers='[{"event":"turn:start","kind":"observe"},{"event":"tool:before","kind":"gate"}]'
  commands='[{"name":"budget","summary":"how many tool calls a turn may make","argumentHint":"[number]"}]'
  result "$1" '{"protocol":1,"id":"call-budget","version":"1.0.0","handlers":'"$handlers"',"commands":'"$commands}"
}

# The host names a handler by its place in the list above, from 0. Take what comes first: what a tool call carries, further
# back, may look just like this.
event() {
  handler=${line#*'"params":{"handler":'}
  case ${handler%%[!0-9]*} in
    0) begin_turn "$1" ;;
    1) count_call "$1" ;;
    *) refuse "$1" -32602 'params.handler must be 0 or 1' ;;
  esac
}

# A delegate's turn is a part of the turn that handed it its work, and so are its calls.
begin_turn() {
  case $line in *'"payload":{"sessionId":"'*'","delegate":"'*) ;; *) calls=0 ;; esac
  result "$1" '{}'
}

count_call() {
  calls=$((calls + 1))
  if [ "$calls" -le "$limit" ]; then
    result "$1" '{}'
    return
  fi
  if [ "$calls" -eq $((limit + 1)) ]; then # once a turn is enough
    printf '{"jsonrpc":"2.0","method":"alert","params":{"text":"%s"}}\n' "the turn has used its $limit tool calls"
  fi
  why="this turn has used its $limit tool calls; tell the person what is left to do, they can raise it with /budget"
  result "$1" "{\"stop\":true,\"reason\":\"$why\"}"
}

budget() {
  case $line in *'"params":{"name":"budget","args":"'*) ;; *) refuse "$1" -32602 'params.name must be budget' && return ;; esac
  number=${line#*'"args":"'}
  number=${number%%\"*}
  case $number in
    '') say "$1" "a turn may make $limit tool calls; this one has made $calls" ;;
    *[!0-9]* | ?????????*) say "$1" '/budget takes a number, as in /budget 50' ;;
    *) limit=$number && say "$1" "from now on a turn may make $limit tool calls" ;;
  esac
  result "$1" '{}'
}

# The end of the input ends the loop, and so the program.
while IFS= read -r line; do
  case $line in
    '{"jsonrpc":"2.0","id":'*) ;;
    '{'*) continue ;; # a notification: every request is answered at once, so there is nothing to cancel
    '') continue ;;
    *) refuse null -32700 'that line is not JSON' && continue ;;
  esac
  id=${line#*'"id":'}
  id=${id%%,*}
  method=${line#*'"method":"'}
  method=${method%%\"*}
  case $method in
    describe) describe "$id" ;;
    event) event "$id" ;;
    command) budget "$id" ;;
    dispose) result "$id" '{}' && exit 0 ;;
    *) refuse "$id" -32601 'there is no such method' ;;
  esac
done
