/** Which limiter is active on each API server, and what does not fit together. */
import { defaultObjects, mandatoryObjects } from '../apf/defaults/index.ts'
import type { ApfObject } from '../apf/objects.ts'
import { effectiveConfiguration } from '../apf/order.ts'
import { placeOf } from '../apf/problem.ts'
import { resolveVersion, type VersionRules } from '../apf/versions.ts'
import type { ServerMode } from '../metrics/mode.ts'
import type { ServerState } from '../metrics/server-state.ts'
import type { ServerSeatsLimit } from './seats.ts'

export interface StatusOfServer {
  server: ServerState
  limit: ServerSeatsLimit
  /** Null where the version is not known. */
  rules: VersionRules | null
}

export interface StatusFinding {
  rule: string
  severity: 'error' | 'warning' | 'info'
  message: string
  object: { kind: string; name: string } | null
  file: string | null
  line: number | null
  column: number | null
  field: string | null
  fix: string | null
}

export interface StatusObjects {
  flowSchemas: Parameters<typeof effectiveConfiguration>[0]
  priorityLevels: Parameters<typeof effectiveConfiguration>[1]
  rules: VersionRules
}

/** The rules of the release that a server says it is. */
export function rulesOfServer({ version }: ServerState): VersionRules | null {
  const resolved = version === null ? null : resolveVersion(version)
  return resolved?.known ? resolved.rules : null
}

/** What does not fit together: servers among each other first, then evidence of one server, then objects. */
export function statusFindings(servers: readonly StatusOfServer[], objects: StatusObjects | null): StatusFinding[] {
  return [
    ...serverFindings(servers, objects),
    ...(objects === null ? [] : [...missingObjects(objects), ...dangling(objects)]),
  ]
}

/** Servers among each other, the evidence of each, and whether the objects have any effect on them. */
export function serverFindings(servers: readonly StatusOfServer[], objects: StatusObjects | null): StatusFinding[] {
  return [
    ...differences(servers),
    ...servers.flatMap(contradictions),
    ...(objects === null ? [] : withoutEffect(servers, objects)),
  ]
}

// Servers among each other

function differences(servers: readonly StatusOfServer[]): StatusFinding[] {
  const modes = groups(servers, ({ server }) => (server.mode.mode === 'Unknown' ? null : server.mode.mode))
  const totals = groups(servers, ({ limit }) => limit.value)
  const versions = groups(servers, ({ server }) => server.version)
  return [
    ...(modes.length < 2
      ? []
      : [finding('APF501', 'warning', `the servers differ in what limits requests: ${each(modes, String)}`, MODE_FIX)]),
    ...(totals.length < 2
      ? []
      : [
          finding(
            'APF502',
            'warning',
            `the servers differ in seats: ${each(totals, (seats) => `${seats} seats`)}`,
            SEATS_FIX,
          ),
        ]),
    ...(versions.length < 2
      ? []
      : [
          finding(
            'APF503',
            'info',
            `the servers are of different releases: ${each(versions, (text) => `v${text}`)}`,
            null,
          ),
        ]),
  ]
}

const MODE_FIX = 'give all of them the same --enable-priority-and-fairness and --feature-gates'
const SEATS_FIX = 'give all of them the same --max-requests-inflight and --max-mutating-requests-inflight'

interface Group<Value> {
  value: Value
  names: string[]
}

/** Servers by what is known of them, the largest group first. */
function groups<Value>(
  servers: readonly StatusOfServer[],
  known: (server: StatusOfServer) => Value | null,
): Group<Value>[] {
  const found = new Map<Value, string[]>()
  for (const each of servers) {
    const value = known(each)
    if (value !== null) found.set(value, [...(found.get(value) ?? []), each.server.name])
  }
  return [...found].map(([value, names]) => ({ value, names })).sort((a, b) => b.names.length - a.names.length)
}

function each<Value>(found: readonly Group<Value>[], inWords: (value: Value) => string): string {
  return found.map(({ value, names }) => `${names.join(', ')} ${inWords(value)}`).join('; ')
}

