// For --require: writes the process's peak memory, in KiB, to the file named by PEAK_FILE.
const { writeFileSync } = require("node:fs");
process.once("exit", () => writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)));
