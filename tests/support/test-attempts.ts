// The programs of the denial tests, in JavaScript and in Python: each makes every attempt on a scene and prints one line of
// JSON with the result of each ("done", or the error). Real attempts: outside a sandbox they all succeed.

/** Run as `node attempts.mjs SCENE`, with the scene as JSON. */
export const NODE_ATTEMPTS = `
import fs from "node:fs";
import net from "node:net";
import dgram from "node:dgram";
import os from "node:os";
import { spawnSync } from "node:child_process";
const s = JSON.parse(process.argv[2]);
const results = {};
const attempt = async (name, run) => {
  try { await run(); results[name] = "done"; } catch (error) { results[name] = String(error.code ?? error.message); }
};
const settled = (emitter, good) => new Promise((resolve, reject) => {
  emitter.once(good, resolve);
  emitter.once("error", reject);
});
const firstLine = async (socket) => { const [data] = await Promise.all([settled(socket, "data")]); socket.destroy(); return data; };
await attempt("read its own file", () => fs.readFileSync(s.own));
await attempt("read a file of the workspace", () => fs.readFileSync(s.workspace + "/README.md"));
await attempt("change a file of the workspace", () => fs.appendFileSync(s.workspace + "/README.md", "changed"));
await attempt("make a file below a folder of the workspace", () => fs.writeFileSync(s.workspace + "/src/new.txt", "new"));
await attempt("rename a file below a folder", () => fs.renameSync(s.workspace + "/src/old.txt", s.workspace + "/src/renamed.txt"));
await attempt("read a secret in the home", () => fs.readFileSync(s.home + "/.ssh/id_rsa"));
await attempt("list the home", () => fs.readdirSync(s.home));
await attempt("watch the home", () => fs.watch(s.home).close());
await attempt("make a file outside", () => fs.writeFileSync(s.outside + "/new.txt", "new"));
await attempt("append to a file outside", () => fs.appendFileSync(s.outside + "/kept.txt", "changed"));
await attempt("truncate a file outside", () => fs.truncateSync(s.outside + "/full.txt", 0));
await attempt("delete a file outside", () => fs.unlinkSync(s.outside + "/doomed.txt"));
await attempt("change the mode of a file outside", () => fs.chmodSync(s.outside + "/mode.txt", 0o777));
await attempt("change the dates of a file outside", () => fs.utimesSync(s.outside + "/dates.txt", 1, 1));
await attempt("change its own program", () => fs.appendFileSync(s.own, "\\n"));
await attempt("change a protected file", () => fs.appendFileSync(s.workspace + "/.git/config", "changed"));
await attempt("add to a protected folder", () => fs.writeFileSync(s.workspace + "/.git/hooks/post-checkout", "x"));
await attempt("make a protected file that does not exist", () => fs.writeFileSync(s.workspace + "/.mcp.json", "{}"));
await attempt("make a protected folder that does not exist", () => fs.mkdirSync(s.workspace + "/.indus/addons/x", { recursive: true }));
await attempt("put a link where a protected file would be", () => fs.symlinkSync("src/new.txt", s.workspace + "/CLAUDE.md"));
await attempt("write a protected file through a hard link", () => {
  fs.linkSync(s.workspace + "/.git/packed", s.workspace + "/src/packed");
  fs.appendFileSync(s.workspace + "/src/packed", "changed");
});
await attempt("change a protected file below a folder", () => fs.appendFileSync(s.workspace + "/lib/deep/AGENTS.md", "changed"));
await attempt("rename a protected folder away", () => fs.renameSync(s.workspace + "/.claude", s.workspace + "/src/claude"));
await attempt("read through a link that leads out", () => fs.readFileSync(s.workspace + "/src/way-out/kept.txt"));
await attempt("write through a link that leads out", () => fs.writeFileSync(s.workspace + "/src/way-out/linked.txt", "x"));
await attempt("connect over TCP", () => firstLine(net.connect(s.tcp, "127.0.0.1")));
await attempt("send over UDP", async () => {
  const socket = dgram.createSocket("udp4");
  const failed = new Promise((_, reject) => socket.once("error", reject));
  const sent = new Promise((resolve, reject) => socket.send("udp", s.udp, "127.0.0.1", (error) => (error ? reject(error) : resolve())));
  try { await Promise.race([sent, failed]); } finally { try { socket.close(); } catch (error) { if (error.code !== "ERR_SOCKET_DGRAM_NOT_RUNNING") throw error; } }
});
await attempt("connect to a unix socket", () => firstLine(net.connect(s.unix)));
await attempt("read another process's environment", () => {
  if (!fs.readFileSync("/proc/" + s.victim + "/environ", "utf8").includes("canary")) throw new Error("another's");
});
await attempt("slow another process down", () => os.setPriority(s.victim, 10));
await attempt("start a program", () => { const { error } = spawnSync("/bin/true"); if (error) throw error; });
await attempt("end another process", () => process.kill(s.victim, "SIGTERM"));
console.log(JSON.stringify(results));
process.exit(0);
`;

