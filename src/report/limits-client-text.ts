/** The limits of clients, for people. */
import { counted, thousands } from '../ui/numbers.ts'
import type { Column } from '../ui/table.ts'
import { wrapped } from '../ui/wrap.ts'
import type { ClientLimit, ClientLimits, ClientLoad, ClientMetrics, LevelDemand } from './limits-contract.ts'
import { percent, span } from './limits-lines.ts'

/** What the metrics tell, or else what the calls take, in one line. */
export function clientVerdict({ clients, load, metrics }: ClientLimits): string {
  if (metrics !== null) return metricsVerdict(metrics)
  const [first, ...others] = clients
  if (first === undefined) return 'nothing in the files sets the limits of a client'
  const refused = clients.filter(({ errors }) => errors.length > 0)
  if (refused.length > 0) {
    return others.length === 0
      ? `the program refuses these settings: ${refused[0]?.errors.join('; ')}`
      : `${refused.length} of ${counted(clients.length, 'client')} have settings that the program refuses`
  }
  if (others.length === 0) return oneClient(first, load)
  return `${counted(clients.length, 'client')}, and what ${loadText(load)} take each of them`
}

function oneClient({ limiter, prediction }: ClientLimit, load: ClientLoad): string {
  if (limiter === null) return `nothing holds this client back: ${loadText(load)} are sent as they come`
  const settings = `QPS ${limiter.qps} and burst ${thousands(limiter.burst)}`
  if (prediction === null) return settings
  const { seconds, delayed, longestWaitSeconds, failed } = prediction
  const took = `${loadText(load)} take ${span(seconds)} with ${settings}`
  if (failed > 0) return `${took}; ${thousands(failed)} fail, their deadline comes first`
  if (delayed === 0) return `${took}: the limiter delays none of them`
  return `${took}: ${thousands(delayed)} wait, up to ${span(longestWaitSeconds)}`
}

function loadText({ calls, workers, ratePerSecond, latencySeconds }: ClientLoad): string {
  if (ratePerSecond !== null) return `${counted(calls, 'call')}, ${ratePerSecond} each second,`
  if (workers >= calls) return `${counted(calls, 'call')} at once`
  return workers === 1
    ? `${counted(calls, 'call')} one after the other`
    : `${counted(calls, 'call')} of ${span(latencySeconds)} by ${counted(workers, 'caller')}`
}

function metricsVerdict({ verdict, meanWaitSeconds, limiterShare, attempts429 }: ClientMetrics): string {
  const refused = attempts429 ? `; ${counted(attempts429, 'attempt')} got 429` : ''
  const share = limiterShare === null ? '' : `, ${percent(limiterShare)} of its time`
  const wait = `${span(meanWaitSeconds ?? 0)} for each attempt${share}`
  switch (verdict) {
    case 'waits':
      return `the client holds itself back: ${wait}${refused}`
    case 'partly-waits':
      return `the client waits for its own limiter part of the time: ${wait}${refused}`
    case 'does-not-wait':
      return `the client does not wait for its own limiter${refused}`
    case 'not-exposed':
      return `whether the client waits for its own limiter cannot be told from these metrics${refused}`
  }
}

export function clientColumns(): Column<ClientLimit>[] {
  return [
    { header: 'CLIENT', value: ({ component, use }) => (use === null ? component : `${component} (${use})`) },
    { header: 'QPS', align: 'right', value: qpsText },
    { header: 'BURST', align: 'right', value: ({ limiter }) => (limiter === null ? '-' : thousands(limiter.burst)) },
    { header: 'FROM', cuts: true, value: fromText },
    {
      header: 'TAKES',
      align: 'right',
      value: ({ prediction }) => (prediction === null ? '-' : span(prediction.seconds)),
    },
    { header: 'WAIT', align: 'right', value: ({ prediction }) => prediction?.delayed ?? '-' },
    {
      header: 'LONGEST',
      align: 'right',
      value: ({ prediction }) => (prediction === null ? '-' : span(prediction.longestWaitSeconds)),
    },
  ]
}

function qpsText({ limiter, errors }: ClientLimit): string | number {
  if (errors.length > 0) return '?'
  return limiter === null ? 'no limit' : limiter.qps
}

