import type { StatusOfServer } from '../../analysis/status.ts'
import { levelAbout, limitingServers } from '../live-findings.ts'
import { defineRule, type LintContext } from '../rule.ts'

export default defineRule({
  id: 'APF513',
  name: 'drift',
  severity: 'warning',
  summary: 'API servers enforce different configurations',
  documentation: {
    what:
      'API servers of one cluster with the same number of seats that have different nominal limits for a level, or of which one ' +
      'enforces a level that another does not know. Schemas cannot be compared: a server tells of those alone that had requests.',
    why:
      'All servers read the same objects. One that enforces others has missed changes, and goes on missing them: what was applied ' +
      'holds for a part of the requests only.',
    fix: 'Read again in a minute, as every change takes a moment. Where the difference stays, look into the log of the server that differs, and restart it.',
    fails: 'Two API servers with 600 seats, on one of which `workload-low` has 245 seats and on the other 196.',
    passes: 'Two API servers with 600 seats and the same nominal limits, or with different seats, which is APF502.',
  },
  *check(context) {
    const servers = limitingServers(context).filter(
      ({ server, limit }) => limit.value !== null && server.levels.length > 0,
    )
    for (const seats of new Set(servers.map(({ limit }) => limit.value))) {
      const alike = servers.filter(({ limit }) => limit.value === seats).map(({ server }) => server)
      const names = alike.flatMap(({ levels }) =>
        levels.filter((level) => isEnforced(level, context)).map(({ name }) => name),
      )
      for (const name of new Set(names)) {
        const known = alike
          .map((server) => ({ server: server.name, limit: enforcedLimit(server, name, context) }))
          .filter(({ limit }) => limit !== null)
        if (new Set(known.map(({ limit }) => limit)).size < 2) continue
        yield {
          ...levelAbout(name, context),
          path: [],
          message: `PriorityLevelConfiguration ${name} is not the same on all API servers: ${known.map(inWords).join('; ')}`,
          note: 'one of them has missed a change, or was read in the middle of one',
          fix: { text: 'read again in a minute; look into the log of the server that differs' },
        }
      }
    }
  },
})

type Server = StatusOfServer['server']

/** The series of a level stay when it is deleted; without the dump of levels only its object tells that it is not. */
function isEnforced({ name, inForce }: Server['levels'][number], { configuration }: LintContext): boolean {
  return inForce ?? configuration.levels.has(name)
}

/** Nominal seats; `none` where the server does not enforce the level, null where it does not tell. */
function enforcedLimit({ levels }: Server, name: string, context: LintContext): number | 'none' | null {
  const level = levels.find((each) => each.name === name)
  if (level === undefined || !isEnforced(level, context)) return 'none'
  return level.quiescing ? null : level.nominal
}

function inWords({ server, limit }: { server: string; limit: number | 'none' | null }): string {
  return limit === 'none' ? `${server} does not enforce it` : `${server} gives it ${limit} seats`
}
