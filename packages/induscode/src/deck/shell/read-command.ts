// Reads a command line with the shell's own grammar: every command that it may start, with what is known of its words, files and folder.
// It makes no decisions. Where bash runs the line, what bash reads counts; elsewhere anything that `sh` and `bash` may read differently
// makes the whole line unclear, and in both what the values of variables may turn into commands.

import { grouped } from "indusagi/core";
import {
  type AndOr,
  type Assignment,
  type Command,
  type CommandExpansionPart,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type TestCommand,
  type Word,
  type WordPart,
} from "unbash";
import type {
  CommandReading,
  ReadingPlace,
  ShellFile,
  ShellPart,
  ShellVariable,
  ShellWord,
} from "./contract.ts";
import { oddInTest, testTokens } from "./double-brackets.ts";
import { expandBraces } from "./expand-braces.ts";
import { type Expansion, expandOne, expandWord, oddInDocument, placesOf } from "./expand-word.ts";
import { Scope } from "./scope.ts";
import { changedBy, MOVERS, SETTERS } from "./shell-changes.ts";
import { innerCommands } from "./wrappers.ts";

/** A longer line is not read: rules that refuse are tried on its text, and those on files and hosts ask. */
export const MAX_LINE_CHARS = 16_384;
const MAX_PARTS = 2_000;
const MAX_DEPTH = 40;
/** Limit for wrappers that run wrappers. */
const MAX_WRAPPERS = 10;
const MAX_STEPS = 5_000;
/** How many inputs of shells are read. */
const MAX_INPUTS = 32;

