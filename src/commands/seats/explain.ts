/** `seats explain LEVEL`: how the numbers of one level come about, on each server. */
import type { ServerAccount } from '../../analysis/seats.ts'
import { levelsInForce, rulesOf } from '../../cli/accounts.ts'
import type { ExitCode } from '../../cli/errors.ts'
import type { Io } from '../../cli/io.ts'
import { printDocument } from '../../cli/print.ts'
import type { ServersSeen } from '../../cli/servers.ts'
import { type ExplainedLevel, explainFacts, explainVerdict } from '../../report/explain-seats.ts'
import { seatsDocument } from '../../report/seats-document.ts'
import { factLines } from '../../report/whereis-text.ts'
import { escapeForTerminal } from '../../ui/escape.ts'
import { addedLevels } from './added-levels.ts'
import { exitCodeOf, type SeatsFlagValues, unknownLevel } from './answer.ts'

export async function explainLevel(
  name: string,
  accounts: readonly ServerAccount[],
  seen: ServersSeen,
  flags: SeatsFlagValues,
  io: Io,
): Promise<ExitCode> {
  const explained = accounts.flatMap((account, index) => {
    const level = account.levels.find((each) => each.name === name)
    const rules = rulesOf(seen.servers[index]?.state.version ?? null, seen.state)
    const objects = seen.state === null ? [] : levelsInForce(seen.state, addedLevels(flags['add-level'] ?? [], rules))
    const object = objects.find(({ metadata }) => metadata.name === name) ?? null
    return level === undefined ? [] : [{ account, level, object, rules } satisfies ExplainedLevel]
  })
  if (explained.length === 0) {
    throw unknownLevel(name, [...new Set(accounts.flatMap(({ levels }) => levels.map((level) => level.name)))])
  }
  const shown = explained.map(({ account, level }) => ({ ...account, levels: [level] }))
  if (flags.output === 'json' || flags.output === 'yaml') {
    await printDocument(seatsDocument(shown, seen.coverage), flags.output, io)
  } else {
    const texts = explained.map((each) => {
      const verdict = escapeForTerminal(explainVerdict(each, explained.length > 1))
      return `${verdict}\n\n${factLines(explainFacts(each))}`
    })
    await io.stdout.write(texts.join('\n'))
  }
  return exitCodeOf(shown)
}
