// For --require: the process is killed before its nth call, KILLED_AT, that renames, removes or writes something in KILLED_IN. Each such call is noted in
// KILLED_NOTES.
"use strict";
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { KILLED_AT = "0", KILLED_IN = "", KILLED_NOTES = "" } = process.env;
const { appendFileSync } = fs;
let calls = 0;

for (const name of ["renameSync", "rmSync", "rmdirSync", "writeFileSync"]) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    if (String(path).startsWith(KILLED_IN) && !String(path).includes(".new-")) {
      calls += 1;
      appendFileSync(KILLED_NOTES, `${name} ${path}\n`);
      if (calls === Number(KILLED_AT)) process.kill(process.pid, "SIGKILL");
    }
    return real(path, ...rest);
  };
}
syncBuiltinESMExports();
