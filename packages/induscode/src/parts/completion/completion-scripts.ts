// The scripts of `indus completion`. Each finds the completion point of the line, the longest sequence of words that a table knows, and
// offers what can follow. No indus code runs during completion.

import { asWord } from "../../deck/shell-quote.ts";

/** Words, or values that the shell finds itself. */
type Values = readonly string[] | "files" | "folders";

export interface Offer {
  readonly name: string;
  readonly short?: string | undefined;
  readonly summary: string;
  readonly takesValue: boolean;
  readonly values: Values;
}

export interface CompletionPoint {
  /** The words before this point: nothing, `addons`, `addons explain`. */
  readonly after: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly values: Values;
  readonly flags: readonly Offer[];
}

export type Shell = "bash" | "zsh" | "fish";

export const SCRIPTS: Readonly<Record<Shell, (points: readonly CompletionPoint[]) => string>> = {
  bash,
  zsh,
  fish,
};

function bash(points: readonly CompletionPoint[]): string {
  return `# bash completion for indus: indus completion bash > ~/.local/share/bash-completion/completions/indus
_indus() {
  # The line as it was typed: bash splits words at colons too, which names of events have.
  local typed=() before= cur= word point= next= more=0 known= words= flags= kind=
  before=\${COMP_LINE:0:COMP_POINT}
  set -f; typed=($before); set +f
  case $before in *[[:space:]]) ;; *) cur=\${typed[\${#typed[@]}-1]}; unset "typed[\${#typed[@]}-1]" ;; esac
  case $cur in --*=*) typed+=("\${cur%%=*}"); cur=\${cur#*=} ;; esac
  for word in "\${typed[@]:1}"; do
    if [ -n "$next" ]; then next=; continue; fi
    case $word in
      ${valueFlags(points)}) next=$word ;;
      -*) ;;
      *)
        known="$point\${point:+ }$word"
        if [ $more = 0 ]; then case $known in ${pointNames(points)}) point=$known ;; *) more=1 ;; esac; fi ;;
    esac
  done
  if [ -n "$next" ]; then
    case $next in
${valueCases(points, (values) => shellValues(values))}
    esac
  else
    case $point in
${points.map((point) => `      ${quoted(point.after)}) ${shellWords(point)} ;;`).join("\n")}
    esac
    case $cur in -*) words=$flags kind= ;; *) [ $more = 0 ] || { words=; kind=; } ;; esac
  fi
  case $kind in
    files) COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null ;;
    folders) COMPREPLY=($(compgen -d -- "$cur")); compopt -o filenames 2>/dev/null ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
  # What stands before the last colon is not replaced.
  case $cur in *:*) COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}") ;; esac
}
complete -F _indus indus
`;
}

function zsh(points: readonly CompletionPoint[]): string {
  return `#compdef indus
# zsh completion for indus: put it into a folder of $fpath as _indus, or load it with: source <(indus completion zsh)
_indus() {
  local cur=\${words[CURRENT]} word point= next= more=0 known= kind=
  local -a offers flags values
  for word in \${words[2,CURRENT-1]}; do
    if [[ -n $next ]]; then next=; continue; fi
    case $word in
      (${valueFlags(points)}) next=$word ;;
      (-*) ;;
      (*)
        known="$point\${point:+ }$word"
        if [[ $more = 0 ]]; then case $known in (${pointNames(points)}) point=$known ;; (*) more=1 ;; esac; fi ;;
    esac
  done
  if [[ -n $next ]]; then
    case $next in
${valueCases(points, (values) => zshValues(values))}
    esac
  else
    case $point in
${points.map((point) => `      (${quoted(point.after)}) ${zshWords(point)} ;;`).join("\n")}
    esac
    if [[ $cur = -* ]]; then offers=($flags) values=() kind=; elif [[ $more = 1 ]]; then offers=() values=() kind=; fi
  fi
  case $kind in
    (files) _files ;;
    (folders) _files -/ ;;
    (*)
      (( $#offers )) && _describe indus offers
      (( $#values )) && compadd -- $values ;;
  esac
}
if [[ $funcstack[1] = _indus ]]; then _indus "$@"; else compdef _indus indus; fi
`;
}

