# An addon for the suite's own tests: correct, or with the one flaw that $1 names. Built-ins do all but the waiting.
flaw=${1:-none}

result() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"refused"}}\n' "$1" "$2"; }
ack() { printf '{"jsonrpc":"2.0","method":"ack","params":{"id":%s}}\n' "$1"; }
has() { [ "$flaw" = "$1" ]; }

version=1.0.0
has repeatable && version=1.0.$$
protocol=1
has protocol && protocol=2
task=
asking=

describe() {
  has handshake && refuse "$1" -32603 && return
  case $line in *'"min":99'*) has range-code && refuse "$1" -32603 && return; has range || { refuse "$1" -32602 && return; } ;; esac
  has no-effects && printf '{"jsonrpc":"2.0","id":"w","method":"alert","params":{"text":"hello"}}\n'
  tool='{"name":"count","description":"counts","parameters":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}}'
  tools=$tool
  has registration && tools="$tool,$tool"
  handlers='{"event":"tool:before","kind":"gate"}'
  commands='{"name":"hello","summary":"says hello"}'
  tasks='{"id":"loop","description":"waits","graceMs":500}'
  result "$1" '{"protocol":'"$protocol"',"id":"sample","version":"'"$version"'","handlers":['"$handlers"'],"tools":['"$tools"'],"commands":['"$commands"'],"tasks":['"$tasks"']}'
}

event() {
  case $line in *'"params":{"handler":0,'*) ;; *)
    has bad-params && exit 3
    refuse "$1" -32602 && return ;;
  esac
  has big-line && [ ${#line} -gt 30000 ] && exit 4
  has unicode && case $line in *"$(printf '\342\200\250')"*) refuse null -32700 && refuse null -32700 && return ;; esac
  has standard-output && printf 'a line for people\n'
  if has contributions; then result "$1" '{"stop":"yes"}'; else result "$1" '{"stop":false}'; fi
}

while IFS= read -r line; do
  case $line in
    '' | '{"jsonrpc":"2.0","id":"w",'*) continue ;;
    '{"jsonrpc":"2.0","id":"read",'*'"error"'*) has refusals && exit 5; result "$asking" '{}' && continue ;;
    '{"jsonrpc":"2.0","id":"read",'*) result "$asking" '{}' && continue ;;
    '{"jsonrpc":"2.0","id":'*) ;;
    '{"jsonrpc":"2.0","method":"cancel","params":{"id":'"${task:-none}"'}}'*) has cancel || { refuse "$task" -32800; task=; } && continue ;;
    '{'*) has notifications && case $line in *unknown*) refuse null -32601 ;; esac; continue ;;
    *) has garbage && kill -ABRT $$; refuse null -32700 && continue ;;
  esac
  id=${line#*'"id":'} && id=${id%%,*}
  method=${line#*'"method":"'} && method=${method%%\"*}
  case $method in
    describe) describe "$id" ;;
    event) event "$id" ;;
    tool)
      has in-time && sleep 5
      has messages && printf '{"jsonrpc":"2.0","method":"log","params":{"words":"counted"}}\n'
      has twice && result "$id" '{"content":[]}'
      result "$id" '{"content":[{"kind":"text","text":"1"}]}' ;;
    command) asking=$id && ack "$id" && printf '{"jsonrpc":"2.0","id":"read","method":"readFile","params":{"path":"a.txt"}}\n' ;;
    task/start) task=$id && ack "$id" ;;
    task/stop) has tasks || result "$task" '{}'; task= && result "$id" '{}' ;;
    dispose) result "$id" '{}'; has dispose || exit 0 ;;
    *) if has unknown-method; then result "$id" '{}'; else refuse "$id" -32601; fi ;;
  esac
done
while has end-of-input; do sleep 0.1; done
