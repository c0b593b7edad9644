// The protocol's names as Python constants, for the runner of Python addons. Nothing newer than Python 3.9.

import { protocolVersion } from "./typescript.mjs";

/** The text of _protocol.py. */
export function writePython(schema, { events, capabilities }) {
  const { hostToAddon, addonToHost } = schema.methods;
  const methods = { ...addonToHost, ...hostToAddon }; // what stands on both sides is told as the addon receives it
  const notifications = Object.keys(methods).filter((name) => methods[name].result === undefined);
  return [
    '"""Names and numbers of the addon protocol.',
    "",
    "Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.",
    '"""',
    "",
    "#: The version of the protocol that this package speaks.",
    `PROTOCOL_VERSION = ${protocolVersion(schema)}`,
    "",
    ...Object.entries(methods).flatMap(([name, { description }]) => [
      ...comment(description),
      `METHOD_${constant(name)} = ${text(name)}`,
    ]),
    "",
    "#: What the host sends.",
    ...tuple("HOST_TO_ADDON", Object.keys(hostToAddon)),
    "#: What an addon sends.",
    ...tuple("ADDON_TO_HOST", Object.keys(addonToHost)),
    "#: The methods that have no answer.",
    ...tuple("NOTIFICATIONS", notifications),
    "",
    ...Object.entries(schema.errors).flatMap(([name, { code, description }]) => [
      ...comment(description),
      `ERROR_${constant(name)} = ${code}`,
    ]),
    "",
    "#: The events by their wire names; True where a gate's stop is acted on.",
    "EVENTS = {",
    ...Object.entries(events).map(([name, { guards }]) => `    ${text(name)}: ${guards ? "True" : "False"},`),
    "}",
    "",
    "#: The kinds of capability that an addon may ask for.",
    ...tuple("CAPABILITY_KINDS", Object.keys(capabilities)),
  ]
    .join("\n")
    .concat("\n");
}

function constant(name) {
  return name
    .replace(/[^a-zA-Z]/g, "_")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase();
}

function tuple(name, items) {
  return [`${name} = (`, ...items.map((item) => `    ${text(item)},`), ")"];
}

/** JSON's texts are Python's as well, for what these names hold. */
function text(value) {
  return JSON.stringify(value);
}

const WIDTH = 96;

/** Documentation comments, wrapped. */
function comment(words) {
  const lines = [];
  let line = "";
  for (const word of words.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => `#: ${one}`);
}
