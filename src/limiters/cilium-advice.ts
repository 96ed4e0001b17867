/** What to know of settings that the Cilium agent accepts, and what each of its options means. */
import {
  CILIUM_GROUPS,
  type CiliumParameters,
  type CiliumRules,
  type CiliumSettings,
  isCiliumGroup,
  meantGroup,
} from './cilium.ts'
import { formatGoDuration } from './go-values.ts'
import type { Advice, SettingText } from './settings.ts'

/** After so long kubelet gives up on the sandbox of a pod, whatever the agent does. */
const SANDBOX_PATIENCE_NS = 240e9

/** Advice on the groups that were given, in their order, and then on the form in which they are written. */
export function ciliumAdvice({ groups, given }: CiliumSettings, rules: CiliumRules): Advice[] {
  const advice: Advice[] = []
  for (const [group, text] of given) {
    const parameters = groups.get(group)
    if (parameters === undefined) continue
    if (!isCiliumGroup(group)) advice.push(unknownGroup(group))
    else advice.push(...groupAdvice(group, parameters), ...writtenAdvice(group, text))
  }
  return [...advice, ...formAdvice(given, rules)]
}

function unknownGroup(group: string): Advice {
  const meant = meantGroup(group)
  return {
    severity: 'warning',
    setting: group,
    message: `no call of the agent belongs to ${group}: the agent accepts the name, and nothing comes of it`,
    fix: meant === null ? `the groups are ${CILIUM_GROUPS.join(', ')}` : `write ${meant}`,
  }
}

function groupAdvice(group: string, parameters: CiliumParameters): Advice[] {
  const { rateLimit, minWaitDuration, maxWaitDuration, parallelRequests, minParallelRequests } = parameters
  const advice: Advice[] = []
  const warn = (option: string, message: string, fix: string) => {
    advice.push({ severity: 'warning', setting: `${group} ${option}`, message, fix })
  }
  if (rateLimit < 0) {
    warn(
      'rate-limit',
      'a negative rate gives no token back: the burst is served, then every call is refused (1.14: from the first call on)',
      'give a positive rate, or 0/s for none',
    )
  } else if (rateLimit === Number.POSITIVE_INFINITY) {
    warn('rate-limit', 'an infinite rate never holds anything back', 'write 0/s if no rate is wanted')
  } else if (rateLimit === 0 && group !== 'endpoint-delete') {
    warn('rate-limit', 'without a rate only parallel-requests limits the group', 'keep a rate unless that is wanted')
  }
  if (parameters.maxAdjustmentFactor < 1) {
    warn(
      'max-adjustment-factor',
      `below 1 it turns the bounds around: limits are multiplied by ${1 / parameters.maxAdjustmentFactor}, always`,
      'give 1 or more',
    )
  }
  if (parallelRequests > 0 && minParallelRequests > parallelRequests) {
    warn(
      'min-parallel-requests',
      `it is above parallel-requests (${parallelRequests}): the first adjustment raises both the places and the burst to it`,
      'give at most what parallel-requests has',
    )
  }
  if (maxWaitDuration > 0 && minWaitDuration > maxWaitDuration) {
    warn(
      'min-wait-duration',
      `${formatGoDuration(minWaitDuration)} is more than max-wait-duration ${formatGoDuration(maxWaitDuration)}: every call is refused`,
      'give less than max-wait-duration',
    )
  }
  if (group === 'endpoint-create' && maxWaitDuration > SANDBOX_PATIENCE_NS) {
    warn(
      'max-wait-duration',
      'kubelet gives up on a sandbox after 4 minutes: a longer wait serves nobody',
      'stay well below 4m',
    )
  }
  return advice
}

/** What is only seen in the text. */
function writtenAdvice(group: string, text: string): Advice[] {
  const advice: Advice[] = []
  for (const token of text.split(',')) {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(token) ?? []
    const option = name.toLowerCase()
    const interval = value.slice(value.indexOf('/') + 1)
    if (option === 'rate-limit' && interval.startsWith('.')) {
      advice.push({
        severity: 'warning',
        setting: `${group} rate-limit`,
        message: `${value} means 1${interval}: a leading dot is not a digit, so the agent puts a 1 before it`,
        fix: `write ${value.replace('/', '/0')}`,
      })
    }
    const fallback = FALLBACKS[option]
    if (fallback !== undefined && Number(value) === 0) {
      advice.push({
        severity: 'warning',
        setting: `${group} ${option}`,
        message: `0 cannot be said here: it becomes ${fallback}`,
        fix: `leave it out, or give ${fallback}`,
      })
    }
  }
  return advice
}

const FALLBACKS: Readonly<Record<string, string>> = {
  'rate-burst': '1',
  'mean-over': '10',
  'min-parallel-requests': '1',
  'delayed-adjustment-factor': '0.5',
  'max-adjustment-factor': '100',
}

