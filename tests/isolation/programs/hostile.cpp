// A hostile addon that speaks the protocol by itself, linked to nothing of indus: hostile POINT BEHAVIOUR. There it
// misbehaves, and is a quiet addon otherwise. It looks for the few fields it needs in the text of a message.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

const char *const REGISTRATION =
    R"({"protocol":1,"handlers":[)"
    R"({"event":"session:start","kind":"observe"},{"event":"session:end","kind":"observe"},)"
    R"({"event":"turn:start","kind":"observe"},{"event":"turn:end","kind":"observe"},)"
    R"({"event":"tool:before","kind":"gate"},{"event":"input:submit","kind":"gate"},)"
    R"({"event":"compact:before","kind":"gate"},{"event":"tool:after","kind":"transform"},)"
    R"({"event":"chat:params","kind":"transform"},{"event":"chat:message","kind":"transform"},)"
    R"({"event":"shell:env","kind":"transform"},{"event":"context:build","kind":"transform"},)"
    R"({"event":"compact:build","kind":"transform"}],)"
    R"("interceptors":[{"match":"around-enter","enter":true,"exit":false},)"
    R"({"match":"around-exit","enter":false,"exit":true}],)"
    R"("commands":[{"name":"probe-command","summary":"misbehaves"}],)"
    R"("tools":[{"name":"probe_tool","description":"misbehaves","parameters":{"type":"object"}}],)"
    R"("tasks":[{"id":"probe-task","description":"misbehaves","activation":"onDemand","graceMs":300}]})";

std::string at;
std::string does;

void write_all(const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(1, text.data() + done, text.size() - done);
    if (written < 0) _exit(1);
    done += static_cast<size_t>(written);
  }
}

void repeat(int times, const std::string &text) {
  for (int count = 0; count < times; count++) write_all(text);
}

std::string repeated(const char *text, int times) {
  std::string all;
  for (int count = 0; count < times; count++) all += text;
  return all;
}

[[noreturn]] void hang() {
  for (;;) pause();
}

// A gigabyte: more than any limit, and an end for whoever runs it without one.
void allocate() {
  std::vector<std::vector<char>> kept;
  for (int count = 0; count < 256; count++) kept.emplace_back(4 << 20, 1);
  hang();
}

// Children that outlive it, half of them with attempts to leave its group.
void fork_children() {
  for (int count = 0; count < 10; count++) {
    if (fork() != 0) continue;
    if (count % 2 == 0) {
      if (setsid() < 0) setpgid(0, 0);
      if (fork() != 0) _exit(0);
    }
    hang();
  }
  _exit(7);
}

std::string diagnostic(const std::string &text) {
  return "{\"jsonrpc\":\"2.0\",\"method\":\"diagnostic\",\"params\":{\"severity\":\"error\",\"text\":\"" + text + "\"}}\n";
}

// Where what it does adds up, it registers sixty times for its point.
std::string registration() {
  std::string all = REGISTRATION;
  if (does != "adds-up-time") return all;
  const bool half = at == "enter" || at == "exit";
  const std::string key = half ? "{\"match\":\"around-" + at + "\"" : "{\"event\":\"" + at + "\"";
  const size_t from = all.find(key);
  if (from == std::string::npos) return all;
  const std::string card = all.substr(from, all.find('}', from) - from + 1) + ",";
  return all.insert(from, repeated(card.c_str(), 59));
}

void misbehave() {
  if (does == "throws") throw std::runtime_error("thrown on order");
  if (does == "hangs" || does == "is-killed") hang();
  if (does == "exits") _exit(7);
  if (does == "floods") return repeat(16 * 1024, std::string(64 * 1024, 'x'));
  if (does == "answers-garbage") return write_all("this is no JSON\n");
  if (does == "answers-wrong-ids") return write_all("{\"jsonrpc\":\"2.0\",\"id\":987654,\"result\":{}}\n");
  if (does == "answers-huge-json") {
    write_all("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"reason\":\"");
    repeat(512, std::string(64 * 1024, 'x'));
    return write_all("\"}}\n");
  }
  if (does == "answers-deep-json")
    return write_all("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + repeated("{\"a\":", 100000) + "1" +
                     repeated("}", 100000) + "}\n");
  if (does == "allocates") return allocate();
  if (does == "forks") return fork_children();
  if (does == "ignores-sigterm") {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) signal(number, SIG_IGN);
    hang();
  }
  if (does == "pretends-to-be-another")
    return write_all(diagnostic("project:watching failed at tool:before: forged words"));
  if (does == "adds-up-time") return static_cast<void>(usleep(100000));
  if (does == "adds-up-size") return repeat(100, diagnostic("a long line: " + std::string(100 * 1024, 'x')));
  if (does == "dies-in-half-a-frame") {
    write_all("{\"jsonrpc\":\"2.0\",\"id\":1,\"resu");
    _exit(7);
  }
  if (does == "floods-the-console")
    for (int number = 1000; number < 21000; number++)
      write_all("{\"jsonrpc\":\"2.0\",\"id\":" + std::to_string(number) + ",\"method\":\"ui/render\",\"params\":"
                "{\"shape\":{\"kind\":\"text\",\"text\":\"a flood\"}}}\n");
  if (does == "faults-10000-a-second")
    return repeat(200, repeated("{\"jsonrpc\":\"2.0\",\"method\":\"diagnostic\",\"params\":"
                                "{\"severity\":\"error\",\"text\":\"a fault\"}}\n", 100));
  if (does == "floods-stderr") {
    const std::string chunk(64 * 1024, 'x');
    for (int count = 0; count < 16 * 1024; count++)
      if (write(2, chunk.data(), chunk.size()) < 0) _exit(1);
  }
}

void reach(const std::string &point) {
  if (point == at) misbehave();
}

// What stands between `key` and `end`.
std::string after(const std::string &line, const char *key, char end) {
  const size_t found = line.find(key);
  if (found == std::string::npos) return "";
  const size_t from = found + std::strlen(key);
  return line.substr(from, line.find(end, from) - from);
}

std::string point_of(const std::string &method, const std::string &line) {
  if (method == "event") return after(line, "\"event\":\"", '"');
  if (method == "describe") return "register";
  return method == "task/start" ? "task" : method;
}

void serve(const std::string &line) {
  const std::string method = after(line, "\"method\":\"", '"');
  const std::string id = after(line, "\"id\":", ',');
  if (method == "cancel") return;
  write_all("{\"jsonrpc\":\"2.0\",\"method\":\"ack\",\"params\":{\"id\":" + id + "}}\n");
  std::string result = "{}";
  if (method == "describe") result = registration();
  if (method == "tool") result = R"({"content":[{"kind":"text","text":"done"}]})";
  const std::string head = "{\"jsonrpc\":\"2.0\",\"id\":" + id;
  try {
    reach(point_of(method, line));
    write_all(head + ",\"result\":" + result + "}\n");
  } catch (const std::exception &error) {
    const std::string kind = method == "describe" ? ",\"data\":{\"kind\":\"register\"}" : "";
    write_all(head + ",\"error\":{\"code\":-32603,\"message\":\"" + error.what() + "\"" + kind + "}}\n");
  }
  if (method == "dispose") std::exit(0);
}

} // namespace

int main(int count, char **words) {
  if (count != 3) return 2;
  at = words[1];
  does = words[2];
  reach("load");
  std::string line;
  while (std::getline(std::cin, line)) serve(line);
  return 0;
}
