/** What can be wrong with an exposition, in words. */
import type { Problem } from '../apf/problem.ts'
import type { ExpositionReport, OtherContent, Sample } from './exposition.ts'

/** Codes of problems of metrics and dumps. A code never changes its meaning. */
export const METRICS_PROBLEM = {
  /** The input is something else than an exposition. */
  otherContent: 'not-metrics',
  /** An exposition, but of no API server. */
  notApiServer: 'not-an-api-server',
  /** Lines that cannot be read were left out. */
  malformedLines: 'malformed-lines',
  /** The body ends in the middle of a line. */
  truncated: 'truncated',
  /** A series stands twice; the first one counts. */
  repeatedSeries: 'series-twice',
  /** A number that the server cannot mean: negative seats, NaN. */
  impossibleValue: 'impossible-value',
  /** Old and new values of one adjustment mixed, as a scrape may have them. */
  inconsistentScrape: 'inconsistent-scrape',
  /** The release is newer than what is known here. */
  newerVersion: 'newer-version',
  /** An API server with fairness of its own, but not kube-apiserver. */
  otherApiServer: 'other-api-server',
  /** A dump with other columns than it has in any release. */
  dumpColumns: 'dump-columns',
} as const

const CONTENT_NAMES: Readonly<Record<OtherContent, string>> = {
  empty: 'is empty',
  html: 'is an HTML page, such as that of a login or a proxy',
  json: 'is JSON',
  yaml: 'is YAML',
  gzip: 'is compressed with gzip',
  binary: 'is binary',
  text: 'is text, but no line of it is a metric',
}

export function contentProblem(file: string, { otherContent, malformed }: ExpositionReport): Problem {
  const first = malformed[0]
  return {
    code: METRICS_PROBLEM.otherContent,
    severity: 'error',
    message: `${CONTENT_NAMES[otherContent ?? 'text']}; metrics in the text format of Prometheus were expected`,
    fix: 'save them with: kubectl get --raw /metrics > metrics.txt',
    at: { file, line: first?.line ?? 1 },
  }
}

export function notApiServer(file: string, components: readonly string[]): Problem {
  const whose = components.length === 0 ? 'another component' : components.join(' and ')
  return {
    code: METRICS_PROBLEM.notApiServer,
    severity: 'error',
    message: `has the metrics of ${whose}, and none that every API server has`,
    fix: 'ask the API server: kubectl get --raw /metrics',
    at: { file },
  }
}

/** What is wrong with a body that is an exposition. */
export function reportProblems(file: string, report: ExpositionReport): Problem[] {
  const problems: Problem[] = []
  const first = report.malformed[0]
  if (first !== undefined) {
    const others = report.malformedCount - 1
    const more = others === 0 ? '' : `; ${others} more ${others === 1 ? 'line' : 'lines'} cannot be read`
    problems.push({
      code: METRICS_PROBLEM.malformedLines,
      severity: 'warning',
      message: `the line ${first.why}${more}; left out`,
      at: { file, line: first.line },
    })
  }
  if (report.truncated) {
    problems.push({
      code: METRICS_PROBLEM.truncated,
      severity: 'warning',
      message: 'the last line has no end: the rest is missing, and so may be series',
      fix: 'save it again',
      at: { file, line: report.lines },
    })
  }
  return problems
}

export function repeatedSeries(
  file: string,
  instance: string | null,
  first: Sample,
  count: number,
  severalProcesses: boolean,
): Problem {
  const whose = instance === null ? '' : ` of ${instance}`
  const series = count === 1 ? 'a series' : `${count} series`
  const why = severalProcesses ? ': scrapes of several processes in one file' : ''
  return {
    code: METRICS_PROBLEM.repeatedSeries,
    severity: severalProcesses ? 'error' : 'warning',
    message: `${series}${whose} came again, from ${first.name} on${why}; what came first counts, nothing was added up`,
    fix: severalProcesses ? 'give each API server a file of its own' : 'save it again',
    at: { file, line: first.line },
  }
}