function fish(points: readonly CompletionPoint[]): string {
  return `# fish completion for indus: indus completion fish > ~/.config/fish/completions/indus.fish
function __indus_at
    set -l point ""
    set -l next ""
    set -l more 0
    for word in (commandline -opc)[2..]
        if test -n "$next"
            set next ""
            continue
        end
        switch $word
            case ${valueFlags(points).replaceAll("|", " ")}
                set next $word
            case '-*'
            case '*'
                set -l known (string trim -- "$point $word")
                if test $more = 0; and contains -- "$known" ${points.flatMap(({ after }) => (after === "" ? [] : fishQuoted(after))).join(" ")}
                    set point $known
                else
                    set more 1
                end
        end
    end
    contains -- "$point" $argv[2..]; and begin
        test $more = 0; or test $argv[1] = flags
    end
end
complete -c indus -f
${points.flatMap(fishWords).join("\n")}
${fishFlags(points).join("\n")}
`;
}

function fishWords({ after, words, values }: CompletionPoint): readonly string[] {
  const at = fishAt("words", [after]);
  return [
    ...words.map(({ word, summary }) => `${at} -a ${word} -d ${fishQuoted(summary)}`),
    ...(values.length === 0 ? [] : [`${at}${fishValues(values)}`]),
  ];
}

/** One line per flag, naming all points where it can appear. */
function fishFlags(points: readonly CompletionPoint[]): readonly string[] {
  const rows = new Map<string, { readonly flag: Offer; readonly points: string[] }>();
  for (const { after, flags } of points) {
    for (const flag of flags) {
      const key = `${flag.name} ${flag.summary}`;
      const row = rows.get(key);
      if (row === undefined) rows.set(key, { flag, points: [after] });
      else row.points.push(after);
    }
  }
  return [...rows.values()].map(({ flag, points: places }) => {
    const { name, short, summary, takesValue, values } = flag;
    const value = takesValue ? ` ${values === "files" ? "-r" : "-x"}${fishValues(values)}` : "";
    const names = `-l ${name}${short === undefined ? "" : ` -s ${short}`}`;
    return `${fishAt("flags", places)} ${names}${value} -d ${fishQuoted(summary)}`;
  });
}

function fishAt(what: "words" | "flags", points: readonly string[]): string {
  return `complete -c indus -n ${fishQuoted(`__indus_at ${what} ${points.map(fishQuoted).join(" ")}`)}`;
}

function fishValues(values: Values): string {
  if (values === "files") return " -F";
  if (values === "folders") return " -a '(__fish_complete_directories)'";
  return values.length === 0 ? "" : ` -a ${fishQuoted(values.join(" "))}`;
}

/** A pattern that matches every spelling of the flags that take a value. */
function valueFlags(points: readonly CompletionPoint[]): string {
  return [...new Set(takingValues(points).flatMap(spellings))].join("|");
}

function valueCases(points: readonly CompletionPoint[], set: (values: Values) => string): string {
  const byName = new Map(takingValues(points).map((flag) => [flag.name, flag]));
  return [...byName.values()]
    .map((flag) => `      (${spellings(flag).join("|")}) ${set(flag.values)} ;;`)
    .join("\n");
}

function takingValues(points: readonly CompletionPoint[]): readonly Offer[] {
  return points.flatMap(({ flags }) => flags).filter(({ takesValue }) => takesValue);
}

function spellings({ name, short }: Offer): readonly string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

function pointNames(points: readonly CompletionPoint[]): string {
  return points.flatMap(({ after }) => (after === "" ? [] : quoted(after))).join("|");
}

function shellValues(values: Values): string {
  return typeof values === "string" ? `kind=${values}` : `words=${quoted(values.join(" "))}`;
}

function shellWords({ words, values, flags }: CompletionPoint): string {
  const offered =
    typeof values === "string"
      ? words.map(({ word }) => word)
      : [...words.map(({ word }) => word), ...values];
  const kind = typeof values === "string" ? ` kind=${values}` : "";
  return `words=${quoted(offered.join(" "))} flags=${quoted(flags.flatMap(spellings).join(" "))}${kind}`;
}

function zshValues(values: Values): string {
  return typeof values === "string" ? `kind=${values}` : `values=(${values.map(asWord).join(" ")})`;
}

function zshWords({ words, values, flags }: CompletionPoint): string {
  const described = (name: string, summary: string): string =>
    quoted(`${name.replaceAll(":", "\\:")}:${summary}`);
  const offers = words.map(({ word, summary }) => described(word, summary));
  const all = flags.flatMap((flag) => spellings(flag).map((name) => described(name, flag.summary)));
  return `offers=(${offers.join(" ")}) flags=(${all.join(" ")}) ${zshValues(values)}`;
}

/** Always quoted: people read these scripts too. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
