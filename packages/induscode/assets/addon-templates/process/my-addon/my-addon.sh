#!/bin/sh
# An addon as a shell script. It starts no other program, because it was not granted to; what it writes to standard error
# goes to its log. A real addon reads JSON with a library: this one looks at the text of a message.

answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }

while IFS= read -r message; do
  id=${message#*\"id\":} # the host's ids are whole numbers
  id=${id%%[!0-9]*}
  case $message in
    *'"method":"describe"'*)
      answer '{"protocol":1,"handlers":[{"event":"tool:before","kind":"gate","onFailure":"block"}],"commands":[{"name":"my-command","summary":"say hello"}]}'
      ;;
    *'"method":"event"'*'git push'*)
      answer '{"stop":true,"reason":"pushing is left to the person; say that it is ready to be pushed"}'
      ;;
    *'"method":"command"'*)
      # `progress` with the request's id is a line for the person who typed the command.
      printf '{"jsonrpc":"2.0","method":"progress","params":{"id":%s,"text":"Hello!"}}\n' "$id"
      answer '{}'
      ;;
    *'"method":"dispose"'*)
      answer '{}'
      exit 0
      ;;
    *'"method":"cancel"'*) ;; # a notification: every call here is answered at once
    *) answer '{}' ;;
  esac
done
