// The commands' launcher as a Perl program, where Perl exists: it makes the same system calls as landlock-launcher.ts, and starts in a
// few milliseconds instead of a hundred, which matters for something started once per command and not once per addon.

import { spawnSync } from "node:child_process";
import { constants, existsSync } from "node:fs";
import type { LaunchSpec } from "./landlock-launcher.ts";
import { CALLS, FILE_RIGHTS, type LandlockRule, landlockRules } from "./landlock-rules.ts";

/** The system's own, which its package manager needs; never one from a PATH. */
export const PERL = "/usr/bin/perl";
const DEADLINE_MS = 10_000;

let works: boolean | undefined;

/** Whether Perl can make system calls here; tried once. It loads nothing, whatever variables say. */
export function perlWorks(): boolean {
  works ??=
    existsSync(PERL) &&
    spawnSync(PERL, ["-e", "exit 7 if syscall($ARGV[0] + 0) == $$", String(GETPID[column])], {
      env: {},
      timeout: DEADLINE_MS,
    }).status === 7;
  return works;
}

/** The column in the tables of call numbers. */
const column = process.arch === "arm64" ? 1 : 0;
const GETPID = [39, 172] as const;
const CLOSE = [3, 57] as const;
/** The offset of `st_mode` in the result of fstat. */
const MODE_AT = [24, 16] as const;

/** Otherwise Perl would warn about a missing locale in the output of each command. */
export const PERL_VARIABLES: Readonly<Record<string, string>> = { PERL_BADLANG: "0" };

/** A command line that confines itself as `spec` says and becomes `argv`. */
export function perlLaunch(argv: readonly string[], spec: LaunchSpec): readonly string[] {
  const variables = Object.entries(spec.env ?? {}).map(([name, value]) => `${name}=${value}`);
  const rules = landlockRules(spec);
  return [
    ...[PERL, "-e", LAUNCHER],
    [...Object.values(CALLS).map((numbers) => numbers[column]), ...OWN_NUMBERS].join(","),
    Buffer.from(spec.filter, "base64").toString("hex"),
    spec.hasNetwork === true ? "1" : "0",
    String(spec.maxAbi ?? 99),
    ...[String(variables.length), ...variables],
    ...[String(rules.length), ...rules.flatMap(inWords)],
    ...argv,
  ];
}

const OWN_NUMBERS = [CLOSE[column], MODE_AT[column], constants.O_NOFOLLOW, FILE_RIGHTS];

function inWords({ path, rights, isReal, isFolder }: LandlockRule): readonly [string, string] {
  const kind = isFolder === undefined ? "any" : isFolder ? "folder" : "file";
  return [`${rights},${isReal ? 1 : 0},${kind}`, path];
}

// The numbers are those of linux/prctl.h, close_range.h, seccomp.h and landlock.h, as in landlock-launcher.ts. `syscall` takes a number
// given as text as a number only after `+ 0`; text is a pointer to its bytes.
const LAUNCHER = `
sub fail { print STDERR "indus sandbox: @_\\n"; exit 126 }
my ($close_range, $prctl, $capset, $seccomp, $create, $add, $restrict, $openat, $fstat, $close, $mode_at, $no_follow, $file_rights) = map { $_ + 0 } split /,/, shift;
my $filter = pack "H*", shift;
my $has_network = shift;
my $max_abi = shift() + 0;
my $abi = syscall $create, 0, 0, 1;
fail "Landlock is not available" if $abi < 0;
$abi = $max_abi if $max_abi < $abi;
fail "the kernel's Landlock has ABI $abi, at least 3 (Linux 6.2) is needed" if $abi < 3;
fail "inherited files cannot be closed" if syscall($close_range, 3, 0xffffffff, 4) < 0;
$SIG{PIPE} = $SIG{XFSZ} = "DEFAULT";
my $parent = getppid;
fail "cannot set the parent-death signal" if syscall($prctl, 1, 9, 0, 0, 0) < 0;
fail "its parent process has exited" if getppid != $parent;
fail "no_new_privs was refused" if syscall($prctl, 38, 1, 0, 0, 0) < 0;
syscall $prctl, 47, 4, 0, 0, 0;
for my $capability (0 .. 63) { last if syscall($prctl, 24, $capability, 0, 0, 0) < 0 }
my ($header, $nothing) = (pack("L2", 0x20080522, 0), "\\0" x 24);
fail "cannot drop its capabilities" if syscall($capset, $header, $nothing) < 0;
my $handled = pack "Q3", ($abi >= 5 ? 0xffff : 0x7fff), ($abi >= 4 && !$has_network ? 3 : 0), ($abi >= 6 ? 3 : 0);
my $ruleset = syscall $create, $handled, ($abi >= 6 ? 24 : $abi >= 4 ? 16 : 8), 0;
fail "Landlock refused the rules" if $ruleset < 0;
my %variables = map { split /=/, $_, 2 } splice @ARGV, 0, shift;
for (1 .. shift) {
  my ($rights, $is_real, $kind) = split /,/, shift;
  my $path = shift;
  my $place = syscall $openat, -100, $path, 010000000 | 02000000 | ($is_real ? $no_follow : 0), 0;
  if ($place < 0) { next if $! == 2 || $! == 13; fail "$path: $!" }
  my $status = "\\0" x 256;
  fail "$path: $!" if syscall($fstat, $place, $status) < 0;
  my $format = unpack("L", substr $status, $mode_at, 4) & 0170000;
  fail "$path was replaced while a program was being started"
    if $is_real && ($format == 0120000 || readlink("/proc/self/fd/$place") ne $path);
  my $is_folder = $format == 0040000;
  if ($kind eq "any" || ($kind eq "folder") == $is_folder) {
    my $rule = pack "Ql", ($is_folder ? $rights + 0 : $rights & $file_rights), $place;
    fail "Landlock refused the rule for $path: $!" if syscall($add, $ruleset, 1, $rule, 0) < 0;
  }
  syscall $close, $place;
}
fail "Landlock could not be enforced" if syscall($restrict, $ruleset, 0) < 0;
my $program = pack "S x6 P", length($filter) / 8, $filter;
fail "the system call filter was refused" if syscall($seccomp, 1, 0, $program) < 0;
delete $ENV{PERL_BADLANG};
@ENV{keys %variables} = values %variables;
exec { $ARGV[0] } @ARGV or fail "$ARGV[0]: $!";
`;
