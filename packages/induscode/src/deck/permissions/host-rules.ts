// What rules and settings say about a host that a confined command wants to reach: the rules of `webfetch`, and the names that the person
// listed. Nobody is asked there, so anything an ask rule is about is out of reach.

import { coversHost } from "../../feature/capabilities.ts";
import type { PermissionPolicy } from "./permissions.ts";
import { compileRule } from "./rules.ts";

/** Returns why a host is out of reach; undefined if it is not. */
export function createHostRules(
  policy: Pick<PermissionPolicy, "allow" | "ask" | "deny">,
  hosts: readonly string[],
  places: { readonly root: string; readonly home: string },
): (host: string) => string | undefined {
  const compiled = (rules: PermissionPolicy["allow"]) => rules.map((rule) => compileRule(rule, places));
  const [allow, against] = [compiled(policy.allow), compiled([...policy.deny, ...policy.ask])];
  return (host) => {
    const asked = { access: { kind: "network", host } } as const;
    const rule = against.find((each) => each.touches("webfetch", asked));
    if (rule) return `the rule "${rule.source}" applies to it`;
    if (hosts.some((each) => coversHost(each, host)) || allow.some((each) => each.covers("webfetch", asked)))
      return undefined;
    return `the setting networkHosts does not list it, and no rule WebFetch(domain:${host}) allows it`;
  };
}
