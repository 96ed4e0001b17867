/** The commands: what the list of commands shows, and how each is loaded. Nothing else is loaded for a command's call. */
import type { Command } from './command.ts'

interface ManifestEntry {
  summary: string
  hidden?: true
  load(): Promise<{ default: Command }>
}

export const manifest = {
  whereis: {
    summary: 'Show where a request lands: FlowSchema, priority level, queues, and why not elsewhere',
    load: () => import('../commands/whereis.ts'),
  },
  schemas: {
    summary: 'List the FlowSchemas in the order in which the server tries them',
    load: () => import('../commands/schemas.ts'),
  },
  status: {
    summary: 'Show which limiter is active on each API server: APF, MaxInFlight or none',
    load: () => import('../commands/status.ts'),
  },
  seats: {
    summary: 'Show the seats of each priority level: shares, limits, borrowing, and on a live cluster their use',
    load: () => import('../commands/seats.ts'),
  },
  lint: {
    summary: 'Find what the server would refuse, and what it accepts but nobody can have meant',
    load: () => import('../commands/lint.ts'),
  },
  'audit-exempt': {
    summary: 'Show who bypasses fairness, through which rule, how broadly, and whether a policy allows it',
    load: () => import('../commands/audit-exempt.ts'),
  },
  test: {
    summary: 'Check promises in a file: these requests land here, those identities are never exempt',
    load: () => import('../commands/test.ts'),
  },
  isolate: {
    summary: 'Print the FlowSchema and priority level that fence one subject in, with proof of what moves',
    load: () => import('../commands/isolate.ts'),
  },
  limits: {
    summary: 'Check and explain the other limiters: client-go, EventRateLimit, Cilium, requests in flight',
    load: () => import('../commands/limits.ts'),
  },
  simulate: {
    summary: 'Show what a change does before it is applied: which requests move, who pays, what lies between',
    load: () => import('../commands/simulate.ts'),
  },
  'explain-429': {
    summary: 'Name the limiter behind a 429, a log line, an audit event or a metric',
    load: () => import('../commands/explain-429.ts'),
  },
  explain: {
    summary: 'Explain a rule of lint, a field, a concept, or a limiter',
    load: () => import('../commands/explain.ts'),
  },
  version: {
    summary: 'Print the version of this program',
    load: () => import('../commands/version.ts'),
  },
  __complete: {
    summary: 'Complete a command line (for shells)',
    hidden: true,
    load: () => import('../commands/complete.ts'),
  },
} as const satisfies Record<string, ManifestEntry>

export type CommandName = keyof typeof manifest

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(manifest, name)
}

export function visibleCommands(): CommandName[] {
  return Object.entries<ManifestEntry>(manifest).flatMap(([name, entry]) =>
    entry.hidden || !isCommandName(name) ? [] : [name],
  )
}