// One server

function contradictions({ server: { name, mode, component } }: StatusOfServer): StatusFinding[] {
  const found: StatusFinding[] = []
  if (mode.contradiction !== null) {
    const fix = 'ask each server by its own address: --apiserver URL'
    found.push(finding('APF504', 'warning', `${name}: the evidence contradicts itself: ${mode.contradiction}`, fix))
  }
  if (component === 'other-api-server') {
    const message = `${name} is an aggregated API server: its limiter is its own, beside that of kube-apiserver`
    found.push(finding('APF505', 'info', message, null))
  }
  return found
}

// Objects

const OFF: readonly ServerMode[] = ['MaxInFlight', 'Unlimited', 'NotAPF']

function withoutEffect(servers: readonly StatusOfServer[], { flowSchemas }: StatusObjects): StatusFinding[] {
  const off = servers.filter(({ server }) => OFF.includes(server.mode.mode)).map(({ server }) => server.name)
  if (off.length === 0 || flowSchemas.length === 0) return []
  const message = `${flowSchemas.length} FlowSchemas exist and have no effect on ${off.join(', ')}: APF is off there`
  return [finding('APF506', 'warning', message, 'start the server with --enable-priority-and-fairness=true')]
}

/** Every server recreates them within a minute, so that something is wrong or happens just now. */
export function missingObjects({ flowSchemas, priorityLevels, rules }: StatusObjects): StatusFinding[] {
  const present = new Set([...flowSchemas, ...priorityLevels].map(keyOf))
  const isMissing = (object: ApfObject) => !present.has(keyOf(object))
  const mandatory = all(mandatoryObjects(rules)).filter(isMissing)
  const mandatoryKeys = new Set(all(mandatoryObjects(rules)).map(keyOf))
  const suggested = all(defaultObjects(rules)).filter(
    (object) => isMissing(object) && !mandatoryKeys.has(keyOf(object)),
  )
  return [
    ...mandatory.map((object) => {
      const message = `mandatory ${object.kind} ${object.metadata.name} is missing; the server uses one of its own in its place`
      return { ...finding('APF401', 'warning', message, null), object: named(object) }
    }),
    ...suggested.map((object) => {
      const message = `suggested ${object.kind} ${object.metadata.name} is missing`
      return { ...finding('APF402', 'info', message, null), object: named(object) }
    }),
  ]
}

function all({ flowSchemas, priorityLevels }: Pick<StatusObjects, 'flowSchemas' | 'priorityLevels'>): ApfObject[] {
  return [...flowSchemas, ...priorityLevels]
}

function keyOf({ kind, metadata }: ApfObject): string {
  return `${kind}/${metadata.name}`
}

function named({ kind, metadata }: ApfObject) {
  return { kind, name: metadata.name }
}

function dangling({ flowSchemas, priorityLevels, rules }: StatusObjects): StatusFinding[] {
  return effectiveConfiguration(flowSchemas, priorityLevels, rules).dangling.map(({ schema, because, detail }) => {
    const level = schema.spec.priorityLevelConfiguration.name
    const why = because === 'no-such-level' ? 'does not exist' : `is malformed: ${detail}`
    const message = `FlowSchema ${schema.metadata.name} takes nothing: its priority level ${level || '""'} ${why}`
    const path = ['spec', 'priorityLevelConfiguration', 'name']
    const { file = null, line = null, column = null } = placeOf(schema.origin, path)
    const fix = `create the level, or correct ${path.join('.')}`
    return {
      ...finding('APF201', 'error', message, fix),
      object: named(schema),
      file,
      line,
      column,
      field: path.join('.'),
    }
  })
}

function finding(
  rule: string,
  severity: StatusFinding['severity'],
  message: string,
  fix: string | null,
): StatusFinding {
  return { rule, severity, message, object: null, file: null, line: null, column: null, field: null, fix }
}
