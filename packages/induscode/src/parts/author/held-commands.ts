// An addon's commands while its versions change: each runs as a turn, in the version that is there when it runs.

import type { Command, CommandContext } from "../../feature/command.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { BetweenTurns } from "./between-turns.ts";

/**
 * The module with commands that count as turns, so that their process stays alive until they end. A command typed while a version was
 * loading runs in that version.
 */
export function holdCommands(
  name: string,
  { duringTurn }: Pick<BetweenTurns, "duringTurn">,
): (module: FeatureModule) => FeatureModule {
  const commands = new Map<string, Command>();
  const runLatest = async ({ name: typed }: Command, given: CommandContext): Promise<void> => {
    const command = commands.get(typed);
    if (!command) throw new Error(`the version of ${name} that was just loaded has no /${typed}`);
    await command.run(given);
  };
  return (module) => ({
    descriptor: module.descriptor,
    install(context) {
      commands.clear();
      return module.install({ ...context, commands: { register } });

      function register(command: Command): void {
        commands.set(command.name, command);
        context.commands.register({
          ...command,
          run: (given) => duringTurn(() => runLatest(command, given)),
        });
      }
    },
  });
}
