// What every confined program can read of the system: what it takes to start one, and nothing about people.

/** Where the system's own programs are: none of a workspace, which may be on the person's PATH. */
export const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Programs and libraries; the last three are where some package managers keep all of both. */
export const SYSTEM_FOLDERS: readonly string[] = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/nix/store",
  "/gnu/store",
  "/home/linuxbrew/.linuxbrew",
];

/** The loader's tables, the time zone, links to programs, and a file without which OpenSSL refuses to start. */
export const SYSTEM_FILES: readonly string[] = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/ld-musl-x86_64.path",
  "/etc/ld-musl-aarch64.path",
  "/etc/localtime",
  "/etc/alternatives",
  "/etc/ssl/openssl.cnf",
];

/**
 * Without a /proc of its own: the machine's processors and memory, and the memory use of the process itself, without which
 * `process.memoryUsage()` fails. `/proc/self` is the launcher, which becomes the program.
 */
export const PROCESS_FILES: readonly string[] = [
  ...["/proc/self/stat", "/proc/self/statm", "/proc/self/status"],
  ...["/proc/cpuinfo", "/proc/meminfo", "/proc/stat"],
];

/** Devices to read from. Not writable: a shared mapping of /dev/zero would be memory that no limit counts. */
export const SOURCE_DEVICES: readonly string[] = ["/dev/zero", "/dev/random", "/dev/urandom"];

export const WRITABLE_DEVICES: readonly string[] = ["/dev/null"];
