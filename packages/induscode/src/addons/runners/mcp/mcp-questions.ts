// What an MCP server asks the person in the middle of a call: a form becomes one question after the other, an address is shown with its
// host and never opened. Whether they answer at all is the first question.

import type { ElicitResult } from "@modelcontextprotocol/client";
import type { AddonUi } from "../../kit/contract.ts";
import { asText, isTable, type Table } from "../table-value.ts";

type FieldValue = NonNullable<ElicitResult["content"]>[string];

const ANSWER = "answer";
const OPENED = "I have opened it";
const DECLINE = "decline";
/** A longer list is typed, not picked. */
const MAX_CHOICES = 20;
const MAX_TRIES = 3;
/** What the console takes of a question and of a choice. */
const MAX_QUESTION = 1_000;
const MAX_CHOICE = 200;
/** Of an address in a question: half of one would lead elsewhere. */
const MAX_ADDRESS = 600;
const MAX_MESSAGE = 300;

/** `log` hears why nobody was asked. Never rejects. */
export async function askPerson(
  params: Table,
  ui: AddonUi,
  log: (text: string) => void,
): Promise<ElicitResult> {
  const refused = (why: string): void =>
    log(
      `the server wanted to ask you ${JSON.stringify(messageOf(params))}, but you were not asked: ${why}\n`,
    );
  try {
    return params.mode === "url" ? await askAboutAddress(params, ui, refused) : await askForm(params, ui);
  } catch (error) {
    // By its name: the class is the runner's own.
    if (!(error instanceof Error) || error.name !== "HostRefused") throw error;
    refused(error.message);
    return { action: "cancel" };
  }
}

async function askAboutAddress(
  params: Table,
  ui: AddonUi,
  refused: (why: string) => void,
): Promise<ElicitResult> {
  const { url } = params;
  const found = typeof url === "string" ? URL.parse(url) : null;
  if (found === null || !/^https?:$/.test(found.protocol) || found.href.length > MAX_ADDRESS) {
    refused(`expected an http address of at most ${MAX_ADDRESS} characters, found ${JSON.stringify(url)}`);
    return { action: "decline" };
  }
  const question = `${messageOf(params)}\nIt wants you to open an address of ${found.host}: ${found.href}`;
  const choice = await ui.select(question, [OPENED, DECLINE]);
  return { action: choice === undefined ? "cancel" : choice === OPENED ? "accept" : "decline" };
}

async function askForm(params: Table, ui: AddonUi): Promise<ElicitResult> {
  const { requestedSchema } = params;
  const { properties, required } = isTable(requestedSchema) ? requestedSchema : {};
  const fields = Object.entries(isTable(properties) ? properties : {});
  const names = fields.length === 0 ? "" : `\nIt wants to know: ${fields.map(([name]) => name).join(", ")}`;
  const choice = await ui.select(fitting(`${messageOf(params)}${names}`), [ANSWER, DECLINE]);
  if (choice !== ANSWER) return { action: choice === undefined ? "cancel" : "decline" };
  const content: Record<string, FieldValue> = {};
  for (const [name, schema] of fields) {
    const isRequired = Array.isArray(required) && required.includes(name);
    const value = await askField(name, isTable(schema) ? schema : {}, isRequired, ui);
    if (value === undefined) return { action: "cancel" };
    if (value !== "" || isRequired) content[name] = value;
  }
  return { action: "accept", content };
}