function formAdvice(given: ReadonlyMap<string, string>, rules: CiliumRules): Advice[] {
  const hasTwoOptions = [...given.values()].some((text) => text.includes(','))
  if (rules.groupsLookAhead || !hasTwoOptions) return []
  return [
    {
      severity: 'warning',
      setting: null,
      message: `Cilium 1.${rules.minor} takes more than one option of a group in the JSON form alone`,
      fix: 'use the JSON form',
    },
  ]
}

/** The JSON form, which every release reads; the texts of the groups stay as they are. */
export function asJson(given: ReadonlyMap<string, string>): string {
  return JSON.stringify(Object.fromEntries(given))
}

const LIMITER = 'Cilium API limiter'

export const CILIUM_SETTINGS: readonly SettingText[] = [
  {
    name: 'api-rate-limit',
    limiter: LIMITER,
    unless: 'empty: the defaults of the five groups',
    does:
      'Flag of the agent, key of the ConfigMap cilium-config, and from 1.15 on Helm value apiRateLimit. Groups with their ' +
      'options, as group=option:value,option:value or as a JSON object of texts. Options that are not named keep their default.',
    beware: 'Any error keeps the agent from starting; a misspelt group is accepted and does nothing.',
  },
  {
    name: 'rate-limit',
    limiter: LIMITER,
    unless: '0.5/s create and patch, 4/s get, 1/s list, none for delete',
    does: 'Calls in an interval, such as 10/m or 1/0.5s. Auto-adjustment multiplies it by the factor at once.',
    beware: '0/s is no limit. 1/.5s is one in 1.5 seconds, and an empty interval, 1/, crashes the agent.',
  },
  {
    name: 'rate-burst',
    limiter: LIMITER,
    unless: '4; 1 for a group without built-in defaults',
    does: 'Calls that may come at once before the rate holds them back.',
    beware: 'Auto-adjustment never takes it below min-parallel-requests, so it may rise while everything else shrinks.',
  },
  {
    name: 'parallel-requests',
    limiter: LIMITER,
    unless: '4; 2 for list; none for a group without built-in defaults',
    does: 'Calls that run at once, at first: auto-adjustment moves it. Others wait in the order in which they came.',
    beware: 'It is no maximum: that is max-parallel-requests, which no group has by default.',
  },
  {
    name: 'min-parallel-requests',
    limiter: LIMITER,
    unless: '2 create (from 1.14), get and list; 4 delete; else 1',
    does: 'What auto-adjustment never goes below, neither in places nor in the burst.',
  },
  {
    name: 'max-parallel-requests',
    limiter: LIMITER,
    unless: 'none',
    does: 'What auto-adjustment never goes above, in places.',
  },
  {
    name: 'mean-over',
    limiter: LIMITER,
    unless: '10',
    does: 'The mean processing time is that of so many successful calls.',
  },
  {
    name: 'skip-initial',
    limiter: LIMITER,
    unless: '4 for create, get and patch; else 0',
    does: 'So many calls after the start of the agent pass without any limit, and train it.',
    beware: 'Refused calls count as well, and the count never starts again.',
  },
  {
    name: 'min-wait-duration',
    limiter: LIMITER,
    unless: '0s',
    does: 'Every call waits at least so long, also without a rate. It is a floor, not an addition.',
    beware: 'The call holds its place meanwhile.',
  },
  {
    name: 'max-wait-duration',
    limiter: LIMITER,
    unless: '60s create (15s before 1.14), 15s patch, 10s get; none for delete and list',
    does: 'A call that would have to wait longer is refused with 429, for a place or for the rate.',
    beware: 'kubelet gives up on a sandbox after 4 minutes.',
  },
  {
    name: 'estimated-processing-duration',
    limiter: LIMITER,
    unless: '2s create, 1s patch, 300ms list, 200ms get and delete',
    does: 'What auto-adjustment takes for normal: limits grow where calls are faster, and shrink where they are slower.',
  },
  {
    name: 'auto-adjust',
    limiter: LIMITER,
    unless: 'true for the five groups, else false',
    does: 'Limits follow estimate / mean processing time. They are always computed from the configured values.',
  },
  {
    name: 'delayed-adjustment-factor',
    limiter: LIMITER,
    unless: '0.5',
    does: 'The part of an adjustment that places and burst follow; the rate follows all of it.',
  },
  {
    name: 'max-adjustment-factor',
    limiter: LIMITER,
    unless: '100',
    does: 'Limits stay between the configured value divided, and multiplied, by it.',
    beware: 'Below 1 it turns the bounds around.',
  },
  {
    name: 'log',
    limiter: LIMITER,
    unless: 'false (before 1.12 true for create, delete and patch)',
    does: 'Writes every call, and above all every refusal, to the log of the agent.',
    beware: 'Without it a refusal leaves no line: only the metrics tell.',
  },
]