/** A substitution. */
const RUNS = /\$\(|`/;

/** What a command reads. */
interface Input {
  readonly text: string;
  /** It is known before anything runs. */
  readonly isWhole: boolean;
}

// Shells read these differently from each other. Whatever is after them is not read.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/** To shells these are like letters; a person who reads the question does not see them, or sees blanks. */
const UNSEEN = /\r|(?! )\p{Z}|\p{Default_Ignorable_Code_Point}/u;

const ARITHMETIC = "it uses variable names in arithmetic";

const ODD = "it contains characters that shells and people read differently";

/** Nothing that can be calculated: two words without a sign between them. */
const TWO_WORDS = /[\w}"')\]]\s+(?:[\w.~"'$\\]|\/[A-Za-z._])|<\s*[./~]/;

/** Every command of a line, each with where it runs. Never throws. */
export function readCommand(line: string, place: ReadingPlace): CommandReading {
  const reader = new Reader(place.isBash === true);
  reader.line(line, Scope.at(place));
  return {
    parts: reader.parts,
    unclear: reader.unclear,
    unread: reader.unread,
    endless: reader.endless,
  };
}

/** Their effect goes beyond what this reader tracks. */
const UNFOLLOWED: ReadonlySet<string> = new Set([
  "alias",
  "unalias",
  "trap",
  "enable",
  "hash",
  "shopt",
  "bind",
]);

class Reader {
  readonly parts: ShellPart[] = [];
  unclear: string | undefined;
  unread: string | undefined;
  endless: string | undefined;
  #depth = 0;
  #steps = 0;
  #wrappers = 0;
  /** Of the whole line: in mutually recursive functions, the last one read calls one of these. */
  readonly #functions = new Set<string>();
  #bodies = 0;
  #loops = 0;
  #source = "";
  #inputs = 0;
  #inputChars = 0;
  /** What runs the text that is being read is bash. */
  #isBash: boolean;

  constructor(isBash: boolean) {
    this.#isBash = isBash;
  }

  line(text: string, scope: Scope): void {
    if (text.length > MAX_LINE_CHARS) {
      this.#unread(`it is longer than ${grouped(MAX_LINE_CHARS)} characters`);
      return;
    }
    if (CONTROLS.test(text)) {
      this.#unread(ODD);
      return;
    }
    if (UNSEEN.test(text)) this.#unclear(ODD);
    let script: ParsedScript;
    try {
      script = parse(text);
    } catch {
      this.#unread("it is not valid shell syntax");
      return;
    }
    this.#script(script, scope, text);
  }

  #unclear(why: string): void {
    this.unclear ??= why;
  }

  /** `what` is read by bash alone. */
  #onlyBash(what: string): void {
    if (!this.#isBash) this.#unclear(`${what.slice(0, 40)} means different things to different shells`);
  }

  #unread(why: string): void {
    this.unread ??= why;
    this.#unclear(why);
  }

  #endless(why: string): void {
    this.endless ??= why;
    this.#unclear(why);
  }

  #script(script: ParsedScript | undefined, scope: Scope, source: string): void {
    if (script === undefined) {
      this.#unread("a substitution in it cannot be parsed");
      return;
    }
    if ((script.errors?.length ?? 0) > 0)
      this.#unread(`it is not valid shell syntax: ${script.errors?.[0]?.message ?? ""}`);
    if (++this.#depth > MAX_DEPTH) this.#unread("it is nested too deeply");
    else {
      const outer = this.#source;
      this.#source = script.source ?? source;
      this.#list(script.commands, scope);
      this.#source = outer;
    }
    this.#depth--;
  }

  #list(statements: readonly Statement[], scope: Scope): void {
    for (const { command, background } of statements) {
      if (this.parts.length > MAX_PARTS) {
        this.#unread(`it has more than ${MAX_PARTS} commands`);
        return;
      }
      const before = scope.folders;
      if (background && this.#loops > 0) this.#endless("a loop in it may start processes endlessly");
      this.#node(command, background ? scope.copy() : scope);
      scope.mayStayIn(before); // `cd` may fail, and the list continues
    }
  }

  /** `input` is what it reads from a pipe, where that is known. */
  #node(node: PipelineNode | AndOr, scope: Scope, input?: Input): void {
    // A nested loop is read once for each pair of words.
    if (++this.#steps > MAX_STEPS) {
      this.#unread(`it has more than ${MAX_STEPS} steps`);
      return;
    }
    if (++this.#depth > MAX_DEPTH) this.#unread("it is nested too deeply");
    else this.#nodeIn(node, scope, input);
    this.#depth--;
  }

  #nodeIn(node: PipelineNode | AndOr, scope: Scope, input?: Input): void {
    switch (node.type) {
      case "Command":
        this.#command(node, scope, input);
        return;
      case "AndOr":
        this.#andOr(node, scope);
        return;
      case "Pipeline": {
        if (node.operators.includes("|&")) this.#onlyBash('"|&"');
        const isPipe = node.commands.length > 1;
        const before = scope.folders;
        // In `time x=a`, `time cd a`, bash treats time as a keyword; in other shells it is a program, which changes nothing for what
        // follows.
        const isTimed = node.prefixes.some(({ type }) => type === "Time");
        const own = isTimed ? scope.copy() : scope;
        let piped: Input | undefined;
        for (const each of node.commands) {
          const at = this.parts.length;
          this.#node(each, isPipe ? scope.copy() : own, piped);
          piped = printedBy(this.parts[at]);
        }
        if (isTimed) scope.meet([own]);
        if (node.prefixes.some(({ type }) => type === "Negation")) scope.mayStayIn(before);
        return;
      }
      case "Redirected": {
        const [start, end] = [node.redirects[0]?.pos ?? 0, node.redirects.at(-1)?.end ?? 0];
        const text = this.#textOf({ pos: start, end });
        this.#add({ text, words: [], variables: [], files: this.#files(node.redirects, scope) }, scope);
        this.#node(node.command, scope);
        return;
      }
      case "Subshell":
        this.#list(node.body.commands, scope.copy());
        return;
      case "BraceGroup":
        this.#list(node.body.commands, scope);
        return;
      case "If": {
        this.#list(node.clause.commands, scope);
        const ways: Scope[] = [];
        const way = (statements: readonly Statement[]): void => {
          const taken = scope.copy();
          this.#list(statements, taken);
          ways.push(taken);
        };
        way(node.then.commands);
        for (const branch of node.elif) way([...branch.clause.commands, ...branch.then.commands]);
        if (node.else) way(node.else.commands);
        scope.meet(ways);
        return;
      }
      case "Case": {
        this.#wholeWords([node.word], scope);
        const ways = node.items.map((item) => {
          const taken = scope.copy();
          this.#wholeWords(item.pattern, taken);
          this.#list(item.body.commands, taken);
          return taken;
        });
        scope.meet(ways);
        return;
      }
      case "While":
        this.#loops++;
        this.#loop([...node.clause.commands, ...node.body.commands], node, scope);
        this.#loops--;
        return;
      case "For": {
        const items = node.wordlist && this.#words(node.wordlist, scope);
        const values = items?.map(({ value }) => value);
        const isFew = values !== undefined && values.length <= 8 && !values.includes(undefined);
        for (const value of isFew ? values : [undefined])
          this.#loop(node.body.commands, node, scope, [node.name.value, value]);
        return;
      }
      case "Select":
        this.#unclear("select means different things to different shells");
        this.#words(node.wordlist ?? [], scope);
        this.#list(node.body.commands, Scope.unknown());
        return;
      case "Function": {
        this.#functions.add(node.name.value);
        this.#bodies++;
        this.#node(node.body.type === "CompoundList" ? groupOf(node.body) : node.body, Scope.unknown());
        this.#bodies--;
        scope.addFunction(node.name.value);
        return;
      }
      case "TestCommand":
        if (this.#isBash) this.#test(node, scope);
        else this.#unfollowed(node);
        return;
      default:
        this.#unfollowed(node);
        // To shells without arithmetic these are two subshells.
        if (node.type === "ArithmeticCommand" && TWO_WORDS.test(this.#textOf(node)))
          this.line(this.#textOf(node).slice(1, -1), Scope.unknown());
        return;
    }
  }

  #unfollowed(node: SyntaxNode): void {
    this.#unclear(`${this.#textOf(node).slice(0, 40)} means different things to different shells`);
    this.#below(node, Scope.unknown());
  }

  /** `[[ ]]` is a part like `[`. */
  #test(node: TestCommand, scope: Scope): void {
    const tokens = testTokens(node.expression);
    const words = tokens.map((token): ShellWord => {
      if (typeof token === "string") return { text: token, value: token };
      return this.#wholeWords([token], scope)[0] ?? { text: token.text };
    });
    const why = oddInTest(
      tokens,
      words.map(({ value }) => value),
    );
    if (why !== undefined) this.#unclear(why);
    const [open, close] = ["[[", "]]"].map((value) => ({ text: value, value })) as [ShellWord, ShellWord];
    this.#add({ text: this.#textOf(node), words: [open, ...words, close], variables: [], files: [] }, scope);
  }

  /** What a loop sets is unknown while it runs, and after it. */
  #loop(
    statements: readonly Statement[],
    node: SyntaxNode,
    scope: Scope,
    variable?: readonly [string, string | undefined],
  ): void {
    const changed = changedBy(node);
    const forget = (): void => {
      if (changed.isOpen) scope.forgetAll();
      for (const name of changed.names) scope.set(name, undefined);
      if (changed.moves) scope.moveTo(undefined);
    };
    forget();
    if (variable)
      this.#add({ text: `for ${variable[0]}`, words: [], variables: [setBy(variable)], files: [] }, scope);
    if (variable && !changed.isOpen && !changed.names.has(variable[0])) scope.set(variable[0], variable[1]);
    const inside = scope.copy();
    if (variable) scope.set(variable[0], undefined);
    this.#list(statements, inside);
    forget();
  }

  /** The first always runs, each other only if it is reached. */
  #andOr({ commands, operators }: AndOr, scope: Scope): void {
    const [first, ...rest] = commands;
    const before = scope.copy();
    if (first) this.#node(first, scope);
    const after = [scope.copy()];
    const way = scope.copy();
    for (const [at, command] of rest.entries()) {
      if (operators[at] === "||") way.meet([before, ...after]);
      this.#node(command, way);
      after.push(way.copy());
    }
    scope.meet(after);
  }

  #command(node: Command, scope: Scope, piped: Input | undefined): void {
    const sets = node.prefix.filter((each) => each.type === "Assignment");
    // They follow one another, and none changes the words of this command.
    const after = scope.copy();
    const variables = sets.map((each) => this.#assignment(each, after));
    const words = this.#words(node.name ? [node.name] : [], scope);
    for (const each of node.suffix) {
      if (each.type === "Assignment") words.push(this.#argument(each, scope));
      else if (each.type === "Word") words.push(...this.#words([each], scope));
    }
    const redirections = [...node.prefix, ...node.suffix].filter(
      (each) => each.type !== "Assignment" && each.type !== "Word",
    );
    const around = scope.copy();
    for (const { name } of variables) around.set(name, undefined);
    const files = this.#files(redirections, around);
    const input = this.#document(redirections, around) ?? piped;
    this.#add({ text: this.#textOf(node), words, variables, files }, scope, input);
    if (words.length > 0 && sets.some(({ value, index }) => value.type === "ArrayValue" || index))
      this.#unclear("it sets an array for a program");
    // After one of the shell's own commands they stay set.
    if (words.length === 0) scope.become(after);
    else for (const { name } of variables) scope.set(name, undefined);
  }

  /** What it sets, which it also notes in the scope. */
  #assignment(node: Assignment, scope: Scope): ShellVariable {
    const { name, value } = node;
    if (value.type === "ArrayValue" || node.append || node.index !== undefined) {
      this.#onlyBash(node.text);
      return this.#bashAssignment(node, scope);
    }
    const known = this.#wholeWords([value], scope)[0]?.value;
    const isKnown = known !== undefined && !known.includes("~");
    scope.set(name, isKnown ? known : undefined);
    return isKnown ? { name, value: known } : { name };
  }

  /** An array, one of its elements, or something added. */
  #bashAssignment({ name, value, append, index }: Assignment, scope: Scope): ShellVariable {
    if (index !== undefined) {
      if (!/^\d{1,9}$/.test(index.text)) this.#unclear(ARITHMETIC);
      this.#wholeWords([index, ...(value.type === "ArrayValue" ? value.elements : [value])], scope);
      scope.set(name, undefined);
      return { name };
    }
    if (value.type === "ArrayValue") {
      // [i]=x calculates.
      if (value.elements.some(({ text }) => text.startsWith("["))) this.#unclear(ARITHMETIC);
      const items = this.#words(value.elements, scope).map((word) => word.value);
      const before = append ? scope.list(name) : [];
      scope.setList(
        name,
        before && !items.includes(undefined) ? [...before, ...(items as string[])] : undefined,
      );
      return { name };
    }
    const [before, added] = [scope.value(name), this.#wholeWords([value], scope)[0]?.value];
    const isKnown = before !== undefined && added !== undefined && !added.includes("~") && !scope.list(name);
    scope.set(name, isKnown ? before + added : undefined);
    return isKnown ? { name, value: before + added } : { name };
  }

  /** `NAME=value` after a program: some shells split and expand it, and some do not. */
  #argument(node: Assignment, scope: Scope): ShellWord {
    const { text, name, value } = node;
    if (value.type === "ArrayValue" || node.append || node.index !== undefined) {
      this.#unclear(`${text.slice(0, 40)} means different things to different shells`);
      this.#bashAssignment(node, scope.copy());
      return { text };
    }
    const fields = expandWord(value, this.#expansion(scope));
    const known = fields.length === 1 ? fields[0]?.value : value.text === "" ? "" : undefined;
    return known === undefined || text.includes("~") ? { text } : { text, value: `${name}=${known}` };
  }

  /** Words where the shell makes several of one. */
  #words(words: readonly Word[], scope: Scope): ShellWord[] {
    const single = words.flatMap((word) => (this.#isBash && expandBraces(word)) || word);
    return single.flatMap((word) => expandWord(word, this.#expansion(scope)));
  }

  /** Words that stay one each. */
  #wholeWords(words: readonly Word[], scope: Scope): ShellWord[] {
    return words.flatMap((word) => expandWord(word, this.#expansion(scope), false));
  }

  #expansion(scope: Scope): Expansion {
    return {
      scope,
      isBash: this.#isBash,
      script: (script) => this.#script(script, scope.copy(), this.#source),
      unclear: (why) => this.#unclear(why),
      below: (part) => this.#below(part, scope),
    };
  }

  /** Reads whatever runs below a node that is not followed. */
  #below(node: SyntaxNode, scope: Scope): void {
    if (++this.#depth > MAX_DEPTH) this.#unread("it is nested too deeply");
    else
      forEachChild(node, (child) => {
        if (child.type === "Statement") this.#list([child], scope.copy());
        else if (child.type === "Command") this.#node(child, scope.copy());
        else if (child.type === "Word") this.#words([child], scope);
        else if (runsScript(child)) this.#script(child.script, scope.copy(), this.#source);
        else this.#below(child, scope);
      });
    this.#depth--;
  }

  #files(redirections: readonly Redirection[], scope: Scope): readonly ShellFile[] {
    return redirections.flatMap((each): readonly ShellFile[] => {
      if (each.type === "HereDoc") {
        for (const part of each.body.parts ?? []) {
          const why = oddInDocument(part);
          if (why !== undefined) this.#unclear(why);
          this.#visit(part, scope);
        }
        if (each.closing === undefined || each.delimiter === undefined)
          this.#unclear("a here-document in it is not terminated");
        return [];
      }
      const { operator, target } = each;
      if (each.type === "HereString" || operator === "&>" || operator === "&>>")
        this.#onlyBash(`"${operator}"`);
      if (each.descriptor?.type === "FileDescriptorVariable")
        this.#unclear(`{${each.descriptor.name}} means different things to different shells`);
      const word = target && expandWord(target, this.#expansion(scope), false)[0];
      const path = word?.value;
      if (each.type === "HereString") return [];
      if (operator === ">&" || operator === "<&") {
        if (path !== undefined && /^(?:\d|-)$/.test(path)) return [];
        this.#unclear(`"${operator}" means different things to different shells`);
      }
      if (path !== undefined && NO_FILES.has(path)) return [];
      if (path !== undefined && CONNECTIONS.test(path))
        this.#unclear(`to bash, ${path.slice(0, 40)} is a connection, not a file`);
      const paths = placesOf(path, scope.folders);
      const kinds =
        operator === "<>"
          ? (["read", "write"] as const)
          : ([operator === "<" || operator === "<&" ? "read" : "write"] as const);
      return kinds.map((kind) => {
        if (paths) return { kind, paths };
        return word === undefined ? { kind } : { kind, word };
      });
    });
  }

  /** Reads what a shell gets to run. */
  #input(text: string, scope: Scope): void {
    this.#inputChars += text.length;
    if (++this.#inputs > MAX_INPUTS || this.#inputChars > MAX_LINE_CHARS)
      this.#unread("it gives shells more input than indus checks");
    else this.line(text, scope);
  }

  /** The input that the line itself holds. Commands in a document were read with it, and are not read again. */
  #document(redirections: readonly Redirection[], scope: Scope): Input | undefined {
    const last = redirections.findLast(({ type }) => type === "HereDoc" || type === "HereString");
    if (last?.type === "HereDoc") {
      const { text } = last.body;
      return { text, isWhole: last.delimiter?.quoted === true || !RUNS.test(text) };
    }
    if (last?.type !== "HereString" || last.target === undefined || RUNS.test(last.target.text))
      return undefined;
    const said = expandOne(last.target, this.#expansion(scope));
    return said === undefined ? undefined : { text: said, isWhole: true };
  }

  #visit(part: WordPart, scope: Scope): void {
    if (runsScript(part)) this.#script(part.script, scope.copy(), this.#source);
    else this.#below(part, scope);
  }

  /** Adds a command and everything that it runs, and applies its effect on the shell. */
  #add(found: Omit<ShellPart, "folders">, scope: Scope, input?: Input): void {
    const { words } = found;
    const program = words[0]?.value;
    if (words.length === 0 && found.variables.length === 0 && found.files.length === 0) return;
    const isFunction = program !== undefined && scope.hasFunction(program);
    if (program !== undefined && this.#bodies > 0 && this.#functions.has(program))
      this.#endless(`"${program}" may call itself endlessly`);
    const inner = isFunction ? [] : innerCommands(words);
    const unknown = inner.find((each) => each.kind === "unknown");
    const why =
      words.length > 0 && program === undefined
        ? "which program it starts is known only at run time"
        : unknown?.kind === "unknown"
          ? unknown.why
          : found.unclear;
    const isTransparent =
      inner.length > 0 &&
      isOfSystem(program) &&
      inner.every((each) => each.kind !== "unknown" && each.isTransparent);
    this.parts.push({
      ...found,
      folders: scope.folders,
      input: input?.text,
      isFunction: isFunction || undefined,
      unclear: why,
      isHidden:
        words.length > 0 && (program === undefined || (unknown?.kind === "unknown" && unknown.isHidden))
          ? true
          : undefined,
    });
    const at = this.parts.length - 1;
    if (inner.length > 0 && this.#wrappers >= MAX_WRAPPERS) {
      this.#unread("it is nested too deeply");
      return;
    }
    this.#wrappers++;
    for (const each of inner) {
      if (each.kind === "line")
        this.#inShell(program === "eval" ? this.#isBash : each.isBash === true, () =>
          this.line(each.line, program === "eval" ? scope : scope.copy()),
        );
      else if (each.kind === "words") {
        const variables = each.variables ?? [];
        this.#add(
          { text: each.words.map(({ text }) => text).join(" "), words: each.words, variables, files: [] },
          scope,
          program === "xargs" ? undefined : input,
        );
      } else if (each.readsInput && input?.isWhole)
        this.#inShell(each.isBash === true, () => this.#input(input.text, scope.copy()));
    }
    this.#wrappers--;
    if (inner.length > 0)
      this.parts[at] = {
        ...(this.parts[at] as ShellPart),
        inner: this.parts.length - at - 1,
        isTransparent: isTransparent || undefined,
      };
    this.#follow(program, words, scope, isFunction);
  }

  #follow(program: string | undefined, words: readonly ShellWord[], scope: Scope, isFunction: boolean): void {
    if (words.length === 0) return;
    if (program === undefined || isFunction || SETTERS.has(program)) scope.forgetAll();
    if (program === undefined || isFunction || program === "eval" || program === "." || program === "source")
      scope.moveTo(undefined);
    if (program === undefined) return;
    if ((program === "[" || program === "test") && mayNameVariable(words.slice(1)))
      this.#unclear("it tests a variable, and bash runs a command in brackets in the variable's name");
    if (UNFOLLOWED.has(program) || isOddSetting(program, words.slice(1)))
      this.#unclear(`what follows "${program}" may change its meaning`);
    if (!MOVERS.has(program)) return;
    const [, folder, ...more] = words;
    const isPlain =
      program === "cd" && folder?.value !== undefined && !/^-/.test(folder.value) && more.length === 0;
    scope.moveTo(isPlain ? placesOf(folder.value, scope.folders) : undefined);
  }

  #inShell(isBash: boolean, read: () => void): void {
    const outer = this.#isBash;
    this.#isBash = isBash;
    read();
    this.#isBash = outer;
  }

  #textOf({ pos, end }: { readonly pos: number; readonly end: number }): string {
    return this.#source.slice(pos, end).trim();
  }
}