/** Undefined if the person left it; an empty text if they gave none. */
async function askField(
  name: string,
  schema: Table,
  isRequired: boolean,
  ui: AddonUi,
): Promise<FieldValue | undefined> {
  const { title, description, type } = schema;
  const about = [title ?? name, description]
    .filter((text) => typeof text === "string" && text !== "")
    .join(": ");
  const usual = usualOf(schema);
  const left = usual === undefined ? "may be left empty" : `left empty: ${usual.label}`;
  const question = isRequired && usual === undefined ? about : `${about} (${left})`;
  if (type === "boolean" && usual === undefined) return ui.confirm(fitting(about));
  const choices = choicesOf(schema);
  if (
    choices.length > 0 &&
    choices.length <= MAX_CHOICES &&
    isRequired &&
    usual === undefined &&
    choices.every(({ label }) => label.length <= MAX_CHOICE)
  ) {
    const picked = await ui.select(
      fitting(question),
      choices.map(({ label }) => label),
    );
    return choices.find(({ label }) => label === picked)?.value;
  }
  let problem = "";
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const typed = await ui.input(fitting(`${problem}${question}`));
    if (typed === undefined) return undefined;
    const value = typed.trim() === "" && usual !== undefined ? usual.value : readTyped(typed.trim(), schema);
    if (value !== undefined && (value !== "" || !isRequired)) return value;
    problem = `Expected ${expected(schema)}, found ${JSON.stringify(typed.slice(0, MAX_CHOICE))}.\n`;
  }
  return undefined;
}

/** What the server takes if the person says nothing: its `default`, where that is of the field's own type; undefined if there is none. */
function usualOf(schema: Table): { readonly value: FieldValue; readonly label: string } | undefined {
  const { type, default: usual } = schema;
  if (type === "boolean")
    return typeof usual === "boolean" ? { value: usual, label: usual ? "yes" : "no" } : undefined;
  if (type === "array") {
    if (!Array.isArray(usual) || !usual.every((each) => typeof each === "string")) return undefined;
    return { value: usual, label: usual.join(", ").slice(0, MAX_CHOICE) };
  }
  const isNumber = type === "number" || type === "integer";
  if (typeof usual !== (isNumber ? "number" : "string") || usual === "") return undefined;
  const value = readTyped(asText(usual), schema);
  return value === undefined ? undefined : { value, label: asText(usual).slice(0, MAX_CHOICE) };
}

/** Undefined if the text does not fit. */
function readTyped(typed: string, schema: Table): FieldValue | undefined {
  const { type, items } = schema;
  if (typed === "") return "";
  if (type === "boolean")
    return /^(?:true|y|yes)$/i.test(typed) || (/^(?:false|n|no)$/i.test(typed) ? false : undefined);
  if (type === "array") {
    const allowed = choicesOf(isTable(items) ? items : {}).map(({ value }) => value);
    const picked = typed.split(",").map((each) => each.trim());
    return picked.every((each) => allowed.length === 0 || allowed.includes(each)) ? picked : undefined;
  }
  if (type === "number" || type === "integer") {
    const value = Number(typed);
    return Number.isNaN(value) || (type === "integer" && !Number.isInteger(value)) ? undefined : value;
  }
  const choices = choicesOf(schema);
  const chosen = choices.find(({ label, value }) => label === typed || value === typed);
  return choices.length === 0 ? typed : chosen?.value;
}

function expected({ type, items, ...schema }: Table): string {
  const choices = choicesOf(type === "array" && isTable(items) ? items : schema);
  const named = choices.map(({ value }) => value).join(", ");
  if (choices.length > 0) return type === "array" ? `some of ${named}, with commas` : `one of ${named}`;
  if (type === "boolean") return "yes or no";
  return type === "integer" ? "a whole number" : type === "number" ? "a number" : "text";
}

/** In both forms that the protocol has: a list of texts, with names or without, and a list of constants with titles. */
function choicesOf(schema: Table): readonly { readonly label: string; readonly value: string }[] {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  const named = [oneOf, anyOf].find(Array.isArray) ?? [];
  if (Array.isArray(values))
    return values.map((value, at) => ({
      label: asText((Array.isArray(enumNames) ? enumNames[at] : undefined) ?? value),
      value: asText(value),
    }));
  return named
    .filter(isTable)
    .map(({ const: value, title }) => ({ label: asText(title ?? value), value: asText(value) }));
}

function messageOf({ message }: Table): string {
  return (typeof message === "string" ? message : "It asks you something.").slice(0, MAX_MESSAGE);
}

function fitting(question: string): string {
  return question.length <= MAX_QUESTION ? question : `${question.slice(0, MAX_QUESTION - 1)}…`;
}
