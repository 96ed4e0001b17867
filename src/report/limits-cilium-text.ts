/** The limits of the Cilium agent, for people. */
import type { Painter } from '../ui/colour.ts'
import { counted, rounded, thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'
import { wrapped } from '../ui/wrap.ts'
import type {
  CiliumGroupLimits,
  CiliumGroupMetrics,
  CiliumLimits,
  CiliumMetrics,
  CiliumPods,
  CiliumScenario,
} from './limits-contract.ts'
import { span } from './limits-lines.ts'

/** What decides, in one line: an error of the settings, the metrics, the pods that start, or what the settings change. */
export function ciliumVerdict({ valid, release, given, groups, pods, metrics }: CiliumLimits): string {
  if (!valid) return `the agent of Cilium ${release} does not start with this setting`
  if (metrics !== null) return metricsVerdict(metrics)
  if (pods !== null) return podsVerdict(pods)
  if (given === null) return `no setting: the defaults of Cilium ${release} hold for the API of each agent`
  const idle = groups.filter(({ calls, given: text }) => text !== null && calls === null)
  const changed = groups.filter(({ calls, given: text }) => text !== null && calls !== null)
  if (changed.length === 0 && idle.length > 0) {
    return `Cilium ${release} takes the setting, and nothing comes of it: ${idle.map(({ group }) => group).join(', ')} limits no call`
  }
  return `Cilium ${release} takes the setting; it changes ${changed.map(({ group }) => group).join(', ') || 'nothing'}`
}

function podsVerdict({ perNode, scenarios }: CiliumPods): string {
  const [running] = scenarios
  if (running === undefined) return ''
  const { served, refused, lastSeconds } = running
  if (served === 0) return `none of ${counted(perNode, 'pod')} that start on one node at once gets its endpoint`
  if (refused === 0)
    return `${counted(perNode, 'pod')} that start on one node at once have their endpoints after ${span(lastSeconds ?? 0)}`
  const within = `${thousands(served)} of ${counted(perNode, 'pod')} that start on one node at once have their endpoints after ${span(lastSeconds ?? 0)}`
  return `${within}; ${thousands(refused)} are refused`
}

const STATES: Readonly<Record<CiliumGroupMetrics['state'], string>> = {
  stuck: 'the agent is stuck, its limits are not the cause',
  'maybe-stuck': 'the agent may be stuck: its calls take far too long, whatever the limits',
  slow: 'the agent is slow, and its limits follow',
  limited: 'the limits of the agent refuse calls',
  waits: 'calls wait for the limits of the agent',
  free: 'nobody waits for the limits of the agent',
}

/** Worst first. */
const ORDER = ['stuck', 'maybe-stuck', 'slow', 'limited', 'waits', 'free'] as const

function metricsVerdict({ groups }: CiliumMetrics): string {
  const worst = ORDER.find((state) => groups.some((group) => group.state === state)) ?? 'free'
  const names = groups.filter(({ state }) => state === worst).map(({ group }) => group)
  return worst === 'free' ? STATES.free : `${STATES[worst]}: ${names.join(', ')}`
}

export function groupColumns(): Column<CiliumGroupLimits>[] {
  return [
    { header: 'GROUP', value: ({ group, given }) => (given === null ? group : `${group} *`) },
    { header: 'RATE', align: 'right', value: ({ rateLimit }) => rateText(rateLimit) },
    { header: 'BURST', align: 'right', value: ({ rateBurst }) => rateBurst ?? '-' },
    { header: 'AT ONCE', align: 'right', value: ({ parallelRequests }) => parallelRequests ?? 'any' },
    {
      header: 'MIN-MAX',
      align: 'right',
      value: ({ minParallelRequests, maxParallelRequests }) => `${minParallelRequests}-${maxParallelRequests ?? ''}`,
    },
    { header: 'SKIP', wide: true, align: 'right', value: ({ skipInitial }) => skipInitial },
    {
      header: 'WAITS',
      align: 'right',
      value: ({ maxWaitSeconds }) => (maxWaitSeconds === null ? 'any' : span(maxWaitSeconds)),
    },
    {
      header: 'ESTIMATE',
      align: 'right',
      value: ({ estimatedProcessingSeconds: estimate }) => (estimate === 0 ? '-' : span(estimate)),
    },
    { header: 'ADJUSTS', wide: true, value: ({ autoAdjust }) => (autoAdjust ? 'yes' : 'no') },
    { header: 'CALLS', cuts: true, value: ({ calls }) => calls ?? 'none' },
  ]
}

function rateText(rate: CiliumGroupLimits['rateLimit']): string {
  if (rate === null) return 'any'
  if (rate === '+Inf') return '+Inf'
  return rate !== 0 && Math.abs(rate) < 0.1 ? `${rounded(rate * 60)}/m` : `${Math.round(rate * 100) / 100}/s`
}

export function scenarioColumns(): Column<CiliumScenario>[] {
  const time = (seconds: number | null) => (seconds === null ? '-' : span(seconds))
  return [
    { header: 'AGENT', value: ({ says }) => says },
    { header: 'SERVED', align: 'right', value: ({ served }) => served },
    { header: 'REFUSED', align: 'right', value: ({ refused }) => refused },
    { header: 'FIRST', align: 'right', value: ({ firstSeconds }) => time(firstSeconds) },
    { header: 'MEDIAN', align: 'right', value: ({ medianSeconds }) => time(medianSeconds) },
    { header: 'LAST', align: 'right', value: ({ lastSeconds }) => time(lastSeconds) },
  ]
}

export function podLines({ processingSeconds, scenarios }: CiliumPods): string[] {
  const refusals = scenarios.find(({ refused }) => refused > 0)?.refusals ?? []
  return [
    `  each taking the agent ${span(processingSeconds)}; image pulls, scheduling and other pods of the node not counted`,
    ...refusals.flatMap(({ outcome, count, error }) => wrapped(`  ${thousands(count)} ${outcome}: ${error}`, '    ')),
    ...(refusals.length > 0 ? ['  kubelet tries again with a new sandbox, for 4 minutes each time'] : []),
  ]
}

export function healthColumns(paint: Painter): Column<CiliumGroupMetrics>[] {
  const number = (value: number | null) => (value === null ? '?' : thousands(value))
  const time = (value: number | null) => (value === null ? '?' : span(value))
  return [
    { header: 'GROUP', value: ({ group }) => group },
    {
      header: 'STATE',
      value: ({ state }) => state,
      paint: ({ state }) => (state === 'free' ? paint.green : state === 'waits' ? paint.yellow : paint.red),
    },
    { header: 'CALLS', align: 'right', value: ({ processed }) => number(processed) },
    { header: 'REFUSED', align: 'right', value: ({ refused }) => number(refused) },
    {
      header: 'RUNNING',
      align: 'right',
      value: ({ inFlight, parallelLimit }) =>
        `${number(inFlight)}/${parallelLimit === 0 ? 'any' : number(parallelLimit)}`,
    },
    {
      header: 'RATE',
      align: 'right',
      value: ({ rateLimit }) => (rateLimit === null ? '?' : rateText(rateLimit || null)),
    },
    {
      header: 'FACTOR',
      align: 'right',
      value: ({ factor }) => (factor === null ? '?' : Math.round(factor * 100) / 100),
    },
    { header: 'WAIT', align: 'right', value: ({ meanWaitSeconds }) => time(meanWaitSeconds) },
    { header: 'PROCESSING', align: 'right', value: ({ meanProcessingSeconds }) => time(meanProcessingSeconds) },
    { header: 'ESTIMATE', align: 'right', value: ({ estimatedProcessingSeconds }) => time(estimatedProcessingSeconds) },
  ]
}

/** What is known of each group, with what to do about it. */
export function healthLines({ groups }: CiliumMetrics, arrow: string): string[] {
  return groups.flatMap(({ group, state, says, fix }) => [
    ...says.flatMap((each) => wrapped(`${state === 'free' ? ' ' : '!'} ${group}: ${each}`, '  ')),
    ...(fix === null ? [] : wrapped(`  ${arrow} ${fix}`, '    ')),
  ])
}