/** What a command writes into a pipe, where its words say it. */
function printedBy(part: ShellPart | undefined): Input | undefined {
  const [program, ...words] = part?.words.map(({ value }) => value) ?? [];
  if ((program !== "echo" && program !== "printf") || words.includes(undefined)) return undefined;
  return { text: words.join(" ").replaceAll("\\n", "\n"), isWhole: true };
}

/** A folder of the project can contain a program of any name. */
function isOfSystem(program: string | undefined): boolean {
  return program !== undefined && /^(?:\/(?:usr\/)?bin\/)?[^/]+$/.test(program);
}

/** Follows a value in a test, rather than preceding one. */
const BETWEEN = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef|a|o)|\]|\))$/;

/** Whether a test has `-v` or `-R`, or a word that may turn out to be one, followed by something that it would apply to. */
function mayNameVariable(words: readonly ShellWord[]): boolean {
  return words.some(({ value }, at) => {
    if (value !== undefined) return value === "-v" || value === "-R";
    return at < words.length - 1 && !BETWEEN.test(words[at + 1]?.value ?? "");
  });
}

/** Options of the shell that leave the meaning of a line alone. */
const PLAIN_OPTIONS: ReadonlySet<string> = new Set(["errexit", "nounset", "pipefail", "xtrace", "verbose"]);

