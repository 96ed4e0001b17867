import type { FlowSchema } from '../../apf/objects.ts'
import { nameOf } from '../clauses.ts'
import { maintainerOf } from '../engine.ts'
import { countsRequests, limitingServers } from '../live-findings.ts'
import { defineRule } from '../rule.ts'

export default defineRule({
  id: 'APF512',
  name: 'no-traffic',
  severity: 'info',
  summary: 'A FlowSchema has had no request since the API servers started',
  documentation: {
    what:
      'A FlowSchema in force that no API server has counted a request for, though all of them have run for a day, and the schema has ' +
      'been there as long. Default objects and those of providers are left out.',
    why: 'Either its clients are gone, or they never land in it: a misspelt subject or an earlier schema shows nowhere else.',
    fix: 'See with `kubectl apf whereis` where the requests land that it is made for; remove it if there are none.',
    fails: 'A FlowSchema without a request on servers that have run for three days.',
    passes: 'A FlowSchema with requests, or on a server that has been restarted within a day.',
  },
  *check(context) {
    const { evidence, configuration, rules } = context
    const { readAt } = evidence
    if (readAt === null || evidence.release?.minor !== rules.minor) return
    const servers = limitingServers(context).map(({ server }) => server)
    const starts = servers.map(({ startedAt }) => startedAt ?? readAt)
    const names = servers.map(({ name }) => name).join(', ')
    if (servers.length === 0 || Math.max(...starts) > readAt - DAY) return
    for (const { schema, level, builtIn } of configuration.order) {
      if (builtIn || maintainerOf(schema, rules) !== null) continue
      if (!servers.every((server) => countsRequests(server, level.metadata.name))) continue
      const since = settledAt(schema)
      if (since !== null && since > readAt - DAY) continue
      const used = servers.some(({ flowSchemas }) =>
        flowSchemas.some(({ name, dispatched, rejected }) => name === schema.metadata.name && (dispatched || rejected)),
      )
      if (used) continue
      yield {
        object: schema,
        path: [],
        message: `${nameOf(schema)} has had no request on ${names}`,
        note: `in ${Math.floor((readAt - Math.max(...starts, since ?? 0)) / 3600)} hours`,
        fix: { text: 'see with kubectl apf whereis where its clients land, or remove it' },
      }
    }
  },
})

/** In seconds. */
const DAY = 86_400

/** When the server last found out about the level of a schema, in seconds since 1970: at the latest when it became what it is. */
function settledAt({ status }: FlowSchema): number | null {
  const time = status.conditions.find(({ type }) => type === 'Dangling')?.lastTransitionTime ?? null
  const milliseconds = time === null ? Number.NaN : Date.parse(time)
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000
}
