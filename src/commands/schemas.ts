import { condensedSubjects, distinctSubjects, subjectName } from '../analysis/who.ts'
import { bootstrapClass } from '../apf/defaults/index.ts'
import { inWouldBeOrder } from '../apf/explain.ts'
import type { FlowSchema } from '../apf/objects.ts'
import { type DanglingSchema, type EffectiveSchema, effectiveConfiguration } from '../apf/order.ts'
import { placeOf } from '../apf/problem.ts'
import type { VersionRules } from '../apf/versions.ts'
import { defineCommand } from '../cli/command.ts'
import { EXIT } from '../cli/errors.ts'
import { connectionFlags, impersonationFlags, outputFlag, outputFlags, sourceFlags } from '../cli/flags.ts'
import type { Io } from '../cli/io.ts'
import { type OutputFlagValues, printDocument, printTable, stdoutPainter } from '../cli/print.ts'
import { describeSource, isLive, requireObjects, withState } from '../cli/source.ts'
import { API_VERSION, type FlowSchemaEntry, type FlowSchemas } from '../report/contract.ts'
import { flowSchemaName } from '../report/names.ts'
import type { ClusterState } from '../sources/cluster-state.ts'
import type { Painter } from '../ui/colour.ts'
import { escapeForTerminal } from '../ui/escape.ts'
import type { Column } from '../ui/table.ts'

const flags = {
  output: outputFlag(['table', 'wide', 'json', 'yaml', 'name']),
  ...outputFlags,
  ...sourceFlags,
  ...connectionFlags,
  ...impersonationFlags,
}

export default defineCommand({
  description:
    'The first schema that matches takes a request. Schemas that take nothing, because their priority level does not exist, ' +
    'stand where they would be.',
  usage: ['schemas [--context NAME | --defaults MINOR | --from PATH...] [flags]'],
  args: {},
  flags,
  examples: [
    { says: 'Those of the cluster of the current context', run: 'schemas', needs: 'cluster' },
    { says: 'The default objects of Kubernetes 1.37', run: 'schemas --defaults 1.37' },
    {
      says: 'Objects of your own over those of a server, with their files and lines',
      run: 'schemas --from examples/shop.yaml --defaults 1.37 -o wide',
    },
    { says: 'The names alone, as kubectl takes them', run: 'schemas --defaults 1.37 -o name' },
  ],
  run: ({ flags }, io) => {
    const impersonation = { as: flags.as, 'as-group': flags['as-group'], 'as-uid': flags['as-uid'] }
    return withState(flags, { impersonation, readsStdin: false }, io, async (state) => {
      requireObjects(state)
      await printSchemas(state, flags, io)
      return EXIT.ok
    })
  },
})

async function printSchemas(state: ClusterState, flags: OutputFlagValues, io: Io): Promise<void> {
  const configuration = effectiveConfiguration(state.flowSchemas, state.priorityLevels, state.rules)
  const rows = inWouldBeOrder(configuration).map((item, index) => row(item, index + 1, state))
  switch (flags.output) {
    case 'json':
    case 'yaml': {
      const answer: FlowSchemas = {
        apiVersion: API_VERSION,
        kind: 'FlowSchemas',
        source: describeSource(state),
        flowSchemas: rows.map(({ entry }) => entry),
      }
      await printDocument(answer, flags.output, io)
      break
    }
    case 'name':
      await io.stdout.write(rows.map(({ entry }) => `${escapeForTerminal(flowSchemaName(entry.name))}\n`).join(''))
      break
    default: {
      const { dropped } = await printTable(columns(stdoutPainter(io), flags.output === 'wide'), rows, flags, io)
      if (dropped.includes(NOTE)) await io.stdout.write(danglingLine(rows))
    }
  }
}

interface Row {
  entry: FlowSchemaEntry
  schema: FlowSchema
}

const NOTE = 'NOTE'

/** What a table without room for its notes has to say all the same. */
function danglingLine(rows: readonly Row[]): string {
  const names = rows.filter(({ entry }) => !entry.inForce).map(({ entry }) => entry.name)
  return names.length === 0 ? '' : `dangling, so they take nothing: ${escapeForTerminal(names.join(', '))}\n`
}

function row(item: EffectiveSchema | DanglingSchema, order: number, state: ClusterState): Row {
  return { entry: entry(item, order, state), schema: item.schema }
}

function entry(item: EffectiveSchema | DanglingSchema, order: number, state: ClusterState): FlowSchemaEntry {
  const { schema } = item
  const { file = null, line = null } = isLive(state) ? {} : placeOf(schema.origin, [])
  const level = 'level' in item ? item.level : null
  const levelsKnown = !isLive(state) || state.live.levelsUnknown === null
  return {
    order,
    name: schema.metadata.name,
    uid: schema.metadata.uid,
    matchingPrecedence: schema.spec.matchingPrecedence,
    priorityLevel: {
      name: schema.spec.priorityLevelConfiguration.name,
      type: levelsKnown ? (level?.spec.type ?? null) : null,
      response: levelsKnown ? (level?.spec.limited?.limitResponse.type ?? null) : null,
    },
    distinguisherMethod: schema.spec.distinguisherMethod?.type ?? null,
    subjects: distinctSubjects(schema).map((subject) => ({ kind: subject.kind, ...subjectName(subject) })),
    inForce: level !== null,
    because: 'because' in item ? danglingReason(item) : null,
    origin: originOf(schema, state.rules),
    file,
    line,
  }
}

function danglingReason({ schema, because, detail }: DanglingSchema): string {
  const level = schema.spec.priorityLevelConfiguration.name || '""'
  return because === 'no-such-level'
    ? `priority level ${level} does not exist`
    : `priority level ${level} is malformed: ${detail}`
}

function originOf(schema: FlowSchema, rules: VersionRules): FlowSchemaEntry['origin'] {
  const defaultClass = bootstrapClass(schema, rules)
  if (defaultClass === null) return 'custom'
  return defaultClass === 'mandatory' ? 'mandatory' : 'default'
}

function columns(paint: Painter, wide: boolean): Column<Row>[] {
  return [
    { header: 'ORDER', align: 'right', value: ({ entry }) => entry.order },
    { header: 'PRECEDENCE', align: 'right', value: ({ entry }) => entry.matchingPrecedence },
    { header: 'FLOWSCHEMA', value: ({ entry }) => entry.name },
    { header: 'LEVEL', value: ({ entry }) => entry.priorityLevel.name || '""' },
    {
      header: 'TYPE',
      wide: true,
      value: ({ entry: { priorityLevel } }) => priorityLevel.response ?? priorityLevel.type ?? '?',
    },
    { header: 'FLOWS BY', value: ({ entry }) => flowsBy(entry.distinguisherMethod) },
    { header: 'WHO', cuts: true, value: ({ schema }) => condensedSubjects(schema, wide) },
    {
      header: NOTE,
      value: ({ entry }) => note(entry),
      paint: ({ entry }) => (entry.inForce ? paint.dim : paint.red),
    },
    {
      header: 'WHERE',
      wide: true,
      value: ({ entry }) => [entry.file, entry.line].filter((part) => part !== null).join(':'),
    },
  ]
}

function flowsBy(method: string | null): string {
  if (method === null) return '-'
  return { ByUser: 'user', ByNamespace: 'namespace' }[method] ?? method
}

function note({ inForce, origin, uid }: FlowSchemaEntry): string {
  if (!inForce) return 'dangling: takes nothing'
  if (uid === '') return `${origin}, stand-in`
  return { mandatory: 'mandatory', default: 'built-in', custom: '' }[origin]
}