function fromText({ version, object, file, line, qpsFrom, burstFrom }: ClientLimit): string {
  const defaults = version === null ? 'default' : `default ${version}`
  if (qpsFrom === 'default' && burstFrom === 'default') return defaults
  const given = object ?? (file === null ? 'flags' : [file, line].filter((part) => part !== null).join(':'))
  return qpsFrom === burstFrom ? given : `${given}, ${defaults}`
}

/** What is worth knowing of one client. */
export function clientLines(
  { limiter, sharing, prediction, settings, errors, replicas, beware, burstFrom }: ClientLimit,
  load: ClientLoad,
): string[] {
  const lines: string[] = errors.map((error) => `! ${error}`)
  if (limiter !== null && prediction !== null) {
    lines.push(`  ceiling   ${limiter.qps} calls each second, whatever the number of callers`)
    lines.push(
      `  credit    ${counted(limiter.burst, 'call')} at once, back after ${span(limiter.burst / limiter.qps)} of silence`,
    )
    lines.push(`  buckets   ${sharing}`)
    lines.push(`  in logs   ${logText(prediction, load)}`)
    if (prediction.waitsAfterSeconds !== null) {
      lines.push(
        `  queue     the calls come faster than the ceiling: waits begin after ${span(prediction.waitsAfterSeconds)}, and grow`,
      )
    }
    if (prediction.failure !== null) {
      lines.push(`  deadline  call ${thousands(prediction.firstFailed ?? 0)} is the first to fail, at once and unsent:`)
      lines.push(`    ${prediction.failure}`)
    }
  } else if (errors.length === 0) lines.push(`  buckets   ${sharing}`)
  if (settings !== null) lines.push(`  set by    ${settings.qps} and ${settings.burst}`)
  if (replicas !== null && replicas > 1) {
    lines.push(
      `  copies    ${replicas} replicas, each with buckets of its own; those that wait for a lease send little`,
    )
  }
  if (burstFrom === 'default' && beware !== null) lines.push(...wrapped(`  beware    ${beware}`, ' '.repeat(12)))
  return lines
}

function logText(
  { linesAtV3, overOneSecond }: { linesAtV3: number; overOneSecond: number },
  { calls }: ClientLoad,
): string {
  if (overOneSecond > 0) {
    return `"client-side throttling" at any verbosity, one line in ten seconds for ${counted(overOneSecond, 'call')}`
  }
  if (linesAtV3 > 0) return `nothing by default, no wait is above one second; ${counted(linesAtV3, 'line')} at -v=3`
  return calls > 0 ? 'nothing' : ''
}

export function metricsLines({ attempts, attempts429, calls, delayedShare, retries, says }: ClientMetrics): string[] {
  const facts = [
    ['attempts', attempts],
    ['of them answered 429', attempts429],
    ['repeated', retries],
    ['calls', calls],
  ] as const
  return [
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`  ${thousands(value)} ${name}`])),
    ...(delayedShare === null ? [] : [`  ${percent(delayedShare)} of the attempts waited longer than 5ms`]),
    ...says.flatMap((each) => wrapped(`  ${each}`, '  ')),
  ]
}

const FITS: Readonly<Record<LevelDemand['fits'], string>> = {
  'within-nominal': 'yes',
  'by-borrowing': 'only by borrowing',
  no: 'no: it queues, or is refused',
  unknown: '?',
}

export function demandColumns(): Column<LevelDemand>[] {
  const number = (value: number | null) => (value === null ? 'any' : thousands(Math.ceil(value)))
  return [
    { header: 'LEVEL', value: ({ level }) => level },
    { header: 'NOMINAL', align: 'right', value: ({ nominal }) => nominal ?? '?' },
    { header: 'REACHABLE', align: 'right', value: ({ reachable }) => reachable ?? '-' },
    { header: 'AT ONCE', align: 'right', value: ({ burstRequests }) => number(burstRequests) },
    { header: 'SEATS HELD', align: 'right', value: ({ sustainedSeats }) => number(sustainedSeats) },
    { header: 'FITS', value: ({ fits }) => FITS[fits] },
  ]
}
