// While /dry-run is on, every tool call that could change something is stopped, and the model is told to go on as if it had
// been made. An addon in a compiled language: it reads lines of JSON and writes lines of JSON (json.hpp), and that is all.
// docs/reference/addon-protocol.md is what it speaks; `npm run conformance -- examples/addons/dry-run` tests it.

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "json.hpp"

namespace {

constexpr int protocolVersion = 1;
constexpr int parseError = -32700;
constexpr int requestError = -32600;
constexpr int methodError = -32601;
constexpr int paramsError = -32602;

/** An error answer. */
struct Refusal : std::runtime_error {
  Refusal(int code, const std::string& message) : std::runtime_error(message), code(code) {}
  int code;
};

bool isOn = false;
// What was held back: the first few in words, all of them as a number.
constexpr std::size_t maxShown = 20;
std::vector<std::string> heldBack;
std::size_t heldBackCount = 0;

/** Tools that only look. What else there is, the tools of other addons included, may change something. */
bool onlyLooks(const std::string& tool) {
  for (const char* name : {"read", "ls", "grep", "find", "todo_read", "todo_set", "websearch", "webfetch"})
    if (tool == name) return true;
  return false;
}

/** One line, written whole and at once: what waits in a buffer never came. */
void send(const std::string& message) { std::cout << message << '\n' << std::flush; }

std::string idOf(const Json& id) { return id.isText() ? quoted(id.text) : id.isInteger() ? id.text : "null"; }

void notify(const std::string& method, const std::string& params) {
  send("{\"jsonrpc\":\"2.0\",\"method\":" + quoted(method) + ",\"params\":" + params + "}");
}

void say(const Json& id, const std::string& text) {
  notify("progress", "{\"id\":" + idOf(id) + ",\"text\":" + quoted(text) + "}");
}

const Json& require(const Json& params, const std::string& name, Json::Kind kind) {
  const Json& value = params[name];
  if (value.kind != kind) throw Refusal(paramsError, "params." + name + " is missing or of another type");
  return value;
}

std::string describe(const Json& params) {
  const Json& range = require(params, "protocol", Json::Kind::object);
  const Json& min = require(range, "min", Json::Kind::number);
  const Json& max = require(range, "max", Json::Kind::number);
  if (min.integer() > protocolVersion || max.integer() < protocolVersion)
    throw Refusal(paramsError, "this addon speaks version " + std::to_string(protocolVersion) + " of the protocol");
  return R"({"protocol":1,"id":"dry-run","version":"1.0.0",)"
         R"("interceptors":[{"match":"*","enter":true,"exit":false}],)"
         R"("commands":[{"name":"dry-run","summary":"lets tool calls through, or holds back what could change something","argumentHint":"[on|off]"}]})";
}

/** An interceptor's first half: no field for no change, or `stop` with the reason that the model reads. */
std::string enter(const Json& params) {
  require(params, "interceptor", Json::Kind::number);
  const std::string& tool = require(params, "tool", Json::Kind::text).text;
  if (!isOn || onlyLooks(tool)) return "{}";
  const Json& args = params["args"];
  std::string what = tool;
  for (const char* name : {"command", "path"})
    if (args[name].isText()) what += " " + args[name].text;
  heldBackCount++;
  if (heldBack.size() < maxShown) heldBack.push_back(what.substr(0, what.find('\n')));
  return "{\"stop\":true,\"reason\":" +
         quoted("dry run: " + tool + " was not run and nothing changed. Say what it would have done, and go on.") + "}";
}

std::string command(const Json& id, const Json& params) {
  const std::string& name = require(params, "name", Json::Kind::text).text;
  const std::string& args = require(params, "args", Json::Kind::text).text;
  if (name != "dry-run") throw Refusal(paramsError, "there is no command " + name);
  if (args == "on") {
    isOn = true;
    heldBack.clear();
    heldBackCount = 0;
    say(id, "dry run: what could change something is held back until /dry-run off");
  } else if (args == "off") {
    isOn = false;
    say(id, "tool calls run again; held back: " + std::to_string(heldBackCount));
    for (const std::string& what : heldBack) say(id, "  " + what);
  } else if (args.empty()) {
    say(id, isOn ? "dry run is on" : "dry run is off");
  } else {
    say(id, "/dry-run takes on or off");
  }
  return "{}";
}

std::string answer(const Json& message, const std::string& method) {
  const Json& params = message["params"];
  if (method == "describe") return describe(params);
  if (method == "enter") return enter(params);
  if (method == "command") return command(message["id"], params);
  if (method == "dispose") return "{}";
  throw Refusal(methodError, "there is no method " + method);
}

void refuse(const std::string& id, int code, const std::string& message) {
  send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":" + std::to_string(code) +
       ",\"message\":" + quoted(message) + "}}");
}

/** False when it was the last message. */
bool take(const std::string& line) {
  Json message;
  try {
    message = JsonReader::read(line);
  } catch (const std::runtime_error& error) {
    refuse("null", parseError, std::string("that line is not JSON: ") + error.what());
    return true;
  }
  const Json& id = message["id"];
  const Json& method = message["method"];
  if (!method.isText()) {
    refuse("null", requestError, "expected a request with a method");
    return true;
  }
  // A notification. Every request is answered before the next line is read, so there is nothing to cancel.
  if (id.kind == Json::Kind::null) return true;
  try {
    send("{\"jsonrpc\":\"2.0\",\"id\":" + idOf(id) + ",\"result\":" + answer(message, method.text) + "}");
  } catch (const Refusal& refusal) {
    refuse(idOf(id), refusal.code, refusal.what());
  }
  return method.text != "dispose";
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  // The end of the input ends the loop, and so the program.
  while (std::getline(std::cin, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && !take(line)) break;
  }
  return 0;
}
