#!/bin/sh
# An addon as a shell script. It starts no other program, because it was not granted to; what it writes to standard error
# goes to its log. A real addon reads JSON with a library: this one looks at the text of a message, which begins with
# jsonrpc, id, method and params, in this order. It takes what comes first: what a tool call carries may look like anything.

result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }

# refuse CODE WORDS: answers with an error.
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$id" "$1" "$2"; }

describe() {
  case $params in '{"protocol":{"min":'*) ;; *) refuse -32602 'params.protocol is missing' && return ;; esac
  min=${params#*'"min":'} max=${params#*'"max":'}
  min=${min%%[!0-9]*} max=${max%%[!0-9]*}
  if [ "${min:-2}" -gt 1 ] || [ "${max:-0}" -lt 1 ]; then
    refuse -32602 'this addon speaks version 1 of the protocol'
    return
  fi
  result '{"protocol":1,"handlers":[{"event":"tool:before","kind":"gate","onFailure":"block"}],"commands":[{"name":"my-command","summary":"say hello"}]}'
}

# The host names a handler by its place in the list above, from 0.
gate() {
  case $params in
    '{"handler":0,"event":"tool:before","payload":{"name":"bash",'*'git push'*)
      result '{"stop":true,"reason":"pushing is left to the person; say that it is ready to be pushed"}'
      ;;
    '{"handler":0,'*) result '{}' ;;
    *) refuse -32602 'params.handler must be 0' ;;
  esac
}

greet() {
  case $params in '{"name":"my-command",'*) ;; *) refuse -32602 'params.name must be my-command' && return ;; esac
  # `progress` with the request's id is a line for the person who typed the command.
  printf '{"jsonrpc":"2.0","method":"progress","params":{"id":%s,"text":"Hello!"}}\n' "$id"
  result '{}'
}

while IFS= read -r message; do
  case $message in
    '{"jsonrpc":"2.0","id":'*) ;;
    '{'* | '') continue ;; # a notification, such as `cancel`: every request here is answered at once
    *) id=null && refuse -32700 'that line is not JSON' && continue ;;
  esac
  id=${message#*'"id":'}
  id=${id%%,*}
  method=${message#*'"method":"'}
  method=${method%%\"*}
  params=${message#*'"params":'}
  case $method in
    describe) describe ;;
    event) gate ;;
    command) greet ;;
    dispose) result '{}' && exit 0 ;;
    *) refuse -32601 'there is no such method' ;;
  esac
done
