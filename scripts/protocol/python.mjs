// The protocol's schema as Python: its names and numbers as constants, its messages as types. Nothing newer than Python 3.9.

import { protocolVersion, referenceOf, servicesOf, wordsOf } from "./typescript.mjs";

/** The text of _protocol.py. A method's comment ends with the types of its parameters and of its result. */
export function writeConstants(schema, { events }) {
  const { hostToAddon, addonToHost } = schema.methods;
  const methods = { ...addonToHost, ...hostToAddon }; // what stands on both sides is told as the addon receives it
  return [
    '"""Names and numbers of the addon protocol.',
    "",
    "Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.",
    '"""',
    "",
    "from typing import Literal",
    "",
    "#: The version of the protocol that this package speaks.",
    `PROTOCOL_VERSION = ${protocolVersion(schema)}`,
    "",
    ...Object.entries(methods).flatMap(([name, method]) => [
      ...comment(`${method.description} ${typesOf(method)}`),
      `METHOD_${constant(name)} = ${text(name)}`,
    ]),
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
    `HookEvent = ${literal(Object.keys(events))}`,
    '"""The wire names, `scope:phase`."""',
  ]
    .join("\n")
    .concat("\n");
}

/** The text of _services.py: the services of the host that are one request each. */
export function writeServiceMethods(schema) {
  const services = servicesOf(schema);
  const takesOptional = services.some(({ takes }) => takes.some(({ isOptional }) => isOptional));
  return [
    '"""The services of the host that are one request each.',
    "",
    "Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.",
    '"""',
    "",
    `from typing import TYPE_CHECKING, Any, Mapping${takesOptional ? ", Optional" : ""}`,
    "",
    "if TYPE_CHECKING:",
    "    from .host_services import HostPort",
    "",
    "",
    "class PlainServices:",
    '    """In a plain function a call waits and returns the value; in an `async def` it returns an awaitable."""',
    "",
    '    _port: "HostPort"',
    ...services.flatMap(({ name, description, takes, gives }) => [
      "",
      `    def ${small(name)}(self${takes.map(argument).join("")}) -> Any:`,
      ...wrap(`"""${description}"""`, WIDTH - 8).map((line) => `        ${line}`),
      `        return self._port.call(${text(name)}, ${sent(takes)}, ${reader(gives)})`,
    ]),
    "",
    "",
    "def _nothing(_result: Mapping[str, Any]) -> None:",
    "    return None",
    ...(takesOptional
      ? [
          ...["", "", "def _given(params: Mapping[str, Any]) -> Mapping[str, Any]:"],
          "    return {key: value for key, value in params.items() if value is not None}",
        ]
      : []),
    "",
  ].join("\n");
}

function argument({ field, def, isOptional }) {
  const type = def.$ref === undefined ? typeOf(def) : "Any";
  return `, ${small(field)}: ${isOptional ? `Optional[${type}] = None` : type}`;
}

function sent(takes) {
  const params = `{${takes.map(({ field }) => `${text(field)}: ${small(field)}`).join(", ")}}`;
  return takes.some(({ isOptional }) => isOptional) ? `_given(${params})` : params;
}

function reader(gives) {
  return gives === undefined ? "_nothing" : `lambda result: result[${text(gives)}]`;
}

function small(name) {
  return constant(name).toLowerCase();
}

/** The text of _messages.py. What stands there is for a type checker alone: no module imports it when it runs. */
export function writeMessageTypes({ $defs }) {
  return [
    '"""Types of the addon protocol\'s messages.',
    "",
    "Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.",
    '"""',
    "",
    "from typing import Any, Dict, List, Literal, TypedDict, Union",
    ...Object.entries($defs).flatMap(([name, def]) =>
      declarations(name, def).flatMap((each) => ["", "", ...each]),
    ),
  ]
    .join("\n")
    .concat("\n");
}

function typesOf({ params, result }) {
  const answer = result === undefined ? "no answer" : referenceOf(result);
  return `(${referenceOf(params)}, ${answer})`;
}

/** Python 3.9 has no `NotRequired`: what may be missing is a class that extends the one of what must be there. */
function declarations(name, def) {
  // A TypedDict is closed, so an open object is not one.
  if (name === "Empty" || def.properties === undefined || def.additionalProperties === true)
    return [[...comment(def.description ?? ""), `${name} = ${typeOf(def)}`]];
  const { required = [], properties } = def;
  const needed = Object.entries(properties).filter(([key]) => required.includes(key));
  const others = Object.entries(properties).filter(([key]) => !required.includes(key));
  if (others.length === 0) return [typedDict(`${name}(TypedDict)`, needed, def.description)];
  if (needed.length === 0) return [typedDict(`${name}(TypedDict, total=False)`, others, def.description)];
  return [
    typedDict(`_${name}(TypedDict)`, needed, `What every ${name} has.`),
    typedDict(`${name}(_${name}, total=False)`, others, def.description),
  ];
}

function typedDict(head, entries, description) {
  const about = description === undefined ? [] : wrap(`"""${description}"""`, WIDTH - 4);
  return [`class ${head}:`, ...about.map((line) => `    ${line}`), ...fields(entries)];
}

function fields(entries) {
  return entries.flatMap(([name, def]) => [...comment(wordsOf(def), "    "), `    ${name}: ${typeOf(def)}`]);
}

const SIMPLE = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" };

function typeOf(def) {
  if (def.$ref !== undefined) return `"${referenceOf(def)}"`;
  if (def.enum !== undefined) return literal(def.enum);
  if (def.oneOf !== undefined) return `Union[${def.oneOf.map(typeOf).join(", ")}]`;
  if (Array.isArray(def.type)) return `Union[${def.type.map((type) => typeOf({ ...def, type })).join(", ")}]`;
  if (def.type === "array") return `List[${typeOf(def.items)}]`;
  if (def.type === "object")
    return `Dict[str, ${typeof def.additionalProperties === "object" ? typeOf(def.additionalProperties) : "Any"}]`;
  if (def.type === undefined) return "Any";
  if (SIMPLE[def.type] === undefined) throw new Error(`no Python for ${JSON.stringify(def)}`);
  return SIMPLE[def.type];
}

function constant(name) {
  return name
    .replace(/[^a-zA-Z]/g, "_")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase();
}

function literal(values) {
  const line = `Literal[${values.map(text).join(", ")}]`;
  return line.length <= WIDTH / 2
    ? line
    : ["Literal[", ...values.map((one) => `    ${text(one)},`), "]"].join("\n");
}

/** JSON's texts are Python's as well, for what these names hold. */
function text(value) {
  return JSON.stringify(value);
}

const WIDTH = 96;

/** Documentation comments, wrapped. */
function comment(words, indent = "") {
  return words === "" ? [] : wrap(words, WIDTH - indent.length).map((line) => `${indent}#: ${line}`);
}

function wrap(words, width) {
  const lines = [];
  let line = "";
  for (const word of words.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
