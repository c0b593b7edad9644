// What rules and settings say about a host that a confined command wants to reach: the rules of `webfetch`, and the names that the person
// listed. Nobody is asked there, so anything an ask rule is about is out of reach.

import { coversHost } from "../../feature/capabilities.ts";
import type { Access } from "../../feature/tool.ts";
import type { PermissionPolicy } from "./permissions.ts";
import { compileRule } from "./rules.ts";

export interface HostRules {
  /** Why a host is out of reach; undefined if it is not. */
  readonly refusal: (host: string) => string | undefined;
  /** The same, whatever was allowed: because of a rule that denies or asks. */
  readonly against: (host: string) => string | undefined;
}

export function createHostRules(
  policy: Pick<PermissionPolicy, "allow" | "ask" | "deny">,
  hosts: readonly string[],
  places: { readonly root: string; readonly home: string },
): HostRules {
  const compiled = (rules: PermissionPolicy["allow"]) => rules.map((rule) => compileRule(rule, places));
  const [allow, denying] = [compiled(policy.allow), compiled([...policy.deny, ...policy.ask])];
  return { refusal, against };

  function against(host: string): string | undefined {
    const rule = denying.find((each) => each.touches("webfetch", askedFor(host)));
    return rule && `the rule "${rule.source}" applies to it`;
  }

  function refusal(host: string): string | undefined {
    const why = against(host);
    if (why !== undefined) return why;
    const asked = askedFor(host);
    if (hosts.some((each) => coversHost(each, host)) || allow.some((each) => each.covers("webfetch", asked)))
      return undefined;
    return `the setting networkHosts does not list it, and no rule WebFetch(domain:${host}) allows it`;
  }
}

function askedFor(host: string): { readonly access: Access } {
  return { access: { kind: "network", host } };
}