/** Whether it gives a variable a type, in which its values may run commands, or switches how lines are read. */
function isOddSetting(program: string, words: readonly ShellWord[]): boolean {
  const values = words.map(({ value }) => value);
  if (program === "declare" || program === "typeset" || program === "local" || program === "readonly")
    return words.some(({ text, value = "-n" }) => !/^\w+=/.test(text) && /^[-+]\w*[Acilnu]/.test(value));
  if (program !== "set") return false;
  const end = values.findIndex((value) => value === "--" || value === "-");
  return (end < 0 ? values : values.slice(0, end)).some((value, at) => {
    if (value === undefined || /^[-+]\w*[Bk]/.test(value)) return true;
    return /^[-+]\w*o$/.test(values[at - 1] ?? "") && !PLAIN_OPTIONS.has(value);
  });
}

const CONNECTIONS = /^\/dev\/(?:tcp|udp)\//;

const NO_FILES: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"]);

function setBy([name, value]: readonly [string, string | undefined]): ShellVariable {
  return value === undefined ? { name } : { name, value };
}

function groupOf(body: {
  readonly pos: number;
  readonly end: number;
  readonly commands: readonly Statement[];
}) {
  const { pos, end } = body;
  return { type: "BraceGroup", pos, end, body: { ...body, type: "CompoundList" } } as const;
}

type Running = Pick<CommandExpansionPart, "script">;

function runsScript(node: SyntaxNode): node is SyntaxNode & Running {
  return (
    node.type === "CommandExpansion" ||
    node.type === "ProcessSubstitution" ||
    node.type === "ArithmeticCommandExpansion"
  );
}
