/** Problems that reading found (problem-codes.ts) as findings of the rule of their code. */
import type { ApfObject } from '../apf/objects.ts'
import { type FieldPath, formatFieldPath, type Problem } from '../apf/problem.ts'
import type { Finding, LintContext } from './rule.ts'

/** The problems of one code. A finding has the object where it could be decoded, else what it claims to be. */
export function* readingFindings(context: LintContext, code: string): Iterable<Finding> {
  for (const problem of context.reading) {
    if (problem.code === code) yield findingOf(problem, context)
  }
}

function findingOf(problem: Problem, { own }: LintContext): Finding {
  const { message, fix, at, object: about } = problem
  const objects: readonly ApfObject[] = about?.kind === 'FlowSchema' ? own.flowSchemas : own.priorityLevels
  const object = objects.find(({ metadata, origin }) => metadata.name === about?.name && origin?.file === at?.file)
  return {
    object: object ?? null,
    path: fieldPathOf(at?.path ?? '', object?.origin?.written),
    message: about === undefined || message.includes(about.name) ? message : `${about.kind} ${about.name}: ${message}`,
    ...(about && { about }),
    ...(at && { at }),
    ...(fix !== undefined && { fix: { text: fix } }),
  }
}

/**
 * The steps of a path in its spelling. Keys may have dots and brackets in them, so the written data tell the steps apart.
 * @param written  the data that the path leads into; where they do not tell, dots and brackets do
 */
function fieldPathOf(spelling: string, written: unknown): FieldPath {
  const path: (string | number)[] = []
  let rest = spelling
  let data = written
  while (rest !== '') {
    const step = nextStep(rest, data)
    path.push(step)
    rest = rest.slice(formatFieldPath([step]).length).replace(/^\./, '')
    data = typeof data === 'object' && data !== null ? Reflect.get(data, step) : undefined
  }
  return path
}

function nextStep(rest: string, data: unknown): string | number {
  const index = /^\[(\d+)\]/.exec(rest)
  if (index) return Number(index[1])
  const keys = typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : []
  const longest = keys
    .filter((key) => rest.startsWith(key) && /^(?:$|[.[])/.test(rest.slice(key.length)) && key !== '')
    .reduce((best, key) => (key.length > best.length ? key : best), '')
  return longest || (/^[^.[]+/.exec(rest)?.[0] ?? rest)
}
