// For --require: writes the most memory that the process ever had, in KiB, to the file that PEAK_FILE names.
const { writeFileSync } = require("node:fs");
process.once("exit", () => writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)));