/** Run as `python3 attempts.py SCENE`. The same attempts, and those that are impossible in JavaScript. */
export const PYTHON_ATTEMPTS = `
import fcntl, json, mmap, os, resource, signal, socket, subprocess, sys, threading
s = json.loads(sys.argv[1])
results = {}
def attempt(name, run):
    try:
        run()
        results[name] = "done"
    except BaseException as error:
        results[name] = getattr(error, "strerror", None) or repr(error)
def read(path):
    with open(path, "rb") as file: return file.read()
def put(path, text="x", mode="w"):
    with open(path, mode) as file: file.write(text)
def thread():
    ran = []
    worker = threading.Thread(target=lambda: ran.append(1))
    worker.start()
    worker.join()
    if not ran: raise RuntimeError("the thread did not run")
def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.connect(address)
        if client.recv(64) != b"hello": raise RuntimeError("no greeting")
def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client: client.sendto(b"udp", ("127.0.0.1", s["udp"]))
def pair():
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"pair", s["datagrams"])
def environ():
    if b"canary" not in read("/proc/%d/environ" % s["victim"]): raise RuntimeError("another's")
def hard_link():
    os.link(w + "/.git/packed", w + "/src/packed")
    put(w + "/src/packed", "changed", "a")
def fork():
    child = os.fork()
    if child == 0: os._exit(0)
    os.waitpid(child, 0)
def signal_by_file():
    one, two = os.pipe()
    fcntl.fcntl(one, fcntl.F_SETOWN, s["victim"])
def new_session():
    # Only a process that leads no group may: in a child where it may fork, else as it is.
    if os.getpid() == os.getpgrp(): raise RuntimeError("leads a group")
    os.setsid()
w, home, out = s["workspace"], s["home"], s["outside"]
attempt("read its own file", lambda: read(s["own"]))
attempt("read a file of the workspace", lambda: read(w + "/README.md"))
attempt("change a file of the workspace", lambda: put(w + "/README.md", "changed", "a"))
attempt("make a file below a folder of the workspace", lambda: put(w + "/src/new.txt"))
attempt("rename a file below a folder", lambda: os.rename(w + "/src/old.txt", w + "/src/renamed.txt"))
attempt("start a thread", thread)
attempt("connect a pair of its own", lambda: socket.socketpair())
attempt("read a secret in the home", lambda: read(home + "/.ssh/id_rsa"))
attempt("list the home", lambda: os.listdir(home))
attempt("make a file outside", lambda: put(out + "/new.txt"))
attempt("append to a file outside", lambda: put(out + "/kept.txt", "changed", "a"))
attempt("truncate a file outside", lambda: os.truncate(out + "/full.txt", 0))
attempt("delete a file outside", lambda: os.unlink(out + "/doomed.txt"))
attempt("change the mode of a file outside", lambda: os.chmod(out + "/mode.txt", 0o777))
attempt("change the dates of a file outside", lambda: os.utime(out + "/dates.txt", (1, 1)))
attempt("change its own program", lambda: put(s["own"], "\\n", "a"))
attempt("change a protected file", lambda: put(w + "/.git/config", "changed", "a"))
attempt("add to a protected folder", lambda: put(w + "/.git/hooks/post-checkout"))
attempt("make a protected file that does not exist", lambda: put(w + "/.mcp.json"))
attempt("make a protected folder that does not exist", lambda: os.makedirs(w + "/.indus/addons/x"))
attempt("put a link where a protected file would be", lambda: os.symlink("src/new.txt", w + "/CLAUDE.md"))
attempt("write a protected file through a hard link", hard_link)
attempt("change a protected file below a folder", lambda: put(w + "/lib/deep/AGENTS.md", "changed", "a"))
attempt("rename a protected folder away", lambda: os.rename(w + "/.claude", w + "/src/claude"))
attempt("read through a link that leads out", lambda: read(w + "/src/way-out/kept.txt"))
attempt("write through a link that leads out", lambda: put(w + "/src/way-out/linked.txt"))
attempt("connect over TCP", lambda: connect(socket.AF_INET, ("127.0.0.1", s["tcp"])))
attempt("send over UDP", send)
attempt("connect to a unix socket", lambda: connect(socket.AF_UNIX, s["unix"]))
attempt("send to a unix socket from a pair", pair)
attempt("read another process's environment", environ)
attempt("slow another process down", lambda: os.setpriority(os.PRIO_PROCESS, s["victim"], 10))
attempt("choose its own processors", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
attempt("choose the processors of another", lambda: os.sched_setaffinity(s["victim"], os.sched_getaffinity(0)))
attempt("take another process's files away", lambda: resource.prlimit(s["victim"], resource.RLIMIT_NOFILE, (200, 200)))
attempt("make memory that no limit counts", lambda: os.memfd_create("x"))
attempt("share memory without a file", lambda: mmap.mmap(-1, 4096))
attempt("start a program", lambda: subprocess.run(["/bin/true"], check=True))
attempt("fork", fork)
attempt("leave its session", new_session)
attempt("have another process signalled by a file", signal_by_file)
attempt("end another process", lambda: os.kill(s["victim"], signal.SIGTERM))
print(json.dumps(results))
`;
