/** Results of expectations for people: what holds, then each promise that does not, with what happens instead. */
import type { Column } from '../ui/table.ts'
import { lineInWords, whereisWords } from './asked-again.ts'
import type {
  ExpectedDocument,
  RangeDocument,
  TestCoverage,
  TestedCase,
  TestProblem,
  TestReport,
} from './test-contract.ts'

/** `3 of 4 promises hold`, and what the rest is. */
export function testVerdict({ cases, summary }: TestReport): string {
  const { passed, failed, undecided } = summary
  if (passed === cases.length) return cases.length === 1 ? 'the promise holds' : `all ${cases.length} promises hold`
  const rest = [
    ...(failed > 0 ? [`${failed} ${failed === 1 ? 'is' : 'are'} broken`] : []),
    ...(undecided > 0 ? [`${undecided} cannot be decided`] : []),
  ]
  return `${passed} of ${cases.length} ${cases.length === 1 ? 'promise holds' : 'promises hold'}: ${rest.join(', ')}`
}

export function resultWord({ passed }: Pick<TestedCase, 'passed'>): 'holds' | 'broken' | 'undecided' {
  if (passed === null) return 'undecided'
  return passed ? 'holds' : 'broken'
}

export const CASE_COLUMNS: readonly Column<TestedCase>[] = [
  { header: 'RESULT', value: resultWord },
  { header: 'PROMISE', cuts: true, value: ({ name }) => name },
  { header: 'TRIED', value: triedInWords },
  { header: 'WHERE', value: placeInWords },
]

function triedInWords({ requests, passed }: TestedCase): string {
  if (requests === null) return passed === true ? 'all, proved' : 'all'
  return requests === 1 ? '1 request' : `${requests} requests`
}

export function placeInWords({ file, line }: Pick<TestedCase, 'file' | 'line'>): string {
  return line === null ? file : `${file}:${line}`
}

const PROBLEMS_SHOWN = 3

/**
 * The lines on one promise that does not hold.
 * @param shown  problems told before the rest is counted
 */
export function brokenLines(tested: TestedCase, arrow: string, shown = PROBLEMS_SHOWN): string[] {
  const { problems } = tested
  const first = problems.find(({ undecided }) => !undecided) ?? problems[0]
  const words = first?.witness ? whereisWords(first.witness) : null
  return [
    tested.name,
    `  promised  ${promiseInWords(tested.expected)}`,
    ...problems.slice(0, shown).flatMap((problem) => problemLines(problem, tested)),
    ...(problems.length > shown ? [`            and ${problems.length - shown} more`] : []),
    ...(words === null ? [] : [`  ${arrow} kubectl apf whereis ${words}`]),
  ]
}

function problemLines({ message, witness, undecided, line, column }: TestProblem, tested: TestedCase): string[] {
  const place = line === null || line === tested.line ? [] : [`${tested.file}:${line}:${column}`]
  const [first = '', ...others] = [
    ...(witness === null ? [] : [lineInWords(witness)]),
    ...message.split('; '),
    ...place,
  ]
  return [`  ${undecided ? 'not known ' : 'but       '}${first}`, ...others.map((text) => `            ${text}`)]
}

/** `in level shop`; `never in level exempt`. */
export function promiseInWords({ expect, never, always }: ExpectedDocument): string {
  if (never) return `never ${landingInWords(never)}`
  if (always) return `always ${landingInWords(always)}`
  if (!expect) return ''
  const { outcome, level, request } = expect
  return [
    ...(expect.flowSchema || expect.priorityLevel ? [landingInWords(expect)] : []),
    ...(outcome ? [`outcome ${outcome}`] : []),
    ...(level ? [`${rangeInWords(level.nominalSeats)} nominal ${seatsOf(level.nominalSeats)} of the level`] : []),
    ...(request ? [`${rangeInWords(request.width)} ${seatsOf(request.width)} for a request`] : []),
  ].join(', ')
}

function landingInWords({ flowSchema, priorityLevel }: { flowSchema?: string; priorityLevel?: string }): string {
  return [
    ...(priorityLevel === undefined ? [] : [`in level ${priorityLevel}`]),
    ...(flowSchema === undefined ? [] : [`through FlowSchema ${flowSchema}`]),
  ].join(' ')
}

function rangeInWords({ min, max }: RangeDocument): string {
  if (min === undefined) return `at most ${max}`
  return max === undefined ? `at least ${min}` : `${min} to ${max}`
}

function seatsOf({ min, max }: RangeDocument): string {
  return (max ?? min) === 1 ? 'seat' : 'seats'
}

/** What no case is about, with a request that one could be about. */
export function coverageLines({ rules, schemas, unexercised, unreachable }: TestCoverage): string[] {
  const shares = `${rules.exercised} of ${rules.total} rules (${rules.percent} %), ${schemas.exercised} of ${schemas.total} FlowSchemas`
  return [
    `exercised: ${shares}`,
    ...unexercised.map(({ flowSchema, ruleIndex, witness }) => {
      const example = witness === null ? '' : `, such as ${lineInWords(witness)}`
      return `  not ${flowSchema} rules[${ruleIndex}]${example}`
    }),
    ...unreachable.map(({ flowSchema, ruleIndex }) => `  left out: ${flowSchema} rules[${ruleIndex}] takes nothing`),
  ]
}
