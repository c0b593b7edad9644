// For --require: writes the process's peak memory, in KiB, to the file named by PEAK_FILE.
const { readFileSync, writeFileSync } = require("node:fs");
process.once("exit", () => writeFileSync(process.env.PEAK_FILE, String(peak())));

/** Linux counts what the process that started this one had then in `maxRSS`, but not here. */
function peak() {
  try {
    return /^VmHWM:\s*(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1];
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
